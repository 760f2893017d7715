package main

import (
	"cmp"
	"context"
	"errors"
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
	keep, yes := 0, false
	cmd := &cobra.Command{
		Use: "prune", Short: "Delete executions that have ended, but the newest", Args: cobra.NoArgs,
		Long: `Delete executions that have ended, all but the newest, and those that are older
than the configuration's max_age. What runs, waits or is being rolled back
stays. A deleted execution cannot be shown or rolled back any more. To keep
fewer than the configuration's max_executions is asked about at the terminal;
what the configuration says, a host does by itself.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if keep < 0 {
				return fmt.Errorf("--keep %d: it is how many stay", keep)
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error {
				if !cmd.Flags().Changed("keep") {
					keep = s.kept
				}
				return a.prune(ctx, s, keep, yes)
			})(cmd, args)
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 0, "how many stay (default: the configuration's max_executions)")
	cmd.Flags().BoolVar(&yes, "yes", false, yesFlag)
	return cmd
}

func (a *app) prune(ctx context.Context, s *session, keep int, yes bool) error {
	if keep < s.kept {
		more := func(render.Page) string {
			return fmt.Sprintf("The configuration keeps %d executions that have ended; %d would stay.", s.kept, keep)
		}
		sure, err := a.confirmed(ctx, s, yes, more, "Delete the others?")
		if err != nil {
			return err
		}
		if !sure {
			return cmp.Or(a.ended("deleted", nil, nil), exit(exitUnchanged))
		}
	}
	list, err := ask(ctx, s, func(svc control.Service) ([]string, error) { return svc.Prune(ctx, keep) })
	return a.ended("deleted", list, err)
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
	yes := false
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete an execution with its journal", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.executionIDs(0),
		Long: `Delete an execution with its journal: it cannot be shown or rolled back any
more. One that waits is deleted too; one that runs, or whose rollback has begun
and not ended, is not. It asks at the terminal.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			sure, err := a.confirmed(ctx, s, yes, a.deletedExecution(ctx, s, args[0]), "Delete this execution for good?")
			if err != nil {
				return err
			}
			if !sure {
				return a.reply(&core.Reply{ExecutionID: args[0], Message: "The execution is still there."})
			}
			r, err := ask(ctx, s, func(svc control.Service) (*core.Reply, error) { return svc.Delete(ctx, args[0]) })
			if err != nil {
				return err
			}
			return a.reply(r)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, yesFlag)
	return cmd
}

// deletedExecution shows what has been done by an execution, which cannot be undone when it is deleted. One that cannot
// be read can be deleted all the same; of one that is not there, nothing is shown.
func (a *app) deletedExecution(ctx context.Context, s *session, id string) func(render.Page) string {
	return func(p render.Page) string {
		d, err := ask(ctx, s, func(svc control.Service) (*core.Detail, error) { return svc.Show(ctx, id) })
		if unknown := (*core.NotFoundError)(nil); errors.As(err, &unknown) {
			return ""
		}
		if err != nil {
			return render.Safe(fmt.Sprintf("Execution %s cannot be shown: %v\n", id, err))
		}
		return p.Applied(d)
	}
}
