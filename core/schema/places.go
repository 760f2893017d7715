package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// index records every subschema that can be reached from sub, and lets the
// patterns that Go cannot compile constrain no property: they match all names.
func (s *Schema) index(sub *jsonschema.Schema) {
	if sub == nil || s.places[sub.Location] != nil {
		return
	}
	s.places[sub.Location] = sub
	for re := range sub.PatternProperties {
		if _, ok := re.(unchecked); ok {
			anything := true
			sub.PatternProperties[re] = &jsonschema.Schema{Bool: &anything}
		}
	}
	for _, child := range children(sub) {
		s.index(child)
	}
}

// children lists the subschemas of s, nil ones included.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{
		s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.UnevaluatedItems, s.ContentSchema,
	}
	list = append(list, alternatives(s)...)
	list = append(list, elements(s)...)
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			list = append(list, sub)
		}
	}
	for _, sub := range s.Properties {
		list = append(list, sub)
	}
	for _, sub := range s.PatternProperties {
		list = append(list, sub)
	}
	return append(list, additional(s))
}

// alternatives lists the subschemas that speak of the same value as s.
func alternatives(s *jsonschema.Schema) []*jsonschema.Schema {
	list := append(conjuncts(s), s.Not, s.If, s.Then, s.Else)
	list = append(list, s.AnyOf...)
	list = append(list, s.OneOf...)
	for _, sub := range s.DependentSchemas {
		list = append(list, sub)
	}
	return list
}

// conjuncts lists the subschemas that hold wherever s does.
func conjuncts(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	return append(list, s.AllOf...)
}

// elements lists the subschemas that speak of a list's items.
func elements(s *jsonschema.Schema) []*jsonschema.Schema {
	list := append([]*jsonschema.Schema{s.Items2020}, s.PrefixItems...)
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		list = append(list, items)
	case []*jsonschema.Schema:
		list = append(list, items...)
	}
	if sub, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
		list = append(list, sub)
	}
	return list
}

// additional is the subschema of the properties that s does not name, or nil.
func additional(s *jsonschema.Schema) *jsonschema.Schema {
	sub, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return sub
}
