package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func newTypes(a *app) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use: "types [NAMESPACE...]", Short: "Declare in TypeScript what programs can call",
		Long: `Write TypeScript declarations of the namespaces, all if none is named, and of
what every program has beside them, for editors and the TypeScript compiler.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			types, err := ask(ctx, s, func(svc control.Service) (*core.Types, error) { return svc.Types(ctx, args) })
			if err != nil {
				return err
			}
			for _, u := range types.Unavailable {
				a.say(fmt.Sprintf("Connector %s is not available, and is declared without its methods: %s", u.Connector, u.Reason))
			}
			if out == "" {
				return a.answer(types, func(render.Page) string { return render.Safe(types.Text) })
			}
			if err := os.WriteFile(out, []byte(types.Text), 0o644); err != nil {
				return fmt.Errorf("write the declarations: %w", err)
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&out, "out", "", "write them to this `file`, such as codemode.d.ts")
	return cmd
}
