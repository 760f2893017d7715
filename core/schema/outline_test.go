package schema_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/schema"
)

// at follows a path of properties; [] stands for a list's items.
func at(o schema.Outline, path string) schema.Outline {
	for name := range strings.FieldsSeq(path) {
		if name == "[]" {
			o = o.Items()
			continue
		}
		o = o.Property(name)
	}
	return o
}

func TestOutlineKind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, path, want string }{
		"no schema":            {``, "", ""},
		"no schema, below":     {``, "a []", ""},
		"anything":             {`{}`, "", ""},
		"true":                 {`true`, "", ""},
		"a string":             {issue, "title", "string"},
		"an integer":           {issue, "count", "number"},
		"by its values":        {issue, "state", "string"},
		"mixed values":         {`{"enum": ["a", 1]}`, "", ""},
		"a fixed value":        {`{"const": true}`, "", "boolean"},
		"a fixed number":       {`{"const": 1.5}`, "", "number"},
		"a list":               {issue, "labels", "array"},
		"in a list":            {issue, "labels [] name", "string"},
		"in a tuple":           {`{"prefixItems": [{"type": "string"}, {"type": "number"}]}`, "[]", ""},
		"not named":            {issue, "nothing", ""},
		"with null":            {`{"type": ["string", "null"]}`, "", "string"},
		"nothing but null":     {`{"type": "null"}`, "", ""},
		"two types":            {`{"type": ["string", "integer"]}`, "", ""},
		"two kinds of numbers": {`{"type": ["number", "integer"]}`, "", "number"},
		"nullable by anyOf":    {`{"anyOf": [{"type": "string"}, {"type": "null"}]}`, "", "string"},
		"one form says less":   {`{"anyOf": [{"type": "string"}, {"minLength": 3}]}`, "", ""},
		"oneOf":                {`{"oneOf": [{"type": "string"}, {"type": "boolean"}]}`, "", ""},
		"allOf narrows":        {`{"type": ["string", "integer"], "allOf": [{}, {"type": ["string", "array"]}]}`, "", "string"},
		"contradiction":        {`{"type": "string", "allOf": [{"type": "array"}]}`, "", ""},
		"a reference":          {`{"$ref": "#/$defs/x", "$defs": {"x": {"type": "boolean"}}}`, "", "boolean"},
		"twice the same":       {`{"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "boolean"}}}`, "", "boolean"},
		"a circle":             {`{"allOf": [{"$ref": "#"}], "type": "object"}`, "", "object"},
		"a tree":               {`{"type": "object", "properties": {"next": {"$ref": "#"}}}`, "next next next", "object"},
		"a property in forms":  {`{"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "string"}, "b": {}}}]}`, "a", "string"},
		"forms that disagree":  {`{"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "number"}}}]}`, "a", ""},
		"what must not be":     {`{"not": {"properties": {"a": {"type": "string"}}}}`, "a", ""},
		"what is asked":        {`{"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"b": {"type": "array"}}}}`, "a", ""},
		"what follows":         {`{"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"b": {"type": "array"}}}}`, "b", "array"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := at(compile(t, tc.schema).Outline(), tc.path).Kind(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOutlineProperties(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		schema, path, names string
		open                bool
	}{
		"no schema":                   {``, "", "", true},
		"closed":                      {issue, "", "count labels state title token", false},
		"items":                       {issue, "labels []", "color name", false},
		"names, and no word on more":  {`{"properties": {"a": {}}}`, "", "a", false},
		"no names, no word":           {`{"type": "object"}`, "", "", true},
		"none allowed":                {`{"additionalProperties": false}`, "", "", false},
		"more by their word":          {`{"properties": {"a": {}}, "additionalProperties": true}`, "", "a", true},
		"more of a kind":              {`{"properties": {"a": {}}, "additionalProperties": {"type": "string"}}`, "", "a", true},
		"more by a pattern":           {`{"properties": {"a": {}}, "patternProperties": {"^x-": {}}, "additionalProperties": false}`, "", "a", true},
		"a pattern that refuses":      {`{"properties": {"a": {}}, "patternProperties": {"^x-": false}}`, "", "a", false},
		"unevaluated refused":         {`{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}`, "", "a", false},
		"unevaluated allowed":         {`{"properties": {"a": {}}, "unevaluatedProperties": {}}`, "", "a", true},
		"forms":                       {`{"anyOf": [{"properties": {"b": {}}}, {"properties": {"a": {}}}]}`, "", "a b", false},
		"one form is open":            {`{"anyOf": [{"properties": {"b": {}}}, {"additionalProperties": true}]}`, "", "b", true},
		"a property with its own":     {`{"properties": {"a": {"properties": {"b": {}}}}}`, "a", "b", false},
		"a property of several forms": {`{"anyOf": [{"properties": {"a": {"properties": {"b": {}}}}}, {"properties": {"a": {"properties": {"c": {}}}}}]}`, "a", "b c", false},
		"recursion":                   {`{"properties": {"up": {"$ref": "#"}, "n": {}}}`, "up up", "n up", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := at(compile(t, tc.schema).Outline(), tc.path)
			if got := strings.Join(o.Names(), " "); got != tc.names {
				t.Errorf("got %q", got)
			}
			if o.Open() != tc.open {
				t.Errorf("open is %v", o.Open())
			}
		})
	}
}

// What an outline promises of the arguments must hold of what conditions look at.
func TestOutlineKnowsWhatIsFilledIn(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties": {"a": {"default": 1}}, "anyOf": [{"properties": {"b": {}}}, {"not": {"properties": {"c": {}}}}]}`)
	full, err := s.WithDefaults([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Outline().Names(); string(full) != `{"a":1,"b":null,"c":null}` || !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %s and %v", full, got)
	}
}

// FuzzOutline holds outlines against values: what a schema accepts has the kind that its outline says.
func FuzzOutline(f *testing.F) {
	f.Add(issue, `{"title": "Bug"}`)
	f.Add(`{"type": ["string", "null"], "anyOf": [{"enum": ["a", 1]}, {"$ref": "#"}]}`, `"a"`)
	f.Add(`{"properties": {"a": {"items": [{"const": 1}], "additionalItems": true}}, "patternProperties": {"^x": {}}}`, `{"a": [1]}`)
	f.Add(`{"if": {"type": "string"}, "then": {"const": "x"}, "else": {"not": {"type": "array"}}}`, `5`)
	f.Fuzz(func(t *testing.T, raw, value string) {
		s, err := schema.Compile(json.RawMessage(raw))
		if err != nil {
			return
		}
		o := s.Outline()
		for _, name := range o.Names() {
			o.Property(name).Items().Kind()
		}
		kind := o.Kind()
		if kind == "" || strings.Contains(value, "$") || s.Validate([]byte(value)) != nil { // a tag stands for something else
			return
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Skip("a number that Go cannot hold")
		}
		if got := kindOf(v); got != "null" && got != kind {
			t.Errorf("%s accepts %s, a %s, and has the kind %s", raw, value, got, kind)
		}
	})
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
