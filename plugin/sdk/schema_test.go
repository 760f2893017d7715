package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type (
	page[T any] struct {
		Items []T `json:"items"`
		Next  *T  `json:"next,omitempty"`
	}
	tree struct {
		Name     string  `json:"name"`
		Children []*tree `json:"children,omitempty"`
	}
	forest struct {
		Left  tree `json:"left"`
		Right tree `json:"right"`
	}
	labels []string
	state  string
	base   struct {
		ID int `json:"id"`
	}
	derived struct {
		base
		Name string `json:"name"`
	}
	credentials struct {
		URL   string            `json:"url" jsonschema:"format=uri"`
		Token string            `json:"token" jsonschema:"description=An API token.,writeOnly=true"`
		Extra map[string]string `json:"extra,omitempty" jsonschema_extras:"writeOnly=true"`
	}
	special struct {
		Time   time.Time       `json:"time"`
		Raw    json.RawMessage `json:"raw"`
		Number json.Number     `json:"number"`
		Big    *big.Int        `json:"big"`
		Addr   netip.Addr      `json:"addr"`
		Bytes  []byte          `json:"bytes"`
		Any    any             `json:"any"`
		State  state           `json:"state" jsonschema:"enum=open,enum=closed"`
		Labels labels          `json:"labels"`
		Ratio  float64         `json:"ratio" jsonschema:"minimum=0,maximum=1"`
		Yes    bool            `json:"yes"`
		Custom upper           `json:"custom"`
		Maybe  *string         `json:"maybe" jsonschema:"nullable"`
	}
	upper struct{ s string }
)

func (u upper) MarshalJSON() ([]byte, error) { return json.Marshal(u.s) }

func TestSchemaOf(t *testing.T) {
	t.Parallel()
	type note struct { // another type of this name
		Text string `json:"text"`
	}
	type both struct {
		A note            `json:"a"`
		B page[note]      `json:"b"`
		C pair[note, int] `json:"c"`
	}
	tests := map[string]struct {
		t    reflect.Type
		d    direction
		want string
	}{
		"nothing in":    {reflect.TypeFor[empty](), into, `{"properties":{},"additionalProperties":false,"type":"object"}`},
		"string":        {reflect.TypeFor[string](), out, `{"type":"string"}`},
		"named string":  {reflect.TypeFor[state](), out, `{"type":"string"}`},
		"slice":         {reflect.TypeFor[[]string](), out, `{"items":{"type":"string"},"type":"array"}`},
		"named slice":   {reflect.TypeFor[labels](), out, `{"items":{"type":"string"},"type":"array"}`},
		"map":           {reflect.TypeFor[map[string]int](), out, `{"additionalProperties":{"type":"integer"},"type":"object"}`},
		"pointer":       {reflect.TypeFor[*base](), out, `{"properties":{"id":{"type":"integer"}},"type":"object","required":["id"]}`},
		"any":           {reflect.TypeFor[any](), out, ``},
		"raw":           {reflect.TypeFor[json.RawMessage](), out, ``},
		"its own JSON":  {reflect.TypeFor[upper](), out, ``},
		"embedded":      {reflect.TypeFor[derived](), into, `{"properties":{"id":{"type":"integer"},"name":{"type":"string"}},"additionalProperties":false,"type":"object","required":["id","name"]}`},
		"recursive":     {reflect.TypeFor[tree](), out, `{"$defs":{"tree":{"properties":{"name":{"type":"string"},"children":{"items":{"$ref":"#/$defs/tree"},"type":"array"}},"type":"object","required":["name"]}},"properties":{"name":{"type":"string"},"children":{"items":{"$ref":"#/$defs/tree"},"type":"array"}},"type":"object","required":["name"]}`},
		"used twice":    {reflect.TypeFor[forest](), out, `{"$defs":{"tree":{"properties":{"name":{"type":"string"},"children":{"items":{"$ref":"#/$defs/tree"},"type":"array"}},"type":"object","required":["name"]}},"properties":{"left":{"$ref":"#/$defs/tree"},"right":{"$ref":"#/$defs/tree"}},"type":"object","required":["left","right"]}`},
		"same names":    {reflect.TypeFor[pair[note, otherNote]](), out, `{"$defs":{"note":{"properties":{"text":{"type":"string"}},"type":"object","required":["text"]},"otherNote":{"properties":{"note":{"$ref":"#/$defs/note2"}},"type":"object","required":["note"]},"note2":{"properties":{"id":{"type":"integer"},"title":{"type":"string","minLength":1},"tags":{"items":{"type":"string"},"type":"array"}},"type":"object","required":["id","title"]}},"properties":{"first":{"$ref":"#/$defs/note"},"second":{"$ref":"#/$defs/otherNote"}},"type":"object","required":["first","second"]}`},
		"generic":       {reflect.TypeFor[both](), out, `{"$defs":{"note":{"properties":{"text":{"type":"string"}},"type":"object","required":["text"]},"page_note":{"properties":{"items":{"items":{"$ref":"#/$defs/note"},"type":"array"},"next":{"$ref":"#/$defs/note"}},"type":"object","required":["items"]},"pair_note_int":{"properties":{"first":{"$ref":"#/$defs/note"},"second":{"type":"integer"}},"type":"object","required":["first","second"]}},"properties":{"a":{"$ref":"#/$defs/note"},"b":{"$ref":"#/$defs/page_note"},"c":{"$ref":"#/$defs/pair_note_int"}},"type":"object","required":["a","b","c"]}`},
		"secrets":       {reflect.TypeFor[credentials](), into, `{"properties":{"url":{"type":"string","format":"uri"},"token":{"type":"string","writeOnly":true,"description":"An API token."},"extra":{"additionalProperties":{"type":"string"},"type":"object","writeOnly":true}},"additionalProperties":false,"type":"object","required":["url","token"]}`},
		"special types": {reflect.TypeFor[special](), out, `{"$defs":{"labels":{"items":{"type":"string"},"type":"array"}},"properties":{"time":{"type":"string","format":"date-time"},"raw":true,"number":{"type":"number"},"big":{"type":"integer"},"addr":{"type":"string"},"bytes":{"type":"string","contentEncoding":"base64"},"any":true,"state":{"type":"string","enum":["open","closed"]},"labels":{"$ref":"#/$defs/labels"},"ratio":{"type":"number","maximum":1,"minimum":0},"yes":{"type":"boolean"},"custom":true,"maybe":{"oneOf":[{"type":"string"},{"type":"null"}]}},"type":"object","required":["time","raw","number","big","addr","bytes","any","state","labels","ratio","yes","custom","maybe"]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := schemaOf(test.t, test.d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sorted(t, test.want), sorted(t, string(got))); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, got)
			}
			if _, err := newChecker(got); err != nil {
				t.Error(err)
			}
			again, err := makeSchema(test.t, test.d)
			if err != nil || string(again) != string(got) {
				t.Errorf("not the same twice: %s, %v", again, err)
			}
		})
	}
}

type (
	pair[A, B any] struct {
		First  A `json:"first"`
		Second B `json:"second"`
	}
	otherNote struct {
		Note note `json:"note"`
	}
)

// sorted is a JSON value in a form that cmp shows well.
func sorted(t *testing.T, raw string) any {
	t.Helper()
	if raw == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestConfig(t *testing.T) {
	t.Parallel()
	type repo struct {
		Branch string `json:"branch"`
	}
	type config struct {
		Token string `json:"token" jsonschema:"minLength=8" jsonschema_extras:"writeOnly=true"`
		Repos []repo `json:"repos,omitempty"`
	}
	tests := map[string]struct {
		config string
		want   *Error
	}{
		"right":   {`{"token":"0123456789","repos":[{"branch":"main"}]}`, nil},
		"missing": {``, &Error{Code: InvalidArgument, Message: "the configuration is not valid", Diagnostics: []Diagnostic{{Path: []string{"token"}, Summary: "is missing"}}}},
		"several": {
			`{"token":"s3cret","repos":[{"branch":"main"},{"branch":7,"x":1}]}`,
			&Error{Code: InvalidArgument, Message: "the configuration is not valid", Diagnostics: []Diagnostic{
				{Path: []string{"token"}, Summary: "must have at least 8 characters"},
				{Path: []string{"repos", "1", "branch"}, Summary: "got number, want string"},
				{Path: []string{"repos", "1", "x"}, Summary: "is not known"},
			}},
		},
		"its own word": {
			`{"token":"0123456789","repos":[{"branch":"gone"}]}`,
			&Error{Code: InvalidArgument, Message: "no", Diagnostics: []Diagnostic{{Path: []string{"repos", "0"}, Summary: "no such branch"}}},
		},
		"a plain error": {
			`{"token":"0123456789","repos":[]}`,
			&Error{Code: Internal, Message: "no repos", Effect: EffectUnknown},
		},
		"a panic": {
			`{"token":"0123456789"}`,
			&Error{Code: Internal, Message: "Configure panicked; the connector's log has the stack", Effect: EffectUnknown},
		},
	}
	configure := func(_ context.Context, c config) error {
		switch {
		case c.Repos == nil:
			panic("x")
		case len(c.Repos) == 0:
			return errors.New("no repos")
		case c.Repos[0].Branch == "gone":
			return &Error{Code: InvalidArgument, Message: "no", Diagnostics: []Diagnostic{{Path: []string{"repos", "0"}, Summary: "no such branch"}}}
		}
		return nil
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := inProcess(t, &Connector{Name: "c", Configure: Config(configure)})
			got := asError(t, c.Configure(t.Context(), configureWith(test.config)))
			byPath := cmp.Transformer("byPath", func(list []Diagnostic) map[string]Diagnostic {
				m := map[string]Diagnostic{}
				for _, d := range list {
					m[problem{path: d.Path}.String()] = d
				}
				return m
			})
			if diff := cmp.Diff(test.want, got, byPath); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if test.want == nil {
				return
			}
			if err := c.Configure(t.Context(), configureWith(tests["right"].config)); err != nil {
				t.Errorf("a right configuration after a refused one: %v", err)
			}
		})
	}
}

func TestNoConfiguration(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]*Error{
		``:   nil,
		`{}`: nil,
		`{"token":"s3cret"}`: {
			Code: InvalidArgument, Message: "the configuration is not valid",
			Diagnostics: []Diagnostic{{Path: []string{"token"}, Summary: "is not known"}},
		},
	} {
		c := inProcess(t, &Connector{Name: "c"})
		if diff := cmp.Diff(want, asError(t, c.Configure(t.Context(), configureWith(config)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", config, diff)
		}
	}
}

// TestSchemaIsOnesOwn: what a caller does with a schema is not seen by the next one.
func TestSchemaIsOnesOwn(t *testing.T) {
	t.Parallel()
	type point struct{ X int }
	first, err := schemaOf(reflect.TypeFor[point](), into)
	if err != nil {
		t.Fatal(err)
	}
	want := string(first)
	first[0] = '!'
	if again, err := schemaOf(reflect.TypeFor[point](), into); err != nil || string(again) != want {
		t.Errorf("%s, %v, want %s", again, err, want)
	}
}
