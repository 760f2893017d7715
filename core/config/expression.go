package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/codemode-go/codemode/core/declared"
)

// expression is an expression that is evaluated while the host works.
type expression struct {
	expr  hcl.Expression
	scope map[string]cty.Value // var and local
	kind  cty.Type             // that its value must have; dynamic: any
	names []string             // that it may refer to besides
}

var _ declared.Expression = (*expression)(nil)

// expression checks an expression that may refer to names, and whose value must
// be of a kind. It returns nil after a fault. The functions that read the host's
// surroundings have sensitive values, and so are refused with these.
func (l *loader) expression(attr *hcl.Attribute, kind cty.Type, names []string) *expression {
	if !l.checkReferences(attr.Expr, names...) {
		return nil
	}
	if isSensitive(attr.Expr, l.scope) {
		l.fail(attr.Expr.Range(), "Sensitive value not allowed here",
			fmt.Sprintf("What comes of %q is recorded and shown. Credentials can stand in config and env.", attr.Name))
		return nil
	}
	e := &expression{expr: attr.Expr, scope: l.scope.Variables, kind: kind, names: names}
	// With nothing known of the call, this finds what is wrong for every call.
	unknown := map[string]cty.Value{}
	for _, name := range names {
		unknown[name] = cty.DynamicVal
	}
	_, diags := e.over(unknown)
	l.add(diags)
	if diags.HasErrors() {
		return nil
	}
	return e
}

// over evaluates the expression.
func (e *expression) over(names map[string]cty.Value) (cty.Value, hcl.Diagnostics) {
	variables := maps.Clone(e.scope)
	maps.Copy(variables, names)
	v, diags := e.expr.Value(&hcl.EvalContext{Variables: variables, Functions: pure})
	if diags.HasErrors() {
		return v, diags
	}
	if !fits(v, e.kind) {
		return v, append(diags, fault(e.expr.Range(), "Unsuitable value", fmt.Sprintf("This must be %s, and is %s.", kindName(e.kind), v.Type().FriendlyName())))
	}
	return v, diags
}

// fits reports whether a value may be of a kind. Null is of every kind but an object, which arguments always are.
func fits(v cty.Value, kind cty.Type) bool {
	t := v.Type()
	if kind.IsObjectType() {
		return !v.IsNull() && (t.IsObjectType() || t.IsMapType() || t == cty.DynamicPseudoType)
	}
	return kind == cty.DynamicPseudoType || t == cty.DynamicPseudoType || t.Equals(kind)
}

// kindName says what a value of a kind is.
func kindName(kind cty.Type) string {
	switch kind {
	case cty.Bool:
		return "true or false"
	case cty.String:
		return "a text"
	}
	return "an object"
}

// Value evaluates the expression. Its errors name its place and quote no value.
func (e *expression) Value(names map[string]json.RawMessage) (json.RawMessage, error) {
	values := make(map[string]cty.Value, len(names))
	for name, raw := range names {
		v, err := valueOf(raw)
		if err != nil {
			return nil, fmt.Errorf("evaluate the expression at %s: %s: %w", place(e.expr.Range()), name, err)
		}
		values[name] = v
	}
	v, diags := e.over(values)
	if diags.HasErrors() {
		return nil, fmt.Errorf("evaluate the expression at %s: %w", place(e.expr.Range()), summaries(diags))
	}
	raw, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return nil, fmt.Errorf("evaluate the expression at %s: its value cannot be written as JSON", place(e.expr.Range()))
	}
	return raw, nil
}

// valueOf reads JSON as a value of an expression. Its errors quote none of it.
func valueOf(raw json.RawMessage) (cty.Value, error) {
	kind, err := ctyjson.ImpliedType(raw)
	if err != nil {
		return cty.NilVal, errors.New("it has no form that an expression can look at")
	}
	v, err := ctyjson.Unmarshal(raw, kind)
	if err != nil {
		return cty.NilVal, errors.New("it holds a value that an expression cannot look at")
	}
	return v, nil
}
