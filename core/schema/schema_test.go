package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/schema"
)

func compile(t *testing.T, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return s
}

const issue = `{
	"type": "object",
	"properties": {
		"title": {"type": "string", "minLength": 3, "maxLength": 10},
		"count": {"type": "integer", "minimum": 1, "maximum": 9},
		"state": {"enum": ["open", "closed"]},
		"token": {"type": "string", "pattern": "^ghp_", "writeOnly": true},
		"labels": {"type": "array", "maxItems": 2, "uniqueItems": true, "items": {
			"type": "object", "properties": {"name": {"type": "string"}, "color": {"type": "string"}},
			"required": ["name"], "additionalProperties": false}}
	},
	"required": ["title"],
	"additionalProperties": false
}`

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, value, want string }{
		"fits":                  {issue, `{"title": "Bug", "count": 3, "labels": [{"name": "a"}]}`, ""},
		"no schema, an object":  {"", `{"anything": 1}`, ""},
		"no schema, a list":     {"", `[1]`, `got array, want object`},
		"missing":               {issue, `{}`, `missing property "title"`},
		"several missing":       {`{"required": ["a", "b"]}`, `{}`, `missing properties "a", "b"`},
		"missing in a list":     {issue, `{"title": "Bug", "labels": [{"name": "a"}, {}]}`, `labels.1: missing property "name"`},
		"wrong type":            {issue, `{"title": 7}`, `title: got number, want string`},
		"two kinds":             {`{"type": ["integer", "null"]}`, `"x"`, `got string, want null or integer`},
		"near miss":             {issue, `{"title": "Bug", "labels": [{"name": "a", "colour": "red"}]}`, `labels.0.colour: unknown property; did you mean "color"? (allowed: color, name)`},
		"unknown":               {issue, `{"title": "Bug", "zzzzzz": 1}`, `zzzzzz: unknown property (allowed: count, labels, state, title, token)`},
		"nothing allowed":       {`{"additionalProperties": false}`, `{"a": 1}`, `a: unknown property; no property is allowed here`},
		"enum":                  {issue, `{"title": "Bug", "state": "opn"}`, `state: must be one of "open", "closed"`},
		"const":                 {`{"const": 5}`, `6`, `must be 5`},
		"too short":             {issue, `{"title": "B"}`, `title: too short: needs at least 3 characters`},
		"too long":              {issue, `{"title": "BBBBBBBBBBB"}`, `title: too long: may have 10 characters at most`},
		"too small":             {issue, `{"title": "Bug", "count": 0}`, `count: must be at least 1`},
		"too big":               {issue, `{"title": "Bug", "count": 9007199254740993}`, `count: must be at most 9`},
		"exclusive":             {`{"exclusiveMinimum": 0.5, "exclusiveMaximum": 1}`, `0.5`, `must be greater than 0.5`},
		"exclusive above":       {`{"exclusiveMaximum": 1}`, `1`, `must be less than 1`},
		"multiple":              {`{"multipleOf": 5}`, `7`, `must be a multiple of 5`},
		"too many items":        {issue, `{"title": "Bug", "labels": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}`, `labels: has 3 items, may have 2 at most`},
		"too few items":         {`{"minItems": 1}`, `[]`, `has 0 items, needs at least 1`},
		"equal items":           {issue, `{"title": "Bug", "labels": [{"name": "a"}, {"name": "a"}]}`, `labels: items 0 and 1 are equal`},
		"contains":              {`{"contains": {"const": 1}}`, `[2]`, `no item has the form that one must have`},
		"contains often enough": {`{"contains": {"const": 1}, "minContains": 2}`, `[1]`, `1 items have the form that at least 2 must have`},
		"contains too often":    {`{"contains": {"const": 1}, "maxContains": 1}`, `[1, 1]`, `2 items have the form that 1 at most may have`},
		"tuple's end":           {`{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}], "additionalItems": false}`, `[1, 2]`, `the last 1 items are not allowed`},
		"property count":        {`{"minProperties": 1}`, `{}`, `has 0 properties, needs at least 1`},
		"property limit":        {`{"maxProperties": 0}`, `{"a": 1}`, `has 1 properties, may have 0 at most`},
		"property names":        {`{"propertyNames": {"pattern": "^a"}}`, `{"b": 1}`, `the property name "b" is not allowed`},
		"dependent":             {`{"dependentRequired": {"a": ["b"]}}`, `{"a": 1}`, `missing property "b", which "a" needs`},
		"dependency":            {`{"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}}`, `{"a": 1}`, `missing property "b", which "a" needs`},
		"format of draft 7":     {`{"$schema": "http://json-schema.org/draft-07/schema#", "format": "date"}`, `"soon"`, `is not a valid date`},
		"not":                   {`{"not": {"required": ["a"]}}`, `{"a": 1}`, `has a form that is not allowed`},
		"false property":        {`{"properties": {"a": false}}`, `{"a": 1}`, `a: not allowed here`},
		"composed":              {`{"allOf": [{"properties": {"name": {}}}], "unevaluatedProperties": false}`, `{"nam": 1}`, `nam: unknown property; did you mean "name"? (allowed: name)`},
		"behind a reference":    {`{"$defs": {"id": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/id"}}}`, `{"a": "x"}`, `a: got string, want integer`},
		"endless reference":     {`{"$ref": "#"}`, `1`, `cannot be checked: the schema refers to itself without end`},
		"pattern":               {issue, `{"title": "Bug", "token": "SECRET"}`, `token: does not match the pattern ^ghp_`},
		"two faults":            {issue, `{"title": "B", "count": "x"}`, `count: got string, want integer; title: too short: needs at least 3 characters`},
		"list order":            {`{"items": {"type": "string"}}`, `["", "", 1, "", "", "", "", "", "", "", 2]`, `2: got number, want string; 10: got number, want string`},
		"no JSON":               {issue, `{"title": SECRET}`, `not valid JSON near byte 11`},
		"two values":            {issue, `{"title": "Bug"} {}`, `not one JSON value: more follows at byte 18`},
		"number without bound":  {`{"properties": {"a": {"minimum": 1}}}`, `{"a": 1e999999999}`, `a: the number is too large`},
		"number without end":    {`{"items": {"minimum": 1}}`, `[` + strings.Repeat("1", 5000) + `]`, `0: the number is too large`},
		"long enum":             {`{"enum": [1,2,3,4,5,6,7,8,9,10,11,12,13,14]}`, `0`, `must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, and 2 more`},
		"large const":           {`{"const": "` + strings.Repeat("x", 100) + `"}`, `0`, `must be a fixed string`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, tc.schema).Validate([]byte(tc.value))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if strings.Contains(got, "SECRET") {
				t.Error("the message quotes the value")
			}
		})
	}
}

func TestValidateUnions(t *testing.T) {
	t.Parallel()
	const tagged = `{"oneOf": [
		{"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]},
		{"properties": {"kind": {"const": "bank"}, "iban": {"type": "string"}}, "required": ["kind", "iban"]}]}`
	for name, tc := range map[string]struct{ schema, value, want string }{
		"the alternative of the value's type": {`{"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]}`, `{}`, `missing property "a"`},
		"no alternative of its type":          {`{"anyOf": [{"type": "integer"}, {"type": "null"}]}`, `"x"`, `got string, want integer or null`},
		"the alternative of the value's tag":  {tagged, `{"kind": "bank"}`, `missing property "iban"`},
		"no tag fits": {tagged, `{"kind": "cash", "number": "1", "iban": "2"}`,
			`fits none of the allowed forms: kind: must be "card"; or kind: must be "bank"`},
		"all alternatives": {`{"properties": {"x": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}}`, `{"x": {}}`,
			`x: fits none of the allowed forms: missing property "a"; or missing property "b"`},
		"many alternatives": {`{"anyOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}, {"required": ["d"]}]}`, `{}`,
			`fits none of the allowed forms: missing property "a"; or missing property "b"; or missing property "c"; or ...`},
		"alternatives that say the same": {`{"anyOf": [{"required": ["a"]}, {"title": "again", "required": ["a"]}]}`, `{}`, `missing property "a"`},
		"two at once":                    {`{"oneOf": [{"type": "number"}, {"type": "integer"}]}`, `1`, `fits forms 1 and 2, which exclude each other`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, tc.schema).Validate([]byte(tc.value))
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestValidateTags(t *testing.T) {
	t.Parallel()
	const schemaText = `{"properties": {"data": {"type": "string"}, "id": {"type": "integer", "maximum": 99999999999999999999},
		"note": {"type": "object", "properties": {"$bytes": {"type": "string"}}, "additionalProperties": false}}}`
	for name, tc := range map[string]struct{ value, want string }{
		"bytes are a string":        {`{"data": {"$bytes": "AAEC"}}`, ""},
		"bytes are no integer":      {`{"id": {"$bytes": "AAEC"}}`, `id: got string, want integer`},
		"a bigint is an integer":    {`{"id": {"$bigint": "-12345678901234567890"}}`, ""},
		"a bigint keeps its digits": {`{"id": {"$bigint": "100000000000000000000"}}`, `id: must be at most 99999999999999999999`},
		"a bigint is no string":     {`{"data": {"$bigint": "1"}}`, `data: got number, want string`},
		"no digits, no bigint":      {`{"id": {"$bigint": "x"}}`, `id: got object, want integer`},
		"an escaped tag is data":    {`{"note": {"$$bytes": "text"}}`, ""},
		"twice escaped":             {`{"note": {"$$$bytes": "text"}}`, `note.$$bytes: unknown property; did you mean "$bytes"? (allowed: $bytes)`},
		"two keys are data":         {`{"data": {"$bytes": "AAEC", "x": 1}}`, `data: got object, want string`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, schemaText).Validate([]byte(tc.value))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestErrorListsTenProblems(t *testing.T) {
	t.Parallel()
	err := compile(t, `{"items": {"type": "string"}}`).Validate([]byte("[1,2,3,4,5,6,7,8,9,10,11,12]"))
	var e *schema.Error
	if !errors.As(err, &e) || len(e.Problems) != 12 {
		t.Fatalf("got %v, want an *Error with 12 problems", err)
	}
	if !strings.HasSuffix(err.Error(), "9: got number, want string; and 2 more") {
		t.Errorf("got %s", err)
	}
	if diff := cmp.Diff([]string{"11"}, e.Problems[11].Path); diff != "" {
		t.Error(diff)
	}
}

func TestErrorShortensNames(t *testing.T) {
	t.Parallel()
	err := compile(t, `{"additionalProperties": false}`).Validate([]byte(`{"` + strings.Repeat("n", 10_000) + `": 1}`))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("got %v", err)
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, want string }{
		"no JSON":          {`{`, "compile schema: not valid JSON near byte 1"},
		"a list":           {`[]`, "compile schema: a schema is an object or a boolean"},
		"a wrong type":     {`{"properties": {"a": {"type": "strin"}}}`, `compile schema: properties.a.type: must be one of "array", "boolean", "integer", "null", "number", "object", "string"`},
		"a wrong bound":    {`{"exclusiveMinimum": true}`, "compile schema: exclusiveMinimum: got boolean, want number"},
		"a huge bound":     {`{"minimum": 1e999999999}`, "compile schema: minimum: the number is too large"},
		"a file":           {`{"$ref": "file:///etc/passwd"}`, `compile schema: failing loading "file:///etc/passwd": references outside the schema are not followed`},
		"a URL":            {`{"$ref": "https://example.com/s.json"}`, `compile schema: failing loading "https://example.com/s.json": references outside the schema are not followed`},
		"a missing target": {`{"$ref": "#/$defs/none"}`, "compile schema: json-pointer in \"#/$defs/none\" not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(json.RawMessage(tc.schema))
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestCompileToleratesForeignPatterns(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties": {"a": {"type": "string", "pattern": "^(?!x)"}},
		"patternProperties": {"^(?=y)": {"type": "integer"}}, "additionalProperties": false}`)
	if err := s.Validate([]byte(`{"a": "anything", "b": "no integer"}`)); err != nil {
		t.Error(err)
	}
	if err := s.Validate([]byte(`{"a": 1}`)); err == nil {
		t.Error("the rest of the schema is not checked")
	}
}

func TestCompileIsShared(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 300 { // more texts than are kept
				s, err := schema.Compile(json.RawMessage(fmt.Sprintf(`{"const": %d}`, i*300+n)))
				if err != nil {
					t.Error(err)
					return
				}
				if s.Validate(fmt.Appendf(nil, "%d", i*300+n)) != nil || s.Validate([]byte("-1")) == nil {
					t.Errorf("schema %d was mistaken for another", i*300+n)
				}
			}
		})
	}
	wg.Wait()
}

func TestWithDefaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, args, want string }{
		"no schema":           {"", `{"a": 1}`, `{"a":1}`},
		"missing is null":     {`{"properties": {"a": {}, "b": {}}}`, `{"a": 1}`, `{"a":1,"b":null}`},
		"a default":           {`{"properties": {"a": {"default": [1.50]}}}`, `{}`, `{"a":[1.50]}`},
		"given wins":          {`{"properties": {"a": {"default": 1}}}`, `{"a": null}`, `{"a":null}`},
		"behind references":   {`{"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {"$ref": "#/$defs/y"}}}, "y": {"default": "z"}}}`, `{}`, `{"a":"z"}`},
		"outermost first":     {`{"properties": {"a": {"default": 1}}, "allOf": [{"properties": {"a": {"default": 2}, "b": {"default": 3}}}]}`, `{}`, `{"a":1,"b":3}`},
		"alternatives name":   {`{"oneOf": [{"properties": {"a": {"default": 1}}}, {"properties": {"b": {}}}]}`, `{}`, `{"a":null,"b":null}`},
		"recursive":           {`{"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}, "allOf": [{"$ref": "#/$defs/n"}]}}, "$ref": "#/$defs/n"}`, `{}`, `{"next":null}`},
		"numbers keep digits": {"", `{"a": 9007199254740993.10, "b": {"$bigint": "123456789012345678901"}}`, `{"a":9007199254740993.10,"b":123456789012345678901}`},
		"bytes are a string":  {"", `{"a": {"$bytes": "AAEC"}}`, `{"a":"AAEC"}`},
		"no object":           {"", `[]`, `got array, want object`},
		"no JSON":             {"", `{`, `not valid JSON near byte 1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := compile(t, tc.schema).WithDefaults([]byte(tc.args))
			got := string(raw)
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	s := compile(t, `{
		"properties": {
			"token": {"writeOnly": true, "properties": {"part": {}}},
			"url": {},
			"auth": {"$ref": "#/$defs/auth"},
			"list": {"items": {"properties": {"key": {"writeOnly": true}, "name": {}}}}
		},
		"patternProperties": {"_key$": {"writeOnly": true}},
		"anyOf": [{"properties": {"pin": {"writeOnly": true}}}, {}],
		"$defs": {"auth": {"properties": {"password": {"writeOnly": true}, "user": {}, "again": {"$ref": "#/$defs/auth"}}}}
	}`)
	for path, want := range map[string]bool{
		"token": true, "token.part": true, "url": false, "auth": true, "auth.password": true, "auth.user": false,
		"auth.again.again.password": true, "list": true, "list.0": true, "list.0.key": true, "list.0.name": false,
		"api_key": true, "pin": true, "none": false,
	} {
		if got := s.Secret(strings.Split(path, ".")); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if !s.Secret(nil) {
		t.Error("the whole value holds secrets")
	}
	if (*schema.Schema)(nil).Secret(nil) {
		t.Error("no schema, no secrets")
	}
}

func FuzzValidate(f *testing.F) {
	f.Add(issue, `{"title": "Bug"}`)
	f.Add(`{"$ref": "#"}`, `{"a": {"$bytes": "AA=="}}`)
	f.Add(`{"anyOf": [{"type": "null"}, {"$ref": "#/anyOf/0"}], "multipleOf": 0.1}`, `1e5`)
	f.Add(`{"patternProperties": {"(?!a)": false}, "unevaluatedProperties": false}`, `{"$$bigint": 1}`)
	f.Fuzz(func(t *testing.T, raw, value string) {
		s, err := schema.Compile(json.RawMessage(raw))
		if err != nil {
			return
		}
		err = s.Validate([]byte(value))
		var e *schema.Error
		if err != nil && (!errors.As(err, &e) || len(e.Problems) == 0) {
			t.Fatalf("a value is refused without a problem: %v", err)
		}
		if full, err := s.WithDefaults([]byte(value)); err == nil && !json.Valid(full) {
			t.Fatalf("WithDefaults made %q", full)
		}
		s.Secret([]string{"a", "0"})
	})
}
