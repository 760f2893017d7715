package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/codemode-go/codemode/core/schema"
)

// deepestForm is how far below the arguments types are derived: deeper, or
// where a schema contains itself, a condition is not checked.
const deepestForm = 3

// objectType is the type of objects with an outline; one that may have further properties has no type.
func objectType(o schema.Outline, depth int) cty.Type {
	if depth == 0 || o.Open() {
		return cty.DynamicPseudoType
	}
	attributes := map[string]cty.Type{}
	for _, name := range o.Names() {
		attributes[name] = typeOf(o.Property(name), depth-1)
	}
	return cty.Object(attributes)
}

// typeOf is the type that a condition sees of a value with an outline.
func typeOf(o schema.Outline, depth int) cty.Type {
	switch o.Kind() {
	case "string":
		return cty.String
	case "number":
		return cty.Number
	case "boolean":
		return cty.Bool
	case "array":
		if depth > 0 {
			return cty.List(typeOf(o.Items(), depth-1))
		}
	case "object":
		return objectType(o, depth)
	}
	return cty.DynamicPseudoType
}

// unknownArguments reports the arguments that the condition names and no
// method's schema knows, also those inside try() and can().
func (c *condition) unknownArguments(named []outlined) hcl.Diagnostics {
	var list hcl.Diagnostics
	for _, t := range c.expr.Variables() {
		if t.RootName() != "args" {
			continue
		}
		detail, ok := unknownStep(t, named)
		if !ok || slices.ContainsFunc(list, func(d *hcl.Diagnostic) bool { return d.Detail == detail }) {
			continue
		}
		list = append(list, fault(t.SourceRange(), "Unknown argument", detail))
	}
	return list
}

// unknownStep follows a traversal of the arguments through the schemas that know
// its steps. At a step that none of them knows it says so.
func unknownStep(t hcl.Traversal, named []outlined) (detail string, found bool) {
	var here []schema.Outline
	for _, o := range named {
		here = append(here, o.args)
	}
	path := t.RootName()
	for _, step := range t[1:] {
		var next []schema.Outline
		name, isName := stepName(step)
		for _, o := range here {
			switch {
			case !isName:
				next = append(next, o.Items())
			case mayHave(o, name):
				next = append(next, o.Property(name))
			}
		}
		if !isName {
			path += "[]"
		} else if path += "." + name; len(next) == 0 {
			return fmt.Sprintf("%s %s.%s", nobodyKnows(named), path, suggestion(name, namesOf(here))), true
		}
		here = next
	}
	return "", false
}

// mayHave reports whether a value may have a property. What is no object has
// none, which evaluating the condition will say.
func mayHave(o schema.Outline, name string) bool {
	if kind := o.Kind(); kind != "" && kind != "object" {
		return true
	}
	return o.Open() || slices.Contains(o.Names(), name)
}

func namesOf(list []schema.Outline) (names []string) {
	for _, o := range list {
		names = append(names, o.Names()...)
	}
	return names
}

func nobodyKnows(named []outlined) string {
	if len(named) == 1 {
		return named[0].method.Name + " does not know"
	}
	return fmt.Sprintf("None of the %d methods that the rule names knows", len(named))
}
