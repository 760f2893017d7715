package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func newExpire(a *app) *cobra.Command {
	age := time.Duration(0)
	cmd := &cobra.Command{
		Use: "expire", Short: "End executions that have waited for too long", Args: cobra.NoArgs,
		Long: `End the executions in which nothing has happened for a time: those that wait as
rejected, those that a dead process left running as errors. It undoes nothing.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if age <= 0 {
				return fmt.Errorf("--age %s: it is a time that has passed, like 24h", age)
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error {
				list, err := ask(ctx, s, func(svc control.Service) ([]string, error) { return svc.ExpirePaused(ctx, age) })
				return a.ended("expired", list, err)
			})(cmd, args)
		},
	}
	cmd.Flags().DurationVar(&age, "age", core.DefaultExpiry, "how long ago the last event was at least")
	return cmd
}

func newPrune(a *app) *cobra.Command {
	keep := 0
	cmd := &cobra.Command{
		Use: "prune", Short: "Delete executions that have ended, but the newest", Args: cobra.NoArgs,
		Long: `Delete executions that have ended, all but the newest. What runs or waits stays.
A deleted execution cannot be shown or rolled back any more.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if keep < 0 {
				return fmt.Errorf("--keep %d: it is how many stay", keep)
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error {
				list, err := ask(ctx, s, func(svc control.Service) ([]string, error) { return svc.Prune(ctx, keep) })
				return a.ended("deleted", list, err)
			})(cmd, args)
		},
	}
	cmd.Flags().IntVar(&keep, "keep", core.DefaultMaxExecutions, "how many stay")
	return cmd
}

// ended tells the executions that something was done to, also where an error stopped it.
func (a *app) ended(done string, ids []string, failed error) error {
	if ids == nil && failed != nil {
		return failed
	}
	if ids == nil {
		ids = []string{}
	}
	if err := a.answer(ids, func(p render.Page) string { return p.Ended(done, ids) }); err != nil {
		return err
	}
	return failed
}

func newDelete(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete an execution with its journal", Args: cobra.ExactArgs(1),
		Long: `Delete an execution with its journal: it cannot be shown or rolled back any
more. One that waits is deleted too; one that runs is not.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			r, err := ask(ctx, s, func(svc control.Service) (*core.Reply, error) { return svc.Delete(ctx, args[0]) })
			if err != nil {
				return err
			}
			return a.reply(r)
		}),
	}
}
