package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

func TestListPullRequests(t *testing.T) {
	t.Parallel()
	h := open(t)
	must[PullRequest](h, h.call("k", "merge_pull_request", `{"number":6}`))
	for args, want := range map[string]string{
		`{}`: "9 8 7", `{"state":"open"}`: "9 8 7", `{"state":"merged"}`: "6", `{"state":"all"}`: "9 8 7 6",
	} {
		var got []string
		for _, p := range must[[]PullRequest](h, h.call("k", "list_pull_requests", args)) {
			got = append(got, fmt.Sprint(p.Number))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", args, got, want)
		}
	}
}

// TestWaitForChecks: each look lets one pending check pass; then the pull request can be merged.
func TestWaitForChecks(t *testing.T) {
	t.Parallel()
	h := open(t)
	for round, want := range []string{"passed pending pending", "passed passed pending", "passed passed passed", "passed passed passed"} {
		var got []string
		for _, c := range must[[]Check](h, h.call("k", "list_checks", `{"number":8}`)) {
			got = append(got, c.Status)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("look %d: %v, want %s", round+1, got, want)
		}
	}
	merged := must[PullRequest](h, h.call("k", "merge_pull_request", `{"number":8}`))
	want := PullRequest{Number: 8, Title: "Stream uploads", Branch: "fix/uploads", State: "merged", Author: "ada", Fixes: []int{5}}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Error(diff)
	}
}

// TestMergeConflict: the error tells a program what it waits for.
func TestMergeConflict(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := invoke[PullRequest](h, h.call("k", "merge_pull_request", `{"number":7}`))
	e := wantCode(t, err, sdk.Conflict)
	const want = "pull request #7 cannot be merged before all its checks have passed: build passed, test failed"
	if e.Message != want {
		t.Errorf("got %q", e.Message)
	}
}

// TestNoChecks: without checks nothing stands in the way.
func TestNoChecks(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.edit(func(d *data) { d.PullRequests[0].Checks = nil })
	preview, err := h.connector.Preview(t.Context(), h.call("k", "merge_pull_request", `{"number":6}`))
	if err != nil || !strings.HasSuffix(preview, "Checks: none.") {
		t.Errorf("the preview is %q, %v", preview, err)
	}
	if merged := must[PullRequest](h, h.call("k", "merge_pull_request", `{"number":6}`)); merged.State != "merged" {
		t.Errorf("got %+v", merged)
	}
}
