package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

func TestMain(m *testing.M) {
	if IsChild() {
		beChild(broken{sandbox.New()})
	}
	Main()
	goleak.VerifyTestMain(m)
}

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// limits are smaller than a host's, so that breaking them takes little time.
var limits = sandbox.Limits{
	CPU: time.Second, ReplayCPU: 2 * time.Second, Memory: 128 << 20, Calls: 1000, Console: 64 << 10,
	Stack: 5000, Timers: 100, Sleep: time.Minute, Value: 1_000_000,
}

func open(t testing.TB, o Options) *Pool {
	t.Helper()
	o.Limits = limits
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	p.grace = 300 * time.Millisecond
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

var namespaces = []sandbox.Namespace{{Name: "files", Methods: []string{"read", "write"}}}

// begin compiles a program and starts a session of it.
func begin(t testing.TB, s sandbox.Sandbox, text string) sandbox.Session {
	t.Helper()
	p, err := s.Compile(t.Context(), program.Source{Text: text, Namespaces: map[string][]string{"files": {"read", "write"}}})
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	session, err := s.Start(t.Context(), sandbox.Spec{Program: p, Seed: []byte("seed"), Start: epoch, Namespaces: namespaces, Limits: limits})
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// complete runs a session to its end; every call is answered with its arguments, one a turn.
func complete(t testing.TB, s sandbox.Session) sandbox.Turn {
	t.Helper()
	var open []sandbox.Call
	var next []sandbox.Completion
	for at := epoch; ; at = at.Add(time.Second) {
		turn, err := s.Resume(t.Context(), next)
		if err != nil {
			t.Fatalf("Resume: %v", err)
		}
		if turn.Result != nil || turn.Exceeded != nil || turn.Diverged != nil {
			return turn
		}
		if open = append(open, turn.Calls...); len(open) == 0 {
			t.Fatal("the program waits for nothing")
		}
		c := open[0]
		open = open[1:]
		next = []sandbox.Completion{{Seq: c.Seq, Connector: c.Connector, Method: c.Method, At: at, Value: c.Args}}
	}
}

func value(t testing.TB, turn sandbox.Turn) string {
	t.Helper()
	switch {
	case turn.Exceeded != nil:
		return "exceeded " + turn.Exceeded.Limit
	case turn.Diverged != nil:
		return fmt.Sprintf("diverged %+v", turn.Diverged)
	case turn.Result == nil:
		return "no result"
	case turn.Result.Error != nil:
		return turn.Result.Error.Name + ": " + turn.Result.Error.Message
	}
	return string(turn.Result.Value)
}

func TestProgramsRun(t *testing.T) {
	p := open(t, Options{})
	for range 2 { // the same children again
		for text, want := range map[string]string{
			"return 1 + 1": "2",
			"return (await Promise.all([1, 2, 3].map(i => files.read({ i })))).map(r => r.i)": "[1,2,3]",
			"throw new TypeError('no')": "TypeError: no",
			"while (true) {}":           "exceeded cpu",
			"globalThis.seen = (globalThis.seen ?? 0) + 1; return seen": "1",
		} {
			if got := value(t, complete(t, begin(t, p, text))); got != want {
				t.Errorf("%s\n got %s\nwant %s", text, got, want)
			}
		}
	}
}

func TestCompileFault(t *testing.T) {
	p := open(t, Options{})
	_, err := p.Compile(t.Context(), program.Source{Text: "const a = 1\nconst b = (2"})
	var fault *program.Error
	if !errors.As(err, &fault) || fault.Line != 2 {
		t.Fatalf("got %v, want a fault on line 2", err)
	}
}

// TestWalls: what ends a process, or cannot be interrupted, is told as the limit that it broke. There are many more of
// these in natives.
func TestWalls(t *testing.T) {
	p := open(t, Options{})
	for name, tc := range map[string]struct{ text, limit, message string }{
		"memory": {"return new Uint8Array(4e9).length", "memory", "far more memory than the 128 MiB"},
		"cpu":    {"return /^(?=(a+)+$)/.test('a'.repeat(40) + 'b')", "cpu", "more than 1s of computing time in one operation"},
		"frames": {"function f() { f() } f()", "stack", "more than 5000 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := complete(t, begin(t, p, tc.text)).Exceeded
			if x == nil || x.Limit != tc.limit || !strings.Contains(x.Message, tc.message) {
				t.Errorf("got %+v", x)
			}
			if got := value(t, complete(t, begin(t, p, "return 'next'"))); got != `"next"` {
				t.Errorf("the next program: %s", got)
			}
		})
	}
}

// TestDeathIsNoLoss: a child that is killed under a program costs a replay.
func TestDeathIsNoLoss(t *testing.T) {
	p := open(t, Options{})
	text := `const out = [];
		for (let i = 0; i < 5; i++) out.push((await files.read({ i, r: Math.random() })).i, Date.now() % 100000);
		console.log(out.length);
		return out`
	want := value(t, complete(t, begin(t, p, text)))
	s := begin(t, p, text).(*session)
	var next []sandbox.Completion
	for at := epoch; ; at = at.Add(time.Second) {
		turn, err := s.Resume(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Result != nil {
			if got := value(t, turn); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if len(turn.Console) != 1 {
				t.Errorf("console lines: %v", turn.Console)
			}
			return
		}
		if len(turn.Calls) != 1 || turn.Calls[0].Args == nil {
			t.Fatalf("calls of the turn: %+v", turn.Calls)
		}
		c := turn.Calls[0]
		next = []sandbox.Completion{{Seq: c.Seq, Connector: c.Connector, Method: c.Method, At: at, Value: c.Args}}
		s.child.kill()
		<-s.child.ended
	}
}

// TestSecondDeath: a program under which two children die at the same place has ended.
func TestSecondDeath(t *testing.T) {
	p := open(t, Options{})
	s := begin(t, p, "await files.read({}); return 1").(*session)
	if _, err := s.Resume(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.child.kill()
	<-s.child.ended
	s.died, s.diedAt = true, 0 // as if one had died here before
	turn, err := s.Resume(t.Context(), []sandbox.Completion{{Seq: "0", Connector: "files", Method: "read", At: epoch}})
	if err != nil || turn.Exceeded == nil || turn.Exceeded.Limit != "process" {
		t.Fatalf("got %+v, %v", turn, err)
	}
	if _, err := s.Resume(t.Context(), nil); err == nil {
		t.Error("the session goes on")
	}
}

func TestCancel(t *testing.T) {
	p := open(t, Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	s := begin(t, p, "while (true) {}")
	cause := errors.New("enough")
	go func() {
		time.Sleep(50 * time.Millisecond)
		cancel(cause)
	}()
	if _, err := s.Resume(ctx, nil); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestReuse(t *testing.T) {
	p := open(t, Options{Reuse: 1})
	seen := map[int]bool{}
	for range 4 {
		s := begin(t, p, "return 1").(*session)
		if _, err := s.Resume(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		pid := s.child.cmd.Process.Pid
		if seen[pid] {
			t.Errorf("process %d serves twice", pid)
		}
		seen[pid] = true
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWithoutMain(t *testing.T) {
	inherited = false
	defer func() { inherited = true }()
	if _, err := New(Options{}); !errors.Is(err, ErrNoBinary) {
		t.Errorf("got %v", err)
	}
}
