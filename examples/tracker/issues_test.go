package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

func TestListIssues(t *testing.T) {
	t.Parallel()
	h := open(t)
	must[Issue](h, h.call("k", "update_issue", `{"number":4,"state":"closed"}`))
	tests := map[string]struct {
		args string
		want []int
	}{
		"open by default":  {`{}`, []int{5, 3, 2, 1}},
		"open":             {`{"state":"open"}`, []int{5, 3, 2, 1}},
		"closed":           {`{"state":"closed"}`, []int{4}},
		"all":              {`{"state":"all"}`, []int{5, 4, 3, 2, 1}},
		"label":            {`{"label":"bug"}`, []int{5, 3, 1}},
		"label and closed": {`{"label":"bug","state":"closed"}`, []int{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := []int{}
			for _, i := range must[[]Issue](h, h.call("k", "list_issues", test.args)) {
				got = append(got, i.Number)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNothingIsEmpty: a program that maps over a result meets no null.
func TestNothingIsEmpty(t *testing.T) {
	t.Parallel()
	h := open(t)
	if got := string(must[json.RawMessage](h, h.call("k", "list_issues", `{"label":"none"}`))); got != "[]" {
		t.Errorf("no issues are %s", got)
	}
	made := must[map[string]json.RawMessage](h, h.call("k", "create_issue", `{"title":"T"}`))
	if string(made["labels"]) != "[]" || string(made["comments"]) != "[]" {
		t.Errorf("labels %s, comments %s", made["labels"], made["comments"])
	}
}

func TestCreateIssue(t *testing.T) {
	t.Parallel()
	h := open(t)
	made := must[Issue](h, h.call("k", "create_issue", `{"title":"T","body":"B","labels":["x"]}`))
	want := Issue{Number: 12, Title: "T", Body: "B", State: "open", Labels: []string{"x"}, Author: "mary", Comments: []Comment{}}
	if diff := cmp.Diff(want, made, cmpopts.IgnoreFields(Issue{}, "Updated")); diff != "" || time.Since(made.Updated) > time.Hour {
		t.Errorf("%s updated %v", diff, made.Updated)
	}
	if diff := cmp.Diff(made, must[Issue](h, h.call("", "get_issue", `{"number":12}`))); diff != "" {
		t.Error(diff)
	}
	nobody := h.call("other", "create_issue", `{"title":"U"}`)
	nobody.Caller = ""
	if made := must[Issue](h, nobody); made.Author != "codemode" || made.Number != 13 {
		t.Errorf("without a caller: %+v", made)
	}
}

// TestOnce: a write that is repeated under its key happens once.
func TestOnce(t *testing.T) {
	t.Parallel()
	for method, args := range map[string]string{
		"create_issue":       `{"title":"T"}`,
		"add_comment":        `{"number":1,"text":"T"}`,
		"add_labels":         `{"number":1,"labels":["x","bug"]}`,
		"merge_pull_request": `{"number":6}`,
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			if !h.method(method).Idempotent {
				t.Fatal("it does not promise to")
			}
			first := must[map[string]any](h, h.call("k", method, args))
			after := h.data()
			again := must[map[string]any](h, h.call("k", method, args))
			delete(first, "updated")
			delete(again, "updated")
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("they return different things: %s", diff)
			}
			if diff := cmp.Diff(after, h.data(), cmpopts.IgnoreFields(Issue{}, "Updated")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTwice: two calls with two keys are two.
func TestTwice(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := len(h.data().Issues)
	for _, key := range []string{"a", "b"} {
		must[Issue](h, h.call(key, "create_issue", `{"title":"T"}`))
		must[Comment](h, h.call(key+"c", "add_comment", `{"number":1,"text":"T"}`))
	}
	if d := h.data(); len(d.Issues) != before+2 || len(d.Issues[0].Comments) != 2 {
		t.Errorf("there are %d issues more and %d comments", len(d.Issues)-before, len(d.Issues[0].Comments))
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	h := open(t)
	call := h.call("k", "create_issue", `{"title":"T"}`)
	ask := func() *wire.Reconciliation {
		answer, err := h.connector.Reconcile(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if answer := ask(); answer.Happened != wire.HappenedNo || answer.Result != nil {
		t.Errorf("before: %+v", answer)
	}
	made := must[json.RawMessage](h, call)
	if answer := ask(); answer.Happened != wire.HappenedYes || string(answer.Result) != string(made) {
		t.Errorf("after: %+v", answer)
	}
	_, err := h.connector.Reconcile(context.Background(), h.call("k", "update_issue", `{"number":1}`))
	wantCode(t, err, sdk.Unsupported)
}

// TestRevert: prepare, call and revert leave everything as it was.
func TestRevert(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ method, args string }{
		"create":           {"create_issue", `{"title":"T","labels":["x"]}`},
		"update all":       {"update_issue", `{"number":2,"title":"T","body":"B","state":"closed"}`},
		"update one":       {"update_issue", `{"number":2,"state":"closed"}`},
		"update nothing":   {"update_issue", `{"number":2}`},
		"labels":           {"add_labels", `{"number":1,"labels":["x","bug","y","x"]}`},
		"labels all there": {"add_labels", `{"number":1,"labels":["bug"]}`},
		"comment":          {"add_comment", `{"number":3,"text":"T"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			before := h.data()
			revert := h.carryOut(h.call("k", test.method, test.args))
			for attempt := range 2 { // a revert that is repeated does no harm
				if err := h.connector.Revert(t.Context(), revert); err != nil {
					t.Fatalf("attempt %d: %v", attempt+1, err)
				}
				if diff := cmp.Diff(before, h.data()); diff != "" {
					t.Errorf("attempt %d: %s", attempt+1, diff)
				}
			}
		})
	}
}

// TestRevertInReverse: several writes to one issue are undone from the last to the first.
func TestRevertInReverse(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := h.data()
	var reverts []*wire.RevertRequest
	for i, step := range []struct{ method, args string }{
		{"add_labels", `{"number":2,"labels":["stale"]}`},
		{"add_comment", `{"number":2,"text":"Closed."}`},
		{"update_issue", `{"number":2,"state":"closed"}`},
		{"update_issue", `{"number":2,"title":"Closed"}`},
	} {
		reverts = append(reverts, h.carryOut(h.call(string(rune('a'+i)), step.method, step.args)))
	}
	for i := len(reverts) - 1; i >= 0; i-- {
		if err := h.connector.Revert(t.Context(), reverts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, h.data()); diff != "" {
		t.Error(diff)
	}
}

// TestRevertLeavesOthersAlone: what somebody else has done since stays.
func TestRevertLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	update := h.carryOut(h.call("a", "update_issue", `{"number":1,"title":"T","state":"closed"}`))
	labels := h.carryOut(h.call("b", "add_labels", `{"number":1,"labels":["x"]}`))
	comment := h.carryOut(h.call("c", "add_comment", `{"number":1,"text":"mine"}`))
	h.edit(func(d *data) {
		i := &d.Issues[0]
		i.Title, i.Body = "Theirs", "Theirs"
		i.Labels = append(i.Labels, "theirs")
		i.Comments = append(i.Comments, Comment{ID: 99, Author: "ken", Text: "theirs"})
	})
	for _, revert := range []*wire.RevertRequest{comment, labels, update} {
		if err := h.connector.Revert(t.Context(), revert); err != nil {
			t.Fatal(err)
		}
	}
	got := h.data().Issues[0]
	want := Issue{
		Number: 1, Title: "Theirs", Body: "Theirs", State: "open", Labels: []string{"bug", "theirs"}, Author: "ada",
		Comments: []Comment{{ID: 99, Author: "ken", Text: "theirs"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Issue{}, "Updated")); diff != "" {
		t.Error(diff)
	}
}

// TestRevertWithoutResult: a result that the host did not keep is missed only where it is needed.
func TestRevertWithoutResult(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := h.data()
	revert := h.carryOut(h.call("a", "update_issue", `{"number":1,"title":"T"}`))
	revert.Result, revert.ResultOmitted = nil, true
	if err := h.connector.Revert(t.Context(), revert); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, h.data()); diff != "" {
		t.Error(diff)
	}
	revert = h.carryOut(h.call("b", "create_issue", `{"title":"T"}`))
	revert.Result, revert.ResultOmitted = nil, true
	wantCode(t, h.connector.Revert(t.Context(), revert), sdk.Unsupported)
}

// TestRevertOfMissing: an issue that is gone cannot be set back.
func TestRevertOfMissing(t *testing.T) {
	t.Parallel()
	h := open(t)
	revert := h.carryOut(h.call("a", "update_issue", `{"number":1,"title":"T"}`))
	h.edit(func(d *data) { d.Issues = d.Issues[1:] })
	wantCode(t, h.connector.Revert(t.Context(), revert), sdk.NotFound)
}

// TestRevertNeedsPrepared: a revert without what Prepare returned changes nothing.
func TestRevertNeedsPrepared(t *testing.T) {
	t.Parallel()
	for method, args := range map[string]string{
		"update_issue": `{"number":1,"title":"T"}`, "add_labels": `{"number":1,"labels":["x"]}`, "add_comment": `{"number":1,"text":"T"}`,
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			revert := h.carryOut(h.call("a", method, args))
			after := h.data()
			revert.Call.Before = nil
			wantCode(t, h.connector.Revert(t.Context(), revert), sdk.Internal)
			if diff := cmp.Diff(after, h.data()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
