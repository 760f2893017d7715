package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUntag(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"no tag":               {`{"b": 1.50, "a": "x"}`, `{"b": 1.50, "a": "x"}`},
		"bytes":                {`{"data":{"$bytes":"aGk="}}`, `{"data":"aGk="}`},
		"bigint":               {`[{"$bigint":"123456789012345678901"},{"$bigint":"-5"}]`, `[123456789012345678901,-5]`},
		"whole value":          {`{"$bytes":""}`, `""`},
		"escaped":              {`{"$$bytes":"x"}`, `{"$bytes":"x"}`},
		"escaped twice":        {`{"$$$bigint":1}`, `{"$$bigint":1}`},
		"key with an escape":   {`{"\u0024bytes":"x"}`, `"x"`},
		"two keys":             {`{"$bytes":"x","a":1}`, `{"$bytes":"x","a":1}`},
		"bytes of a number":    {`{"$bytes":1}`, `{"$bytes":1}`},
		"bytes of null":        {`{"$bytes":null}`, `{"$bytes":null}`},
		"bigint of words":      {`{"$bigint":"1e5"}`, `{"$bigint":"1e5"}`},
		"bigint with a zero":   {`{"$bigint":"007"}`, `{"$bigint":"007"}`},
		"tag in a tag":         {`{"$$bytes":{"$bigint":"1"}}`, `{"$bytes":1}`},
		"order and digits":     {`{"z":1.10,"a":9007199254740993,"m":{"$bigint":"1"}}`, `{"z":1.10,"a":9007199254740993,"m":1}`},
		"a dollar elsewhere":   {`{"price":"<$5>"}`, `{"price":"<$5>"}`},
		"another dollar key":   {`{"$ref":"x"}`, `{"$ref":"x"}`},
		"empties":              {`[{},[],"$",null,true]`, `[{},[],"$",null,true]`},
		"nothing":              {``, ``},
		"spaces in what moves": {`{ "a" : { "$bytes" : "x" } }`, `{"a":"x"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Untag(json.RawMessage(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain":    {`{"a":"$"}`, `{"a":"$"}`},
		"bytes":    {`[{"$bytes":"x"}]`, `[{"$$bytes":"x"}]`},
		"twice":    {`{"$$bigint":1}`, `{"$$$bigint":1}`},
		"nested":   {`{"$bytes":{"$bytes":1}}`, `{"$$bytes":{"$$bytes":1}}`},
		"two keys": {`{"$bytes":"x","b":0}`, `{"$bytes":"x","b":0}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Escape(json.RawMessage(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTagsOfInvalidJSON(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{"$bytes":`, `$`, `{"$bytes":"x"} {}`} {
		if got, err := Untag(json.RawMessage(in)); err == nil {
			t.Errorf("Untag(%s) = %s", in, got)
		}
	}
}

// FuzzTags checks that escaping is undone by untagging, whatever the value.
func FuzzTags(f *testing.F) {
	f.Add(`{"$bytes":{"$$bigint":["$",1.0,{"$bytes":null}]}}`)
	f.Add(`"\ud800$"`)
	f.Fuzz(func(t *testing.T, in string) {
		if !json.Valid([]byte(in)) {
			return
		}
		escaped, err := Escape(json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		back, err := Untag(escaped)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(value(t, []byte(in)), value(t, back)); diff != "" {
			t.Errorf("-in +back:\n%s", diff)
		}
	})
}

func value(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Skip("numbers out of float64's range cannot be compared")
	}
	return v
}
