package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/policy"
)

var (
	checksumForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	envName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// connectors reads the connector blocks.
func (l *loader) connectors(blocks hcl.Blocks) []*Connector {
	var list []*Connector
	declared := map[string]hcl.Range{}
	for _, block := range blocks {
		label := block.Labels[0]
		if before, ok := declared[label]; ok {
			l.duplicate("Duplicate connector", fmt.Sprintf("The label %q can be used once", label), block.DefRange, before)
			continue
		}
		declared[label] = block.DefRange
		if err := catalog.ValidLabel(label); err != nil {
			l.fail(block.LabelRanges[0], "Invalid connector label", sentence(err))
		}
		list = append(list, l.connector(block))
	}
	return list
}

func (l *loader) connector(block *hcl.Block) *Connector {
	c := &Connector{Label: block.Labels[0], MTLS: true, source: l.source, header: block.DefRange}
	plugin := text("plugin", &c.Plugin)
	plugin.required = true
	content := l.decode(block, []attribute{
		plugin, texts("args", &c.Args), checksum(&c.Checksum), flag("mtls", &c.MTLS), {name: "env"}, line("hint", &c.Hint),
		duration("timeout", &c.Timeout), count("concurrency", &c.Concurrency),
	}, append(declarationHeaders(), hcl.BlockHeaderSchema{Type: "config"}, hcl.BlockHeaderSchema{Type: "retries"},
		hcl.BlockHeaderSchema{Type: "rate_limit"}, hcl.BlockHeaderSchema{Type: "rule"},
		hcl.BlockHeaderSchema{Type: "method", LabelNames: []string{"pattern"}})...)
	if strings.ContainsAny(c.Plugin, `/\`) {
		c.Plugin = l.resolve(filepath.FromSlash(c.Plugin))
	}
	if attr := content.Attributes["env"]; attr != nil && !l.options.Guest {
		l.environment(c, attr)
	}
	l.configBlock(c, l.single(content.Blocks, "config"))
	c.Retries = l.retries(l.single(content.Blocks, "retries"))
	c.RateLimit = l.rateLimit(l.single(content.Blocks, "rate_limit"))
	for _, b := range content.Blocks.OfType("rule") {
		c.Rules = append(c.Rules, l.rule(b))
	}
	for _, b := range content.Blocks.OfType("method") {
		c.Methods = append(c.Methods, l.method(b))
	}
	c.declarations = l.declarations(content.Blocks)
	c.Declared = blocksOf(c.declarations)
	l.source.secrets = append(l.source.secrets, c.secrets...)
	return c
}

// checksum reads the digest that a plugin's binary must have.
func checksum(to *string) attribute {
	return attribute{name: "checksum", kind: cty.String, take: func(v cty.Value) error {
		sum := strings.ToLower(v.AsString())
		if !checksumForm.MatchString(sum) {
			return errors.New(`a checksum is "sha256:" and 64 hexadecimal digits`)
		}
		*to = sum
		return nil
	}}
}

// environment evaluates the env attribute. A variable whose value is null is left out.
func (l *loader) environment(c *Connector, attr *hcl.Attribute) {
	v, ok := l.eval(attr.Expr)
	if !ok {
		return
	}
	plain, _, secrets := unmark(v)
	if !plain.IsWhollyKnown() || plain.IsNull() {
		return
	}
	c.secrets = append(c.secrets, secrets...)
	plain, err := convert.Convert(plain, cty.Map(cty.String))
	if err != nil {
		l.fail(attr.Expr.Range(), `Invalid value for "env"`, "The environment is an object with one string for each variable.")
		return
	}
	c.Env = map[string]string{}
	for it := plain.ElementIterator(); it.Next(); {
		name, value := it.Element()
		if !envName.MatchString(name.AsString()) {
			l.fail(attr.Expr.Range(), `Invalid value for "env"`, fmt.Sprintf("%q is no name of an environment variable.", name.AsString()))
			continue
		}
		if !value.IsNull() {
			c.Env[name.AsString()] = value.AsString()
		}
	}
}

// configBlock evaluates the config block to JSON; nil is an absent one. A guest
// runs no connector and needs none of its values. An attribute that is null is left out.
func (l *loader) configBlock(c *Connector, block *hcl.Block) {
	if block != nil {
		attrs, diags := block.Body.JustAttributes()
		l.add(diags)
		c.config, c.attrs = block, attrs
	}
	if l.options.Guest {
		return
	}
	values := map[string]json.RawMessage{}
	for _, attr := range inOrder(c.attrs) {
		if v, ok := l.eval(attr.Expr); ok && v.IsWhollyKnown() && !v.IsNull() {
			l.configValue(c, attr, v, values)
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		l.fail(c.header, "Invalid configuration", sentence(err))
	}
	c.ConfigJSON = raw
}

// configValue writes one attribute of a config block into values.
func (l *loader) configValue(c *Connector, attr *hcl.Attribute, v cty.Value, values map[string]json.RawMessage) {
	plain, paths, secrets := unmark(v)
	raw, err := ctyjson.Marshal(plain, plain.Type())
	if err != nil {
		l.fail(attr.Expr.Range(), "Invalid configuration", "This value cannot be written as JSON.")
		return
	}
	values[attr.Name] = raw
	c.secrets = append(c.secrets, secrets...)
	slices.SortFunc(paths, slices.Compare)
	for _, path := range paths {
		c.SensitivePaths = append(c.SensitivePaths, append([]string{attr.Name}, path...))
	}
}

// method reads one method block.
func (l *loader) method(block *hcl.Block) Method {
	m := Method{Pattern: block.Labels[0]}
	if m.Pattern == "" {
		l.fail(block.LabelRanges[0], "Invalid method pattern", "The pattern names methods, with * and ?; an empty one names none.")
	}
	l.decode(block, []attribute{
		override("read_only", &m.ReadOnly), override("idempotent", &m.Idempotent), override("destructive", &m.Destructive),
		override("requires_approval", &m.RequiresApproval), duration("timeout", &m.Timeout),
	})
	return m
}

// Apply puts the overrides of the method blocks into m. For each attribute the first block that names m and sets it wins.
func (c *Connector) Apply(m *catalog.Method) {
	for _, o := range slices.Backward(c.Methods) {
		if !o.names(m) {
			continue
		}
		set(&m.ReadOnly, o.ReadOnly)
		set(&m.Idempotent, o.Idempotent)
		set(&m.Destructive, o.Destructive)
		set(&m.RequiresApproval, o.RequiresApproval)
	}
}

// CallTimeout is the time that one call of m may take; 0: Sandbox.CallTimeout.
func (c *Connector) CallTimeout(m *catalog.Method) time.Duration {
	for _, o := range c.Methods {
		if o.Timeout > 0 && o.names(m) {
			return o.Timeout
		}
	}
	return c.Timeout
}

// Secrets lists the texts of the connector's environment and configuration that must never be shown.
func (c *Connector) Secrets() []string { return slices.Clone(c.secrets) }

// String names the connector and shows none of its values.
func (c *Connector) String() string { return fmt.Sprintf("connector %q", c.Label) }

// GoString is String: a connector printed in any form shows no secret.
func (c *Connector) GoString() string { return c.String() }

func (o Method) names(m *catalog.Method) bool {
	return policy.Match(o.Pattern, m.Name) || policy.Match(o.Pattern, m.Raw)
}

func set(to *bool, value *bool) {
	if value != nil {
		*to = *value
	}
}
