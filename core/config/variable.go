package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// varPrefix precedes a variable's name in the environment.
const varPrefix = "CODEMODE_VAR_"

// input is one variable block.
type input struct {
	block       *hcl.Block
	kind        cty.Type
	sensitive   bool
	description string
	value       *hcl.Attribute // its default, or nil
}

// variableValues evaluates the variable blocks.
func (l *loader) variableValues(blocks hcl.Blocks) map[string]cty.Value {
	l.variables = map[string]string{}
	values := map[string]cty.Value{}
	declared := map[string]*hcl.Block{}
	for _, block := range blocks {
		name := block.Labels[0]
		if before := declared[name]; before != nil {
			l.duplicate("Duplicate variable", fmt.Sprintf("The variable %q can be declared once", name), block.DefRange, before.DefRange)
			continue
		}
		declared[name] = block
		in := l.input(block)
		v, ok := l.value(in)
		if !ok {
			v = cty.DynamicVal
		}
		values[name] = v
		l.record(name, in, v)
	}
	for _, name := range slices.Sorted(maps.Keys(l.options.Vars)) {
		if declared[name] == nil {
			l.diags = append(l.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Value for an undeclared variable",
				Detail: fmt.Sprintf("The configuration declares no variable %q.%s", name, suggestion(name, slices.Collect(maps.Keys(declared))))})
		}
	}
	return values
}

// input reads a variable block.
func (l *loader) input(block *hcl.Block) input {
	in := input{block: block, kind: cty.DynamicPseudoType}
	content := l.decode(block, []attribute{
		{name: "type"}, {name: "default"},
		flag("sensitive", &in.sensitive), text("description", &in.description),
	})
	if attr := content.Attributes["type"]; attr != nil {
		kind, diags := typeexpr.TypeConstraint(attr.Expr)
		l.add(diags)
		in.kind = kind
	}
	in.value = content.Attributes["default"]
	return in
}

// value finds the value of a variable: given, from the environment, or its default.
func (l *loader) value(in input) (cty.Value, bool) {
	name := in.block.Labels[0]
	given, ok := l.options.Vars[name]
	if !ok {
		given, ok = l.options.Env(varPrefix + name)
	}
	var v cty.Value
	switch {
	case ok:
		if in.sensitive {
			l.source.secrets = append(l.source.secrets, given)
		}
		if v, ok = parseValue(given, in.kind); !ok {
			// The text itself could be a secret, whether or not the variable says so.
			l.fail(in.block.DefRange, "Invalid value for a variable", fmt.Sprintf("The value given for %q is no %s.", name, in.kind.FriendlyNameForConstraint()))
			return cty.NilVal, false
		}
	case in.value != nil:
		if v, ok = l.defaultValue(in); !ok {
			return cty.NilVal, false
		}
	case l.options.Guest && in.sensitive:
		v = cty.UnknownVal(in.kind)
	default:
		l.fail(in.block.DefRange, "Variable without a value",
			fmt.Sprintf("The variable %q has no default. Set it in the environment as %s%s.", name, varPrefix, name))
		return cty.NilVal, false
	}
	if in.sensitive {
		l.source.secrets = append(l.source.secrets, textsIn(v)...)
		v = v.Mark(sensitive)
	}
	return v, true
}

// defaultValue evaluates a default, which must be constant.
func (l *loader) defaultValue(in input) (cty.Value, bool) {
	v, diags := in.value.Expr.Value(nil)
	l.add(diags)
	if diags.HasErrors() {
		return cty.NilVal, false
	}
	v, err := convert.Convert(v, in.kind)
	if err != nil {
		l.fail(in.value.Expr.Range(), "Invalid default for a variable", fmt.Sprintf("The default is no %s.", in.kind.FriendlyNameForConstraint()))
		return cty.NilVal, false
	}
	return v, true
}

// parseValue reads a value that was given as text: as it stands where the
// variable is a string or has no type, else as an expression without references.
func parseValue(given string, kind cty.Type) (cty.Value, bool) {
	v := cty.StringVal(given)
	if !kind.IsPrimitiveType() && kind != cty.DynamicPseudoType {
		expr, diags := hclsyntax.ParseExpression([]byte(given), "", hcl.InitialPos)
		if diags.HasErrors() {
			return cty.NilVal, false
		}
		if v, diags = expr.Value(nil); diags.HasErrors() {
			return cty.NilVal, false
		}
	}
	v, err := convert.Convert(v, kind)
	return v, err == nil
}

// record notes a variable for the fingerprint, a sensitive one by its name alone.
func (l *loader) record(name string, in input, v cty.Value) {
	l.variables[name] = ""
	if in.sensitive || !v.IsWhollyKnown() {
		return
	}
	if value, err := ctyjson.Marshal(v, v.Type()); err == nil {
		l.variables[name] = string(value)
	}
}
