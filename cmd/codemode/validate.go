package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/policy"
)

func newValidate(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "validate", Short: "Check the configuration and start its connectors", Args: cobra.NoArgs,
		Long: `Load the configuration, start each connector, check its configuration, and look
for rules that match no method and for names that meet. Nothing is run.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, o, err := a.configured()
			if err != nil {
				return err
			}
			found, err := core.Inspect(cmd.Context(), c, o)
			if err != nil {
				return err
			}
			r := check(c, found)
			if err := a.answer(r, func(p render.Page) string { return p.Validation(r) }); err != nil {
				return err
			}
			if !r.Valid {
				return exit(exitUsage)
			}
			return nil
		},
	}
}

// check holds a configuration against what its connectors offer.
func check(c *config.Config, found *core.Inspection) render.Validation {
	offered := found.Catalog
	r := render.Validation{Config: c.Path, Valid: true, Connectors: []render.ValidConnector{}}
	for _, conn := range offered.Connectors() {
		v := render.ValidConnector{
			Label: conn.Label, Plugin: conn.Plugin, Version: conn.Version, Methods: len(conn.Methods),
		}
		if fault := found.Faults[conn.Label]; fault != nil {
			v.Error, r.Valid = fault.Error(), false
		} else {
			v.Warnings = idle(c.Connector(conn.Label), conn.Methods)
			warnings, err := c.Connector(conn.Label).CheckConditions(conn.Methods)
			for _, w := range warnings {
				v.Warnings = append(v.Warnings, w.String())
			}
			if err := errors.Join(err, c.Connector(conn.Label).CheckDeclared(conn.Methods)); err != nil {
				v.Error, r.Valid = err.Error(), false
			}
		}
		for _, w := range offered.Collisions() {
			if w.Connector == conn.Label {
				v.Warnings = append(v.Warnings, w.String())
			}
		}
		r.Connectors = append(r.Connectors, v)
	}
	return r
}

// idle lists the patterns of a connector's rules and method blocks that match no method.
func idle(conn *config.Connector, methods []*catalog.Method) []string {
	var list []string
	for _, rule := range conn.Rules {
		for _, pattern := range rule.Methods {
			if !matches(pattern, methods) {
				list = append(list, fmt.Sprintf("the rule at %s: no method matches %q", rule.Place, pattern))
			}
		}
	}
	for _, m := range conn.Methods {
		if !matches(m.Pattern, methods) {
			list = append(list, fmt.Sprintf("method %q: no method matches", m.Pattern))
		}
	}
	return list
}

func matches(pattern string, methods []*catalog.Method) bool {
	return slices.ContainsFunc(methods, func(m *catalog.Method) bool {
		return policy.Match(pattern, m.Name) || policy.Match(pattern, m.Raw)
	})
}
