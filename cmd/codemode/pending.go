package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

func newPending(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "pending [ID]", Short: "List the calls that wait for a person", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: a.executionIDs(0, journal.StatusPaused, journal.StatusRunning),
		Long: `List the calls that wait for a person: of one execution, whole, or of all. A
call whose effect is in doubt is listed until somebody has settled it, also when
its execution has ended.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			list, err := pendingOf(ctx, s, id)
			if err != nil {
				return err
			}
			return a.answer(list, func(p render.Page) string { return p.Pending(list, id != "") })
		}),
	}
}

// pendingOf lists the calls that wait; in JSON, none are an empty list.
func pendingOf(ctx context.Context, s *session, id string) ([]core.Pending, error) {
	list, err := ask(ctx, s, func(svc control.Service) ([]core.Pending, error) { return svc.Pending(ctx, id) })
	if list == nil {
		list = []core.Pending{}
	}
	return list, err
}
