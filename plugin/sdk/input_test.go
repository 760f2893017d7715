package sdk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

func configureWith(config string) *wire.ConfigureRequest {
	return &wire.ConfigureRequest{Label: "c", Config: json.RawMessage(config)}
}

type search struct {
	Text   string         `json:"text" jsonschema:"minLength=1,maxLength=5,pattern=^[a-z]*$"`
	Limit  int8           `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000"`
	Since  *time.Time     `json:"since,omitempty"`
	Labels []string       `json:"labels,omitempty" jsonschema:"minItems=1,maxItems=2"`
	Owner  *owner         `json:"owner,omitempty"`
	Filter map[string]any `json:"filter,omitempty"`
	Data   []byte         `json:"data,omitempty"`
	Odd    odd            `json:"odd,omitzero"`
	Due    *string        `json:"due,omitempty" jsonschema:"nullable"`
}

// odd decodes odd numbers only.
type odd int

func (o *odd) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*int)(o)); err != nil || *o%2 == 0 {
		return fmt.Errorf("%s is not odd", raw)
	}
	return nil
}

type owner struct {
	Login string `json:"login" jsonschema:"enum=ann,enum=bob"`
}

func TestArguments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ args, want string }{
		"right":           {`{"text":"a","limit":5,"since":"2026-01-02T03:04:05Z","labels":["x"],"owner":{"login":"ann"},"filter":{"any":[1]},"data":"aGk=","due":null}`, ""},
		"none":            {``, "text: is missing"},
		"not JSON":        {`{"text":`, "is not JSON"},
		"no object":       {`[1]`, "got array, want object"},
		"null":            {`null`, "got null, want object"},
		"unknown":         {`{"text":"a","lmit":1}`, "lmit: is not known"},
		"another case":    {`{"text":"a","Limit":1}`, "Limit: is not known"},
		"wrong type":      {`{"text":1}`, "text: got number, want string"},
		"nested":          {`{"text":"a","owner":{"login":"ann","id":1}}`, "owner.id: is not known"},
		"nested missing":  {`{"text":"a","owner":{}}`, "owner.login: is missing"},
		"in a list":       {`{"text":"a","labels":["x",2]}`, "labels.1: got number, want string"},
		"enum":            {`{"text":"a","owner":{"login":"eve"}}`, "owner.login: must be one of ann, bob"},
		"too short":       {`{"text":""}`, "text: must have at least 1 characters"},
		"too long":        {`{"text":"abcdef"}`, "text: must have at most 5 characters"},
		"pattern":         {`{"text":"S3"}`, "text: does not match the pattern ^[a-z]*$"},
		"too small":       {`{"text":"a","limit":0}`, "limit: must be at least 1"},
		"too big":         {`{"text":"a","limit":1001}`, "limit: must be at most 1000"},
		"too few":         {`{"text":"a","labels":[]}`, "labels: must have at least 1 items"},
		"too many":        {`{"text":"a","labels":["a","b","c"]}`, "labels: must have at most 2 items"},
		"none of":         {`{"text":"a","due":5}`, "due: fits none of the forms that the schema allows"},
		"fraction":        {`{"text":"a","limit":1.5}`, "limit: got number, want integer"},
		"beyond the type": {`{"text":"a","limit":300}`, "limit: this number does not fit int8"},
		"no time":         {`{"text":"a","since":"s3cret"}`, "since: is not a valid date-time"},
		"an odd number":   {`{"text":"a","odd":2}`, "a value has a form that this method cannot read"},
		"no base64":       {`{"text":"a","data":"s3cret!"}`, "data: is not valid base64"},
	}
	in, err := newInput[search](nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, wrong := in.decode(json.RawMessage(test.args))
			if got := join(wrong); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func join(wrong []problem) string {
	list := make([]string, len(wrong))
	for i, p := range wrong {
		list[i] = p.String()
	}
	return strings.Join(list, "; ")
}

func TestManyFaultsAreCounted(t *testing.T) {
	t.Parallel()
	wrong := make([]problem, 12)
	for i := range wrong {
		wrong[i] = problem{path: []string{"p"}, text: "is not known"}
	}
	e := asError(t, invalidArguments(wrong))
	want := strings.Repeat("p: is not known; ", 10) + "and 2 more"
	if e.Message != want || e.Code != InvalidArgument || e.Effect != EffectNone {
		t.Errorf("got %#v", e)
	}
}

func TestMapInput(t *testing.T) {
	t.Parallel()
	in, err := newInput[map[string]int](nil)
	if err != nil {
		t.Fatal(err)
	}
	got, wrong := in.decode(json.RawMessage(`{"a":1}`))
	if got["a"] != 1 || wrong != nil {
		t.Errorf("got %v, %v", got, wrong)
	}
	if _, wrong := in.decode(json.RawMessage(`{"a":"x"}`)); join(wrong) != "a: got string, want integer" {
		t.Errorf("got %s", join(wrong))
	}
}

// FuzzDecode: whatever arrives is refused in words, or decoded to what the schema allows.
func FuzzDecode(f *testing.F) {
	f.Add(`{"text":"a","owner":{"login":"ann"},"data":{"$bytes":"aGk="}}`)
	f.Add(`{"text":{"$bigint":"1"},"since":"2026"}`)
	in, err := newInput[search](nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		value, wrong := in.decode(json.RawMessage(raw))
		if len(wrong) == 0 && (value.Text == "" || len(value.Labels) > 2) {
			t.Errorf("%s was decoded to %#v", raw, value)
		}
		for _, p := range wrong {
			if p.text == "" {
				t.Errorf("%s has a problem without words at %v", raw, p.path)
			}
		}
	})
}
