package raw_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// decode reads a value through this package alone.
func decode(t *testing.T, v raw.Value) any {
	t.Helper()
	switch v.Kind() {
	case '{':
		object := map[string]any{}
		for name, member := range v.Members() {
			object[name] = decode(t, member)
		}
		return object
	case '[':
		list := []any{}
		for item := range v.Items() {
			list = append(list, decode(t, item))
		}
		return list
	case '"':
		return v.Text()
	}
	var scalar any
	if err := json.Unmarshal(v, &scalar); err != nil {
		t.Fatalf("%q: %v", v, err)
	}
	return scalar
}

// FuzzDecode: this package and encoding/json read the same.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":[true,null,-1.5e3,"x"],"c":{}}`, `[ ]`, `{ }`, "{\n\"a\" : [ 1 ,\t2 ] , \"b\\\"\" : \"\\\\\" }",
		`"]}\"{["`, `{"\\":"\\\\\"","\u0041":"\ud83d\ude00"}`, `{"a":1,"a":2}`, `0`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want any
		if json.Unmarshal([]byte(text), &want) != nil {
			t.Skip()
		}
		spelled, err := json.Marshal(want) // valid UTF-8, and every name once
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, decode(t, spelled)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestGet(t *testing.T) {
	t.Parallel()
	v := raw.Value(`{ "a" : {"b": [1, "two"]}, "c" : null }`)
	if got := string(v.Get("a").Get("b")); got != `[1, "two"]` {
		t.Errorf("got %s", got)
	}
	if v.Get("none") != nil || v.Get("c").Get("x") != nil || string(v.Get("c")) != "null" {
		t.Error("what is not there is there")
	}
	if names := slices.Sorted(maps.Keys(maps.Collect(v.Members()))); !slices.Equal(names, []string{"a", "c"}) {
		t.Errorf("names %q", names)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	v := raw.Value(`{"$ref":"a","x":[{"$ref" : "b"},{"$ref":1},"$ref",{"y":"\"$ref\""},{"$ref":"c\/d"}]}`)
	if got := slices.Collect(raw.Texts(v, "$ref")); !slices.Equal(got, []string{"a", "b", "c/d"}) {
		t.Errorf("got %q", got)
	}
}
