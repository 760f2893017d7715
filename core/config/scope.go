package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/codemode-go/codemode/internal/nearest"
)

// evaluateScope gives expressions what they can refer to: variables, locals and functions.
func (l *loader) evaluateScope(blocks hcl.Blocks) {
	l.scope = &hcl.EvalContext{Functions: l.functions(), Variables: map[string]cty.Value{}}
	l.scope.Variables["local"] = cty.EmptyObjectVal
	l.scope.Variables["var"] = cty.ObjectVal(l.variableValues(blocks.OfType("variable")))
	l.evaluateLocals(blocks.OfType("locals"))
}

// evaluateLocals evaluates the locals, each after those that it refers to.
func (l *loader) evaluateLocals(blocks hcl.Blocks) {
	e := &localsEvaluation{loader: l, attrs: map[string]*hcl.Attribute{}, values: map[string]cty.Value{}}
	for _, block := range blocks {
		attrs, diags := block.Body.JustAttributes()
		l.add(diags)
		for _, attr := range inOrder(attrs) {
			if before, ok := e.attrs[attr.Name]; ok {
				l.duplicate("Duplicate local", fmt.Sprintf("The local %q can be set once", attr.Name), attr.NameRange, before.NameRange)
				continue
			}
			e.attrs[attr.Name] = attr
			// Every name is there from the start, for the check of references.
			e.values[attr.Name] = cty.DynamicVal
		}
	}
	e.publish()
	for _, name := range slices.Sorted(maps.Keys(e.attrs)) {
		e.evaluate(name, nil)
	}
}

// localsEvaluation is the state of evaluating locals.
type localsEvaluation struct {
	*loader
	attrs  map[string]*hcl.Attribute
	values map[string]cty.Value
	done   []string
}

// evaluate evaluates one local; path names the locals that led to it.
func (e *localsEvaluation) evaluate(name string, path []string) {
	if slices.Contains(path, name) {
		circle := append(path[slices.Index(path, name):], name)
		e.fail(e.attrs[name].Range, "Circular locals", "These locals refer to each other: "+strings.Join(circle, " -> ")+".")
		e.done = append(e.done, name)
		return
	}
	if slices.Contains(e.done, name) {
		return
	}
	for _, reference := range e.attrs[name].Expr.Variables() {
		if other, ok := member(reference, "local"); ok && e.attrs[other] != nil {
			e.evaluate(other, append(slices.Clone(path), name))
		}
	}
	if slices.Contains(e.done, name) { // as part of a circle
		return
	}
	e.done = append(e.done, name)
	// A local without a value stays unknown, so that its users report no fault of their own.
	if v, ok := e.eval(e.attrs[name].Expr); ok {
		e.values[name] = v
		e.publish()
	}
}

func (e *localsEvaluation) publish() { e.scope.Variables["local"] = cty.ObjectVal(e.values) }

// eval evaluates an expression in the configuration's scope. A fault is reported, and ok is false.
func (l *loader) eval(expr hcl.Expression) (v cty.Value, ok bool) {
	if !l.checkReferences(expr) {
		return cty.DynamicVal, false
	}
	v, diags := expr.Value(l.scope)
	l.add(discreet(expr, l.scope, diags))
	return v, !diags.HasErrors()
}

// checkReferences reports references to what does not exist, with the nearest
// that does. HCL would report them too, but not inside try() and can(). extra
// are further roots that the expression may refer to.
func (l *loader) checkReferences(expr hcl.Expression, extra ...string) bool {
	before := len(l.diags)
	for _, t := range expr.Variables() {
		root := t.RootName()
		if slices.Contains(extra, root) {
			continue
		}
		known, ok := l.scope.Variables[root]
		if !ok {
			roots := append(slices.Collect(maps.Keys(l.scope.Variables)), extra...)
			l.fail(t.SourceRange(), "Unknown name", fmt.Sprintf("There is nothing named %q here.%s", root, suggestion(root, roots)))
			continue
		}
		if name, named := member(t, root); named && !known.Type().HasAttribute(name) {
			names := slices.Collect(maps.Keys(known.Type().AttributeTypes()))
			l.fail(t.SourceRange(), "Reference to an undeclared "+kinds[root], fmt.Sprintf("There is no %s named %q.%s", kinds[root], name, suggestion(name, names)))
		}
	}
	return len(l.diags) == before
}

// kinds are the words for what the members of a root are.
var kinds = map[string]string{"var": "variable", "local": "local"}

// member returns the name in a traversal like root.name or root["name"].
func member(t hcl.Traversal, root string) (string, bool) {
	if len(t) < 2 || t.RootName() != root {
		return "", false
	}
	return stepName(t[1])
}

// stepName returns the name in a step like .name or ["name"].
func stepName(step hcl.Traverser) (string, bool) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

// inOrder lists attributes in the order of their places.
func inOrder(attrs hcl.Attributes) []*hcl.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hcl.Attribute) int { return a.Range.Start.Byte - b.Range.Start.Byte })
}

// suggestion is a sentence that names the candidate nearest to name, or "".
func suggestion(name string, candidates []string) string {
	near := nearest.Name(name, candidates)
	if near == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", near)
}
