package sdk

import (
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	type inner struct {
		List []int `json:"list"`
	}
	type lower struct {
		Embedded []int `json:"embedded"`
	}
	type everything struct {
		lower
		Slice   []string          `json:"slice"`
		Map     map[string]int    `json:"map"`
		Omitted []string          `json:"omitted,omitempty"`
		Zero    []string          `json:"zero,omitzero"`
		Nested  inner             `json:"nested"`
		Pointer *inner            `json:"pointer"`
		Nil     *inner            `json:"nil"`
		Slices  [][]int           `json:"slices"`
		Maps    map[string]*inner `json:"maps"`
		Any     any               `json:"any"`
		Array   [1][]int          `json:"array"`
		Bytes   []byte            `json:"bytes"`
		Time    time.Time         `json:"time"`
		IP      net.IP            `json:"ip"`
		private []string          // encoding/json does not see it
	}
	tests := map[string]struct {
		value any
		want  string
	}{
		"nil":           {nil, `null`},
		"nil slice":     {[]int(nil), `[]`},
		"nil map":       {map[string]int(nil), `{}`},
		"nil pointer":   {(*inner)(nil), `null`},
		"number":        {uint64(1<<64 - 1), `18446744073709551615`},
		"markup":        {"<a href=\"x\">&</a>", `"<a href=\"x\">&</a>"`},
		"raw":           {json.RawMessage(`{"z": 1, "a": "<"}`), `{"z":1,"a":"<"}`},
		"own encoding":  {upper{"x"}, `"x"`},
		"a look-alike":  {map[string]string{"$bytes": "x"}, `{"$$bytes":"x"}`},
		"not alone":     {map[string]string{"$bytes": "x", "a": ""}, `{"$bytes":"x","a":""}`},
		"slice of any":  {[]any{[]int(nil), map[string]any{"a": []int(nil)}}, `[[],{"a":[]}]`},
		"pointer chain": {ptr(ptr([]int(nil))), `[]`},
		"everything": {
			everything{
				private: nil, Pointer: &inner{}, Slices: [][]int{nil}, Maps: map[string]*inner{"k": {}, "n": nil}, Any: inner{},
			},
			`{"embedded":[],"slice":[],"map":{},"nested":{"list":[]},"pointer":{"list":[]},"nil":null,"slices":[[]],` +
				`"maps":{"k":{"list":[]},"n":null},"any":{"list":[]},"array":[[]],"bytes":"","time":"0001-01-01T00:00:00Z","ip":""}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := encode(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// TestEncodeLeavesItsValueAlone: a result may be part of the connector's state.
func TestEncodeLeavesItsValueAlone(t *testing.T) {
	t.Parallel()
	type node struct {
		Items []string
		Next  *node
		Any   any
		Map   map[string][]string
	}
	value := []*node{{Next: &node{}, Any: &node{}, Map: map[string][]string{"k": nil}}}
	if _, err := encode(value); err != nil {
		t.Fatal(err)
	}
	want := []*node{{Next: &node{}, Any: &node{}, Map: map[string][]string{"k": nil}}}
	if diff := cmp.Diff(want, value); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEncodeCycle(t *testing.T) {
	t.Parallel()
	type node struct{ Next *node }
	n := &node{}
	n.Next = n
	if got, err := encode(n); err == nil {
		t.Errorf("got %.100s", got)
	}
}

func BenchmarkEncode(b *testing.B) {
	list := make([]note, 1000)
	for i := range list {
		list[i] = note{ID: i, Title: "A title of ordinary length", Tags: []string{"a", "b"}}
	}
	b.Run("with empty lists", func(b *testing.B) {
		for b.Loop() {
			if _, err := encode(list); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(list); err != nil {
				b.Fatal(err)
			}
		}
	})
}
