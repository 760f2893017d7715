package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/core"
)

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Look at what this machine gives: the sandbox's walls, the journal, the connectors", Args: cobra.NoArgs,
		Long: `Start a sandbox process and see which walls hold around it, look at the
journal, and start each connector. Nothing is run and nothing is changed. The
exit code is 2 where something must be mended.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, o, err := a.configured()
			if err != nil {
				return err
			}
			findings, err := core.Diagnose(cmd.Context(), c, o)
			if err != nil {
				return err
			}
			d := render.Diagnosis{Version: thisVersion().Version, Config: c.Path, Findings: findings}
			if err := a.answer(d, func(p render.Page) string { return p.Diagnosis(d) }); err != nil {
				return err
			}
			if slices.ContainsFunc(findings, func(f core.Finding) bool { return f.State == core.FindingFault }) {
				return exit(exitUsage)
			}
			return nil
		},
	}
}
