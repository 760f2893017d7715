package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codemode-go/codemode/acceptance/mockgithub"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// reconciled are calls whose outcome can be found out, with one that does not
// happen to be what somebody else did.
var reconciled = map[string]string{
	"create_issue":         `{"owner":"acme","repo":"shop","title":"Slow","body":"It is."}`,
	"update_issue":         `{"owner":"acme","repo":"shop","number":1,"title":"Crash!","labels":[]}`,
	"create_issue_comment": `{"owner":"acme","repo":"shop","number":1,"body":"Soon."}`,
	"create_label":         `{"owner":"acme","repo":"shop","name":"new"}`,
	"create_branch":        `{"owner":"acme","repo":"shop","branch":"feature/x","from":"fix/crash"}`,
	"delete_branch":        `{"owner":"acme","repo":"shop","branch":"fix/crash"}`,
	"commit_files":         `{"owner":"acme","repo":"shop","branch":"main","message":"Work","files":[{"path":"a","content":"1"}]}`,
	"create_pull_request":  `{"owner":"acme","repo":"shop","title":"X","head":"feature/cart","base":"main"}`,
	"update_pull_request":  `{"owner":"acme","repo":"shop","number":3,"title":"Fix"}`,
	"create_review":        `{"owner":"acme","repo":"shop","number":3,"event":"APPROVE","body":"Good."}`,
	"create_release":       `{"owner":"acme","repo":"shop","tag":"v1"}`,
	"update_release":       `{"owner":"acme","repo":"shop","release_id":900,"draft":false,"body":"Now."}`,
	"transfer_issue":       `{"owner":"acme","repo":"shop","number":4,"to":"attic"}`,
	"rerun_workflow_run":   `{"owner":"acme","repo":"shop","run_id":7}`,
	"cancel_workflow_run":  `{"owner":"acme","repo":"shop","run_id":7}`,
	"merge_pull_request":   `{"owner":"acme","repo":"shop","number":3,"head_sha":"HEAD"}`,
}

// markedMethods are those that mark what they create.
var markedMethods = map[string]bool{"create_issue": true, "create_issue_comment": true, "create_review": true}

// lossy is a GitHub that carries the next write out and says nothing about it,
// when it is to.
type lossy struct {
	http.Handler
	losing atomic.Bool
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	object := strings.Contains(r.URL.Path, "/git/") && !strings.Contains(r.URL.Path, "/git/refs")
	if !l.losing.Load() || r.Method == http.MethodGet || object { // trees and commits are no effect yet
		l.Handler.ServeHTTP(w, r)
		return
	}
	l.Handler.ServeHTTP(discard{http.Header{}}, r)
	panic(http.ErrAbortHandler)
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// TestReconcile: a write that is lost on its way out has not happened, one that
// is lost on its way back has, and the result that is found is the one that the
// call would have returned.
func TestReconcile(t *testing.T) {
	t.Parallel()
	for method, args := range reconciled {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			mock := mockgithub.New()
			server := &lossy{Handler: mock}
			h := serve(t, server, nil)
			pull := must[PullRequest](h, call("", "get_pull_request", `{"owner":"acme","repo":"shop","number":3}`))
			c := call("k", method, strings.ReplaceAll(args, "HEAD", pull.HeadSHA))
			if err := h.prepare(c); err != nil {
				t.Fatal(err)
			}
			if got := h.ask(c); got.Happened != wire.HappenedNo {
				t.Errorf("before: %+v", got)
			}

			server.losing.Store(true)
			_, err := h.connector.Invoke(t.Context(), c, nil)
			e := wantCode(t, err, sdk.Timeout)
			if e.Effect != sdk.EffectUnknown {
				t.Errorf("the effect is %q", e.Effect)
			}
			server.losing.Store(false)

			got := h.ask(c)
			if got.Happened != wire.HappenedYes {
				t.Fatalf("after: %+v", got)
			}
			h.fits(method, got.Result)
			other := call("other", method, string(c.Args))
			other.Before = c.Before
			if markedMethods[method] && h.ask(other).Happened != wire.HappenedNo {
				t.Error("it is taken for another call's")
			}
		})
	}
	for _, m := range offered(t, `{"token":"x"}`) {
		if _, tried := reconciled[m.Name]; m.Reconciles && !tried {
			t.Errorf("%s reconciles and is not tried", m.Name)
		}
	}
}

func (h *house) ask(c *wire.Call) *wire.Reconciliation {
	h.t.Helper()
	answer, err := h.connector.Reconcile(h.t.Context(), c)
	if err != nil {
		h.t.Fatalf("reconcile %s: %v", c.Method, err)
	}
	return answer
}

// TestFoundIsWhatWasReturned: a program cannot tell whether its issue was found.
func TestFoundIsWhatWasReturned(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, method := range []string{"create_issue", "create_issue_comment", "create_pull_request", "create_review", "commit_files", "create_branch"} {
		c := call("k", method, reconciled[method])
		value, err := h.invoke(c)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		var want, got map[string]any
		if err := json.Unmarshal(value, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(h.ask(c).Result, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "mergeable" })); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
	}
}

// TestUnknown: where somebody else has been at work, nobody guesses.
func TestUnknown(t *testing.T) {
	t.Parallel()
	h := open(t)
	update := call("k", "update_issue", `{"owner":"acme","repo":"shop","number":1,"title":"Mine"}`)
	if err := h.prepare(update); err != nil {
		t.Fatal(err)
	}
	must[Issue](h, call("x", "update_issue", `{"owner":"acme","repo":"shop","number":1,"title":"Theirs"}`))
	if got := h.ask(update); got.Happened != wire.HappenedUnknown {
		t.Errorf("update_issue: %+v", got)
	}
	review := call("k", "create_review", `{"owner":"acme","repo":"shop","number":3,"event":"APPROVE"}`)
	if got := h.ask(review); got.Happened != wire.HappenedUnknown {
		t.Errorf("create_review without a body: %+v", got)
	}
}
