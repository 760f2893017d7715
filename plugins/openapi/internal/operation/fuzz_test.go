package operation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
)

// FuzzSchema: whatever stands where a schema should, what becomes of it compiles.
func FuzzSchema(f *testing.F) {
	for _, schema := range []string{
		`{"type":["string",7,"string"],"enum":[],"minLength":-1,"pattern":"("}`, `{"$ref":"#/paths/~1a"}`, `{"$ref":"#"}`, `{"$ref":7}`,
		`{"required":["a","a",1],"properties":[],"items":[],"allOf":[],"oneOf":{}}`, `{"nullable":true,"$ref":"#/x","enum":[null]}`,
		`{"maximum":1e400,"exclusiveMaximum":true,"multipleOf":0.0}`, `{"minimum":"1","exclusiveMinimum":true}`, `[]`, `false`,
		`{"properties":{"a":{"readOnly":true},"":{}},"required":["a",""],"discriminator":{}}`, `{"items":[true,{}],"additionalProperties":7}`,
		`{"type":"string","format":"binary","contentMediaType":"application/octet-stream"}`, `{"patternProperties":{"(":{}},"dependentSchemas":1}`,
	} {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, version := range []string{`"swagger":"2.0"`, `"openapi":"3.0.0"`, `"openapi":"3.1.0"`} {
			document := fmt.Sprintf(`{%s,"paths":{"/a":{"post":{"parameters":[{"name":"b","in":"body","schema":%s},{"name":"q","in":"query","schema":%s}],
				"requestBody":{"content":{"application/json":{"schema":%s},"multipart/form-data":{"schema":%s}}},
				"responses":{"200":{"schema":%s,"content":{"application/json":{"schema":%s}}}}}}}}`, version, text, text, text, text, text, text)
			compile(t, document)
		}
	})
}

func compile(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "api.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := document.Load(t.Context(), document.Folder(path))
	if err != nil {
		return
	}
	for _, m := range operation.Methods(d, anywhere).Methods {
		if _, err := schema.Compile(m.Input); err != nil {
			t.Errorf("input %s: %v", m.Input, err)
		}
		if _, err := schema.Compile(m.Output); err != nil {
			t.Errorf("output %s: %v", m.Output, err)
		}
	}
}
