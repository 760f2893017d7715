package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func newShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Tell an execution in full, line by line", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.executionIDs(0),
		Long: `Tell an execution in full: its program, what happened and when, who decided
what, and what it came to. With --json arguments and results are whole.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			d, err := ask(ctx, s, func(svc control.Service) (*core.Detail, error) { return svc.Show(ctx, args[0]) })
			if err != nil {
				return err
			}
			return a.answer(d, func(p render.Page) string { return p.Detail(d) })
		}),
	}
}
