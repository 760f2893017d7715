package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

func newResume(a *app) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "resume ID|--all", Short: "Continue what a dead process left running", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: a.executionIDs(0, journal.StatusRunning, journal.StatusPaused),
		Long: `Continue an execution that a process left running when it ended or died, or all
of them. It decides nothing.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return errors.New("resume takes an execution's id, or --all")
			}
			if all {
				return a.with(a.resumeAll)(cmd, args)
			}
			return a.with(a.resume)(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that were left running")
	return cmd
}

func (a *app) resume(ctx context.Context, s *session, args []string) error {
	out, err := drive(ctx, a, s, args[0], func(ctx context.Context, svc control.Service) (*core.Outcome, error) {
		return svc.Resume(ctx, args[0])
	})
	if err != nil {
		return err
	}
	return a.outcome(out)
}

func (a *app) resumeAll(ctx context.Context, s *session, _ []string) error {
	list, failed := ask(ctx, s, func(svc control.Service) ([]*core.Outcome, error) { return svc.ResumeAll(ctx) })
	if failed != nil && ctx.Err() != nil {
		failed = fmt.Errorf("%w; what has not ended stays running, for the process that has the journal open or the next resume", context.Cause(ctx))
	}
	if len(list) == 0 && failed != nil {
		return failed
	}
	if list == nil {
		list = []*core.Outcome{}
	}
	if err := a.answer(list, func(p render.Page) string { return outcomes(p, list) }); err != nil {
		return err
	}
	if failed != nil {
		return failed // beside it, the outcomes are good
	}
	return exit(worst(list))
}

func outcomes(p render.Page, list []*core.Outcome) string {
	if len(list) == 0 {
		return "There was nothing to resume.\n"
	}
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = p.Outcome(o)
	}
	return strings.Join(texts, "\n")
}

// worst is the exit code of several outcomes: that one ended in error, else that one is paused.
func worst(list []*core.Outcome) int {
	code := exitDone
	for _, o := range list {
		switch c := outcomeExit(o); {
		case c == exitFailed, c == exitPaused && code == exitDone:
			code = c
		}
	}
	return code
}
