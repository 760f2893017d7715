package core_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

func TestTimersWaitOnceAndInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems(1))
		began := time.Now()
		out := w.run(`
			const seen = [], sleep = (ms, v) => new Promise(r => setTimeout(() => { seen.push(v); r() }, ms));
			const t0 = Date.now();
			await Promise.all([sleep(3000, "c"), sleep(1000, "a"), sleep(1000, "b")]);
			seen.push(Date.now() - t0);
			await items.remove({id: 1});
			return seen`)
		w.is(out, "paused", "3")
		if took := time.Since(began); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("the timers took %s", took)
		}
		time.Sleep(48 * time.Hour)
		w.restart()
		began = time.Now()
		done := w.approve(out.ExecutionID)
		if done.Status != "completed" || !strings.HasPrefix(string(done.Result), `["a","b","c",3`) {
			t.Fatalf("%s %s %s", done.Status, done.Result, done.Error)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the replay waited for %s", took)
		}
		w.stop()
	})
}

// A time-out races the machine, never the person: while a call waits for a person, no timer advances.
func TestTimeoutDoesNotRaceThePerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems(1))
		out := w.run(`return await Promise.race([items.remove({id: 1}), new Promise(r => setTimeout(() => r("too late"), 5000))])`)
		w.is(out, "paused", "0")
		time.Sleep(72 * time.Hour)
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
		w.stop()
	})
}

// Nor does it advance by what other calls take meanwhile.
func TestTimersStandStillBesideCallsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1)
		it.hook = func(_ context.Context, method string, _ int) error {
			if method == "list" {
				time.Sleep(2 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it)
		out := w.run(`
			const late = new Promise(r => setTimeout(() => r("too late"), 1000));
			const asked = items.remove({id: 1});
			await items.list(); // two seconds go by, and the removal waits
			return await Promise.race([asked, late])`)
		w.is(out, "paused", "1")
		w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
		w.stop()
	})
}

// What is left of a timer goes on when nothing waits for a person any more.
func TestTimerGoesOnAfterTheDecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1)
		it.hook = func(ctx context.Context, method string, _ int) error {
			if method == "list" {
				time.Sleep(2 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it)
		out := w.run(`
			const late = new Promise(r => setTimeout(() => r(Date.now()), 5000));
			await items.list();                  // two of the five seconds go by
			await items.remove({id: 1});
			const t1 = Date.now();
			return await late - t1`)
		w.is(out, "paused", "2")
		time.Sleep(time.Hour)
		w.restart()
		began := time.Now()
		done := w.approve(out.ExecutionID)
		if done.Status != "completed" {
			t.Fatalf("%+v", done)
		}
		if took := time.Since(began).Round(100 * time.Millisecond); took != 3*time.Second {
			t.Errorf("the timer went on for %s, not 3s", took)
		}
		w.stop()
	})
}

func TestClearedAndLeftoverTimers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems())
		began := time.Now()
		out := w.run(`
			const a = setTimeout(() => { throw new Error("cleared") }, 10);
			clearTimeout(a);
			setTimeout(() => console.log("never"), 60_000);
			return "done"`)
		w.is(out, "completed", `"done"`)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it waited for a timer that nobody awaits: %s", took)
		}
		if len(out.Logs) != 1 || !strings.Contains(out.Logs[0], "1 timer") {
			t.Errorf("logs %q", out.Logs)
		}
		w.stop()
	})
}

// Wall time does not count what a person or a timer takes, and does count what a connector takes.
func TestWallTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1)
		it.hook = func(ctx context.Context, method string, _ int) error {
			if method == "list" {
				time.Sleep(4 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it, func(o *core.Options) { o.Limits.Wall = 10 * time.Second })
		out := w.run(`
			await new Promise(r => setTimeout(r, 30_000));
			await items.list();
			await items.remove({id: 1});
			await items.list();
			return "within"`)
		w.is(out, "paused", "2")
		time.Sleep(time.Minute)
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", `"within"`)
		over := w.run(`for (let i = 0; i < 3; i++) await items.list(); return "beyond"`)
		w.is(over, "error", engine.ErrorTimeout, "timed out")
		w.stop()
	})
}

// Decisions can be given while a pass runs: it picks them up, and every caller gets its outcome.
func TestDecisionWhileAPassRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1, 2)
		it.hook = func(ctx context.Context, method string, _ int) error {
			if method == "list" {
				time.Sleep(10 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it)
		var first *core.Outcome
		done := make(chan struct{})
		go func() {
			defer close(done)
			first = w.run(`return await Promise.all([items.list(), items.remove({id: 1})])`)
		}()
		time.Sleep(time.Second)
		pending, err := w.host.Pending(context.Background(), "")
		if err != nil || len(pending) != 1 {
			t.Fatalf("pending while it runs: %v, %v", pending, err)
		}
		second := w.approve(pending[0].ExecutionID, pending[0].Seq)
		<-done
		w.is(first, "completed", `[[2],"removed 1"]`)
		w.is(second, "completed", `[[2],"removed 1"]`)
		w.effectsAre("remove 1")
		w.stop()
	})
}

func TestRejectWhileAPassRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1, 2)
		it.hook = func(ctx context.Context, method string, _ int) error {
			if method == "add" {
				time.Sleep(10 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it)
		var first *core.Outcome
		done := make(chan struct{})
		go func() {
			defer close(done)
			first = w.run(`await Promise.all([items.add({id: 7}), items.remove({id: 1})]); await items.add({id: 8})`)
		}()
		time.Sleep(time.Second)
		ctx := context.Background()
		pending, err := w.host.Pending(ctx, "")
		if err != nil || len(pending) != 1 {
			t.Fatalf("pending while it runs: %v, %v", pending, err)
		}
		by := core.Decider{By: "ada", Note: "no"}
		// The call that executes cannot be rejected; the one that waits can.
		if r, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: pending[0].ExecutionID, Seq: "0", Decider: by}); err != nil || r.Changed {
			t.Errorf("%+v, %v", r, err)
		}
		r, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: pending[0].ExecutionID, Seq: pending[0].Seq, Decider: by})
		if err != nil || !r.Changed || r.Status != "rejected" {
			t.Errorf("%+v, %v", r, err)
		}
		<-done
		w.is(first, "error", engine.ErrorRejected, "no")
		w.effectsAre("add 7") // what had started is awaited and recorded
		w.stop()
	})
}

// At most so many calls are in flight at once; the others queue and none is lost.
func TestCallsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		now, most := 0, 0
		it.hook = func(ctx context.Context, method string, _ int) error {
			it.mu.Lock()
			now++
			most = max(most, now)
			it.mu.Unlock()
			time.Sleep(time.Second)
			it.mu.Lock()
			now--
			it.mu.Unlock()
			return nil
		}
		w := newWorld(t, it, func(o *core.Options) { o.Limits.InFlight = 4 })
		out := w.run(`return (await Promise.all(Array.from({length: 17}, (_, id) => items.add({id})))).length`)
		w.is(out, "completed", "17")
		if most != 4 {
			t.Errorf("%d calls at once", most)
		}
		w.stop()
	})
}
