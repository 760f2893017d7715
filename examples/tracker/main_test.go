package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMethods compares what the connector declares with testdata/methods.txt:
// effects, abilities and schemas are what programs and people rely on.
func TestMethods(t *testing.T) {
	t.Parallel()
	if err := New().Validate(); err != nil {
		t.Fatal(err)
	}
	offer, err := open(t).connector.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range offer.Methods {
		var facts []string
		for fact, holds := range map[string]bool{
			"reads": m.ReadOnly, "idempotent": m.Idempotent, "destructive": m.Destructive, "needs approval": m.RequiresApproval,
			"prepares": m.Prepares, "reverts": m.Reverts, "reconciles": m.Reconciles, "previews": m.Previews,
		} {
			if holds {
				facts = append(facts, fact)
			}
		}
		slices.Sort(facts)
		fmt.Fprintf(&out, "%s: %s\n  %s\n  in:  %s\n  out: %s\n", m.Name, m.Description, strings.Join(facts, ", "), m.InputSchema, m.OutputSchema)
	}
	const path = "testdata/methods.txt"
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestRefusals: wrong arguments never reach a handler, and what is not there is not found.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := open(t)
	before, err := os.ReadFile(h.file)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ method, args, code string }{
		{"list_issues", `{"state":"new"}`, "invalid_argument"},
		{"list_issues", `{"labels":"bug"}`, "invalid_argument"},
		{"get_issue", `{}`, "invalid_argument"},
		{"get_issue", `{"number":0}`, "invalid_argument"},
		{"get_issue", `{"number":6}`, "not_found"}, // a pull request
		{"create_issue", `{"title":""}`, "invalid_argument"},
		{"create_issue", `{"title":"x","labels":[1]}`, "invalid_argument"},
		{"update_issue", `{"number":1,"title":""}`, "invalid_argument"},
		{"update_issue", `{"number":1,"state":"merged"}`, "invalid_argument"},
		{"update_issue", `{"number":99}`, "not_found"},
		{"add_labels", `{"number":1,"labels":[]}`, "invalid_argument"},
		{"add_labels", `{"number":99,"labels":["x"]}`, "not_found"},
		{"add_comment", `{"number":1,"text":""}`, "invalid_argument"},
		{"add_comment", `{"number":99,"text":"x"}`, "not_found"},
		{"list_pull_requests", `{"state":"closed"}`, "invalid_argument"},
		{"list_checks", `{"number":1}`, "not_found"}, // an issue
		{"merge_pull_request", `{"number":1}`, "not_found"},
		{"merge_pull_request", `{"number":7}`, "conflict"}, // a check has failed
		{"merge_pull_request", `{"number":8}`, "conflict"}, // a check is pending
	}
	for _, test := range tests {
		t.Run(test.method+test.args, func(t *testing.T) {
			t.Parallel()
			_, err := invoke[json.RawMessage](h, h.call("k", test.method, test.args))
			if err == nil || !strings.HasPrefix(err.Error(), test.code+": ") {
				t.Errorf("got %v, want %s", err, test.code)
			}
		})
	}
	t.Cleanup(func() {
		if after, err := os.ReadFile(h.file); err != nil || string(after) != string(before) {
			t.Errorf("the file has changed: %v", err)
		}
	})
}

// TestPreviews: what an approver reads says what will happen, and changes nothing.
func TestPreviews(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := h.data()
	tests := map[string]struct{ method, args, want string }{
		"create": {"create_issue", `{"title":"T"}`, `Create the issue "T"`},
		"create with all": {"create_issue", `{"title":"T","body":"B","labels":["x","y"]}`,
			"Create the issue \"T\" with the labels x, y:\nB"},
		"update": {"update_issue", `{"number":2,"title":"Dark theme","body":"Please.","state":"closed"}`,
			"Change issue #2 \"Dark mode\":\n  title: \"Dark mode\" -> \"Dark theme\"\n  state: \"open\" -> \"closed\""},
		"update nothing": {"update_issue", `{"number":2,"state":"open"}`, `Leave issue #2 "Dark mode" as it is.`},
		"labels":         {"add_labels", `{"number":2,"labels":["x","y"]}`, `Add to issue #2 "Dark mode" the labels x, y.`},
		"comment":        {"add_comment", `{"number":2,"text":"Done."}`, "Comment on issue #2 \"Dark mode\":\nDone."},
		"merge": {"merge_pull_request", `{"number":8}`,
			"Merge pull request #8 \"Stream uploads\" of ada (fix/uploads).\nChecks: build passed, test pending, lint pending."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := h.connector.Preview(t.Context(), h.call("k", test.method, test.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if diff := cmp.Diff(before, h.data()); diff != "" {
		t.Errorf("a preview has changed something: %s", diff)
	}
	for method, args := range map[string]string{
		"update_issue": `{"number":99}`, "add_labels": `{"number":99,"labels":["x"]}`,
		"add_comment": `{"number":99,"text":"x"}`, "merge_pull_request": `{"number":99}`,
	} {
		_, err := h.connector.Preview(t.Context(), h.call("k", method, args))
		wantCode(t, err, "not_found")
	}
}
