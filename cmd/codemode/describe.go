package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core/catalog"
)

func newDescribe(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "describe TARGET", Short: "Describe a namespace, a method or a type", Args: cobra.ExactArgs(1),
		Long: `Describe a namespace ("github"), one of its tags ("github#issues"), a method
("github.create_issue") or a type ("github:Issue").`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			d, err := ask(ctx, s, func(svc control.Service) (*catalog.Description, error) { return svc.Describe(ctx, args[0]) })
			if err != nil {
				return err
			}
			if err := a.answer(d, func(p render.Page) string { return p.Description(d) }); err != nil {
				return err
			}
			if d.Kind == catalog.KindUnknown {
				return exit(exitUnchanged)
			}
			return nil
		}),
	}
}
