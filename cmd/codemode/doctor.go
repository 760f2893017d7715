package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/config"
)

func newDoctor(a *app) *cobra.Command {
	confirm := false
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look at what this machine gives: the sandbox's walls, the journal, the connectors", Args: cobra.NoArgs,
		Long: `Start a sandbox process and see which walls hold around it, look at the
journal, and start each connector. Nothing is run and nothing is changed. The
exit code is 2 where something must be mended.

With --confirm a person accepts, at the terminal, that events of the journal are
lost: what has not ended in it may go on from what is left.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, o, err := a.configured()
			if err != nil {
				return err
			}
			if confirm {
				return a.confirmDamage(cmd.Context(), c, o)
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
	cmd.Flags().BoolVar(&confirm, "confirm", false, "accept that events of the journal are lost")
	return a.takesSecret(cmd)
}

// confirmDamage has a person accept the damage of the journal.
func (a *app) confirmDamage(ctx context.Context, c *config.Config, o core.OpenOptions) error {
	s := &session{unattended: c.Approvals.Unattended, secret: c.Approvals.SecretFile != ""}
	accepted := false
	damage, err := core.ConfirmDamage(ctx, c, o, func(damage error) (yes bool, err error) {
		accepted, err = a.acceptsDamage(ctx, s, c, damage)
		return accepted, err
	})
	if err != nil {
		return err
	}
	text := "Nothing was changed. The journal is not damaged.\n"
	switch {
	case accepted:
		text = "The loss is accepted: what has not ended may go on from what is left.\n"
	case damage != nil:
		text = "Nothing was changed. The journal stays as it is.\n"
	}
	err = a.answer(map[string]bool{"confirmed": accepted}, func(render.Page) string { return text })
	if err == nil && !accepted {
		return exit(exitUnchanged)
	}
	return err
}

func (a *app) acceptsDamage(ctx context.Context, s *session, c *config.Config, damage error) (bool, error) {
	if a.asks(s) {
		t, err := a.openTerminal()
		if err != nil {
			return false, err
		}
		defer t.close()
		if err := t.show(render.Safe("\n" + damage.Error() + ".\n")); err != nil {
			return false, err
		}
		if yes, err := t.confirm(ctx, "Go on from what is left?"); err != nil || !yes {
			return false, err
		}
	}
	ctx, err := a.authorized(ctx, s)
	if err != nil || !s.secret {
		return err == nil, err
	}
	err = control.CheckSecret(ctx, c.Approvals.SecretFile)
	return err == nil, err
}
