package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

func newReject(a *app) *cobra.Command {
	var note string
	var goOn bool
	cmd := &cobra.Command{
		Use: "reject ID SEQ", Short: "Reject a call that waits", Args: cobra.ExactArgs(2),
		ValidArgsFunction: a.executionIDs(0, journal.StatusPaused, journal.StatusRunning),
		Long: `Reject a call that waits for an approval. That ends its execution and undoes
nothing. With --continue the program gets an error instead, and runs on.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			req := core.RejectRequest{ExecutionID: args[0], Seq: args[1], Decider: a.decider(viaCommand, note)}
			if !goOn {
				return a.rejected(ctx, s, req)
			}
			out, err := drive(ctx, a, s, req.ExecutionID, func(ctx context.Context, svc control.Service) (*core.Outcome, error) {
				return svc.Refuse(ctx, req)
			})
			if err != nil {
				return err
			}
			return a.outcome(out)
		}),
	}
	cmd.Flags().StringVar(&note, "note", "", "why (required)")
	cmd.Flags().BoolVar(&goOn, "continue", false, "tell the program, and let it go on")
	mustRequire(cmd, "note")
	return cmd
}

// mustRequire makes a flag required. It panics where there is no such flag.
func mustRequire(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}
