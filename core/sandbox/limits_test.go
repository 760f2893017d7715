package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// TestLimits: each ends the program untouchably, with its name and, where it is known, its line.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limit   string
		limits  Limits
		js      string
		message string
		line    int
	}{
		"cpu loop":            {"cpu", Limits{CPU: 30 * time.Millisecond}, "\nfor (;;) Math.abs(1)", "30ms of computing time", 2},
		"cpu catch":           {"cpu", Limits{CPU: 30 * time.Millisecond}, "for (;;) { try { for (;;); } catch {} finally {} }", "30ms", 1},
		"cpu microtasks":      {"cpu", Limits{CPU: 30 * time.Millisecond}, "const f = () => Promise.resolve().then(f); await f()", "30ms", -1}, // between two of them there is no line
		"cpu getter":          {"cpu", Limits{CPU: 30 * time.Millisecond}, "await files.read({get a() { for (;;); }})", "30ms", 1},
		"cpu result":          {"cpu", Limits{CPU: 30 * time.Millisecond}, "\nreturn {get a() { for (;;); }}", "30ms", 2},
		"cpu thrown":          {"cpu", Limits{CPU: 30 * time.Millisecond}, "\nthrow {get message() { for (;;); }}", "30ms", 2},
		"cpu result of holes": {"cpu", Limits{CPU: 30 * time.Millisecond}, "return Array(2 ** 32 - 1)", "30ms", 0},
		"memory":              {"memory", Limits{Memory: 8 << 20}, "const a = []; for (;;) a.push({a: [a.length]})", "8 MiB", 1},
		"calls":               {"calls", Limits{Calls: 3}, "for (;;)\n await files.read({})", "more than 3 calls", 2},
		"calls at once":       {"calls", Limits{Calls: 3}, "for (;;)\n files.read({})", "more than 3 calls", 2},
		"calls and steps":     {"calls", Limits{Calls: 2}, "await codemode.step('s', () => files.read({})); setTimeout(() => {})", "more than 2 calls", 1},
		"stack":               {"stack", Limits{Stack: 100}, "const f = () => f();\n f()", "more than 100 deep", 1},
		"stack later":         {"stack", Limits{Stack: 100}, "const f = () => f(); await files.read({});\n f()", "more than 100 deep", 1},
		"timers":              {"timers", Limits{Timers: 2}, "\nfor (;;) setTimeout(() => {}, 1)", "more than 2 timers", 2},
		"interval":            {"timers", Limits{Timers: 5}, "setInterval(() => {}, 1)", "more than 5 timers", 0},
		"sleep":               {"sleep", Limits{Sleep: time.Minute}, "\nsetTimeout(() => {}, 60_001)", "a timer of 1m0.001s; the longest is 1m0s", 2},
		"value":               {"value", Limits{Value: 50}, "\nawait files.read({a: 'x'.repeat(50)})", "the arguments of files.read have more than 50 characters", 2},
		"value of bytes":      {"value", Limits{Value: 50}, "\nawait files.read({a: new Uint8Array(100)})", "the arguments of files.read", 2},
		"value of search":     {"value", Limits{Value: 50}, "\nawait codemode.search('x'.repeat(50))", "the arguments of codemode.search", 2},
		"value of a step":     {"value", Limits{Value: 50}, "await codemode.step('big', () => 'x'.repeat(50))", `the value of step "big" has more than 50 characters`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sp := spec("try {" + tt.js + "\n} catch (e) { console.log('caught') } finally { console.log('finally') }")
			if name == "cpu thrown" || strings.HasPrefix(name, "cpu result") {
				sp = spec(tt.js) // it happens after the function has returned
			}
			sp.Limits = tt.limits
			h := start(t, sp).finish()
			got := h.last.Exceeded
			if got == nil || got.Limit != tt.limit || !strings.Contains(got.Message, tt.message) || tt.line >= 0 && got.Line != tt.line {
				t.Fatalf("got %+v", got)
			}
			if len(h.lines) > 0 && name != "interval" {
				t.Errorf("the program went on: %v", h.lines)
			}
			if _, err := h.session.Resume(context.Background(), nil); err == nil {
				t.Error("the session can still be used")
			}
		})
	}
}

// TestWithinLimits: each limit is what is still allowed.
func TestWithinLimits(t *testing.T) {
	t.Parallel()
	sp := spec(`for (let i = 0; i < 3; i++) await files.read({a: "x"}); setTimeout(() => {}, 60_000); return "x".repeat(100)`)
	sp.Limits = Limits{CPU: time.Minute, ReplayCPU: time.Minute, Memory: 1 << 30, Calls: 4, Stack: 100, Timers: 1, Sleep: time.Minute, Value: 12}
	start(t, sp).finish().value()
}

// TestSpent: what earlier passes cost is charged.
func TestSpent(t *testing.T) {
	t.Parallel()
	sp := spec(`console.log("ran")`)
	sp.Limits.CPU, sp.Spent = time.Second, time.Second
	h := start(t, sp).finish()
	if e := h.last.Exceeded; e == nil || e.Limit != "cpu" || len(h.lines) > 0 {
		t.Errorf("got %+v", e)
	}
}

// TestReplayHasItsOwnBound: the replayed part is not charged, and cannot run for ever.
func TestReplayHasItsOwnBound(t *testing.T) {
	t.Parallel()
	sp := spec(`await files.read({}); if (input) for (;;);`)
	recorded := start(t, sp).finish().recorded
	sp.Limits.CPU, sp.Spent = time.Second, time.Second
	sp.Replayed = 1
	if turn := start(t, sp).resume(recorded...); turn.Exceeded != nil || turn.Result == nil || turn.Usage.CPU != 0 {
		t.Errorf("got %+v", turn)
	}
	sp.Input = []byte("true")
	sp.Limits.ReplayCPU = 30 * time.Millisecond
	if e := start(t, sp).resume(recorded...).Exceeded; e == nil || e.Limit != "cpu" || !strings.Contains(e.Message, "replay") {
		t.Errorf("got %+v", e)
	}
}

// TestCancel: a cancelled context interrupts the program and loses the session.
func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	h := start(t, spec(`const f = () => { for (;;); }; try { f() } finally { console.log("finally") }`))
	why := errors.New("the host stops")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := h.session.Resume(ctx, nil); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	if _, err := h.session.Resume(context.Background(), nil); err == nil {
		t.Error("the session can still be used")
	}
	if _, err := start(t, spec("")).session.Resume(ctx, nil); err == nil {
		t.Error("ran under a cancelled context")
	}
}

// TestPanicIsContained: a bug of the engine, or of a host function, ends the program and not the process.
func TestPanicIsContained(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`try { buggy() } catch (e) { console.log("caught") } finally { console.log("finally") }`))
	s := h.session.(*session)
	if err := s.vm.GlobalObject().Set("buggy", s.function("buggy", func(goja.FunctionCall) goja.Value {
		var none []int
		return s.vm.ToValue(none[len(h.calls)])
	})); err != nil {
		t.Fatal(err)
	}
	h.finish()
	if x := h.last.Exceeded; x == nil || x.Limit != "engine" || !strings.Contains(x.Message, "index out of range") || len(h.lines) > 0 {
		t.Errorf("got %+v, console %v", x, h.lines)
	}
}

// TestMoreMemoryThanThereIs: what the engine cannot even try to allocate is the memory limit.
func TestMoreMemoryThanThereIs(t *testing.T) {
	t.Parallel()
	for _, js := range []string{
		`"x".repeat(2 ** 53 - 1)`, `"x".padEnd(2 ** 53 - 1)`, `1n << (2n ** 62n)`, `BigInt.asUintN(2 ** 53 - 1, -1n)`,
	} {
		h := start(t, spec("try { return "+js+" } catch { console.log('caught') }")).finish()
		if x := h.last.Exceeded; x == nil || x.Limit != "memory" || len(h.lines) > 0 {
			t.Errorf("%s: got %+v, console %v", js, x, h.lines)
		}
	}
}
