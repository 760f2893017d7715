package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// problem is one way in which a value does not fit a schema. It never holds a
// part of the value but the names of properties.
type problem struct {
	path []string
	text string
}

func (p problem) String() string {
	if len(p.path) == 0 {
		return p.text
	}
	return strings.Join(p.path, ".") + ": " + p.text
}

// checker checks values against one schema.
type checker struct {
	schema *jsonschema.Schema
}

// newChecker compiles a schema; nil accepts everything.
func newChecker(schema json.RawMessage) (*checker, error) {
	if len(schema) == 0 {
		return &checker{}, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	// A time or base64 that the handler's type cannot decode is better refused here, where its place is known.
	c.AssertFormat()
	c.AssertContent()
	const location = "urn:schema"
	if err := c.AddResource(location, doc); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	return &checker{schema: compiled}, nil
}

// noLoader keeps schemas from reaching for files and networks.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema must hold all that it refers to, not %s", url)
}

// check returns what is wrong with a value, in the order of the paths.
func (c *checker) check(value json.RawMessage) ([]problem, error) {
	if c.schema == nil {
		return nil, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	err = c.schema.Validate(doc)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		found := problems(invalid)
		slices.SortFunc(found, func(a, b problem) int { return strings.Compare(a.String(), b.String()) })
		return found, nil
	}
	return nil, err
}

// problems lists the leaves of a validation error.
func problems(e *jsonschema.ValidationError) []problem {
	if text := describe(e.ErrorKind); len(e.Causes) == 0 || text != "" {
		if text == "" {
			text = "does not satisfy " + strings.Join(e.ErrorKind.KeywordPath(), "/")
		}
		return at(e.InstanceLocation, e.ErrorKind, text)
	}
	var out []problem
	for _, cause := range e.Causes {
		out = append(out, problems(cause)...)
	}
	return out
}

// at puts a problem in its place; those with properties' names at the properties.
func at(path []string, k jsonschema.ErrorKind, text string) []problem {
	var names []string
	switch k := k.(type) {
	case *kind.Required:
		names = k.Missing
	case *kind.AdditionalProperties:
		names = k.Properties
	default:
		return []problem{{path: path, text: text}}
	}
	var out []problem
	for _, name := range names {
		out = append(out, problem{path: append(path[:len(path):len(path)], name), text: text})
	}
	return out
}

// describe says what a value violates, in words that do not quote it; empty
// for kinds that have no words of their own.
func describe(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "is missing"
	case *kind.AdditionalProperties:
		return "is not known"
	case *kind.Type:
		return fmt.Sprintf("got %s, want %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		return "must be one of " + choices(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.Pattern:
		return "does not match the pattern " + k.Want
	case *kind.Format:
		return "is not a valid " + k.Want
	case *kind.ContentEncoding:
		return "is not valid " + k.Want
	case *kind.AnyOf, *kind.OneOf, *kind.Not:
		return "fits none of the forms that the schema allows"
	}
	return ""
}

func choices(values []any) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprint(v)
	}
	return strings.Join(list, ", ")
}
