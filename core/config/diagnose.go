package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/codemode-go/codemode/core/schema"
)

// Problem is one fault of a connector's config block, found by its schema or by the connector itself.
type Problem struct {
	// Path leads to the faulty value: property names and list indices as decimal numbers; empty: the whole block.
	Path    []string
	Summary string
	Detail  string
}

// Validate checks the evaluated config block against the JSON Schema that the
// connector describes; without a schema the block must be empty. A fault of the
// block is an *[Error] with its place. A guest has evaluated nothing that could be checked.
func (c *Connector) Validate(configSchema json.RawMessage) error {
	if c.ConfigJSON == nil {
		return nil
	}
	if len(configSchema) == 0 {
		configSchema = json.RawMessage(`{"type": "object", "additionalProperties": false}`)
	}
	s, err := schema.Compile(configSchema)
	if err != nil {
		return fmt.Errorf("read the configuration schema of %s: %w", c, err)
	}
	err = s.Validate(c.ConfigJSON)
	var invalid *schema.Error
	if !errors.As(err, &invalid) {
		return err
	}
	var problems []Problem
	for _, p := range invalid.Problems {
		problems = append(problems, Problem{Path: p.Path, Summary: "Invalid configuration", Detail: p.String() + "."})
	}
	return c.Diagnose(problems, configSchema)
}

// Diagnose gives problems of the config block their places in the source. The
// schema, which may be nil, tells which attributes may hold a credential: their
// lines are not shown. It returns an *[Error], or nil without problems.
func (c *Connector) Diagnose(problems []Problem, configSchema json.RawMessage) error {
	if len(problems) == 0 {
		return nil
	}
	s, err := schema.Compile(configSchema)
	if err != nil {
		return fmt.Errorf("read the configuration schema of %s: %w", c, err)
	}
	var diags hcl.Diagnostics
	for _, p := range problems {
		at := c.locate(p.Path)
		d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: p.Summary, Detail: p.Detail, Subject: &at}
		// The whole attribute, for what it holds can stand on one line.
		if len(p.Path) > 0 && c.attrs[p.Path[0]] != nil && s.Secret(p.Path[:1]) {
			d.Extra = noSource{}
		}
		diags = append(diags, d)
	}
	return c.source.report(diags, c.credentials(s)...)
}

// credentials lists the texts of the attributes that the schema marks writeOnly.
// Such a value may be written out in the block, and a connector may quote it.
func (c *Connector) credentials(s *schema.Schema) []string {
	var block ctyjson.SimpleJSONValue
	if err := json.Unmarshal(c.ConfigJSON, &block); err != nil { // a guest has no values
		return nil
	}
	var texts []string
	for name, value := range block.AsValueMap() {
		if s.Secret([]string{name}) {
			texts = append(texts, textsIn(value)...)
		}
	}
	return texts
}

// locate finds the source of the value at path, or of the nearest that contains it.
func (c *Connector) locate(path []string) hcl.Range {
	if c.config == nil {
		return c.header
	}
	if len(path) == 0 || c.attrs[path[0]] == nil {
		return c.config.DefRange
	}
	attr := c.attrs[path[0]]
	at, expr := attr.Range, attr.Expr
	for _, name := range path[1:] {
		var ok bool
		if at, expr, ok = below(at, expr, name); !ok {
			break
		}
	}
	return at
}

// below finds the item or property called name in an expression that writes it out.
func below(at hcl.Range, expr hcl.Expression, name string) (hcl.Range, hcl.Expression, bool) {
	if items, diags := hcl.ExprList(expr); !diags.HasErrors() {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(items) {
			return items[i].Range(), items[i], true
		}
		return at, expr, false
	}
	pairs, diags := hcl.ExprMap(expr)
	if diags.HasErrors() {
		return at, expr, false
	}
	for _, pair := range pairs {
		key, diags := pair.Key.Value(nil)
		if !diags.HasErrors() && key.Type() == cty.String && key.IsWhollyKnown() && !key.IsNull() && key.AsString() == name {
			return hcl.RangeBetween(pair.Key.Range(), pair.Value.Range()), pair.Value, true
		}
	}
	return at, expr, false
}
