package typescript

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	t.Parallel()
	schema := `{
		"required": ["owner"],
		"properties": {
			"owner": {"type": "string"},
			"state": {"enum": ["open", "closed"]},
			"body": {"$ref": "#/$defs/body"},
			"country": {"enum": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u"]}
		},
		"allOf": [{"required": ["repo"], "properties": {"repo": {}, "owner": {}}}],
		"$defs": {"body": {"properties": {"title": {}, "kind": {"enum": ["bug", "task"]}, "body": {"$ref": "#/$defs/body"}}}}
	}`
	want := Vocabulary{
		Parameters: []string{"owner", "state", "body", "country", "repo"}, Required: []string{"owner", "repo"},
		Inner: []string{"title", "kind", "body"}, Values: []string{"open", "closed", "bug", "task"},
	}
	if diff := cmp.Diff(want, Words(json.RawMessage(schema))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, broken := range []string{"", "true", "{", `{"properties": 1}`, `{"$ref": "#"}`} {
		if got := Words(json.RawMessage(broken)); len(got.Parameters) > 0 {
			t.Errorf("%s has %v", broken, got)
		}
	}
}
