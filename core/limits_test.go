package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// blobs is a connector of large values.
func blobs(log *[]string) *sdk.Connector {
	type size struct {
		N int `json:"n"`
	}
	return &sdk.Connector{Name: "blobs", Version: "1", Methods: []sdk.Method{
		sdk.Func[size, string]{Name: "read", Description: "Read n characters.", ReadOnly: true, Call: func(_ context.Context, in size) (string, error) {
			return strings.Repeat("é", in.N), nil
		}},
		sdk.Func[size, string]{
			Name: "write", Description: "Write, and say so in n characters.", Approval: sdk.NotRequired, RevertWithoutResult: true,
			Call: func(_ context.Context, in size) (string, error) {
				*log = append(*log, "write")
				return strings.Repeat("é", in.N), nil
			},
			Revert: func(context.Context, size, string) error {
				*log = append(*log, "undo")
				return nil
			},
		},
		sdk.Func[struct{}, struct{}]{Name: "ask", Description: "Ask a person.", Approval: sdk.Required, Call: func(context.Context, struct{}) (struct{}, error) {
			return struct{}{}, nil
		}},
	}}
}

func newBlobs(t *testing.T, log *[]string) *core.Host {
	t.Helper()
	c, err := blobs(log).InProcess()
	if err != nil {
		t.Fatal(err)
	}
	h, err := core.New(context.Background(), core.Options{Connectors: []core.Connector{{Label: "blobs", Connector: c}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func TestTooLargeResults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		code    string
		state   string
		effects string
	}{
		"a read":  {`await blobs.read({n: 1_000_001})`, "failed", ""},
		"a write": {`try { await blobs.write({n: 1_000_001}) } catch {} await blobs.write({n: 1})`, "applied", "write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log []string
			h := newBlobs(t, &log)
			out, err := h.Run(ctx, core.RunRequest{Code: test.code})
			if err != nil {
				t.Fatal(err)
			}
			if out.Status != "error" || out.ErrorType != engine.ErrorLimit || !strings.Contains(out.Error, "too large to record durably") {
				t.Fatalf("%s %s %s", out.Status, out.ErrorType, out.Error)
			}
			if len(out.Calls) != 1 || out.Calls[0].State != test.state || out.Calls[0].Result != nil {
				t.Errorf("calls %+v", out.Calls)
			}
			if got := strings.Join(log, " "); got != test.effects {
				t.Errorf("effects %q", got)
			}
			r, err := h.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID})
			if err != nil || r.Changed != (test.effects != "") {
				t.Errorf("rollback %+v, %v", r, err)
			}
		})
	}
}

func TestTooLargeFinalResultReachesTheCaller(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	out, err := h.Run(ctx, core.RunRequest{Code: `const a = await blobs.read({n: 600_000}); return [a, a]`})
	if err != nil || out.Status != "completed" || len(out.Result) < 2_000_000 {
		t.Fatalf("%v, %s, %d bytes: %s", err, out.Status, len(out.Result), out.Error)
	}
	if !strings.Contains(strings.Join(out.Logs, "\n"), "omitted from the audit trail") {
		t.Errorf("logs %q", out.Logs)
	}
	d, err := h.Show(ctx, out.ExecutionID)
	if err != nil || d.Outcome.Status != "completed" || d.Outcome.Result != nil {
		t.Errorf("the record has %+v, %v", d.Outcome, err)
	}
}

// A replay of more than one window comes to the same.
func TestReplayInWindows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	out, err := h.Run(ctx, core.RunRequest{Code: `
		let n = 0;
		for (let i = 0; i < 24; i++) n += (await blobs.read({n: 400_000 + i})).length;
		await blobs.ask();
		return n`})
	if err != nil || out.Status != "paused" {
		t.Fatalf("%v, %+v", err, out)
	}
	done, err := h.Approve(ctx, core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
	if err != nil || done.Status != "completed" || string(done.Result) != "9600276" {
		t.Fatalf("%v, %s %s %s", err, done.Status, done.Result, done.Error)
	}
}

func TestTooLargeSource(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	out, err := h.Run(ctx, core.RunRequest{Code: "//" + strings.Repeat("x", core.DefaultSource)})
	if err != nil || out.ErrorType != engine.ErrorLimit || !strings.Contains(out.Error, "too large") {
		t.Fatalf("%v, %+v", err, out)
	}
	p, err := h.Executions(ctx, core.ListRequest{})
	if err != nil || len(p.Executions) != 0 {
		t.Errorf("something was recorded: %+v, %v", p, err)
	}
}

func TestCompileErrorStartsNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	out, err := h.Run(ctx, core.RunRequest{Code: "await blobs.read({n: 1})\nconst x = ;\n"})
	if err != nil || out.ErrorType != engine.ErrorCompile || out.ErrorDetail.Line != 2 {
		t.Fatalf("%v, %+v %+v", err, out, out.ErrorDetail)
	}
}

func TestToolTakesOneString(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	tool := h.Tool(ctx)
	if tool.Name != "codemode" || !strings.Contains(tool.Description, "blobs") {
		t.Errorf("tool %+v", tool)
	}
	for args, want := range map[string]string{
		`{"code": "return await blobs.read({n: 2})"}`: "completed",
		`{"code": 1}`: "error",
		`{}`:          "error",
		`[]`:          "error",
	} {
		out, err := h.Call(ctx, json.RawMessage(args), core.RunRequest{})
		if err != nil || out.Status != want || out.Calls != nil {
			t.Errorf("%s: %+v, %v", args, out, err)
		}
	}
}

func TestInputAndCallerArePinned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	out, err := h.Run(ctx, core.RunRequest{
		Code: `async (input) => { await blobs.ask(); return [input, Object.keys(codemode)] }`, Input: json.RawMessage(`{"a":[1,"ü"]}`),
		Caller: "release-bot", Labels: map[string]string{"team": "core"}, Task: "T-1",
	})
	if err != nil || out.Status != "paused" {
		t.Fatalf("%v, %+v", err, out)
	}
	done, err := h.Approve(ctx, core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
	if err != nil || string(done.Result) != `[{"a":[1,"ü"]},["search","describe","step","run"]]` {
		t.Fatalf("%v, %s %s", err, done.Result, done.Error)
	}
	d, err := h.Show(ctx, out.ExecutionID)
	if err != nil || d.Caller != "release-bot" || d.Labels["team"] != "core" || d.Task != "T-1" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestConsoleKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	c, err := blobs(new([]string)).InProcess()
	if err != nil {
		t.Fatal(err)
	}
	limits := core.DefaultLimits
	limits.Sandbox.Console = 1000
	h, err := core.New(context.Background(), core.Options{Limits: limits, Connectors: []core.Connector{{Label: "blobs", Connector: c}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	out, err := h.Run(context.Background(), core.RunRequest{Code: `
		for (let i = 0; i < 100; i++) { console.log("line " + i + " " + "x".repeat(30)); await blobs.read({n: 1}) }
		return "done"`})
	if err != nil || out.Status != "completed" {
		t.Fatalf("%v, %+v", err, out)
	}
	text := strings.Join(out.Logs, "\n")
	if len(text) > 1200 || !strings.Contains(out.Logs[0], "dropped") || !strings.Contains(text, "line 99") || strings.Contains(text, "line 1 ") {
		t.Errorf("%d bytes: %q", len(text), out.Logs)
	}
}

func TestWhatTheModelSees(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newBlobs(t, new([]string))
	args := json.RawMessage(`{"code": "const a = await blobs.read({n: 60000}); return {title: \"t\", a}"}`)
	out, err := h.Call(ctx, args, core.RunRequest{})
	if err != nil || !json.Valid(out.Result) || len([]rune(string(out.Result))) > 24_000 {
		t.Fatalf("%v, %d bytes, %s", err, len(out.Result), out.Error)
	}
	if last := out.Logs[len(out.Logs)-1]; !strings.Contains(last, "shortened") || !strings.Contains(last, out.ExecutionID) {
		t.Errorf("logs %q", out.Logs)
	}
	d, err := h.Show(ctx, out.ExecutionID)
	if err != nil || len([]rune(string(d.Outcome.Result))) < 60_000 {
		t.Errorf("the journal keeps %d bytes, %v", len(d.Outcome.Result), err)
	}
}
