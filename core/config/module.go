package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/codemode-go/codemode/core/catalog"
)

// Module is one module block: code that programs import by its name.
type Module struct {
	Name        string
	Description string // one line for models
	Text        string // an ES module in JavaScript or TypeScript; empty for a guest

	source *source
	expr   hcl.Expression // of the text
	file   string         // that the text is read from; empty: it stands in the configuration
}

// modules reads the module blocks.
func (l *loader) modules(blocks hcl.Blocks) []*Module {
	var list []*Module
	declared := map[string]hcl.Range{}
	for _, block := range blocks {
		name := block.Labels[0]
		if before, ok := declared[name]; ok {
			l.duplicate("Duplicate module", fmt.Sprintf("The name %q can be used once", name), block.DefRange, before)
			continue
		}
		declared[name] = block.DefRange
		if err := catalog.ValidModuleName(name); err != nil {
			l.fail(block.LabelRanges[0], "Invalid module name", sentence(err))
		}
		list = append(list, l.module(block))
	}
	return list
}

func (l *loader) module(block *hcl.Block) *Module {
	m := &Module{Name: block.Labels[0], source: l.source}
	content := l.decode(block, []attribute{{name: "source", required: true}, line("description", &m.Description)})
	if attr := content.Attributes["source"]; attr != nil {
		m.expr, m.file = attr.Expr, fileOf(attr.Expr)
		l.moduleText(m)
	}
	return m
}

// moduleText evaluates the text of a module. It becomes part of programs, which are recorded: a file is no secret here,
// and whatever else is one is refused.
func (l *loader) moduleText(m *Module) {
	known := len(l.source.secrets)
	v, ok := l.eval(m.expr)
	l.source.secrets = l.source.secrets[:known]
	if !ok {
		return
	}
	at := m.expr.Range()
	if readsSecrets(m.expr, l.scope) {
		l.fail(at, "Sensitive value not allowed here",
			"The source of a module is recorded with the programs that import it. It can be text, or come from file(), not from env(), sensitive() or a sensitive variable.")
		return
	}
	plain, _ := v.UnmarkDeep()
	if !plain.IsWhollyKnown() {
		return
	}
	plain, err := convert.Convert(plain, cty.String)
	if err != nil || plain.IsNull() {
		l.fail(at, `Invalid value for "source"`, "The source of a module is a string: its text, or file(...).")
		return
	}
	m.Text = plain.AsString()
}

// readsSecrets reports whether an expression reads something that must not be shown, apart from files.
func readsSecrets(expr hcl.Expression, scope *hcl.EvalContext) bool {
	for _, t := range expr.Variables() {
		if v, diags := t.TraverseAbs(scope); !diags.HasErrors() && v.ContainsMarked() {
			return true
		}
	}
	for _, c := range within[*hclsyntax.FunctionCallExpr](expr) {
		if impure(c.Name) && c.Name != "file" {
			return true
		}
	}
	return false
}

// fileOf returns the path in file("path"), or "".
func fileOf(expr hcl.Expression) string {
	call, ok := expr.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "file" || len(call.Args) != 1 {
		return ""
	}
	v, diags := call.Args[0].Value(nil)
	if diags.HasErrors() || v.Type() != cty.String || v.IsNull() {
		return ""
	}
	return v.AsString()
}

// Fault reports what is wrong with a module's text, at a line and column of it from 1, or at none if line is 0. The error is an
// *[Error] that names the place in the configuration, and in the file that the text comes from.
func (m *Module) Fault(line, column int, message, text string) error {
	at := m.expr.Range()
	detail := sentence(fmt.Errorf("%s", message))
	switch {
	case line == 0:
	case m.file != "":
		detail = fmt.Sprintf("%s:%d:%d: %s", m.file, line, column, detail)
	case isHeredoc(m.expr, m.source):
		at.Start.Line += line
		at.Start.Column, at.End = 1, at.Start
		return m.source.report(hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid module", Detail: detail, Subject: &at}})
	default:
		detail = fmt.Sprintf("Line %d, column %d of the text: %s", line, column, detail)
	}
	if text != "" {
		detail += "\n  > " + strings.TrimSpace(text)
	}
	return m.source.report(hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid module", Detail: detail, Subject: &at}})
}

// isHeredoc reports whether an expression is a text whose lines are lines of the configuration.
func isHeredoc(expr hcl.Expression, s *source) bool {
	at := expr.Range()
	f := s.files[at.Filename]
	return f != nil && at.CanSliceBytes(f.Bytes) && strings.HasPrefix(string(at.SliceBytes(f.Bytes)), "<<")
}
