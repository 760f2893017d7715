package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// What a condition is evaluated over where the call is not known.
var (
	anyText   = cty.UnknownVal(cty.String)
	anyLabels = cty.UnknownVal(cty.Map(cty.String))
)

// faults says why the condition cannot be evaluated over a scope, or is no
// boolean there, whatever the scope's unknown values are.
func (c *condition) faults(scope *hcl.EvalContext) hcl.Diagnostics {
	v, diags := c.expr.Value(scope)
	for _, part := range reached(c.expr, scope) {
		_, more := part.Value(scope)
		diags = append(diags, more...)
	}
	if diags.HasErrors() {
		return discreet(c.expr, scope, distinct(diags))
	}
	if v, _ = v.Unmark(); v.Type() != cty.Bool && v.Type() != cty.DynamicPseudoType || v.IsNull() {
		return hcl.Diagnostics{fault(c.expr.Range(), "Invalid condition", "A condition is true or false, like args.repo == \"production\".")}
	}
	return nil
}

// distinct drops diagnostics that say again what one before them says of the same place.
func distinct(diags hcl.Diagnostics) hcl.Diagnostics {
	var list hcl.Diagnostics
	for _, d := range diags {
		if !slices.ContainsFunc(list, func(before *hcl.Diagnostic) bool { return sameFault(before, d) }) {
			list = append(list, d)
		}
	}
	return list
}

// sameFault reports whether two diagnostics have one summary and one place.
func sameFault(a, b *hcl.Diagnostic) bool {
	if a.Subject == nil || b.Subject == nil {
		return a.Subject == b.Subject && a.Summary == b.Summary
	}
	return a.Summary == b.Summary && *a.Subject == *b.Subject
}

// mismatches lists the comparisons whose two sides have types that are never
// equal, like a number and a string. HCL takes them for unequal without a word,
// and the rule would silently never hold, or always.
func (c *condition) mismatches(scope *hcl.EvalContext) hcl.Diagnostics {
	var list hcl.Diagnostics
	for _, part := range reached(c.expr, scope) {
		for _, op := range within[*hclsyntax.BinaryOpExpr](part) {
			left, diags := op.LHS.Value(scope)
			right, more := op.RHS.Value(scope)
			isEquality := op.Op == hclsyntax.OpEqual || op.Op == hclsyntax.OpNotEqual
			if !isEquality || diags.HasErrors() || more.HasErrors() || !neverEqual(left, right) {
				continue
			}
			list = append(list, fault(op.Range(), "Comparison of different types",
				fmt.Sprintf("The sides are of the types %s and %s, which are never equal.", left.Type().FriendlyName(), right.Type().FriendlyName())))
		}
	}
	return list
}

// neverEqual reports whether the types of two values, one of them primitive, keep them from being equal.
func neverEqual(a, b cty.Value) bool {
	a, _ = a.Unmark()
	b, _ = b.Unmark()
	if a.IsNull() || b.IsNull() || a.Type() == cty.DynamicPseudoType || b.Type() == cty.DynamicPseudoType {
		return false
	}
	return (a.Type().IsPrimitiveType() || b.Type().IsPrimitiveType()) && !a.Type().Equals(b.Type())
}

// fault is one error.
func fault(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}
