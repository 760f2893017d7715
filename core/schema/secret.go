package schema

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Secret reports whether the value at path may hold a credential: the schema
// marks it, something it is part of, or something below it as writeOnly.
func (s *Schema) Secret(path []string) bool {
	if s == nil {
		return false
	}
	at := reach([]*jsonschema.Schema{s.root})
	for _, name := range path {
		if slices.ContainsFunc(at, isWriteOnly) {
			return true
		}
		var next []*jsonschema.Schema
		for _, sub := range at {
			next = append(next, below(sub, name)...)
		}
		at = reach(next)
	}
	return secretWithin(at, map[*jsonschema.Schema]bool{})
}

func isWriteOnly(s *jsonschema.Schema) bool { return s.WriteOnly }

// reach adds to list every schema that speaks of the same value.
func reach(list []*jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for len(list) > 0 {
		s := list[0]
		list = list[1:]
		if s == nil || slices.Contains(all, s) {
			continue
		}
		all = append(all, s)
		list = append(list, alternatives(s)...)
	}
	return all
}

// below lists the subschemas of s for the property or item called name.
func below(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Properties[name], additional(s), s.UnevaluatedProperties}
	for re, sub := range s.PatternProperties {
		if re.MatchString(name) {
			list = append(list, sub)
		}
	}
	if _, err := strconv.Atoi(name); err == nil {
		list = append(list, elements(s)...)
	}
	return list
}

// secretWithin reports whether anything in or under list is writeOnly.
func secretWithin(list []*jsonschema.Schema, seen map[*jsonschema.Schema]bool) bool {
	for _, s := range list {
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		if s.WriteOnly || secretWithin(children(s), seen) {
			return true
		}
	}
	return false
}
