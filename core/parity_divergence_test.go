package core_test

import (
	"context"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

// Each program hides a difference between its passes in an object that a step changes: the step's function does not
// run again. What then comes of the replay is an outcome, nothing is executed, and nothing waits any more.
func TestDivergence(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code    string
		pending string
		effects []string // of the first pass
		want    string   // of the error
	}{
		"another method of the pending call": {
			`await items[box.first ? "remove" : "add"]({id: 1})`, "1", nil, "recorded is items.remove, the program came with items.add",
		},
		"another connector": {
			`await (box.first ? items : vault)[box.first ? "remove" : "put"]({id: 1})`, "1", nil, "the program came with vault.put",
		},
		"other arguments of the pending call": {
			`await items.remove({id: box.first ? 1 : 2})`, "1", nil, "with other arguments",
		},
		"another order of keys": {
			`await vault.seal(box.first ? {a: 1, b: 2} : {b: 2, a: 1})`, "1", nil, "with other arguments",
		},
		"another bigint": {
			`await vault.seal({n: box.first ? 1n : 2n})`, "1", nil, "with other arguments",
		},
		"a number for a bigint": {
			`await vault.seal({n: box.first ? 1n : 1})`, "1", nil, "with other arguments",
		},
		"other bytes": {
			`await vault.seal({n: new Uint8Array([box.first ? 1 : 2])})`, "1", nil, "with other arguments",
		},
		"another method of a call that was answered": {
			`await (box.first ? items.add({id: 5}) : items.notify({id: 5})); await items.remove({id: 1})`, "2", []string{"add 5"}, "divergence at call 1",
		},
		"other arguments of a call that was answered": {
			`await items.add({id: box.first ? 5 : 6}); await items.remove({id: 1})`, "2", []string{"add 5"}, "divergence at call 1",
		},
		"a call more": {
			`if (!box.first) await items.add({id: 6}); await items.remove({id: 1})`, "1", nil, "divergence at call 1",
		},
		"a call less, then the end": {
			`if (box.first) await items.remove({id: 1}); return "end"`, "1", nil, "recorded is items.remove, the program came with no such call",
		},
		"an answered call less, then the end": {
			`if (box.first) { await items.add({id: 5}); await items.remove({id: 1}) }`, "2", []string{"add 5"}, "divergence at call 1",
		},
		"a call less, and the program throws": {
			`if (!box.first) throw new Error("mine"); await items.remove({id: 1})`, "1", nil, "came with no such call",
		},
		"a caught divergence": {
			`try { await items.remove({id: box.first ? 1 : 2}) } catch { await items.add({id: 6}) } finally { await items.add({id: 7}) }`, "1", nil, "with other arguments",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := newVault(t)
			out := w.run(`const box = {}; await codemode.step("first", async () => { box.first = true; return 1 });` + "\n" + test.code)
			w.is(out, "paused", test.pending)
			received := v.received()
			w.effectsAre(test.effects...)
			w.restart()

			diverged := w.approve(out.ExecutionID)
			w.is(diverged, "error", engine.ErrorDivergence, test.want)
			if !strings.Contains(diverged.Error, `"first"`) {
				t.Errorf("the likely cause is not named: %s", diverged.Error)
			}
			w.effectsAre(test.effects...)
			same(t, "received", v.received(), received)
			w.hasEndedAs(out.ExecutionID, "error")
			for _, c := range diverged.Calls {
				if c.Seq == test.pending && c.State != "withdrawn" {
					t.Errorf("the call that waited is %s", c.State)
				}
			}
		})
	}
}

// hasEndedAs checks that an execution has this status, and that nothing of it waits.
func (w *world) hasEndedAs(id, status string) {
	w.t.Helper()
	ctx := context.Background()
	if s := w.status(id); s != status {
		w.t.Errorf("status %s, want %s", s, status)
	}
	for _, of := range []string{"", id} {
		if pending, err := w.host.Pending(ctx, of); err != nil || len(pending) != 0 {
			w.t.Errorf("pending of %q: %+v, %v", of, pending, err)
		}
	}
	w.is(w.approve(id), "error", engine.ErrorState, "not paused")
	if s := w.status(id); s != status {
		w.t.Errorf("status %s after another approval, want %s", s, status)
	}
}

// What a step found out of the clock, of chance or of anything else is the same in every pass.
func TestStepValueIsRecordedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`
		const box = {n: 0};
		const a = await codemode.step("outside", async () => { box.n++; return {n: box.n, chance: Math.random()} });
		console.log(JSON.stringify(a));
		await items.remove({id: 1});
		return [a, box.n]`)
	w.is(out, "paused", "1")
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", "["+out.Logs[0]+",0]")
	if len(out.Calls) != 2 || string(out.Calls[0].Result) != out.Logs[0] {
		t.Errorf("calls %+v", out.Calls)
	}
}

// A step that would break its own replay in plain sight does not compile.
func TestStepThatAssignsOuterVariables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out, err := w.host.Run(context.Background(), core.RunRequest{Code: `let a; await codemode.step("s", async () => { a = Math.random() }); return a`})
	if err != nil {
		t.Fatal(err)
	}
	w.is(out, "error", engine.ErrorCompile, "must not assign a")
}
