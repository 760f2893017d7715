package sandbox

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core/program"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// body makes a program of the statements of an async function.
func body(text string) *program.Program {
	return &program.Program{JS: "(async function (input, env) {'use strict';" + text + "\n})"}
}

// spec is a specification with two connectors and no limits.
func spec(text string) Spec {
	return Spec{
		Program: body(text),
		Seed:    []byte("seed"),
		Start:   epoch,
		Namespaces: []Namespace{
			{Name: "files", Methods: []string{"read", "write", "delete"}},
			{Name: "tracker", Methods: []string{"list_issues", "create_issue"}},
		},
	}
}

// host answers a program's calls, in the order of their issue, one a turn.
type host struct {
	t       testing.TB
	session Session
	answer  func(Call) (value string, failure *Error)

	now      time.Time
	open     []Completion
	recorded []Completion // as delivered
	calls    []Call
	lines    []Line
	result   *Result
	last     Turn
}

func start(t testing.TB, sp Spec) *host {
	t.Helper()
	s, err := New().Start(context.Background(), sp)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &host{t: t, session: s, now: sp.Start, answer: echo}
}

// echo answers a call with its arguments.
func echo(c Call) (string, *Error) { return string(c.Args), nil }

// resume delivers and takes note of the turn.
func (h *host) resume(completions ...Completion) Turn {
	h.t.Helper()
	turn, err := h.session.Resume(context.Background(), completions)
	if err != nil {
		h.t.Fatalf("Resume: %v", err)
	}
	h.recorded = append(h.recorded, completions...)
	h.calls = append(h.calls, turn.Calls...)
	h.lines = append(h.lines, turn.Console...)
	if turn.Result != nil {
		h.result = turn.Result
	}
	for _, c := range turn.Calls {
		h.take(c)
	}
	for _, st := range turn.Steps {
		h.open = append(h.open, h.outcome(st))
	}
	for _, seq := range turn.Cleared {
		h.drop(seq)
	}
	h.last = turn
	return turn
}

func (h *host) take(c Call) {
	if c.Connector == Platform && c.Method == MethodStep {
		return
	}
	done := completion(c)
	if c.Method == MethodTimer {
		h.open = append(h.open, done)
		return
	}
	value, failure := h.answer(c)
	if done.Error = failure; failure == nil && value != "" {
		done.Value = []byte(value)
	}
	h.open = append(h.open, done)
}

func completion(c Call) Completion {
	return Completion{Seq: c.Seq, Connector: c.Connector, Method: c.Method, Digest: c.Digest}
}

func (h *host) outcome(st StepResult) Completion {
	for _, c := range h.calls {
		if c.Seq == st.Seq {
			done := completion(c)
			done.Value, done.Error = st.Value, st.Error
			return done
		}
	}
	h.t.Fatalf("step %s was never issued", st.Seq)
	return Completion{}
}

func (h *host) drop(seq string) {
	for i, c := range h.open {
		if c.Seq == seq {
			h.open = append(h.open[:i:i], h.open[i+1:]...)
			return
		}
	}
}

// next delivers the oldest outstanding outcome.
func (h *host) next() Turn {
	h.t.Helper()
	done := h.open[0]
	h.open = h.open[1:]
	h.now = h.now.Add(time.Second)
	done.At = h.now
	return h.resume(done)
}

// finish drives the program until nothing is outstanding.
func (h *host) finish() *host {
	h.t.Helper()
	h.resume()
	for len(h.open) > 0 && h.last.Diverged == nil && h.last.Exceeded == nil {
		h.next()
	}
	return h
}

// replay delivers what was recorded in one turn.
func (h *host) replay(recorded []Completion) *host {
	h.t.Helper()
	h.resume(recorded...)
	return h
}

// run drives a program to its end.
func run(t testing.TB, text string) *host {
	t.Helper()
	return start(t, spec(text)).finish()
}

// value returns the result, which must be one.
func (h *host) value() string {
	h.t.Helper()
	if h.result == nil {
		h.t.Fatalf("the program has not ended: %+v", h.last)
	}
	if h.result.Error != nil {
		h.t.Fatalf("the program failed: %+v", h.result.Error)
	}
	if h.result.Value == nil {
		return "undefined"
	}
	if !json.Valid(h.result.Value) {
		h.t.Fatalf("the result is not JSON: %s", h.result.Value)
	}
	return string(h.result.Value)
}

// failure returns the error that the program ended with.
func (h *host) failure() *Error {
	h.t.Helper()
	if h.result == nil || h.result.Error == nil {
		h.t.Fatalf("the program did not fail: %+v %+v", h.result, h.last)
	}
	return h.result.Error
}

func (h *host) console() string {
	var b strings.Builder
	for _, l := range h.lines {
		b.WriteString(l.Level + " " + l.Text + "\n")
	}
	return b.String()
}

// issued lists the calls as text.
func (h *host) issued() string {
	var b strings.Builder
	for _, c := range h.calls {
		b.WriteString(c.Seq + " " + c.Connector + "." + c.Method + " " + string(c.Args) + "\n")
	}
	return b.String()
}
