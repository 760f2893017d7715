package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core/catalog"
)

func newSearch(a *app) *cobra.Command {
	q := catalog.Query{}
	cmd := &cobra.Command{
		Use: "search [QUERY...]", Short: "Find methods by what people call things",
		Long: `Find methods by what people call things. Without a query all are listed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Limit < 1 || q.Limit > catalog.MaxLimit {
				return fmt.Errorf("--limit %d: it is from 1 to %d", q.Limit, catalog.MaxLimit)
			}
			q.Text = strings.Join(args, " ")
			return a.with(func(ctx context.Context, s *session, _ []string) error {
				r, err := ask(ctx, s, func(svc control.Service) (*catalog.Results, error) { return svc.Search(ctx, q) })
				if err != nil {
					return err
				}
				return a.answer(r, func(p render.Page) string { return p.Search(r) })
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&q.Connector, "connector", "", "only this connector's")
	cmd.Flags().IntVar(&q.Limit, "limit", catalog.DefaultLimit, "how many at most, up to 50")
	cmd.Flags().StringVar(&q.Cursor, "cursor", "", "go on where an earlier search ended")
	return cmd
}
