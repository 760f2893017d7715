package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTimers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, calls, console string }{
		"arguments":       {`setTimeout((a, b) => console.log(a, b), 5, 1, 2)`, "0 {\"delay\":5}\n", "log 1 2\n"},
		"no delay":        {`setTimeout(() => console.log("now"))`, "0 {\"delay\":0}\n", "log now\n"},
		"odd delays":      {`setTimeout(() => {}, -1); setTimeout(() => {}, "7.9"); setTimeout(() => {}, NaN); setTimeout(() => {}, 1e9)`, "0 {\"delay\":0}\n1 {\"delay\":7}\n2 {\"delay\":0}\n3 {\"delay\":1000000000}\n", ""},
		"cleared":         {`clearTimeout(setTimeout(() => console.log("no"), 5))`, "0 {\"delay\":5}\n", ""},
		"cleared twice":   {`const id = setTimeout(() => {}, 5); clearTimeout(id); clearInterval(id); clearTimeout(); clearTimeout("x"); clearTimeout(99)`, "0 {\"delay\":5}\n", ""},
		"interval":        {`let n = 0; const id = setInterval((x) => { console.log(x, ++n); if (n === 3) clearInterval(id) }, 9, "tick")`, "0 {\"delay\":9}\n1 {\"delay\":9}\n2 {\"delay\":9}\n3 {\"delay\":9}\n", "log tick 1\nlog tick 2\nlog tick 3\n"},
		"in a timer":      {`setTimeout(() => setTimeout(() => console.log("in"), 2), 1)`, "0 {\"delay\":1}\n1 {\"delay\":2}\n", "log in\n"},
		"awaited":         {`await new Promise((r) => setTimeout(r, 3)); console.log("on")`, "0 {\"delay\":3}\n", "log on\n"},
		"no function":     {`try { setTimeout("code") } catch (e) { console.log(e.message) }`, "", "log setTimeout takes a function and milliseconds\n"},
		"infinite":        {`try { setTimeout(() => {}, Infinity) } catch (e) { console.log(e.name) }`, "", "log TypeError\n"},
		"ids are numbers": {`console.log(setTimeout(() => {}), setTimeout(() => {}))`, "0 {\"delay\":0}\n1 {\"delay\":0}\n", "log 1 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := run(t, tt.js)
			h.value()
			var calls string
			for _, c := range h.calls {
				if c.Connector != Platform || c.Method != MethodTimer {
					t.Errorf("call %+v", c)
				}
				calls += c.Seq + " " + string(c.Args) + "\n"
			}
			if diff := cmp.Diff(tt.calls, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.console, h.console()); diff != "" {
				t.Errorf("console (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClearedTimer is reported, and its late outcome is a divergence.
func TestClearedTimer(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`const id = setTimeout(() => {}, 5); await files.read({}); clearTimeout(id); await files.read({})`))
	h.resume()
	late := completion(h.calls[0])
	if turn := h.resume(completion(h.calls[1])); !cmp.Equal(turn.Cleared, []string{"0"}) {
		t.Errorf("cleared: %v", turn.Cleared)
	}
	if h.resume(late).Diverged == nil {
		t.Error("a cleared timer fired")
	}
}

// TestThrowingTimer: what a timer's function throws is an unhandled rejection, and the program goes on.
func TestThrowingTimer(t *testing.T) {
	t.Parallel()
	h := run(t, `setTimeout(() => { throw new Error("late") }, 1); await new Promise((r) => setTimeout(r, 2)); return 1`)
	if h.value() != "1" || len(h.last.Unhandled) != 1 || h.last.Unhandled[0].Message != "late" {
		t.Errorf("got %s, %+v", h.value(), h.last.Unhandled)
	}
}

// TestTimerIDs do not depend on whether a step ran.
func TestTimerIDs(t *testing.T) {
	t.Parallel()
	sp := spec(`await codemode.step("s", async () => { await new Promise((r) => setTimeout(r, 1)) }); return setTimeout(() => {}, 1)`)
	ran := start(t, sp).finish()
	sp.Steps = []string{"0"}
	skipped := start(t, sp)
	skipped.resume(ran.recorded[1])
	if ran.value() != skipped.value() {
		t.Errorf("ran %s, skipped %s", ran.value(), skipped.value())
	}
}
