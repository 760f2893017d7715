package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// commits are the hashes of the mock's commits, which depend on the time.
var commits = regexp.MustCompile(`\b[0-9a-f]{10}\b`)

// TestPreviews: what an approver reads says what will happen; compared with
// testdata/previews.txt. None changes anything.
func TestPreviews(t *testing.T) {
	t.Parallel()
	h := open(t)
	must[Review](h, call("r", "create_review", `{`+shop+`,"number":3,"event":"APPROVE"}`))
	h.github.Fail("fix/crash")
	head := must[PullRequest](h, call("", "get_pull_request", `{`+shop+`,"number":3}`)).HeadSHA
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprintf(`{"path":"f%02d","content":"x\n"}`, i)
	}
	tests := []struct{ method, args string }{
		{"create_issue", `"title":"Slow","body":"It is.","labels":["bug"],"assignees":["ada"],"milestone":1`},
		{"create_issue", `"title":"Long","body":"` + strings.Repeat(`line\n`, 60) + `"`},
		{"create_issue", `"title":"Wide","body":"` + strings.Repeat(`x`, 5000) + `"`},
		{"update_issue", `"number":1,"title":"Crash","body":"It crashes.\nAlways.","state":"closed","labels":["bug","stale"],"assignees":["ada"],"milestone":2`},
		{"update_issue", `"number":1,"state":"open"`},
		{"add_assignees", `"number":2,"assignees":["mary"]`},
		{"lock_issue", `"number":2,"reason":"spam"`},
		{"create_issue_comment", `"number":1,"body":"Soon."`},
		{"create_label", `"name":"new","color":"ff0000","description":"New"`},
		{"add_labels", `"number":1,"labels":["bug","stale"]`},
		{"remove_label", `"number":1,"label":"bug"`},
		{"create_branch", `"branch":"x"`},
		{"delete_branch", `"branch":"fix/crash"`},
		{"commit_files", `"branch":"main","message":"Work\n\nMore.","files":[{"path":"main.go","content":"package main\n\nfunc main() { run() }\n"},{"path":"new.txt","content":"a\nb\n"},{"path":"README.md","delete":true},{"path":"assets/ok.bin","content":"AP8=","encoding":"base64"}]`},
		{"commit_files", `"branch":"main","message":"Many","files":[` + strings.Join(many, ",") + `]`},
		{"create_pull_request", `"title":"X","head":"fix/crash","base":"main","body":"Fixes #1","draft":true`},
		{"update_pull_request", `"number":3,"title":"Fix","body":"Fixes #1 and #2","base":"other"`},
		{"merge_pull_request", `"number":3,"head_sha":"` + head + `","message":"Done."`},
		{"merge_pull_request", `"number":3,"head_sha":"0123456789012345678901234567890123456789"`},
		{"update_pull_request_branch", `"number":3`},
		{"create_review", `"number":3,"event":"REQUEST_CHANGES","body":"No.","comments":[{"path":"main.go","line":3,"body":"Why?"}]`},
		{"create_release", `"tag":"v1","name":"One","body":"First.","target":"main","generate_notes":true,"prerelease":true`},
		{"request_reviewers", `"number":3,"reviewers":["ada"],"teams":["core"]`},
		{"cancel_workflow_run", `"run_id":7`},
		{"rerun_workflow_run", `"run_id":7,"failed_only":true`},
		{"dispatch_workflow", `"workflow":"deploy.yml","ref":"main","inputs":{"to":"staging","by":"me"}`},
	}
	before := h.github.State()
	var out strings.Builder
	for _, test := range tests {
		text, err := h.connector.Preview(t.Context(), call("k", test.method, `{`+shop+`,`+test.args+`}`))
		switch {
		case strings.HasPrefix(test.args, `"number":3,"head_sha":"0123`) && err != nil:
			text = err.Error() // the mock knows no such commit
		case err != nil:
			t.Errorf("%s: %v", test.method, err)
		}
		fmt.Fprintf(&out, "-- %s --\n%s\n", test.method, strings.ReplaceAll(text, strings.Repeat("x", 4000), "x(4000)"))
	}
	text, err := h.connector.Preview(t.Context(), call("k", "create_gist", `{"description":"Notes","files":{"b.md":"# B","a.md":"# A"},"public":true}`))
	if err != nil {
		t.Error(err)
	}
	fmt.Fprintf(&out, "-- create_gist --\n%s\n", text)
	golden(t, "testdata/previews.txt", commits.ReplaceAllString(out.String(), "COMMIT"))
	if after := h.github.State(); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Error("a preview has changed something")
	}
}
