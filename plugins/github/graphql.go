package main

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// mutation is a write that only GraphQL has.
type mutation struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables"`

	refusal string // what an error says before GitHub's own words
}

// mutate sends a mutation and reads its data. What GraphQL refuses comes with
// 200, and has not happened.
func (c *connector) mutate(ctx context.Context, m mutation, data any) error {
	answer := struct {
		Data   any `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}{Data: data}
	if err := c.send(ctx, "POST", graphQL(c.client.BaseURL()), m, &answer); err != nil {
		return err
	}
	var faults []error
	for _, fault := range answer.Errors {
		faults = append(faults, errors.New(fault.Message))
	}
	if len(faults) > 0 {
		return sdk.Errorf(sdk.Conflict, "%s: %v", m.refusal, errors.Join(faults...))
	}
	return nil
}

// graphQL is the address of GraphQL: beside v3 on an Enterprise Server.
func graphQL(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "graphql"
	}
	u.Path = path.Join(strings.TrimSuffix(u.Path, "v3/"), "graphql")
	return u.String()
}
