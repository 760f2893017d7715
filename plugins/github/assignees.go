package main

import (
	"context"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// AddAssignees are the arguments of add_assignees.
type AddAssignees struct {
	Numbered
	Assignees []string `json:"assignees" jsonschema:"minItems=1,maxItems=10" jsonschema_description:"Logins."`
}

// formerAssignees are what reverting needs: who was assigned before.
func (c *connector) formerAssignees(ctx context.Context, in AddAssignees) (any, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return nil, err
	}
	return logins(found.Assignees), nil
}

func (c *connector) addAssignees(ctx context.Context, in AddAssignees) (Issue, error) {
	changed, _, err := c.client.Issues.AddAssignees(ctx, in.Owner, in.Repo.Repo, in.Number, in.Assignees)
	return as(issue, changed, err)
}

func (c *connector) removeAssignees(ctx context.Context, in AddAssignees, _ Issue) error {
	former, err := sdk.Before[[]string](ctx)
	if err != nil {
		return err
	}
	added := without(in.Assignees, former)
	if len(added) == 0 {
		return nil
	}
	_, _, err = c.client.Issues.RemoveAssignees(ctx, in.Owner, in.Repo.Repo, in.Number, added)
	return err
}

// without returns the names that are not among others, in any case.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(name, other) })
	})
}

func (c *connector) previewAssignees(ctx context.Context, in AddAssignees) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Assign %s to %s: %s", strings.Join(in.Assignees, ", "), in.Numbered, found.GetTitle())
	p.names("assigned already", logins(found.Assignees))
	return p.String(), nil
}
