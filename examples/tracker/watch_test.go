package main

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// values is the host's store for the connector.
type values struct {
	wire.NoHost
	mu   sync.Mutex
	kept map[[2]string][]byte // by execution and key
	err  error                // what every call answers, unless it is nil
}

func newValues() *values { return &values{kept: map[[2]string][]byte{}} }

func (v *values) Get(_ context.Context, executionID, key string) ([]byte, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, found := v.kept[[2]string{executionID, key}]
	return value, found, v.err
}

func (v *values) Put(_ context.Context, executionID, key string, value []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.kept[[2]string{executionID, key}] = value
	return v.err
}

// watch watches an issue in an execution, and returns what has changed.
func watch(h *house, execution, args string) []string {
	h.t.Helper()
	call := h.call("k", "watch_issue", args)
	call.ExecutionID = execution
	return must[Watched](h, call).Changed
}

func TestWatchIssue(t *testing.T) {
	t.Parallel()
	h := open(t)
	is := func(got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
			t.Error(diff)
		}
	}
	is(watch(h, "e", `{"number":2}`))
	is(watch(h, "e", `{"number":2}`)) // also what the first attempt of a call that is tried again finds
	must[Issue](h, h.call("k", "update_issue", `{"number":2,"state":"closed"}`))
	is(watch(h, "e", `{"number":2}`), "state")
	is(watch(h, "another", `{"number":2}`)) // each execution has its own first sight
	is(watch(h, "e", `{"number":3}`))       // and each issue
	h.start()                               // the process has ended meanwhile
	h.edit(func(d *data) {
		i := &d.Issues[1]
		i.Title, i.Body, i.Labels, i.Comments = "Dark", "Now!", []string{"wish"}, []Comment{{ID: 99}}
	})
	is(watch(h, "e", `{"number":2}`), "title", "body", "state", "labels", "comments")
	is(watch(h, "another", `{"number":2}`), "title", "body", "labels", "comments")
	if issue := must[Watched](h, h.call("k", "watch_issue", `{"number":2}`)).Issue; issue.Title != "Dark" {
		t.Errorf("the issue is %+v", issue)
	}
	_, err := invoke[Watched](h, h.call("k", "watch_issue", `{"number":99}`))
	wantCode(t, err, sdk.NotFound)
}

// TestWatchNeedsTheHost: without what it saw first, the tracker does not guess.
func TestWatchNeedsTheHost(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.values.err = &wire.Error{Code: wire.CodeUnavailable, Message: "the host's store failed", Retryable: true}
	_, err := invoke[Watched](h, h.call("k", "watch_issue", `{"number":2}`))
	if e := wantCode(t, err, sdk.Unavailable); !e.Retryable {
		t.Errorf("got %+v", e)
	}
}
