package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/codemode-go/codemode/internal/nearest"
)

// listed bounds the names and values that one message lists.
const listed = 12

// explain turns the tree of one failed validation into problems.
func (s *Schema) explain(e *jsonschema.ValidationError) []Problem {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return s.explainAll(e.Causes)
	case *kind.AnyOf:
		return s.union(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return s.union(e)
		}
	case *kind.AdditionalProperties:
		return s.unknown(e, k.Properties)
	case *kind.FalseSchema:
		return []Problem{s.forbidden(e)}
	}
	return []Problem{{Path: e.InstanceLocation, Message: message(e.ErrorKind)}}
}

func (s *Schema) explainAll(causes []*jsonschema.ValidationError) []Problem {
	var problems []Problem
	for _, cause := range causes {
		problems = append(problems, s.explain(cause)...)
	}
	return ordered(problems)
}

// unknown reports the properties that an object must not have.
func (s *Schema) unknown(e *jsonschema.ValidationError, names []string) []Problem {
	var allowed []string
	if place := s.places[e.SchemaURL]; place != nil {
		for name := range place.Properties {
			allowed = append(allowed, name)
		}
	}
	slices.Sort(allowed)
	var problems []Problem
	for _, name := range names {
		problems = append(problems, Problem{Path: with(e.InstanceLocation, name), Message: unknownProperty(name, allowed)})
	}
	return problems
}

// forbidden reports a value where the schema allows none. For a property that
// no part of a composed schema names, it says what the parts name.
func (s *Schema) forbidden(e *jsonschema.ValidationError) Problem {
	owner, ok := strings.CutSuffix(e.SchemaURL, "/unevaluatedProperties")
	if !ok || s.places[owner] == nil {
		return Problem{Path: e.InstanceLocation, Message: "not allowed here"}
	}
	names := map[string]bool{}
	named(s.places[owner], names, map[*jsonschema.Schema]bool{})
	var allowed []string
	for name := range names {
		allowed = append(allowed, name)
	}
	slices.Sort(allowed)
	return Problem{Path: e.InstanceLocation, Message: unknownProperty(e.InstanceLocation[len(e.InstanceLocation)-1], allowed)}
}

func unknownProperty(name string, allowed []string) string {
	text := "unknown property"
	if len(allowed) == 0 {
		return text + "; no property is allowed here"
	}
	if near := nearest.Name(name, allowed); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text + " (allowed: " + strings.Join(clip(allowed), ", ") + ")"
}

// clip bounds a list and says how long it was.
func clip(items []string) []string {
	if len(items) <= listed {
		return items
	}
	return append(slices.Clone(items[:listed]), fmt.Sprintf("and %d more", len(items)-listed))
}

// with returns path extended by name and leaves path's own array alone.
func with(path []string, name string) []string {
	return append(slices.Clone(path), name)
}

// fault says what is wrong with a schema that does not compile.
func fault(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var verr *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &verr) {
		return &Error{Problems: ordered((&Schema{}).explain(verr))}
	}
	return errors.New(strings.ReplaceAll(err.Error(), location, ""))
}

// literal writes a value of the schema, not of the instance.
func literal(v any) string {
	text, err := json.Marshal(v)
	if err != nil || len(text) > 80 {
		return "a fixed " + typeName(v)
	}
	return string(text)
}
