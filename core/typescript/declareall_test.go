package typescript

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// For people every type is written out, however deep it lies, one that leads back to itself once.
func TestDeclareAll(t *testing.T) {
	t.Parallel()
	got := DeclareAll("forge", []Method{{
		Name: "get",
		Output: json.RawMessage(`{"$ref": "#/$defs/A", "$defs": {
			"A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
			"B": {"type": "object", "properties": {"c": {"$ref": "#/$defs/C"}}},
			"C": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "n": {"type": "integer", "description": "How many."}}}
		}}`),
	}})
	want := `declare namespace forge {
  function get(input?: Record<string, unknown>): Promise<A>;

  type A = { b?: B };

  type B = { c?: C };

  type C = {
    a?: A;
    /** How many. */
    n?: number;
  };
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
