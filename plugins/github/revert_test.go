package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

const shop = `"owner":"acme","repo":"shop"`

// TestCreatedIsClosed: what GitHub does not delete is closed, and what it does
// not take back says so.
func TestCreatedIsClosed(t *testing.T) {
	t.Parallel()
	h := open(t)
	created := call("a", "create_issue", `{`+shop+`,"title":"Slow"}`)
	value, err := h.invoke(created)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.revert(created, value); err != nil {
		t.Fatal(err)
	}
	if i := must[Issue](h, call("", "get_issue", `{`+shop+`,"number":5}`)); i.State != "closed" || i.StateReason != "not_planned" {
		t.Errorf("the issue is %s, %s", i.State, i.StateReason)
	}

	opened := call("b", "create_pull_request", `{`+shop+`,"title":"X","head":"feature/cart","base":"main"}`)
	value, err = h.invoke(opened)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // once more does no harm
		if err := h.revert(opened, value); err != nil {
			t.Fatal(err)
		}
	}
	if p := must[PullRequest](h, call("", "get_pull_request", `{`+shop+`,"number":6}`)); p.State != "closed" {
		t.Errorf("the pull request is %s", p.State)
	}

	for event, want := range map[string]string{"APPROVE": "DISMISSED", "COMMENT": "COMMENTED"} {
		reviewed := call(event, "create_review", `{`+shop+`,"number":3,"event":"`+event+`","body":"B"}`)
		value, err = h.invoke(reviewed)
		if err != nil {
			t.Fatal(err)
		}
		err = h.revert(reviewed, value)
		if event == "COMMENT" {
			wantCode(t, err, sdk.Unsupported)
		} else if err != nil {
			t.Error(err)
		}
		reviews := must[Page[Review]](h, call("", "list_reviews", `{`+shop+`,"number":3}`)).Items
		var made Review
		if err := json.Unmarshal(value, &made); err != nil {
			t.Fatal(err)
		}
		for _, r := range reviews {
			if r.ID == made.ID && r.State != want {
				t.Errorf("the review is %s", r.State)
			}
		}
	}
}

// TestRevertLeavesOthersAlone: what somebody has changed since is not taken back.
func TestRevertLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	t.Run("issue", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		c := call("a", "update_issue", `{`+shop+`,"number":1,"title":"Mine","body":"Mine"}`)
		value, err := h.invoke(c)
		if err != nil {
			t.Fatal(err)
		}
		must[Issue](h, call("b", "update_issue", `{`+shop+`,"number":1,"title":"Theirs"}`))
		if err := h.revert(c, value); err != nil {
			t.Fatal(err)
		}
		if i := must[Issue](h, call("", "get_issue", `{`+shop+`,"number":1}`)); i.Title != "Theirs" || i.Body != "It crashes." {
			t.Errorf("the issue is %q, %q", i.Title, i.Body)
		}
	})
	t.Run("as GitHub made it", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		found := h.github.State()
		for _, c := range []*wire.Call{
			call("a", "update_issue", `{`+shop+`,"number":1,"title":" Mine ","labels":["BUG","stale"]}`),
			call("b", "update_pull_request", `{`+shop+`,"number":3,"title":"Mine "}`),
		} {
			value, err := h.invoke(c)
			if err != nil {
				t.Fatal(err)
			}
			if err := h.revert(c, value); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(found, h.github.State()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("without its result", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		found := h.github.State()
		for _, c := range []*wire.Call{
			call("a", "update_issue", `{`+shop+`,"number":1,"title":"Mine","body":"B","state":"closed","labels":[],"assignees":["ada"],"milestone":2}`),
			call("b", "update_pull_request", `{`+shop+`,"number":3,"title":"Mine","body":"B"}`),
		} {
			if _, err := h.invoke(c); err != nil {
				t.Fatal(err)
			}
			if err := h.connector.Revert(t.Context(), &wire.RevertRequest{Call: c, ResultOmitted: true}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(found, h.github.State()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("release", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		c := call("a", "update_release", `{`+shop+`,"release_id":900,"name":"Mine","body":"Mine","draft":false}`)
		value, err := h.invoke(c)
		if err != nil {
			t.Fatal(err)
		}
		must[Release](h, call("b", "update_release", `{`+shop+`,"release_id":900,"name":"Theirs"}`))
		if err := h.revert(c, value); err != nil {
			t.Fatal(err)
		}
		releases := must[Page[Release]](h, call("", "list_releases", `{`+shop+`}`)).Items
		if r := releases[0]; r.Name != "Theirs" || r.Body != "Soon." || !r.Draft {
			t.Errorf("the release is %+v", r)
		}
		if state := strings.Join(h.github.State(), "\n"); strings.Contains(state, "refs/tags/v2") {
			t.Errorf("the tag that publishing made is left:\n%s", state)
		}
	})
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		c := call("a", "commit_files", `{`+shop+`,"branch":"main","message":"Mine","files":[{"path":"README.md","content":"mine"}]}`)
		value, err := h.invoke(c)
		if err != nil {
			t.Fatal(err)
		}
		must[Committed](h, call("b", "commit_files", `{`+shop+`,"branch":"main","message":"T","files":[{"path":"README.md","content":"theirs"}]}`))
		wantCode(t, h.revert(c, value), sdk.Conflict)
	})
	t.Run("branch", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		c := call("a", "create_branch", `{`+shop+`,"branch":"x"}`)
		value, err := h.invoke(c)
		if err != nil {
			t.Fatal(err)
		}
		must[Committed](h, call("b", "commit_files", `{`+shop+`,"branch":"x","message":"T","files":[{"path":"n","content":"n"}]}`))
		wantCode(t, h.revert(c, value), sdk.Conflict)
	})
}

// TestRevertMerge: a merge is answered with a pull request where that is wanted.
func TestRevertMerge(t *testing.T) {
	t.Parallel()
	h := openWith(t, map[string]any{"revert_merges": true})
	pull := must[PullRequest](h, call("", "get_pull_request", `{`+shop+`,"number":3}`))
	c := call("a", "merge_pull_request", `{`+shop+`,"number":3,"head_sha":"`+pull.HeadSHA+`"}`)
	value, err := h.invoke(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.revert(c, value); err != nil {
		t.Fatal(err)
	}
	if p := must[PullRequest](h, call("", "get_pull_request", `{`+shop+`,"number":5}`)); p.Title != "Revert" {
		t.Errorf("the pull request is %+v", p)
	}
}

// TestRevertMergeRefused: what GraphQL refuses comes with 200, and is an error all the same.
func TestRevertMergeRefused(t *testing.T) {
	t.Parallel()
	h := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/graphql" {
			fmt.Fprint(w, `{"data":null,"errors":[{"message":"Pull request cannot be reverted"}]}`)
			return
		}
		fmt.Fprint(w, `{"number":3,"node_id":"PR_3"}`)
	}), map[string]any{"revert_merges": true})
	err := h.revert(call("a", "merge_pull_request", `{`+shop+`,"number":3,"head_sha":"0123456789012345678901234567890123456789"}`), nil)
	if e := wantCode(t, err, sdk.Conflict); e.Message != "GitHub does not revert acme/shop#3: Pull request cannot be reverted" {
		t.Errorf("%v", e)
	}
}

// TestConditions: a write that comes too late changes nothing.
func TestConditions(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := "0123456789012345678901234567890123456789"
	tests := map[string]struct {
		method, args string
		code         sdk.Code
	}{
		"an issue that was touched":     {"update_issue", `{` + shop + `,"number":1,"title":"X","if_updated_at":"2020-01-01T00:00:00Z"}`, sdk.Conflict},
		"a branch that moved on":        {"commit_files", `{` + shop + `,"branch":"main","head":"` + old + `","message":"M","files":[{"path":"a","content":"b"}]}`, sdk.Conflict},
		"a branch that is another":      {"delete_branch", `{` + shop + `,"branch":"fix/crash","sha":"` + old + `"}`, sdk.Conflict},
		"a merge of what was not seen":  {"merge_pull_request", `{` + shop + `,"number":3,"head_sha":"` + old + `"}`, sdk.Conflict},
		"a branch that exists":          {"create_branch", `{` + shop + `,"branch":"main"}`, sdk.Conflict},
		"a pull request that exists":    {"create_pull_request", `{` + shop + `,"title":"X","head":"fix/crash","base":"main"}`, sdk.Conflict},
		"a label that exists":           {"create_label", `{` + shop + `,"name":"Bug"}`, sdk.Conflict},
		"a label that does not":         {"create_issue", `{` + shop + `,"title":"X","labels":["bug","bugg"]}`, sdk.InvalidArgument},
		"labels that do not":            {"add_labels", `{` + shop + `,"number":1,"labels":["bugg"]}`, sdk.InvalidArgument},
		"a file that is both":           {"commit_files", `{` + shop + `,"branch":"main","message":"M","files":[{"path":"a","content":"b","delete":true}]}`, sdk.InvalidArgument},
		"a file that is nothing":        {"commit_files", `{` + shop + `,"branch":"main","message":"M","files":[{"path":"a"}]}`, sdk.InvalidArgument},
		"a file twice":                  {"commit_files", `{` + shop + `,"branch":"main","message":"M","files":[{"path":"a","content":"1"},{"path":"a","content":"2"}]}`, sdk.InvalidArgument},
		"a file that is not base64":     {"commit_files", `{` + shop + `,"branch":"main","message":"M","files":[{"path":"a","content":"?","encoding":"base64"}]}`, sdk.InvalidArgument},
		"a file that cannot be deleted": {"commit_files", `{` + shop + `,"branch":"main","message":"M","files":[{"path":"none","delete":true}]}`, sdk.InvalidArgument},
		"a branch that is not there":    {"commit_files", `{` + shop + `,"branch":"none","message":"M","files":[{"path":"a","content":"1"}]}`, sdk.NotFound},
		"a review without a word":       {"create_review", `{` + shop + `,"number":3,"event":"REQUEST_CHANGES"}`, sdk.InvalidArgument},
		"a repository that is a path":   {"get_repository", `{"owner":"acme/shop","repo":"x"}`, sdk.InvalidArgument},
		"a repository above":            {"get_repository", `{"owner":"..","repo":"user"}`, sdk.InvalidArgument},
		"a file above":                  {"get_content", `{` + shop + `,"path":"src/../../x"}`, sdk.InvalidArgument},
		"a transfer of a pull request":  {"transfer_issue", `{` + shop + `,"number":3,"to":"attic"}`, sdk.InvalidArgument},
		"a transfer to nowhere":         {"transfer_issue", `{` + shop + `,"number":1,"to":"none"}`, sdk.NotFound},
		"a release that is not there":   {"update_release", `{` + shop + `,"release_id":1,"name":"X"}`, sdk.NotFound},
		"an issue that is not there":    {"get_issue", `{` + shop + `,"number":99}`, sdk.NotFound},
		"a file that is not there":      {"get_content", `{` + shop + `,"path":"none"}`, sdk.NotFound},
	}
	before := h.github.State()
	for name, test := range tests {
		_, err := h.invoke(call("k", test.method, test.args))
		if err == nil || !strings.HasPrefix(err.Error(), string(test.code)+": ") {
			t.Errorf("%s: got %v, want %s", name, err, test.code)
		}
	}
	if after := h.github.State(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("something has changed: %v", after)
	}
}

// TestTransferOnce: an issue that has moved is found where it is, and is not moved again.
func TestTransferOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	const args = `{` + shop + `,"number":1,"to":"attic"}`
	moved := must[Transferred](h, call("a", "transfer_issue", args))
	if want := (Transferred{"acme/attic", 1, "https://github.com/acme/attic/issues/1"}); moved != want {
		t.Errorf("got %+v", moved)
	}
	if i := must[Issue](h, call("", "get_issue", `{`+shop+`,"number":1}`)); i.Repository != moved.Repository {
		t.Errorf("it is in %s", i.Repository)
	}
	_, err := h.invoke(call("b", "transfer_issue", args))
	wantCode(t, err, sdk.Conflict)
	elsewhere := h.ask(call("c", "transfer_issue", `{`+shop+`,"number":1,"to":"cellar"}`))
	if elsewhere.Happened != wire.HappenedUnknown {
		t.Errorf("moved elsewhere: %+v", elsewhere)
	}
}
