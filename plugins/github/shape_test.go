package main

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// TestChecksTogether: only when every check has passed is the whole a success.
func TestChecksTogether(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ runs, statuses, want string }{
		"none":                   {``, ``, "none"},
		"all passed":             {`{"status":"completed","conclusion":"success"},{"status":"completed","conclusion":"skipped"}`, `{"state":"success"}`, "success"},
		"one runs":               {`{"status":"in_progress"}`, `{"state":"success"}`, "pending"},
		"one waits":              {`{"status":"waiting"}`, ``, "pending"},
		"an old one is open":     {`{"status":"completed","conclusion":"success"}`, `{"state":"pending"}`, "pending"},
		"an old one has failed":  {`{"status":"in_progress"}`, `{"state":"error"}`, "failure"},
		"one timed out":          {`{"status":"completed","conclusion":"timed_out"},{"status":"queued"}`, ``, "failure"},
		"one asks for something": {`{"status":"completed","conclusion":"action_required"}`, ``, "failure"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.Handle("/repos/acme/shop/commits/main/check-runs", answer(200, nil, `{"check_runs":[`+test.runs+`]}`))
			mux.Handle("/repos/acme/shop/commits/main/status", answer(200, nil, `{"statuses":[`+test.statuses+`]}`))
			h := serve(t, mux, nil)
			value, err := h.invoke(call("", "list_checks", `{`+shop+`,"ref":"main"}`))
			if err != nil {
				t.Fatal(err)
			}
			h.fits("list_checks", value)
			if got := must[Checks](h, call("", "list_checks", `{`+shop+`,"ref":"main"}`)); got.State != test.want {
				t.Errorf("%s of %+v", got.State, got.Checks)
			}
		})
	}
}

// TestContents: a text comes as it is, anything else in base64, and what GitHub
// leaves out is not taken for empty.
func TestContents(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer string
		want   Content
		code   sdk.Code
	}{
		"a text":      {`{"type":"file","path":"a","size":2,"encoding":"base64","content":"aGk=\n"}`, Content{Type: "file", Path: "a", Size: 2, Encoding: "utf-8", Content: "hi"}, ""},
		"nothing":     {`{"type":"file","path":"a","encoding":"base64","content":""}`, Content{Type: "file", Path: "a", Encoding: "utf-8"}, ""},
		"no text":     {`{"type":"file","path":"a","size":2,"encoding":"base64","content":"AP8="}`, Content{Type: "file", Path: "a", Size: 2, Encoding: "base64", Content: "AP8="}, ""},
		"too large":   {`{"type":"file","path":"a","size":2000000,"encoding":"none","content":""}`, Content{}, sdk.Unsupported},
		"a link":      {`{"type":"symlink","path":"a","target":"b"}`, Content{Type: "symlink", Path: "a", Content: "b"}, ""},
		"a submodule": {`{"type":"submodule","path":"a","sha":"1"}`, Content{Type: "submodule", Path: "a", SHA: "1"}, ""},
		"a folder":    {`[{"type":"dir","path":"a/b","sha":"1"}]`, Content{Type: "dir", Path: "a", Entries: []Entry{{Path: "a/b", Type: "dir", SHA: "1"}}}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := serve(t, answer(200, nil, test.answer), nil)
			c := call("", "get_content", `{`+shop+`,"path":"/a/"}`)
			if test.code != "" {
				_, err := h.invoke(c)
				wantCode(t, err, test.code)
				return
			}
			if diff := cmp.Diff(test.want, must[Content](h, c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTree: links and submodules are told from files, folders are left out, and a
// tree that GitHub cuts says so.
func TestTree(t *testing.T) {
	t.Parallel()
	h := serve(t, answer(200, nil, `{"truncated":true,"tree":[
		{"path":"a","type":"tree","mode":"040000"},{"path":"a/f","type":"blob","mode":"100644"},
		{"path":"a/l","type":"blob","mode":"120000"},{"path":"a/m","type":"commit","mode":"160000"},{"path":"ab","type":"blob","mode":"100644"}]}`), nil)
	got := must[Page[Entry]](h, call("", "get_tree", `{`+shop+`,"ref":"feature/x","path":"a"}`))
	want := []Entry{{Path: "a/f", Type: "file"}, {Path: "a/l", Type: "symlink"}, {Path: "a/m", Type: "submodule"}}
	if diff := cmp.Diff(want, got.Items); diff != "" || !got.More || got.Note == "" {
		t.Errorf("%s more %v: %q", diff, got.More, got.Note)
	}
}

// TestSearchSaysWhatItLeavesOut: what GitHub has not looked at, or does not give.
func TestSearchSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Page[Issue]{
		`{"total_count":1,"items":[{"number":1}]}`:                              {Total: 1},
		`{"total_count":5000,"items":[{"number":1}]}`:                           {Total: 5000, More: true, Note: "GitHub gives no more than 1000 results of a search; narrow the query"},
		`{"total_count":1,"incomplete_results":true,"items":[{"number":1}]}`:    {Total: 1, More: true, Note: "GitHub ran out of time and has not looked everywhere; narrow the query"},
		`{"total_count":5000,"incomplete_results":true,"items":[{"number":1}]}`: {Total: 5000, More: true, Note: "GitHub ran out of time and has not looked everywhere; narrow the query"},
	} {
		h := serve(t, answer(200, nil, body), nil)
		got := must[Page[Issue]](h, call("", "search_issues", `{"query":"is:issue"}`))
		if got.Total != want.Total || got.More != want.More || got.Note != want.Note || len(got.Items) != 1 {
			t.Errorf("%s: %+v", body, got)
		}
	}
}
