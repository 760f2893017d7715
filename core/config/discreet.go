package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// discreet drops the details of failed function calls where the expression has
// to do with sensitive values: functions quote what they were given.
func (l *loader) discreet(expr hcl.Expression, diags hcl.Diagnostics) hcl.Diagnostics {
	if !diags.HasErrors() || !l.isSensitive(expr) {
		return diags
	}
	for _, d := range diags {
		call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
		if !ok || impure(call.CalledFunctionName()) { // whose messages are our own
			continue
		}
		d.Detail = fmt.Sprintf("The function %s failed. Its message may quote a sensitive value and is not shown.", call.CalledFunctionName())
	}
	return diags
}

// isSensitive reports whether an expression reads something that must not be shown.
func (l *loader) isSensitive(expr hcl.Expression) bool {
	for _, t := range expr.Variables() {
		if v, diags := t.TraverseAbs(l.scope); !diags.HasErrors() && v.ContainsMarked() {
			return true
		}
	}
	return slices.ContainsFunc(calls(expr), func(c *hclsyntax.FunctionCallExpr) bool { return impure(c.Name) })
}

// impure reports whether a function is one of a configuration's own.
func impure(name string) bool { return name == "env" || name == "file" || name == "sensitive" }

// calls lists the function calls in an expression.
func calls(expr hcl.Expression) []*hclsyntax.FunctionCallExpr {
	node, ok := expr.(hclsyntax.Expression)
	if !ok {
		return nil
	}
	var list []*hclsyntax.FunctionCallExpr
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // which returns what the function does: nothing
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			list = append(list, call)
		}
		return nil
	})
	return list
}
