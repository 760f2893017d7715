package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/schema"
)

// method returns the method that calls an operation.
func (a *api) method(m *operation.Method) sdk.Method {
	approval := sdk.Required
	if m.ReadOnly {
		approval = sdk.NotRequired
	}
	return sdk.RawMethod{
		Name: m.Name, Description: m.Description, Tags: m.Tags, InputSchema: m.Input, OutputSchema: m.Output,
		ReadOnly: m.ReadOnly, Idempotent: m.Idempotent || a.config.IdempotencyHeader != "", Destructive: m.Destructive, Approval: approval,
		Call: func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) { return a.call(ctx, m, args) },
	}
}

// about introduces an API in a paragraph, with what it does not offer.
func about(d *document.Document, set *operation.Set) string {
	const longest = 600
	text := strings.TrimSpace(d.Title)
	if d.Description != "" {
		text += ": " + schema.Shorten(d.Description, longest)
	}
	if n := len(set.Skipped); n > 0 {
		text += fmt.Sprintf("\n%d of its %d operations cannot be offered.", n, n+len(set.Methods))
	}
	return strings.TrimPrefix(text, ": ")
}
