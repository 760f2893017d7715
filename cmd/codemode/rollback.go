package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func newRollback(a *app) *cobra.Command {
	note, dry := "", false
	cmd := &cobra.Command{
		Use: "rollback ID", Short: "Undo what an execution has done", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.executionIDs(0),
		Long: `Undo the applied calls of an execution that can be reverted, the last one first.
With --dry-run, only tell what would be done; exit code 4 says that it is
nothing.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			if dry {
				return a.planRollback(ctx, s, args[0])
			}
			return a.rollback(ctx, s, args[0], note)
		}),
	}
	cmd.Flags().StringVar(&note, "note", "", "why")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "tell what would be done, and do nothing")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "note")
	return a.takesSecret(cmd)
}

func (a *app) rollback(ctx context.Context, s *session, id, note string) error {
	req := core.RollbackRequest{ExecutionID: id, Decider: a.decider(a.via(), note)}
	if a.asks(s) {
		yes, err := a.askRollback(ctx, s, id)
		if err != nil {
			return err
		}
		if !yes {
			return a.reply(&core.Reply{ExecutionID: id, Message: "No call was reverted."})
		}
		req.Via = viaTerminal
	}
	ctx, err := a.authorized(ctx, s)
	if err != nil {
		return err
	}
	// An interrupt does not break a rollback off: each revert is awaited, and a second one leaves at once.
	account, err := ask(ctx, s, func(svc control.Service) (*core.Rollback, error) {
		return svc.Rollback(context.WithoutCancel(ctx), req)
	})
	if err != nil {
		return err
	}
	if err := a.answer(account, func(p render.Page) string { return p.Rollback(account) }); err != nil {
		return err
	}
	return exit(rollbackExit(account))
}

// planRollback tells what a rollback would do. It decides nothing, and asks nobody.
func (a *app) planRollback(ctx context.Context, s *session, id string) error {
	plan, err := ask(ctx, s, func(svc control.Service) (*core.Rollback, error) {
		return svc.Rollback(ctx, core.RollbackRequest{ExecutionID: id, DryRun: true})
	})
	if err != nil {
		return err
	}
	if err := a.answer(plan, func(p render.Page) string { return p.RollbackPlan(plan) }); err != nil {
		return err
	}
	if len(plan.Reverted) == 0 {
		return exit(exitUnchanged)
	}
	return nil
}

// askRollback shows what has been done and asks a person whether it is to be undone.
func (a *app) askRollback(ctx context.Context, s *session, id string) (bool, error) {
	t, err := a.openTerminal()
	if err != nil {
		return false, err
	}
	defer t.close()
	d, err := ask(ctx, s, func(svc control.Service) (*core.Detail, error) { return svc.Show(ctx, id) })
	var unknown *core.NotFoundError
	if errors.As(err, &unknown) {
		return true, nil // the host says so
	}
	if err != nil {
		return false, err
	}
	if err := t.show("\n" + t.page.Applied(d) + "\n"); err != nil {
		return false, err
	}
	return t.confirm(ctx, "Roll this execution back?")
}

func rollbackExit(r *core.Rollback) int {
	switch {
	case len(r.Failed)+len(r.InDoubt) > 0:
		return exitFailed
	case !r.Changed:
		return exitUnchanged
	}
	return exitDone
}
