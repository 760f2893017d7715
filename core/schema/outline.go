package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Outline is what a schema says of the form of a value before there is one. It
// takes a schema as its author means it: an object has the properties that the
// schema names, unless the schema says in so many words that there may be
// others. The zero Outline says nothing. It never changes and is safe for
// concurrent use.
type Outline struct {
	schemas []*jsonschema.Schema // each of which may speak of the value
}

// Outline returns the outline of the values that s accepts.
func (s *Schema) Outline() Outline {
	if s == nil {
		return Outline{}
	}
	return Outline{schemas: []*jsonschema.Schema{s.root}}
}

// Kind is the one JSON type that the value has if it is not null: "string",
// "number", "boolean", "array" or "object". It is empty where several are possible.
func (o Outline) Kind() string {
	all := kindsBySchema{}.union(o.schemas)
	if len(all) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(all))[0]
}

// Names lists the properties that the value has as an object, in order.
func (o Outline) Names() []string {
	names, seen := map[string]bool{}, map[*jsonschema.Schema]bool{}
	for _, s := range o.schemas {
		named(s, names, seen)
	}
	return slices.Sorted(maps.Keys(names))
}

// Open reports whether the value, as an object, may have properties that are not among its names.
func (o Outline) Open() bool {
	closed := false
	for _, s := range asserted(o.schemas) {
		for _, further := range beyondNames(s) {
			if !refuses(further) {
				return true
			}
			closed = true
		}
	}
	return !closed && len(o.Names()) == 0
}

// Property returns the outline of one property of the value, which says nothing
// where no schema names the property.
func (o Outline) Property(name string) Outline {
	var list []*jsonschema.Schema
	for _, s := range asserted(o.schemas) {
		if sub := s.Properties[name]; sub != nil {
			list = append(list, sub)
		}
	}
	return Outline{schemas: list}
}

// Items returns the outline of the items of the value, as a list.
func (o Outline) Items() Outline {
	var list []*jsonschema.Schema
	for _, s := range asserted(o.schemas) {
		for _, sub := range elements(s) {
			if sub != nil {
				list = append(list, sub)
			}
		}
	}
	return Outline{schemas: list}
}

// asserted adds to list the schemas that may speak of the same value. What the
// value must not fit, and what is only asked about it, says nothing of its form.
func asserted(list []*jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for len(list) > 0 {
		s := list[0]
		list = list[1:]
		if s == nil || slices.Contains(all, s) {
			continue
		}
		all = append(all, s)
		for _, sub := range alternatives(s) {
			if sub != s.Not && sub != s.If {
				list = append(list, sub)
			}
		}
	}
	return all
}

// beyondNames lists what s says of properties that it does not name.
func beyondNames(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Collect(maps.Values(s.PatternProperties))
	if s.UnevaluatedProperties != nil {
		list = append(list, s.UnevaluatedProperties)
	}
	switch further := s.AdditionalProperties.(type) {
	case bool:
		list = append(list, &jsonschema.Schema{Bool: &further})
	case *jsonschema.Schema:
		list = append(list, further)
	}
	return list
}

// refuses reports whether a schema accepts nothing.
func refuses(s *jsonschema.Schema) bool { return s.Bool != nil && !*s.Bool }
