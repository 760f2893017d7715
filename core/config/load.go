package config

import (
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
)

// Options say what surrounds a configuration. The zero value is the process's own surroundings.
type Options struct {
	// Env looks up an environment variable; nil is os.LookupEnv.
	Env func(name string) (value string, set bool)
	// Vars are values of variables by name. They win over CODEMODE_VAR_name in the
	// environment, which wins over a variable's default.
	Vars map[string]string
	// UserConfigDir is the folder of the user's configurations; empty is os.UserConfigDir.
	UserConfigDir string
	// Guest loads for a process that does not run connectors: env(), file() and the blocks that
	// hold secrets are not evaluated, and Env and ConfigJSON of the connectors stay nil.
	Guest bool
}

// Load reads and checks the configuration at path, a file or a directory. Faults
// of the configuration are an *[Error] that reports all of them; other errors
// say that it could not be read.
func Load(path string, o Options) (*Config, error) {
	o = o.withDefaults()
	src, err := open(path)
	if err != nil {
		return nil, err
	}
	l := &loader{options: o, source: src}
	c := l.load()
	if l.diags.HasErrors() {
		return nil, src.report(l.diags)
	}
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.UserConfigDir == "" {
		// A user without one has no configuration there, and no default depends on it.
		o.UserConfigDir, _ = os.UserConfigDir()
	}
	return o
}

// loader evaluates one configuration.
type loader struct {
	options   Options
	source    *source
	scope     *hcl.EvalContext // var, local and the functions
	variables map[string]string
	diags     hcl.Diagnostics
}

// root lists the blocks of a configuration.
var root = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "runtime"}, {Type: "sandbox"}, {Type: "approvals"}, {Type: "locals"},
	{Type: "connector", LabelNames: []string{"label"}},
	{Type: "module", LabelNames: []string{"name"}},
	{Type: "variable", LabelNames: []string{"name"}},
}}

func (l *loader) load() *Config {
	var blocks hcl.Blocks
	for _, name := range l.source.names {
		content, diags := l.source.files[name].Body.Content(root)
		l.add(diags)
		blocks = append(blocks, content.Blocks...)
	}
	l.evaluateScope(blocks)
	c := &Config{Path: l.source.path, Dir: l.source.dir}
	c.Runtime = l.runtime(l.single(blocks, "runtime"))
	c.Sandbox = l.sandbox(l.single(blocks, "sandbox"))
	c.Approvals = l.approvals(l.single(blocks, "approvals"))
	c.Connectors = l.connectors(blocks.OfType("connector"))
	c.Modules = l.modules(blocks.OfType("module"))
	c.fingerprint = l.source.fingerprint(l.variables)
	return c
}

// single returns the only block of a type, or nil.
func (l *loader) single(blocks hcl.Blocks, kind string) *hcl.Block {
	blocks = blocks.OfType(kind)
	if len(blocks) == 0 {
		return nil
	}
	for _, again := range blocks[1:] {
		l.duplicate("Duplicate "+kind+" block", "There can be one "+kind+" block", again.DefRange, blocks[0].DefRange)
	}
	return blocks[0]
}

// duplicate reports a second declaration and names the first one's place.
func (l *loader) duplicate(summary, what string, again, first hcl.Range) {
	l.fail(again, summary, what+"; it is already declared at "+place(first)+".")
}

func (l *loader) add(diags hcl.Diagnostics) { l.diags = append(l.diags, diags...) }

// fail reports one fault.
func (l *loader) fail(at hcl.Range, summary, detail string) {
	l.diags = append(l.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at})
}

// resolve makes a path of the configuration absolute.
func (l *loader) resolve(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.source.dir, path)
}
