package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
)

func TestExitCodeOfOutcomes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		outcome core.Outcome
		want    int
	}{
		"completed": {core.Outcome{Status: "completed"}, 0},
		"error":     {core.Outcome{Status: "error", ErrorType: engine.ErrorRuntime}, 1},
		"compile":   {core.Outcome{Status: "error", ErrorType: engine.ErrorCompile}, 1},
		"paused":    {core.Outcome{Status: "paused"}, 3},
		"unchanged": {core.Outcome{Status: "error", ErrorType: engine.ErrorState}, 4},
	} {
		s := newStage(&service{resume: func(string) (*core.Outcome, error) { return &tc.outcome, nil }})
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.does(t, tc.want, "resume", "x1")
		})
	}
}

func TestUsageIsCheckedBeforeTheHostIsOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "p.js")
	object := filepath.Join(dir, "o.json")
	for path, text := range map[string]string{program: "1", object: "{}"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"nonsense", "run", "run a b", "run " + program + " --input {", "run " + program + " --input @" + dir + "/none",
		"run " + program + " --ask reads", "run " + program + " --label x", "run " + program + " --label a=1 --label a=2",
		"run " + dir + "/none.js", "approve", "approve x --all 1", "approve x --all --digest 1=ab", "approve x --digest 1",
		"reject x 1", "reject x --note n", "settle x 1", "settle x 1 --again --end", "settle x 1 --result {",
		"resume", "resume x --all", "rollback", "rollback x --dry-run --note n", "executions --status done", "executions --limit 0", "show", "describe",
		"pending a b", "version x", "--bogus",
		"approve x --args -", "approve x 1 2 --args -", "approve x 1 --args - --all", "approve x 1 --args " + dir + "/none",
		"approve x 1 --args -", "approve x 1 --args " + program, "approve x 1 --args " + object + " --digest 2=ab",
		"snippets x", "snippets show", "snippets show n --version -1", "snippets save n", "snippets save n x --input-schema -",
		"snippets delete", "expire x", "expire --age 0s", "expire --age soon", "search x --limit 0", "search x --limit 51", "prune --keep -1", "delete", "fmt x",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{})
			s.does(t, 2, strings.Fields(line)...)
			if s.opened > 0 || s.err.Len() == 0 || s.out.Len() > 0 {
				t.Errorf("opened %d times, stderr %q, stdout %q", s.opened, &s.err, &s.out)
			}
		})
	}
}

func TestRunRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program, input := write("p.ts", "return 1 < 2"), write("in.json", ` {"a": 1}`)
	for name, tc := range map[string]struct {
		args []string
		want core.RunRequest
	}{
		"plain": {[]string{program}, core.RunRequest{Code: "return 1 < 2", Caller: "ada"}},
		"stdin": {[]string{"-"}, core.RunRequest{Code: "typed", Caller: "ada"}},
		"all": {[]string{program, "--input", `null`, "--caller", "bot", "--label", "a=1,b=2", "--label", "c==", "--task", "T", "--ask", "writes"},
			core.RunRequest{
				Code: "return 1 < 2", Input: json.RawMessage("null"), Caller: "bot", Task: "T", AskWrites: true,
				Labels: map[string]string{"a": "1,b=2", "c": "="},
			}},
		"input of a file": {[]string{program, "--input", "@" + input}, core.RunRequest{Code: "return 1 < 2", Input: json.RawMessage(` {"a": 1}`), Caller: "ada"}},
		"input of stdin":  {[]string{program, "--input", "@-"}, core.RunRequest{Code: "return 1 < 2", Input: json.RawMessage("17"), Caller: "ada"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got core.RunRequest
			s := newStage(&service{run: func(_ context.Context, r core.RunRequest) (*core.Outcome, error) {
				got = r
				return completed(), nil
			}})
			s.in = strings.NewReader("typed")
			if name == "input of stdin" {
				s.in = strings.NewReader("17")
			}
			s.does(t, 0, append([]string{"run"}, tc.args...)...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			says(t, &s.out, "Execution x1 completed.")
		})
	}
}

// waiting is an execution with a call of each kind.
func waiting() []core.Pending {
	return []core.Pending{
		{ExecutionID: "x1", Seq: "1", Connector: "tracker", Method: "create", Args: json.RawMessage(`{"title":"<a>\u001b"}`), Kind: "approval", Digest: "d1", Revertible: true},
		{ExecutionID: "x1", Seq: "2", Connector: "tracker", Method: "merge", Args: json.RawMessage(`{}`), Kind: "approval", Digest: "d2"},
		{ExecutionID: "x1", Seq: "10", Connector: "tracker", Method: "close", Args: json.RawMessage(`{}`), Kind: "in_doubt", Settle: []string{"again", "done", "not_done", "end"}},
	}
}

func paused() *core.Outcome {
	return &core.Outcome{Status: "paused", ExecutionID: "x1", Pending: waiting(), Logs: []string{"thinking"}}
}

func TestPausedRunTellsProgramsNoCommandThatApproves(t *testing.T) {
	t.Parallel()
	host := &service{run: func(context.Context, core.RunRequest) (*core.Outcome, error) { return paused(), nil }}
	for name, args := range map[string][]string{"json": {"--json"}, "piped": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(host)
			s.page.Advice = name == "json" // which JSON must not heed
			s.does(t, 3, append([]string{"run", "-"}, args...)...)
			for _, word := range []string{"codemode approve", "codemode settle", "unattended"} {
				if strings.Contains(s.out.String()+s.err.String(), word) {
					t.Errorf("%q is in\n%s%s", word, &s.out, &s.err)
				}
			}
			says(t, &s.out, "tracker", "merge", "thinking")
		})
	}
	s := newStage(host)
	s.page.Advice = true
	s.does(t, 3, "run", "-")
	says(t, &s.out, "codemode approve x1", "codemode settle x1 10", "irreversible")
}

func TestJSONIsOneDocument(t *testing.T) {
	t.Parallel()
	s := newStage(&service{run: func(context.Context, core.RunRequest) (*core.Outcome, error) { return paused(), nil }})
	s.does(t, 3, "run", "-", "--json")
	var got core.Outcome
	if err := json.Unmarshal(s.out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, &s.out)
	}
	for i, p := range got.Pending {
		var args bytes.Buffer
		if err := json.Compact(&args, p.Args); err != nil {
			t.Fatal(err)
		}
		got.Pending[i].Args = args.Bytes()
	}
	if diff := cmp.Diff(paused(), &got); diff != "" {
		t.Error(diff)
	}
	if s.err.Len() > 0 {
		t.Errorf("stderr: %s", &s.err)
	}
}

func TestErrorsOfTheHost(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		code int
	}{
		"not found": {&core.NotFoundError{ID: "x1"}, 4},
		"mismatch":  {&control.MismatchError{Holder: control.Holder{PID: 12, Identity: control.Identity{Config: "/a.hcl"}}, Guest: control.Holder{Identity: control.Identity{Config: "/b.hcl"}}}, 2},
		"controls":  {errors.New("bad\x1b[2J"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{show: func(string) (*core.Detail, error) { return nil, tc.err }})
			s.does(t, tc.code, "show", "x1")
			says(t, &s.err, "codemode: ")
			if strings.Contains(s.err.String(), "\x1b") {
				t.Errorf("not safe: %q", &s.err)
			}
		})
	}
}

func TestReject(t *testing.T) {
	t.Parallel()
	want := core.RejectRequest{ExecutionID: "x1", Seq: "4.0", Decider: core.Decider{By: "ada", Via: "command", Note: "no"}}
	for name, tc := range map[string]struct {
		args    []string
		changed bool
		code    int
	}{
		"ends it":     {nil, true, 0},
		"ends none":   {nil, false, 4},
		"tells on":    {[]string{"--continue"}, false, 0},
		"JSON answer": {[]string{"--json"}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got core.RejectRequest
			s := newStage(&service{
				reject: func(r core.RejectRequest) (*core.Reply, error) {
					got = r
					return &core.Reply{ExecutionID: "x1", Status: "rejected", Changed: tc.changed, Message: "told"}, nil
				},
				refuse: func(r core.RejectRequest) (*core.Outcome, error) { got = r; return completed(), nil },
			})
			s.does(t, tc.code, append([]string{"reject", "x1", "4.0", "--note", "no"}, tc.args...)...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecidingNeedsATerminal(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"approve x1", "approve x1 --all", "approve x1 --digest 1=d1", "settle x1 10 --again", "rollback x1", "snippets save n x1"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{}) // to be asked nothing
			s.does(t, 2, strings.Fields(line)...)
			says(t, &s.err, "needs a person at a terminal")
			if strings.Contains(s.err.String(), "unattended") {
				t.Errorf("it says how to do without a person: %s", &s.err)
			}
		})
	}
}

func TestApproveUnattended(t *testing.T) {
	t.Parallel()
	by := core.Decider{By: "ada", Via: "command", Note: "n"}
	for name, tc := range map[string]struct {
		args []string
		want core.ApproveRequest
	}{
		"all":     {[]string{"--all"}, core.ApproveRequest{ExecutionID: "x1", All: true, Decider: by}},
		"digests": {[]string{"--digest", "10=ab", "--digest", "2=cd"}, core.ApproveRequest{ExecutionID: "x1", Calls: []core.Shown{{Seq: "2", Digest: "cd"}, {Seq: "10", Digest: "ab"}}, Decider: by}},
		"edited": {[]string{"2", "--args", "-", "--digest", "2=cd"}, core.ApproveRequest{
			ExecutionID: "x1", Calls: []core.Shown{{Seq: "2", Digest: "cd", Args: json.RawMessage(`{"n":1.10}`)}}, Decider: by,
		}},
		"seqs with digests": {[]string{"2", "--digest", "2=cd"}, core.ApproveRequest{
			ExecutionID: "x1", Calls: []core.Shown{{Seq: "2", Digest: "cd"}}, Decider: by,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got core.ApproveRequest
			s := newStage(&service{approve: func(_ context.Context, r core.ApproveRequest) (*core.Outcome, error) {
				got = r
				return completed(), nil
			}})
			s.in = strings.NewReader(" {\"n\": 1.10}\n")
			s.unattended = true
			s.does(t, 0, append([]string{"approve", "x1", "--note", "n"}, tc.args...)...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, line := range []string{"approve x1", "approve x1 1", "approve x1 1 --args -", "approve x1 1 2 --digest 1=d1"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{})
			s.in = strings.NewReader("{}")
			s.unattended = true
			s.does(t, 2, strings.Fields(line)...)
			says(t, &s.err, "--digest SEQ=HEX")
		})
	}
}

// passes tells an execution that has gone one pass further each time.
func passes() func(string) (*core.Detail, error) {
	n := 0
	return func(id string) (*core.Detail, error) {
		n++
		return &core.Detail{ID: id, Status: "completed", Passes: n}, nil
	}
}

// TestSettleWhatOnlyInforms settles where no pass follows: what the execution once came to is not the command's outcome.
func TestSettleWhatOnlyInforms(t *testing.T) {
	t.Parallel()
	recorded := func(status string) *core.Outcome {
		return &core.Outcome{Status: status, ExecutionID: "x1", Changed: true, Message: "Recorded, and nothing was run: call 3 settled."}
	}
	failed := &core.Outcome{Status: "error", ErrorType: engine.ErrorRuntime, ExecutionID: "x1", Error: "no"}
	for name, tc := range map[string]struct {
		out  *core.Outcome
		code int
		says []string
	}{
		"an ended one":        {recorded("error"), 0, []string{"Execution x1 ended in error.", "Recorded, and nothing was run"}},
		"a revert":            {recorded("paused"), 0, []string{"Execution x1 is paused.", "Recorded, and nothing was run"}},
		"a pass that fails":   {failed, 1, []string{"ended in error (runtime)"}},
		"a pass that pauses":  {paused(), 3, []string{"Execution x1 is paused."}},
		"what is not settled": {engine.StateError("x1", "It is applied, not in_doubt."), 4, []string{"Nothing was changed."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{settle: func(core.SettleRequest) (*core.Outcome, error) { return tc.out, nil }})
			s.unattended = true
			s.does(t, tc.code, "settle", "x1", "3", "--not-done")
			says(t, &s.out, tc.says...)
		})
	}
}

func TestSettleUnattended(t *testing.T) {
	t.Parallel()
	by := core.Decider{By: "ada", Via: "command"}
	for flag, want := range map[string]core.SettleRequest{
		"--again":            {How: core.SettleAgain},
		"--not-done":         {How: core.SettleNotDone},
		"--end":              {How: core.SettleEnd},
		"--result=undefined": {How: core.SettleDone},
		"--result=null":      {How: core.SettleDone, Result: json.RawMessage("null")},
		`--result={"a":1}`:   {How: core.SettleDone, Result: json.RawMessage(`{"a":1}`)},
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			var got core.SettleRequest
			s := newStage(&service{
				show:   passes(),
				settle: func(r core.SettleRequest) (*core.Outcome, error) { got = r; return completed(), nil },
			})
			s.unattended = true
			s.does(t, 0, "settle", "x1", "10", flag)
			want.ExecutionID, want.Seq, want.Decider = "x1", "10", by
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResumeAll(t *testing.T) {
	t.Parallel()
	failed := &core.Outcome{Status: "error", ErrorType: engine.ErrorRuntime, ExecutionID: "x2", Error: "no"}
	for name, tc := range map[string]struct {
		list []*core.Outcome
		want int
	}{
		"nothing":        {nil, 0},
		"done":           {[]*core.Outcome{completed()}, 0},
		"one paused":     {[]*core.Outcome{completed(), paused(), completed()}, 3},
		"one failed":     {[]*core.Outcome{failed, paused()}, 1},
		"a failed later": {[]*core.Outcome{paused(), failed}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{resumeAll: func() ([]*core.Outcome, error) { return tc.list, nil }})
			s.does(t, tc.want, "resume", "--all", "--json")
			var got []core.Outcome
			if err := json.Unmarshal(s.out.Bytes(), &got); err != nil || len(got) != len(tc.list) || got == nil {
				t.Errorf("%v in %s", err, &s.out)
			}
		})
	}
}

// What could be resumed is told also where something else could not.
func TestResumeAllBesideAnError(t *testing.T) {
	t.Parallel()
	s := newStage(&service{resumeAll: func() ([]*core.Outcome, error) {
		return []*core.Outcome{completed()}, errors.New("x9 cannot be read")
	}})
	s.does(t, exitUsage, "resume", "--all")
	says(t, &s.out, "Execution x1 completed.")
	says(t, &s.err, "x9 cannot be read")
}

func TestInterruptOfResumeAllCancelsNothing(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancelCause(t.Context())
	s := newStage(&service{resumeAll: func() ([]*core.Outcome, error) {
		interrupt(errInterrupted)
		return nil, ctx.Err()
	}})
	if code := s.run(ctx, []string{"resume", "--all"}); code != exitUsage || len(s.cancelled) > 0 {
		t.Errorf("exit code %d, cancelled %v", code, s.cancelled)
	}
	says(t, &s.err, errInterrupted.Error(), "stays running")
}

func TestRollbackUnattended(t *testing.T) {
	t.Parallel()
	rec := []engine.RevertRecord{{Seq: "1", Connector: "c", Method: "m"}}
	for name, tc := range map[string]struct {
		account core.Rollback
		want    int
	}{
		"all reverted": {core.Rollback{Changed: true, Reverted: rec, Status: "rolled_back"}, 0},
		"one failed":   {core.Rollback{Changed: true, Reverted: rec, Failed: rec}, 1},
		"in doubt":     {core.Rollback{InDoubt: rec}, 1},
		"nothing":      {core.Rollback{NoRevert: rec, Status: "completed"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got core.RollbackRequest
			s := newStage(&service{rollback: func(r core.RollbackRequest) (*core.Rollback, error) { got = r; return &tc.account, nil }})
			s.unattended = true
			s.does(t, tc.want, "rollback", "x1", "--note", "n")
			want := core.RollbackRequest{ExecutionID: "x1", Decider: core.Decider{By: "ada", Via: "command", Note: "n"}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			says(t, &s.out, "[1] c.m")
		})
	}
}

func TestRollbackDryRunAsksNobody(t *testing.T) {
	t.Parallel()
	rec := []engine.RevertRecord{{Seq: "1", Connector: "c", Method: "m"}}
	for name, tc := range map[string]struct {
		plan core.Rollback
		want int
		says string
	}{
		"something": {core.Rollback{Status: "completed", Message: "1 call", Reverted: rec}, 0, "Would be reverted"},
		"nothing":   {core.Rollback{Status: "completed", NoRevert: rec}, 4, "Would stay as it is"},
		"unknown":   {core.Rollback{Message: "There is none."}, 4, "There is none."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got core.RollbackRequest
			s := newStage(&service{rollback: func(r core.RollbackRequest) (*core.Rollback, error) { got = r; return &tc.plan, nil }})
			s.does(t, tc.want, "rollback", "x1", "--dry-run")
			if diff := cmp.Diff(core.RollbackRequest{ExecutionID: "x1", DryRun: true}, got); diff != "" {
				t.Error(diff)
			}
			says(t, &s.out, tc.says)
		})
	}
}

func TestReadingCommands(t *testing.T) {
	t.Parallel()
	var list core.ListRequest
	var query catalog.Query
	var pendingOf string
	host := &service{
		pending:    func(id string) ([]core.Pending, error) { pendingOf = id; return nil, nil },
		executions: func(r core.ListRequest) (*core.Page, error) { list = r; return &core.Page{}, nil },
		show: func(id string) (*core.Detail, error) {
			return &core.Detail{ID: id, Status: "completed", Source: "1 + 1", Outcome: completed()}, nil
		},
		search: func(q catalog.Query) (*catalog.Results, error) { query = q; return &catalog.Results{}, nil },
		describe: func(target string) (*catalog.Description, error) {
			d := &catalog.Description{Path: target, Kind: catalog.KindMethod}
			if target == "nothing" {
				d.Kind = catalog.KindUnknown
			}
			return d, nil
		},
	}
	for line, tc := range map[string]struct {
		code int
		says string
	}{
		"executions --status paused,error --limit 3 --cursor c": {0, "no executions"},
		"executions --json":                  {0, `"executions": []`},
		"pending x1":                         {0, "Nothing waits"},
		"pending x1 --json":                  {0, "[]"},
		"show x1":                            {0, "1 + 1"},
		"search open an issue --connector c": {0, "Nothing was found."},
		"describe c.m":                       {0, "c.m (method)"},
		"describe nothing":                   {4, "nothing (unknown)"},
		"version":                            {0, "connector protocol 1"},
		"version --json":                     {0, `"controlProtocol": 5`},
	} {
		s := newStage(host)
		s.does(t, tc.code, strings.Fields(line)...)
		says(t, &s.out, tc.says)
		switch {
		case strings.HasPrefix(line, "executions --status"):
			if diff := cmp.Diff(core.ListRequest{Statuses: []string{"paused", "error"}, Limit: 3, Cursor: "c"}, list); diff != "" {
				t.Error(diff)
			}
		case strings.HasPrefix(line, "search"):
			if diff := cmp.Diff(catalog.Query{Text: "open an issue", Connector: "c", Limit: 10}, query); diff != "" {
				t.Error(diff)
			}
		case strings.HasPrefix(line, "pending") && pendingOf != "x1":
			t.Errorf("asked for %q", pendingOf)
		}
	}
}

func TestInterruptCancelsTheExecution(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancelCause(t.Context())
	s := newStage(nil)
	told := make(chan struct{})
	host := &service{approve: func(ctx context.Context, _ core.ApproveRequest) (*core.Outcome, error) {
		interrupt(errInterrupted)
		<-told
		if ctx.Err() != nil {
			t.Error("the interrupt ended the waiting for the outcome")
		}
		return &core.Outcome{Status: "error", ErrorType: engine.ErrorCancelled, ExecutionID: "x1"}, nil
	}}
	s.unattended = true
	open := s.open
	s.open = func(ctx context.Context) (*session, error) {
		session, err := open(ctx)
		session.service = host
		cancel := session.cancel
		session.cancel = func(ctx context.Context, id string, cause error) (bool, error) {
			defer close(told)
			return cancel(ctx, id, cause)
		}
		return session, err
	}
	if code := s.run(ctx, []string{"approve", "x1", "--all"}); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if diff := cmp.Diff([]string{"x1: " + errInterrupted.Error()}, s.cancelled); diff != "" {
		t.Error(diff)
	}
	says(t, &s.err, "Cancelling.")
}

func TestAskAgainWhereTheHolderIsGone(t *testing.T) {
	t.Parallel()
	asked := 0
	first := &service{pending: func(string) ([]core.Pending, error) { asked++; return nil, control.ErrNoHolder }}
	second := &service{pending: func(string) ([]core.Pending, error) { asked++; return waiting(), nil }}
	s := &session{service: first}
	s.again = func(context.Context) error { s.service = second; return nil }
	list, err := pendingOf(t.Context(), s, "")
	if err != nil || len(list) != 3 || asked != 2 {
		t.Errorf("%d asked, %v, %v", asked, list, err)
	}
}
