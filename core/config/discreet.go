package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// discreet drops the details of failed function calls where the expression has
// to do with sensitive values: functions quote what they were given.
func discreet(expr hcl.Expression, scope *hcl.EvalContext, diags hcl.Diagnostics) hcl.Diagnostics {
	if !diags.HasErrors() || !isSensitive(expr, scope) {
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
func isSensitive(expr hcl.Expression, scope *hcl.EvalContext) bool {
	for _, t := range expr.Variables() {
		if v, diags := t.TraverseAbs(scope); !diags.HasErrors() && v.ContainsMarked() {
			return true
		}
	}
	return slices.ContainsFunc(within[*hclsyntax.FunctionCallExpr](expr), func(c *hclsyntax.FunctionCallExpr) bool { return impure(c.Name) })
}

// impure reports whether a function is one of a configuration's own.
func impure(name string) bool { return name == "env" || name == "file" || name == "sensitive" }

// within lists the parts of an expression that are of one kind.
func within[T hclsyntax.Node](expr hcl.Expression) []T {
	root, ok := expr.(hclsyntax.Expression)
	if !ok {
		return nil
	}
	var list []T
	_ = hclsyntax.VisitAll(root, func(n hclsyntax.Node) hcl.Diagnostics { // which returns what the function does: nothing
		if part, ok := n.(T); ok {
			list = append(list, part)
		}
		return nil
	})
	return list
}
