package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// forms bounds the alternatives that one message spells out.
const forms = 3

// union explains a value that fits no alternative. Reporting every alternative
// would bury the one that was meant, so those of another type or another tag
// (a property with a fixed value) are left out as long as one remains.
func (s *Schema) union(e *jsonschema.ValidationError) []Problem {
	depth := len(e.InstanceLocation)
	meant := without(e.Causes, func(c *jsonschema.ValidationError) bool { return otherType(c, depth) })
	if len(meant) > 0 {
		if tagged := without(meant, func(c *jsonschema.ValidationError) bool { return otherTag(c, depth) }); len(tagged) > 0 {
			meant = tagged
		}
	}
	switch len(meant) {
	case 0:
		return []Problem{{Path: e.InstanceLocation, Message: wantedTypes(e.Causes)}}
	case 1:
		return s.explain(meant[0])
	}
	return []Problem{{Path: e.InstanceLocation, Message: s.alternativesText(meant, depth)}}
}

func without(causes []*jsonschema.ValidationError, drop func(*jsonschema.ValidationError) bool) []*jsonschema.ValidationError {
	return slices.DeleteFunc(slices.Clone(causes), drop)
}

// bare looks through references that wrap a single cause.
func bare(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) == 1 {
		if _, ok := e.ErrorKind.(*kind.Reference); !ok {
			break
		}
		e = e.Causes[0]
	}
	return e
}

// otherType reports whether an alternative wants another type of value.
func otherType(e *jsonschema.ValidationError, depth int) bool {
	e = bare(e)
	_, ok := e.ErrorKind.(*kind.Type)
	return ok && len(e.InstanceLocation) == depth
}

// otherTag reports whether an alternative wants another fixed value of a direct property.
func otherTag(e *jsonschema.ValidationError, depth int) bool {
	e = bare(e)
	switch e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(e.InstanceLocation) == depth+1
	case *kind.Group, *kind.Reference, *kind.AllOf:
		return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return otherTag(c, depth) })
	}
	return false
}

// wantedTypes joins the types that alternatives want.
func wantedTypes(causes []*jsonschema.ValidationError) string {
	var got string
	var want []string
	for _, cause := range causes {
		if k, ok := bare(cause).ErrorKind.(*kind.Type); ok {
			got = k.Got
			want = append(want, k.Want...)
		}
	}
	slices.Sort(want)
	return message(&kind.Type{Got: got, Want: slices.Compact(want)})
}

// alternativesText says for each alternative what keeps the value from fitting it.
func (s *Schema) alternativesText(causes []*jsonschema.ValidationError, depth int) string {
	var texts []string
	for _, cause := range causes {
		var parts []string
		for _, p := range s.explain(cause) {
			parts = append(parts, Problem{Path: p.Path[min(depth, len(p.Path)):], Message: p.Message}.String())
		}
		if text := strings.Join(parts, ", "); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	if len(texts) > forms {
		texts = append(texts[:forms:forms], "...")
	}
	return "fits none of the allowed forms: " + strings.Join(texts, "; or ")
}
