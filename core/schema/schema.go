// Package schema validates JSON values against JSON Schemas and says what is
// wrong in words that a model can act on. It loads nothing: a reference that
// leaves the schema's own text is refused. No message quotes a value.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location is the address under which a schema's text is known while it is
// compiled. It is cut from every message.
const location = "schema:///schema.json"

// Schema is one compiled JSON Schema. It is immutable and safe for concurrent
// use. A nil *Schema accepts any object.
type Schema struct {
	root *jsonschema.Schema
	// places finds a subschema by its location.
	places map[string]*jsonschema.Schema
}

// Compile compiles a schema, as draft 2020-12 unless its $schema says otherwise.
// An empty raw is the nil schema. An error names what is wrong with the schema.
// A regular expression that Go cannot compile accepts every string. Equal texts
// share one compiled schema, so compiling again is cheap.
func Compile(raw json.RawMessage) (*Schema, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	if s, ok := compiled.get(raw); ok {
		return s, nil
	}
	s, err := compile(raw)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	compiled.put(raw, s)
	return s, nil
}

func compile(raw json.RawMessage) (*Schema, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, err
	}
	if path, found := oversized(doc, nil); found {
		return nil, fmt.Errorf("%s: the number is too large", strings.Join(path, "."))
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, errors.New("a schema is an object or a boolean")
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuse{})
	c.UseRegexpEngine(lenient)
	if err := c.AddResource(location, doc); err != nil {
		return nil, err
	}
	root, err := c.Compile(location)
	if err != nil {
		return nil, fault(err)
	}
	s := &Schema{root: root, places: map[string]*jsonschema.Schema{}}
	s.index(root)
	return s, nil
}

// Validate checks one JSON value. A value that does not fit is an *[Error].
// Tagged bytes are read as a base64 string and a tagged bigint as an integer.
func (s *Schema) Validate(value []byte) error {
	v, err := read(value)
	if err != nil {
		return err
	}
	if s == nil {
		if _, ok := v.(map[string]any); !ok {
			return &Error{Problems: []Problem{{Message: fmt.Sprintf("got %s, want object", typeName(v))}}}
		}
		return nil
	}
	err = s.root.Validate(v)
	if err == nil {
		return nil
	}
	var verr *jsonschema.ValidationError
	if !errors.As(err, &verr) {
		return fmt.Errorf("validate value: %w", err)
	}
	return &Error{Problems: ordered(s.explain(verr))}
}

// refuse is the loader of everything that is not in the schema's own text.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	return nil, errors.New("references outside the schema are not followed")
}

// typeName is the JSON type of a decoded value.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
