package schema

import (
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// WithDefaults returns the object args with its tags read as Validate reads
// them, and with every top-level property that the schema names and args lacks:
// its default where the schema has one, else null. Conditions look at the
// result, so that a property left out can be tested like any other.
func (s *Schema) WithDefaults(args []byte) (json.RawMessage, error) {
	v, err := read(args)
	if err != nil {
		return nil, err
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &Error{Problems: []Problem{{Message: fmt.Sprintf("got %s, want object", typeName(v))}}}
	}
	if s != nil {
		names, defaults := map[string]bool{}, map[string]any{}
		named(s.root, names, map[*jsonschema.Schema]bool{})
		defaulted(s.root, defaults, map[*jsonschema.Schema]bool{})
		for name := range names {
			if _, given := object[name]; !given {
				object[name] = defaults[name]
			}
		}
	}
	full, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return full, nil
}

// named collects the properties that s or any of its alternatives names.
func named(s *jsonschema.Schema, names map[string]bool, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for name := range s.Properties {
		names[name] = true
	}
	for _, sub := range alternatives(s) {
		named(sub, names, seen)
	}
}

// defaulted collects the defaults that hold in every alternative of s; the
// outermost one wins.
func defaulted(s *jsonschema.Schema, defaults map[string]any, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for name, property := range s.Properties {
		if _, known := defaults[name]; known {
			continue
		}
		if value, ok := defaultOf(property, map[*jsonschema.Schema]bool{}); ok {
			defaults[name] = value
		}
	}
	for _, sub := range conjuncts(s) {
		defaulted(sub, defaults, seen)
	}
}

// defaultOf finds a property's own default or one behind its references.
func defaultOf(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) (any, bool) {
	if s == nil || seen[s] {
		return nil, false
	}
	seen[s] = true
	if s.Default != nil {
		return *s.Default, true
	}
	for _, sub := range conjuncts(s) {
		if value, ok := defaultOf(sub, seen); ok {
			return value, true
		}
	}
	return nil, false
}
