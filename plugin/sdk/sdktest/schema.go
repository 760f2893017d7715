package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/codemode-go/codemode/plugin/wire"
)

// compile reads a JSON Schema that holds all that it refers to.
func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	const location = "urn:schema"
	if err := c.AddResource(location, doc); err != nil {
		return nil, err
	}
	return c.Compile(location)
}

// nowhere is where a schema's references must not lead.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which it does not hold", url)
}

// wantFit checks a result against the schema that its method declares.
func wantFit(t *testing.T, m *wire.Method, value json.RawMessage) {
	t.Helper()
	if value != nil && !json.Valid(value) {
		t.Errorf("%s returns what is no JSON: %.200s", m.Name, value)
		return
	}
	if m.OutputSchema == nil || value == nil {
		return
	}
	schema, err := compile(m.OutputSchema)
	if err != nil {
		return // testMethods says so
	}
	plain, err := wire.Untag(value)
	if err != nil {
		t.Errorf("%s returns a wrong tag: %v", m.Name, err)
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		t.Errorf("%s: %v", m.Name, err)
		return
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s returns what does not fit its OutputSchema: %v", m.Name, err)
	}
}
