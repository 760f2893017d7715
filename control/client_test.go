package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// tricky is JSON that a careless encoder changes.
var tricky = json.RawMessage("{\"html\":\"<a>&\",\"sep\":\"\u2028\",\"n\":1.10,\"big\":12345678901234567890,\"z\":null,\"a\":[]}")

// crossing is a method of the client: what the host got, and what the guest got.
type crossing struct {
	answer any
	ask    func(context.Context, *control.Client) (any, error)
	want   any // what the host must get
}

func TestRequestsCrossTheSocket(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 21, 47, 3, 123456789, time.UTC)
	by := core.Decider{By: "ada", Via: "terminal", Note: "fine"}
	out := &core.Outcome{
		Status: "paused", ExecutionID: "x", Logs: []string{"a"}, Returned: true,
		Pending: []core.Pending{{ExecutionID: "x", Seq: "4.0", Args: tricky, Digest: "ab", Kind: "approval", ExpiresAt: &at}},
		Calls:   []engine.CallRecord{{Seq: "0", Args: tricky, Result: json.RawMessage("null"), State: "applied", IssuedAt: at}},
	}
	var got any
	note := func(v any) { got = v }
	approve := core.ApproveRequest{ExecutionID: "x", Calls: []core.Shown{{Seq: "1", Digest: "cd", Args: tricky}}, All: true, Decider: by}
	reject := core.RejectRequest{ExecutionID: "x", Seq: "1", Digest: "cd", Decider: by}
	reply := &core.Reply{ExecutionID: "x", Status: "rejected", Changed: true, Message: "ok"}
	settle := core.SettleRequest{ExecutionID: "x", Seq: "1", How: core.SettleDone, Result: json.RawMessage("null"), Decider: by}
	account := &core.Rollback{ExecutionID: "x", Changed: true, Reverted: []engine.RevertRecord{{Seq: "2", Connector: "c", Method: "m"}}}
	page := &core.Page{Executions: []journal.Head{{ID: "x", Status: journal.StatusPaused, Created: at, Updated: at, Waiting: 2, Calls: 3}}, Next: "n"}
	detail := &core.Detail{ID: "x", Source: "1", Input: tricky, Outcome: out, Timeline: []core.Entry{{Index: 1, At: at, Kind: "pass", Text: "t"}}}
	results := &catalog.Results{Results: []catalog.Result{{Path: "c.m", Score: 1.5}}, Total: 1}
	description := &catalog.Description{Path: "c.m", Kind: catalog.KindMethod, Notes: []string{"n"}}
	skipped := &core.Skipped{Connector: "c", Offered: 3, Skipped: []core.SkippedMethod{{Name: "GET /a", Reason: "r"}}}
	tool := core.Tool{Name: "codemode", InputSchema: tricky}
	progress := core.Progress{Running: true, Calls: 3, Done: 1, Executing: []string{"c.m"}}
	run := core.RunRequest{ID: "x", Code: "1 < 2", Input: tricky, Caller: "c", Labels: map[string]string{"a": "b"}, Task: "t", AskWrites: true}
	query := catalog.Query{Text: "q", Connector: "c", Limit: 3, Cursor: "5"}

	snippet := &core.Snippet{
		Snippet:     journal.Snippet{Name: "s", Version: 2, Description: "d", Source: "1 < 2", Connectors: []string{"c"}, ExecutionID: "x", By: "ada", Saved: at},
		InputSchema: tricky,
	}
	save := core.SaveRequest{Name: "s", ExecutionID: "x", Description: "d", InputSchema: tricky, Force: true, By: "ada"}

	types := &core.Types{Text: "declare <T>", Unavailable: []catalog.Unavailable{{Connector: "c", Reason: "r"}}}

	f := &fake{
		run:         func(_ context.Context, r core.RunRequest) (*core.Outcome, error) { note(r); return out, nil },
		pending:     func(id string) ([]core.Pending, error) { note(id); return out.Pending, nil },
		approve:     func(_ context.Context, r core.ApproveRequest) (*core.Outcome, error) { note(r); return out, nil },
		refuse:      func(r core.RejectRequest) (*core.Outcome, error) { note(r); return out, nil },
		reject:      func(r core.RejectRequest) (*core.Reply, error) { note(r); return reply, nil },
		settle:      func(r core.SettleRequest) (*core.Outcome, error) { note(r); return out, nil },
		resume:      func(id string) (*core.Outcome, error) { note(id); return out, nil },
		resumeAll:   func() ([]*core.Outcome, error) { note("all"); return []*core.Outcome{out}, nil },
		rollback:    func(r core.RollbackRequest) (*core.Rollback, error) { note(r); return account, nil },
		executions:  func(r core.ListRequest) (*core.Page, error) { note(r); return page, nil },
		show:        func(id string) (*core.Detail, error) { note(id); return detail, nil },
		search:      func(q catalog.Query) (*catalog.Results, error) { note(q); return results, nil },
		describe:    func(target string) (*catalog.Description, error) { note(target); return description, nil },
		skipped:     func(connector string) (*core.Skipped, error) { note(connector); return skipped, nil },
		tool:        tool,
		types:       func(names []string) (*core.Types, error) { note(names); return types, nil },
		saveSnippet: func(r core.SaveRequest) (*core.Snippet, error) { note(r); return snippet, nil },
		snippets:    func() ([]core.Snippet, error) { note("snippets"); return []core.Snippet{*snippet}, nil },
		snippet: func(name string, version int) (*core.Snippet, error) {
			note(fmt.Sprint(name, " ", version))
			return snippet, nil
		},
		deleteSnippet: func(name string) (bool, error) { note(name); return true, nil },
		expire:        func(age time.Duration) ([]string, error) { note(age); return []string{"a", "b"}, nil },
		prune:         func(keep int) ([]string, error) { note(keep); return []string{}, nil },
		remove:        func(id string) (*core.Reply, error) { note(id); return reply, nil },
		cancel:        func(id string, cause error) bool { note(id + ": " + cause.Error()); return true },
		progress:      func(id string) core.Progress { note(id); return progress },
	}
	dir, _ := serve(t, f)
	c := guest(t, dir, here)
	for name, x := range map[string]crossing{
		"run":     {out, func(ctx context.Context, c *control.Client) (any, error) { return c.Run(ctx, run) }, run},
		"pending": {out.Pending, func(ctx context.Context, c *control.Client) (any, error) { return c.Pending(ctx, "x") }, "x"},
		"approve": {out, func(ctx context.Context, c *control.Client) (any, error) { return c.Approve(ctx, approve) }, approve},
		"refuse":  {out, func(ctx context.Context, c *control.Client) (any, error) { return c.Refuse(ctx, reject) }, reject},
		"reject":  {reply, func(ctx context.Context, c *control.Client) (any, error) { return c.Reject(ctx, reject) }, reject},
		"settle":  {out, func(ctx context.Context, c *control.Client) (any, error) { return c.Settle(ctx, settle) }, settle},
		"resume":  {out, func(ctx context.Context, c *control.Client) (any, error) { return c.Resume(ctx, "x") }, "x"},
		"resume all": {[]*core.Outcome{out}, func(ctx context.Context, c *control.Client) (any, error) {
			return c.ResumeAll(ctx)
		}, "all"},
		"rollback": {account, func(ctx context.Context, c *control.Client) (any, error) {
			return c.Rollback(ctx, core.RollbackRequest{ExecutionID: "x", DryRun: true, Decider: by})
		}, core.RollbackRequest{ExecutionID: "x", DryRun: true, Decider: by}},
		"executions": {page, func(ctx context.Context, c *control.Client) (any, error) {
			return c.Executions(ctx, core.ListRequest{Statuses: []string{"paused"}, Limit: 2, Cursor: "k"})
		}, core.ListRequest{Statuses: []string{"paused"}, Limit: 2, Cursor: "k"}},
		"show":         {detail, func(ctx context.Context, c *control.Client) (any, error) { return c.Show(ctx, "x") }, "x"},
		"search":       {results, func(ctx context.Context, c *control.Client) (any, error) { return c.Search(ctx, query) }, query},
		"describe":     {description, func(ctx context.Context, c *control.Client) (any, error) { return c.Describe(ctx, "c.m") }, "c.m"},
		"skipped":      {skipped, func(ctx context.Context, c *control.Client) (any, error) { return c.Skipped(ctx, "c") }, "c"},
		"types":        {types, func(ctx context.Context, c *control.Client) (any, error) { return c.Types(ctx, []string{"a"}) }, []string{"a"}},
		"save snippet": {snippet, func(ctx context.Context, c *control.Client) (any, error) { return c.SaveSnippet(ctx, save) }, save},
		"snippets": {[]core.Snippet{*snippet}, func(ctx context.Context, c *control.Client) (any, error) {
			return c.Snippets(ctx)
		}, "snippets"},
		"snippet":        {snippet, func(ctx context.Context, c *control.Client) (any, error) { return c.Snippet(ctx, "s", 2) }, "s 2"},
		"delete snippet": {true, func(ctx context.Context, c *control.Client) (any, error) { return c.DeleteSnippet(ctx, "s") }, "s"},
		"expire": {[]string{"a", "b"}, func(ctx context.Context, c *control.Client) (any, error) {
			return c.ExpirePaused(ctx, 90*time.Minute)
		}, 90 * time.Minute},
		"prune":    {[]string{}, func(ctx context.Context, c *control.Client) (any, error) { return c.Prune(ctx, 7) }, 7},
		"delete":   {reply, func(ctx context.Context, c *control.Client) (any, error) { return c.Delete(ctx, "x") }, "x"},
		"progress": {progress, func(ctx context.Context, c *control.Client) (any, error) { return c.Progress(ctx, "x") }, "x"},
		"tool":     {tool, func(ctx context.Context, c *control.Client) (any, error) { return c.Tool(ctx) }, nil},
		"cancel":   {true, func(ctx context.Context, c *control.Client) (any, error) { return c.Cancel(ctx, "x", errTest) }, "x: a test's cause"},
	} {
		got = nil
		answer, err := x.ask(t.Context(), c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s: the host got (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(x.answer, answer); diff != "" {
			t.Errorf("%s: the guest got (-want +got)\n%s", name, diff)
		}
	}
}

func TestErrorsKeepTheirTypes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err   error
		keeps func(error) bool
	}{
		"not found": {&core.NotFoundError{ID: "x"}, func(err error) bool {
			var e *core.NotFoundError
			return errors.As(err, &e) && e.ID == "x"
		}},
		"damaged": {fmt.Errorf("read: %w", &journal.DamagedError{ID: "x", After: 3, Cause: "gap"}), func(err error) bool {
			var e *journal.DamagedError
			return errors.As(err, &e) && *e == journal.DamagedError{ID: "x", After: 3, Cause: "gap"}
		}},
		"damaged part": {&journal.DamagedError{After: -1, Cause: "gap", Part: `version 2 of snippet "s"`}, func(err error) bool {
			var e *journal.DamagedError
			return errors.As(err, &e) && *e == journal.DamagedError{After: -1, Cause: "gap", Part: `version 2 of snippet "s"`}
		}},
		"snippet": {fmt.Errorf("save: %w", &core.SnippetError{Reason: "no"}), func(err error) bool {
			var e *core.SnippetError
			return errors.As(err, &e) && e.Reason == "no"
		}},
		"stopped": {fmt.Errorf("pass: %w", engine.ErrStopped), func(err error) bool { return errors.Is(err, engine.ErrStopped) }},
		"other":   {errors.New("disk full"), func(error) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := serve(t, &fake{show: func(string) (*core.Detail, error) { return nil, tc.err }})
			_, err := guest(t, dir, here).Show(t.Context(), "x")
			if err == nil || err.Error() != tc.err.Error() || !tc.keeps(err) {
				t.Errorf("got %v, want %v of the same type", err, tc.err)
			}
		})
	}
}

func TestListsCrossBesideTheirErrors(t *testing.T) {
	t.Parallel()
	damaged := &journal.DamagedError{After: -1, Cause: "gap", Part: `version 2 of snippet "s"`}
	dir, _ := serve(t, &fake{
		snippets:  func() ([]core.Snippet, error) { return []core.Snippet{{Snippet: journal.Snippet{Name: "r"}}}, damaged },
		resumeAll: func() ([]*core.Outcome, error) { return []*core.Outcome{completed("x")}, damaged },
		expire:    func(time.Duration) ([]string, error) { return []string{"a"}, damaged },
		prune:     func(int) ([]string, error) { return []string{"b"}, damaged },
	})
	c := guest(t, dir, here)
	snippets, err := c.Snippets(t.Context())
	beside(t, "snippets", err, len(snippets) == 1 && snippets[0].Name == "r")
	resumed, err := c.ResumeAll(t.Context())
	beside(t, "resume all", err, len(resumed) == 1 && resumed[0].ExecutionID == "x")
	expired, err := c.ExpirePaused(t.Context(), 0)
	beside(t, "expire", err, cmp.Equal(expired, []string{"a"}))
	pruned, err := c.Prune(t.Context(), 0)
	beside(t, "prune", err, cmp.Equal(pruned, []string{"b"}))
}

// beside checks that both the list and its error came over.
func beside(t *testing.T, name string, err error, listed bool) {
	t.Helper()
	var e *journal.DamagedError
	if !listed || !errors.As(err, &e) || e.Part != `version 2 of snippet "s"` {
		t.Errorf("%s: listed: %t, error %v", name, listed, err)
	}
}

func TestGuestOfAnotherConfiguration(t *testing.T) {
	t.Parallel()
	f := &fake{
		pending:    nothingWaits,
		executions: func(core.ListRequest) (*core.Page, error) { return &core.Page{}, nil },
		show:       func(string) (*core.Detail, error) { return &core.Detail{}, nil },
		search:     func(catalog.Query) (*catalog.Results, error) { return &catalog.Results{}, nil },
		describe:   func(string) (*catalog.Description, error) { return &catalog.Description{}, nil },
		skipped:    func(string) (*core.Skipped, error) { return &core.Skipped{}, nil },
		reject:     func(core.RejectRequest) (*core.Reply, error) { return &core.Reply{}, nil },
		snippets:   func() ([]core.Snippet, error) { return nil, nil },
		snippet:    func(string, int) (*core.Snippet, error) { return &core.Snippet{}, nil },
	}
	dir, _ := serve(t, f) // any other call would be a nil function
	c := guest(t, dir, identity("/home/ada/ödd\n.hcl", "f2"))
	for name, ask := range map[string]func(context.Context) error{
		"pending":    func(ctx context.Context) error { _, err := c.Pending(ctx, ""); return err },
		"executions": func(ctx context.Context) error { _, err := c.Executions(ctx, core.ListRequest{}); return err },
		"show":       func(ctx context.Context) error { _, err := c.Show(ctx, "x"); return err },
		"search":     func(ctx context.Context) error { _, err := c.Search(ctx, catalog.Query{}); return err },
		"describe":   func(ctx context.Context) error { _, err := c.Describe(ctx, "x"); return err },
		"skipped":    func(ctx context.Context) error { _, err := c.Skipped(ctx, "x"); return err },
		"snippets":   func(ctx context.Context) error { _, err := c.Snippets(ctx); return err },
		"snippet":    func(ctx context.Context) error { _, err := c.Snippet(ctx, "s", 0); return err },
		"tool":       func(ctx context.Context) error { _, err := c.Tool(ctx); return err },
		"reject":     func(ctx context.Context) error { _, err := c.Reject(ctx, core.RejectRequest{}); return err },
	} {
		if err := ask(t.Context()); err != nil {
			t.Errorf("%s is not served: %v", name, err)
		}
	}
	for name, ask := range map[string]func(context.Context) error{
		"run":            func(ctx context.Context) error { _, err := c.Run(ctx, core.RunRequest{}); return err },
		"approve":        func(ctx context.Context) error { _, err := c.Approve(ctx, core.ApproveRequest{}); return err },
		"refuse":         func(ctx context.Context) error { _, err := c.Refuse(ctx, core.RejectRequest{}); return err },
		"settle":         func(ctx context.Context) error { _, err := c.Settle(ctx, core.SettleRequest{}); return err },
		"resume":         func(ctx context.Context) error { _, err := c.Resume(ctx, "x"); return err },
		"resume all":     func(ctx context.Context) error { _, err := c.ResumeAll(ctx); return err },
		"rollback":       func(ctx context.Context) error { _, err := c.Rollback(ctx, core.RollbackRequest{}); return err },
		"save snippet":   func(ctx context.Context) error { _, err := c.SaveSnippet(ctx, core.SaveRequest{}); return err },
		"delete snippet": func(ctx context.Context) error { _, err := c.DeleteSnippet(ctx, "s"); return err },
		"expire":         func(ctx context.Context) error { _, err := c.ExpirePaused(ctx, 1); return err },
		"prune":          func(ctx context.Context) error { _, err := c.Prune(ctx, 1); return err },
		"delete":         func(ctx context.Context) error { _, err := c.Delete(ctx, "x"); return err },
		"cancel":         func(ctx context.Context) error { _, err := c.Cancel(ctx, "x", errTest); return err },
	} {
		var mismatch *control.MismatchError
		err := ask(t.Context())
		if !errors.As(err, &mismatch) {
			t.Errorf("%s: got %v, want a MismatchError", name, err)
			continue
		}
		if mismatch.Holder.Config != here.Config || mismatch.Guest.Config != "/home/ada/ödd\n.hcl" {
			t.Errorf("%s: the error names %q and %q", name, mismatch.Holder.Config, mismatch.Guest.Config)
		}
	}
}

// TestGuestLearnsThatTheHolderLeaves also shows that nobody waits for the guests that only want to know.
func TestGuestLearnsThatTheHolderLeaves(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	s, err := control.Serve(t.Context(), control.Options{Dir: dir, Host: &fake{}, Identity: here})
	if err != nil {
		t.Fatal(err)
	}
	c := guest(t, dir, here)
	gone := make(chan error)
	go func() { gone <- c.Gone(t.Context()) }()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := c.Gone(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a guest that is not interested any more: %v", err)
	}
	if n := s.Guests(); n != 0 {
		t.Errorf("%d guests are waited for", n)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := receive(t, gone); err != nil {
		t.Error(err)
	}
}

func TestRunIsCancelledByItsGuestsWord(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	f := &fake{run: func(ctx context.Context, _ core.RunRequest) (*core.Outcome, error) {
		close(began)
		<-ctx.Done()
		return &core.Outcome{Status: "error", ErrorType: engine.ErrorCancelled, Error: context.Cause(ctx).Error()}, nil
	}}
	dir, _ := serve(t, f)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-began
		cancel(errTest)
	}()
	out, err := guest(t, dir, here).Run(ctx, core.RunRequest{Code: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if out.ErrorType != engine.ErrorCancelled || out.Error != errTest.Error() {
		t.Errorf("got %+v, want the cancelled outcome with its cause", out)
	}
}

func TestRunThatIsCancelledBeforeItBegan(t *testing.T) {
	t.Parallel()
	f := &fake{run: func(ctx context.Context, _ core.RunRequest) (*core.Outcome, error) {
		<-ctx.Done()
		return completed("x"), nil
	}}
	dir, _ := serve(t, f)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTest)
	if out, err := guest(t, dir, here).Run(ctx, core.RunRequest{Code: "1"}); err != nil || out.ExecutionID != "x" {
		t.Errorf("got %v, %v, want the run's outcome", out, err)
	}
}

func TestWaitingEndsWithItsContextAndThePassGoesOn(t *testing.T) {
	t.Parallel()
	began, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	f := &fake{approve: func(ctx context.Context, _ core.ApproveRequest) (*core.Outcome, error) {
		close(began)
		<-end
		ended <- ctx.Err()
		return completed("x"), nil
	}}
	dir, _ := serve(t, f)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-began
		cancel(errTest)
	}()
	if _, err := guest(t, dir, here).Approve(ctx, core.ApproveRequest{}); !errors.Is(err, errTest) {
		t.Errorf("got %v, want the context's cause", err)
	}
	close(end)
	if err := receive(t, ended); err != nil {
		t.Errorf("the guest's leaving ended the host's context: %v", err)
	}
}
