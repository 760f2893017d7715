package core_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
)

// aged is a journal whose executions began under another engine.
type aged struct {
	journal.Store
	engine string // empty: this one
}

func (a *aged) Read(ctx context.Context, id string, from int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range a.Store.Read(ctx, id, from) {
			if b, ok := e.Body.(*journal.Begun); ok && a.engine != "" {
				other := *b
				other.Engine = a.engine
				e.Body = &other
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Under another version of the engine a replay is tried. If it diverges, nothing is lost: the execution stays paused and
// the approval unspent, until a version comes that can go on.
func TestDivergenceUnderAnotherEngine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2), nil)
	store := &aged{Store: w.store}
	w.more = func(o *core.Options) { o.Store = store }
	w.stop()
	w.start()
	// The program does something else in the replay: its step does not run again there.
	out := w.run(`let n = [1]; await codemode.step("first", async () => { n.push(2); return 0 });
		await items.add({ id: n.length === 2 ? 5 : 6 }); return await items.remove({ id: n.length === 2 ? 1 : 2 })`)
	w.is(out, "paused", "2")
	w.effectsAre("add 5")

	store.engine = "goja-of-old"
	w.stop()
	w.start()
	tries := []func(string) *core.Outcome{func(id string) *core.Outcome { return w.approve(id) }, w.resume}
	for _, try := range tries {
		kept := try(out.ExecutionID)
		w.is(kept, "error", engine.ErrorState, "Replay divergence at call 1")
		for _, want := range []string{`"goja-of-old"`, `"` + sandbox.Version + `"`, "what was decided still stands"} {
			if !strings.Contains(kept.Error, want) {
				t.Errorf("%q is not in %s", want, kept.Error)
			}
		}
		if s := w.status(out.ExecutionID); s != "paused" {
			t.Fatalf("status %s", s)
		}
	}
	w.effectsAre("add 5")
	if c := w.recorded(out.ExecutionID).Calls["2"]; c.State != journal.CallQueued || c.Decision == nil {
		t.Errorf("the approved call is %s, decided %+v", c.State, c.Decision)
	}

	// Under its own engine the same divergence ends it, as any does.
	store.engine = ""
	w.stop()
	w.start()
	w.is(w.resume(out.ExecutionID), "error", engine.ErrorDivergence, "divergence at call 1")
}

// Under another version of the engine a replay that follows its record goes on as ever.
func TestReplayUnderAnotherEngine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), nil)
	store := &aged{Store: w.store, engine: "goja-of-old"}
	w.more = func(o *core.Options) { o.Store = store }
	w.stop()
	w.start()
	out := w.run(`return [await items.add({ id: 3 }), await items.remove({ id: 1 })]`)
	w.is(out, "paused", "1")
	w.stop()
	w.start()
	w.is(w.approve(out.ExecutionID), "completed", `["added 3","removed 1"]`)
	w.effectsAre("add 3", "remove 1")
}

func (w *world) resume(id string) *core.Outcome {
	w.t.Helper()
	out, err := w.host.Resume(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}
