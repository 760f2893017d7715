package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// reached lists the parts of a condition, between its logical operators, that
// are evaluated or may be. HCL leaves out what another part decides, and keeps
// the faults of a part to itself while what stands before it is unknown.
func reached(expr hcl.Expression, scope *hcl.EvalContext) []hcl.Expression {
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		return reached(e.Expression, scope)
	case *hclsyntax.UnaryOpExpr:
		if e.Op == hclsyntax.OpLogicalNot {
			return reached(e.Val, scope)
		}
	case *hclsyntax.BinaryOpExpr:
		if e.Op == hclsyntax.OpLogicalAnd || e.Op == hclsyntax.OpLogicalOr {
			return reachedOperands(e, scope)
		}
	case *hclsyntax.ConditionalExpr:
		return append(reached(e.Condition, scope), reachedBranches(e, scope)...)
	}
	return []hcl.Expression{expr}
}

// reachedOperands are the parts of both sides, or of the one that decides alone.
func reachedOperands(e *hclsyntax.BinaryOpExpr, scope *hcl.EvalContext) []hcl.Expression {
	decisive := no
	if e.Op == hclsyntax.OpLogicalOr {
		decisive = yes
	}
	left, right := truthOf(e.LHS, scope), truthOf(e.RHS, scope)
	switch {
	case left == decisive:
		return reached(e.LHS, scope)
	case right == decisive:
		return reached(e.RHS, scope)
	}
	return append(reached(e.LHS, scope), reached(e.RHS, scope)...)
}

// reachedBranches are the parts of the branch that is taken, or of both.
func reachedBranches(e *hclsyntax.ConditionalExpr, scope *hcl.EvalContext) []hcl.Expression {
	switch truthOf(e.Condition, scope) {
	case yes:
		return reached(e.TrueResult, scope)
	case no:
		return reached(e.FalseResult, scope)
	}
	return append(reached(e.TrueResult, scope), reached(e.FalseResult, scope)...)
}

// truth is what is known of whether a part of a condition holds.
type truth int

const (
	unknown truth = iota
	yes
	no
)

func truthOf(expr hcl.Expression, scope *hcl.EvalContext) truth {
	v, diags := expr.Value(scope)
	v, _ = v.Unmark()
	switch {
	case diags.HasErrors() || !v.IsKnown() || v.IsNull() || v.Type() != cty.Bool:
		return unknown
	case v.True():
		return yes
	}
	return no
}
