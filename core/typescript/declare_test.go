package typescript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func schemaMethod(name, in, out string) Method {
	m := Method{Name: name}
	if in != "" {
		m.Input = json.RawMessage(in)
	}
	if out != "" {
		m.Output = json.RawMessage(out)
	}
	return m
}

func TestDeclareSeveralMethods(t *testing.T) {
	t.Parallel()
	issue := `{"$ref": "#/$defs/Issue", "$defs": {"Issue": {"type": "object", "properties": {"number": {"type": "integer"}}}}}`
	other := `{"$ref": "#/$defs/Issue", "$defs": {"Issue": {"type": "object", "properties": {"key": {"type": "string"}}}}}`
	got, whole := Declare("ns", []Method{
		schemaMethod("list", "", `{"type": "array", "items": `+issue[:len(issue)-1]+`}, "$defs": {"Issue": {"type": "object", "properties": {"number": {"type": "integer"}}}}}`),
		schemaMethod("get", "", issue),
		schemaMethod("legacy_get", "", other),
	}, 6000)
	want := `declare namespace ns {
  function list(input?: Record<string, unknown>): Promise<Issue[]>;

  function get(input?: Record<string, unknown>): Promise<Issue>;

  function legacy_get(input?: Record<string, unknown>): Promise<Issue_legacy_get>;

  type Issue = { number?: number };

  type Issue_legacy_get = { key?: string };
}
`
	if diff := cmp.Diff(want, got); diff != "" || !whole {
		t.Errorf("whole %v (-want +got):\n%s", whole, diff)
	}
}

// One method with a schema that cannot be read leaves the others as they are.
func TestDeclareBrokenNeighbour(t *testing.T) {
	t.Parallel()
	got, _ := Declare("ns", []Method{
		schemaMethod("bad", `{"type": `, `{]`),
		schemaMethod("good", `{"properties": {"a": {"type": "string"}}}`, ""),
	}, 6000)
	for _, line := range []string{"function bad(input?: unknown): Promise<unknown>;", "function good(input?: { a?: string }): Promise<unknown>;"} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
}

func TestDeclareFallsBackToSignatures(t *testing.T) {
	t.Parallel()
	var methods []Method
	for i := range 100 {
		methods = append(methods, schemaMethod(fmt.Sprintf("method_number_%d", i), wide(20), ""))
	}
	got, whole := Declare("ns", methods, 3000)
	if whole {
		t.Error("says that nothing is left out")
	}
	if n := utf8.RuneCountInString(got); n > 3300 {
		t.Errorf("%d characters", n)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	last := lines[len(lines)-1]
	if want := fmt.Sprintf("// and %d more methods", 100-(len(lines)-1)); last != want {
		t.Errorf("the last line is %q, want %q", last, want)
	}
}

// wide returns an object schema with n long properties.
func wide(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`"a_property_with_a_long_name_%d": {"type": "string"}`, i))
	}
	return `{"type": "object", "properties": {` + strings.Join(parts, ",") + `}}`
}

func TestSignature(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method Method
		limit  int
		want   string
	}{
		"required first": {
			schemaMethod("m", `{"properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "z": {"type": "number"}}, "required": ["z"]}`, ""),
			60, `ns.m({ z: number, a?: string, ... }): Promise<unknown>`,
		},
		"a long union": {
			schemaMethod("m", `{"properties": {"kind": {"enum": ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]}}, "required": ["kind"]}`, ""),
			80, `ns.m({ kind: "alpha" | "beta" | ... }): Promise<unknown>`,
		},
		"nested objects": {
			schemaMethod("m", `{"properties": {"a": {"type": "array", "items": `+wide(3)+`}}}`, wide(4)),
			90, `ns.m(input?: { a?: { ... }[] }): Promise<{ a_property_with_a_long_name_0?: string, ... }>`,
		},
		"a record": {
			schemaMethod("m", "", `{"type": "object", "additionalProperties": `+wide(4)+`}`),
			60, `ns.m(input?: Record<string, unknown>): Promise<Record<string, ...>>`,
		},
		"a recursive result": {
			schemaMethod("m", "", `{"type": "array", "items": {"$ref": "#/$defs/N"}, "$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}}}}`),
			200, `ns.m(input?: Record<string, unknown>): Promise<{ n?: N }[]>`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.method.Signature("ns", tt.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInputOptional(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schema   string
		optional bool
	}{
		"nothing required":       {`{"properties": {"a": {}}}`, true},
		"something required":     {`{"properties": {"a": {}}, "required": ["a"]}`, false},
		"by a base":              {`{"allOf": [{"$ref": "#/$defs/B"}], "$defs": {"B": {"required": ["x"]}}}`, false},
		"alternatives":           {`{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`, false},
		"only what is read only": {`{"properties": {"id": {"readOnly": true}}, "required": ["id"]}`, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _ := Declare("ns", []Method{schemaMethod("m", tt.schema, "")}, 6000)
			if got := strings.Contains(text, "m(input?:"); got != tt.optional {
				t.Errorf("optional %v in\n%s", got, text)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schema string
		want   []string
	}{
		"none":       {``, nil},
		"broken":     {`{"properties": {"a"`, nil},
		"in order":   {`{"properties": {"z": {}, "a": {}, "é\"": {}}}`, []string{"z", "a", "é\""}},
		"of a base":  {`{"$ref": "#/$defs/A", "properties": {"own": {}}, "allOf": [{"properties": {"more": {}, "own": {}}}], "$defs": {"A": {"properties": {"base": {}}}}}`, []string{"own", "base", "more"}},
		"in circles": {`{"allOf": [{"$ref": "#"}, {"$ref": "#/$defs/A"}], "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"a": {}}}]}}}`, []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Words(json.RawMessage(tt.schema)).Parameters); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"first of two":          {"One. Two.", 80, "One."},
		"abbreviation":          {"Use e.g. this one. And that.", 80, "Use e.g. this one."},
		"paragraph":             {"Title\n\nText.", 80, "Title"},
		"lines":                 {"a\r\n b\tc", 80, "a b c"},
		"cut at a word":         {"abcdef ghij klmnop", 14, "abcdef ghij…"},
		"cut in a word":         {"abcdefghijklmnop", 5, "abcd…"},
		"no control characters": {"a\x00\u202eb", 80, "ab"},
		"nothing":               {" \n\n ", 80, ""},
		"leading blank lines":   {"\n\nText. More.", 80, "Text."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Sentence(tt.text, tt.limit); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTypeNames(t *testing.T) {
	t.Parallel()
	m := schemaMethod("do_it", `{"$ref": "#/$defs/A-b", "$defs": {"A-b": {}, "Unused": {}}}`, `{"components": {"schemas": {"C": {}}}, "items": {"$ref": "#/properties/x"}}`)
	want := []string{"A_b", "C", "DoItInput", "DoItOutput", "Unused", "properties_x"}
	if diff := cmp.Diff(want, m.TypeNames()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where methods mean different things by a name, each meaning is shown with its users.
func TestDeclareTypeOfSeveralMethods(t *testing.T) {
	t.Parallel()
	var methods []Method
	for i := range 14 {
		schema := fmt.Sprintf(`{"$ref": "#/$defs/T", "$defs": {"T": {"properties": {"p%d": {}}}}}`, i%2)
		methods = append(methods, schemaMethod(fmt.Sprintf("m%d", i), "", schema))
	}
	got, found := DeclareType("ns", "T", methods, 6000)
	want := `// in results of m0, results of m2, results of m4, results of m6, results of m8 and 2 more
declare namespace ns {
  type T = { p0?: unknown };
}

// in results of m1, results of m3, results of m5, results of m7, results of m9 and 2 more
declare namespace ns {
  type T = { p1?: unknown };
}
`
	if diff := cmp.Diff(want, got); diff != "" || !found {
		t.Errorf("found %v (-want +got):\n%s", found, diff)
	}
}

// Schemas that are made to be endless end.
func TestEndlessSchemas(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000)
	wideRefs := `{"$ref": "#/$defs/T0", "$defs": {"T24": {}`
	for i := range 24 {
		wideRefs += fmt.Sprintf(`, "T%d": {"allOf": [{"$ref": "#/$defs/T%d"}, {"$ref": "#/$defs/T%d"}]}`, i, i+1, i+1)
	}
	tests := map[string]string{
		"deep":           deep,
		"beyond reading": strings.Repeat(`[`, 20000),
		"doubling":       wideRefs + `}}`,
		"circle of alls": `{"allOf": [{"$ref": "#"}, {"$ref": "#"}]}`,
		"circle of refs": `{"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}`,
	}
	for name, schema := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := schemaMethod("m", schema, schema)
			text, _ := Declare("ns", []Method{m}, 6000)
			parses(t, text)
			DeclareType("ns", "MInput.a.b", []Method{m}, 6000)
			Words(m.Input)
		})
	}
}

func FuzzDeclare(f *testing.F) {
	for _, s := range []string{
		`true`, `{}`, `{"type": "object", "properties": {"a*/b": {"description": "*/", "$ref": "#/$defs/A~1b"}}, "$defs": {"A/b": {"enum": [1, "x", null]}}}`,
		`{"allOf": [{"required": ["a"]}, {"anyOf": [{"type": ["string", "null"]}, {"const": {"a": "\u2028"}}]}]}`,
		`{"prefixItems": [{}, false], "items": {"oneOf": [{"$ref": "#"}]}, "additionalProperties": {"type": "number"}, "properties": {"": {}}}`,
		`{"patternProperties": {"*/": {"format": "*/"}}, "properties": {"x": {"pattern": "*/", "default": "*/\n"}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		m := schemaMethod("m", schema, schema)
		text, _ := Declare("ns", []Method{m}, 6000)
		if strings.HasPrefix(text, "declare") {
			parses(t, text)
		}
		if s := m.Signature("ns", 200); strings.ContainsAny(s, "\n\r\u2028") {
			t.Errorf("several lines: %q", s)
		}
		names := m.TypeNames()
		for _, name := range names[:min(5, len(names))] {
			DeclareType("ns", name, []Method{m}, 6000)
		}
		if slices.Contains(Words(m.Input).Parameters, "") && !strings.Contains(schema, `""`) {
			t.Error("a parameter out of nothing")
		}
	})
}
