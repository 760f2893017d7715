package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

var statuses = []string{
	string(journal.StatusRunning), string(journal.StatusPaused), string(journal.StatusCompleted),
	string(journal.StatusError), string(journal.StatusRejected), string(journal.StatusRolledBack),
}

func newExecutions(a *app) *cobra.Command {
	req := core.ListRequest{}
	cmd := &cobra.Command{
		Use: "executions", Short: "List executions, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range req.Statuses {
				if !slices.Contains(statuses, s) {
					return fmt.Errorf("--status %q: the statuses are %s", s, strings.Join(statuses, ", "))
				}
			}
			if req.Limit < 1 {
				return fmt.Errorf("--limit %d: at least one is listed", req.Limit)
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error { return a.executions(ctx, s, req) })(cmd, args)
		},
	}
	cmd.Flags().StringSliceVar(&req.Statuses, "status", nil, "only these `statuses`, with commas between them")
	oneOf(cmd, "status", statuses...)
	cmd.Flags().IntVar(&req.Limit, "limit", 50, "how many at most")
	cmd.Flags().StringVar(&req.Cursor, "cursor", "", "go on where an earlier list ended")
	return cmd
}

func (a *app) executions(ctx context.Context, s *session, req core.ListRequest) error {
	page, err := ask(ctx, s, func(svc control.Service) (*core.Page, error) { return svc.Executions(ctx, req) })
	if err != nil {
		return err
	}
	if page.Executions == nil {
		page.Executions = []journal.Head{}
	}
	return a.answer(page, func(p render.Page) string { return p.Executions(page) })
}
