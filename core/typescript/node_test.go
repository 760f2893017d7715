package typescript

import (
	"encoding/json"
	"testing"
)

func FuzzNode(f *testing.F) {
	for _, s := range []string{`{}`, ` [ ] `, `{"a": [1, {"b": "\"]}"}], "é\u00e9": null, "a": true}`, `"\\"`, `-1.5e3`, `{"":{"":{}}}`, "[\"\xff\"]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parse(json.RawMessage(text))
		if ok != json.Valid([]byte(text)) {
			t.Fatalf("valid: %v", ok)
		}
		if ok {
			same(t, n, 0)
		}
	})
}

// same compares what node reads with what encoding/json reads.
func same(t *testing.T, n node, depth int) {
	t.Helper()
	var value any
	if err := json.Unmarshal(n, &value); err != nil {
		t.Fatalf("%q: %v", n, err)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, m := range n.object() {
			if _, ok := v[m.key]; !ok {
				t.Fatalf("%q has no key %q", n, m.key)
			}
		}
		for key, want := range v {
			sameJSON(t, n.object().get(key), want)
		}
	case []any:
		items := n.items()
		if len(items) != len(v) {
			t.Fatalf("%q has %d elements, not %d", n, len(v), len(items))
		}
		for i, item := range items {
			sameJSON(t, item, v[i])
			if depth < 3 {
				same(t, item, depth+1)
			}
		}
	case string:
		if n.text() != v {
			t.Fatalf("%q is not %q", n.text(), v)
		}
	}
}

func sameJSON(t *testing.T, n node, want any) {
	t.Helper()
	var got any
	if err := json.Unmarshal(n, &got); err != nil {
		t.Fatalf("%q: %v", n, err)
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Fatalf("%s is not %s", a, b)
	}
}
