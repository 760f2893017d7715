package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/schema"
)

// sample are the arguments of one call of every method, in an order in which
// each succeeds on the mock's sample.
var sample = []struct{ method, args string }{
	{"get_repository", `{"owner":"acme","repo":"shop","raw":true}`},
	{"list_repositories", `{}`},
	{"list_repositories", `{"owner":"acme","sort":"pushed"}`},
	{"list_repositories", `{"owner":"mary","limit":3}`},
	{"get_content", `{"owner":"acme","repo":"shop","path":"src/cart.go","ref":"fix/crash"}`},
	{"get_content", `{"owner":"acme","repo":"shop"}`},
	{"get_tree", `{"owner":"acme","repo":"shop","ref":"fix/crash","path":"src"}`},
	{"list_branches", `{"owner":"acme","repo":"shop","protected":true}`},
	{"list_commits", `{"owner":"acme","repo":"shop","ref":"fix/crash","path":"main.go","author":"mary","since":"2020-01-01T00:00:00Z"}`},
	{"get_commit", `{"owner":"acme","repo":"shop","ref":"fix/crash"}`},
	{"compare_commits", `{"owner":"acme","repo":"shop","base":"main","head":"fix/crash"}`},
	{"list_issues", `{"owner":"acme","repo":"shop","state":"all","labels":["bug"],"since":"2020-01-01T00:00:00Z","sort":"updated","direction":"asc","raw":true}`},
	{"get_issue", `{"owner":"acme","repo":"shop","number":1}`},
	{"list_issue_comments", `{"owner":"acme","repo":"shop","number":1,"since":"2020-01-01T00:00:00Z"}`},
	{"list_labels", `{"owner":"acme","repo":"shop"}`},
	{"list_milestones", `{"owner":"acme","repo":"shop","state":"all"}`},
	{"list_pull_requests", `{"owner":"acme","repo":"shop","state":"all","head":"fix/crash","base":"main"}`},
	{"get_pull_request", `{"owner":"acme","repo":"shop","number":3}`},
	{"list_pull_request_files", `{"owner":"acme","repo":"shop","number":3}`},
	{"list_checks", `{"owner":"acme","repo":"shop","ref":"fix/crash"}`},
	{"list_reviews", `{"owner":"acme","repo":"shop","number":3}`},
	{"list_review_comments", `{"owner":"acme","repo":"shop","number":3}`},
	{"list_releases", `{"owner":"acme","repo":"shop"}`},
	{"list_workflow_runs", `{"owner":"acme","repo":"shop","branch":"main","status":"failure"}`},
	{"list_workflow_runs", `{"owner":"acme","repo":"shop","workflow":"ci.yml"}`},
	{"get_workflow_run", `{"owner":"acme","repo":"shop","run_id":7}`},
	{"list_workflow_jobs", `{"owner":"acme","repo":"shop","run_id":7,"filter":"all"}`},
	{"get_job_logs", `{"owner":"acme","repo":"shop","job_id":9}`},
	{"search_issues", `{"query":"repo:acme/shop is:issue crash","sort":"created"}`},
	{"search_repositories", `{"query":"org:acme","sort":"stars"}`},
	{"search_code", `{"query":"repo:acme/shop main"}`},
	{"list_notifications", `{"all":true}`},
	{"get_user", `{}`},
	{"get_user", `{"login":"ada"}`},
	{"list_teams", `{"org":"acme"}`},
	{"list_team_members", `{"org":"acme","team":"core","role":"maintainer"}`},

	{"create_label", `{"owner":"acme","repo":"shop","name":"triaged","color":"00FF00","description":"Seen"}`},
	{"create_issue", `{"owner":"acme","repo":"shop","title":"Slow","body":"It is.","labels":["bug","triaged"],"assignees":["mary"],"milestone":1}`},
	{"update_issue", `{"owner":"acme","repo":"shop","number":1,"title":"Crash","body":"","state":"closed","state_reason":"completed","labels":[],"assignees":["ada"],"milestone":0}`},
	{"add_assignees", `{"owner":"acme","repo":"shop","number":2,"assignees":["ada","mary"]}`},
	{"lock_issue", `{"owner":"acme","repo":"shop","number":2,"reason":"too heated"}`},
	{"unlock_issue", `{"owner":"acme","repo":"shop","number":2}`},
	{"create_issue_comment", `{"owner":"acme","repo":"shop","number":2,"body":"Soon."}`},
	{"add_labels", `{"owner":"acme","repo":"shop","number":2,"labels":["enhancement"]}`},
	{"remove_label", `{"owner":"acme","repo":"shop","number":2,"label":"enhancement"}`},
	{"create_branch", `{"owner":"acme","repo":"shop","branch":"feature/x","from":"fix/crash"}`},
	{"commit_files", `{"owner":"acme","repo":"shop","branch":"feature/x","message":"Work","files":[{"path":"a/b.txt","content":"one\ntwo\n"},{"path":"README.md","delete":true},{"path":"i.png","content":"AP8=","encoding":"base64"},{"path":"bin/run.sh","content":"#!/bin/sh\nset -e\n"}]}`},
	{"create_pull_request", `{"owner":"acme","repo":"shop","title":"X","head":"feature/x","base":"main","body":"Y","draft":true}`},
	{"update_pull_request", `{"owner":"acme","repo":"shop","number":3,"title":"Fix it","base":"main"}`},
	{"create_review", `{"owner":"acme","repo":"shop","number":3,"event":"REQUEST_CHANGES","body":"No.","comments":[{"path":"main.go","line":3,"body":"Why?"}]}`},
	{"request_reviewers", `{"owner":"acme","repo":"shop","number":3,"reviewers":["ada","mary"],"teams":["core"]}`},
	{"update_pull_request_branch", `{"owner":"acme","repo":"shop","number":3}`},
	{"create_release", `{"owner":"acme","repo":"shop","tag":"v1","name":"One","body":"First.","generate_notes":true,"target":"main"}`},
	{"update_release", `{"owner":"acme","repo":"shop","release_id":900,"name":"Next","body":"All.","draft":false,"prerelease":true}`},
	{"mark_notification_read", `{"id":"1"}`},
	{"rerun_workflow_run", `{"owner":"acme","repo":"shop","run_id":7}`},
	{"rerun_workflow_run", `{"owner":"acme","repo":"shop","run_id":7,"failed_only":true}`},
	{"cancel_workflow_run", `{"owner":"acme","repo":"shop","run_id":7}`},
	{"dispatch_workflow", `{"owner":"acme","repo":"shop","workflow":"deploy.yml","ref":"main","inputs":{"to":"staging"}}`},
	{"create_gist", `{"description":"Notes","files":{"a.md":"# A"}}`},
	{"get_gist", `{"id":"GIST"}`},
	{"delete_branch", `{"owner":"acme","repo":"shop","branch":"feature/x"}`},
	{"transfer_issue", `{"owner":"acme","repo":"shop","number":4,"to":"attic"}`},
	{"merge_pull_request", `{"owner":"acme","repo":"shop","number":3,"head_sha":"HEAD","method":"squash","title":"T","message":"M"}`},
}

// TestEveryMethod calls each method as a host does, preview included, on a
// server that takes only requests that GitHub's own description allows. Every
// result must fit the method's own schema.
func TestEveryMethod(t *testing.T) {
	t.Parallel()
	h := open(t)
	results := map[string]json.RawMessage{}
	for _, s := range sample {
		c := call(s.method, s.method, h.fill(s.args, results))
		t.Run(s.method, func(t *testing.T) {
			h.t = t
			if h.methods[s.method].Previews {
				text, err := h.connector.Preview(t.Context(), c)
				if err != nil || text == "" {
					t.Errorf("preview %q: %v", text, err)
				}
			}
			value, err := h.invoke(c)
			if err != nil {
				t.Fatal(err)
			}
			results[s.method] = value
			h.fits(s.method, value)
		})
	}
	for name := range h.methods {
		if !slices.ContainsFunc(sample, func(s struct{ method, args string }) bool { return s.method == name }) {
			t.Errorf("%s is not called", name)
		}
	}
}

// fill puts what earlier calls returned into arguments.
func (h *house) fill(args string, results map[string]json.RawMessage) string {
	var pull PullRequest
	var gist Gist
	_ = json.Unmarshal(results["get_pull_request"], &pull) // before the call there is none
	_ = json.Unmarshal(results["create_gist"], &gist)
	return strings.NewReplacer(`"HEAD"`, `"`+pull.HeadSHA+`"`, `"GIST"`, `"`+gist.ID+`"`).Replace(args)
}

// fits checks a result against the method's output schema.
func (h *house) fits(method string, value json.RawMessage) {
	h.t.Helper()
	raw := h.methods[method].OutputSchema
	if raw == nil {
		return
	}
	s, err := schema.Compile(raw)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		h.t.Errorf("%s returned %s: %v", method, value, err)
	}
}
