package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

func newDescribe(a *app) *cobra.Command {
	skipped := false
	cmd := &cobra.Command{
		Use: "describe TARGET", Short: "Describe a namespace, a method or a type", Args: cobra.ExactArgs(1),
		Long: `Describe a namespace ("github"), one of its tags ("github#issues"), a method
("github.create_issue") or a type ("github:Issue").

With --skipped, list what a namespace could not offer as methods, and why.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			if skipped {
				return a.describeSkipped(ctx, s, args[0])
			}
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
	cmd.Flags().BoolVar(&skipped, "skipped", false, "list what the namespace could not offer, and why")
	return cmd
}

// describeSkipped lists what a connector could not offer.
func (a *app) describeSkipped(ctx context.Context, s *session, connector string) error {
	list, err := ask(ctx, s, func(svc control.Service) (*core.Skipped, error) { return svc.Skipped(ctx, connector) })
	if err != nil {
		return err
	}
	return a.answer(list, func(p render.Page) string { return p.Skipped(list) })
}
