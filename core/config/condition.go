package config

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/schema"
)

// condition is the when of a rule: an expression over one call.
type condition struct {
	expr   hcl.Expression
	scope  map[string]cty.Value // var and local
	labels []string             // that the expression names; missing ones read as null
}

var _ policy.Condition = (*condition)(nil)

// condition checks a rule's when and returns it, or nil after a fault.
func (l *loader) condition(expr hcl.Expression) *condition {
	if !l.checkReferences(expr, "args", "caller", "labels", "method") || !l.checkPure(expr) {
		return nil
	}
	c := &condition{expr: expr, scope: l.scope.Variables, labels: namedLabels(expr)}
	if l.options.Guest && isSensitive(expr, l.scope) {
		return c // its host, who knows the values, finds what is wrong with it
	}
	// With nothing known of the call, this finds what is wrong for every call.
	scope := c.over(cty.DynamicVal, anyLabels, anyText, anyText)
	diags := append(c.faults(scope), c.mismatches(scope)...)
	l.add(diags)
	if diags.HasErrors() {
		return nil
	}
	return c
}

// checkPure refuses the functions that read the host's surroundings: a condition
// must say the same of the same call, whenever and wherever it is asked.
func (l *loader) checkPure(expr hcl.Expression) bool {
	before := len(l.diags)
	for _, call := range within[*hclsyntax.FunctionCallExpr](expr) {
		if impure(call.Name) {
			l.fail(call.NameRange, "Function not allowed in a condition",
				fmt.Sprintf("%s() is evaluated when the configuration is loaded. Put its value into a local and compare with that.", call.Name))
		}
	}
	return len(l.diags) == before
}

// namedLabels lists the labels that an expression names.
func namedLabels(expr hcl.Expression) []string {
	var names []string
	for _, t := range expr.Variables() {
		if name, ok := member(t, "labels"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Holds evaluates the condition for one call. Its errors quote no argument.
func (c *condition) Holds(call policy.Call) (bool, error) {
	args, err := arguments(call)
	if err != nil {
		return false, fmt.Errorf("evaluate when at %s: %w", place(c.expr.Range()), err)
	}
	scope := c.over(args, c.labelValues(call.Labels), cty.StringVal(call.Caller), cty.StringVal(call.Method.Name))
	v, diags := c.expr.Value(scope)
	if diags.HasErrors() {
		return false, fmt.Errorf("evaluate when at %s: %w", place(c.expr.Range()), summaries(diags))
	}
	if v, _ = v.Unmark(); v.Type() != cty.Bool || v.IsNull() || !v.IsKnown() {
		return false, fmt.Errorf("evaluate when at %s: the result is no boolean", place(c.expr.Range()))
	}
	return v.True(), nil
}

// over returns the scope of one evaluation.
func (c *condition) over(args, labels, caller, method cty.Value) *hcl.EvalContext {
	names := maps.Clone(c.scope)
	maps.Copy(names, map[string]cty.Value{"args": args, "labels": labels, "caller": caller, "method": method})
	return &hcl.EvalContext{Variables: names, Functions: pure}
}

func (c *condition) labelValues(labels map[string]string) cty.Value {
	values := make(map[string]cty.Value, len(labels)+len(c.labels))
	for _, name := range c.labels {
		values[name] = cty.NullVal(cty.String)
	}
	for name, value := range labels {
		values[name] = cty.StringVal(value)
	}
	return cty.ObjectVal(values)
}

// arguments reads a call's arguments, completed from the method's input schema.
func arguments(call policy.Call) (cty.Value, error) {
	s, err := schema.Compile(call.Method.InputSchema)
	if err != nil {
		return cty.NilVal, err
	}
	full, err := s.WithDefaults(call.Args)
	if err != nil {
		return cty.NilVal, fmt.Errorf("read arguments: %w", err)
	}
	kind, err := ctyjson.ImpliedType(full)
	if err != nil {
		return cty.NilVal, errors.New("read arguments: they have no form that a condition can look at")
	}
	v, err := ctyjson.Unmarshal(full, kind)
	if err != nil {
		return cty.NilVal, errors.New("read arguments: they hold a value that a condition cannot look at")
	}
	return v, nil
}

// summaries joins diagnostics without their details, which may quote values.
func summaries(diags hcl.Diagnostics) error {
	var texts []string
	for _, d := range diags.Errs() {
		var diag *hcl.Diagnostic
		if errors.As(d, &diag) {
			texts = append(texts, diag.Summary)
		}
	}
	return errors.New(strings.ToLower(strings.Join(texts, "; ")))
}
