package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// rigAgain is a read that runs in every pass.
var rigAgain = wire.Method{Name: "again", Description: "Read anew in every pass.", ReadOnly: true, Replay: wire.ReplayReexecute}

// While a replay waits for calls that it executes once more, no timer fires and no time is charged: a time limit that
// the first pass kept is kept in every pass.
func TestReplayOfSlowCallsCostsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(rigAgain)
		r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
			time.Sleep(4 * time.Second)
			return &wire.Result{Value: json.RawMessage(`1`)}, nil
		}
		w := newWorld(t, newItems(1, 2, 3), func(o *core.Options) { r.rigged(o); o.Limits.Wall = 10 * time.Second })
		out := w.run(`
			const late = new Promise(r => setTimeout(() => r("late"), 9000));
			await rig.again();
			for (let id = 1; id < 4; id++) await items.remove({id});
			const t0 = Date.now();
			return [await late, Math.round((Date.now() - t0) / 1000)]`)
		for range 3 {
			if out.Status != "paused" {
				t.Fatalf("%+v", out)
			}
			time.Sleep(time.Hour)
			w.restart()
			out = w.approve(out.ExecutionID)
		}
		w.is(out, "completed", `["late",5]`)
		if n := len(r.noted()); n != 4 {
			t.Errorf("%d calls in four passes", n)
		}
		w.stop()
	})
}

// Calls that run in every pass: concurrent ones, ones in steps, ones that failed, ones that fail or are lost only now.
func TestReexecutedCalls(t *testing.T) {
	t.Parallel()
	ok := func(n int) (*wire.Result, error) { return &wire.Result{Value: json.RawMessage(fmt.Sprint(n))}, nil }
	for name, test := range map[string]struct {
		code   string
		answer func(n int, call *wire.Call) (*wire.Result, error) // n counts the calls from 1
		want   string
		calls  int
		limit  int
	}{
		"concurrent": {
			code:   `const a = await Promise.all([rig.again({n: 1}), rig.again({n: 2}), rig.again({n: 3})]); await items.remove({id: 1}); return a.length`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) { return ok(n) }, want: `3`, calls: 6,
		},
		"concurrent, one at a time": {
			code:   `const a = await Promise.all([rig.again({n: 1}), rig.again({n: 2}), rig.again({n: 3})]); await items.remove({id: 1}); return a.length`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) { return ok(n) }, want: `3`, calls: 6, limit: 1,
		},
		"between recorded calls": {
			code:   `const seen = []; for (let i = 0; i < 3; i++) { await items.list(); seen.push(await rig.again({i})) } await items.remove({id: 1}); return seen`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) { return ok(n) }, want: `[4,5,6]`, calls: 6,
		},
		"under a step that has ended": {
			code:   `const a = await codemode.step("s", () => rig.again()); await items.remove({id: 1}); return a`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) { return ok(n) }, want: `1`, calls: 1,
		},
		"under a step that is open": {
			code:   `return await codemode.step("s", async () => { const a = await rig.again(); await items.remove({id: 1}); return a })`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) { return ok(n) }, want: `2`, calls: 2,
		},
		"failed at first: the failure is replayed": {
			code: `let a; try { a = await rig.again() } catch (e) { a = e.code } await items.remove({id: 1}); return a`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) {
				if n == 1 {
					return nil, &wire.Error{Code: wire.CodeNotFound}
				}
				return ok(n)
			}, want: `"not_found"`, calls: 1,
		},
		"fails now": {
			code: `let a; try { a = await rig.again() } catch (e) { a = e.code } await items.remove({id: 1}); return a`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) {
				if n == 2 {
					return nil, &wire.Error{Code: wire.CodeNotFound}
				}
				return ok(n)
			}, want: `"not_found"`, calls: 2,
		},
		"lost now, once": {
			code: `let a; try { a = await rig.again() } catch (e) { a = e.code } await items.remove({id: 1}); return a`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) {
				if n == 2 {
					return nil, errLost
				}
				return ok(n)
			}, want: `3`, calls: 3,
		},
		"lost now, twice": {
			code: `let a; try { a = await rig.again() } catch (e) { a = e.code } await items.remove({id: 1}); return a`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) {
				if n > 1 {
					return nil, errLost
				}
				return ok(n)
			}, want: `"unavailable"`, calls: 3,
		},
		"not awaited until late": {
			code:   `const a = rig.again(); await items.list(); await items.remove({id: 1}); return await a`,
			answer: func(n int, _ *wire.Call) (*wire.Result, error) { return ok(n) }, want: `2`, calls: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigAgain)
			r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
				return test.answer(len(r.noted()), call)
			}
			w := newWorld(t, newItems(1), func(o *core.Options) { r.rigged(o); o.Limits.InFlight = test.limit })
			out := w.run(test.code)
			if out.Status != "paused" {
				t.Fatalf("%+v", out)
			}
			w.restart()
			w.is(w.approve(out.ExecutionID), "completed", test.want)
			if n := len(r.noted()); n != test.calls {
				t.Errorf("calls %q", r.noted())
			}
		})
	}
}

// A cancellation, and a stop, in the middle of a call that a replay executes once more.
func TestEndDuringAReexecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(rigAgain)
		r.invoke = func(ctx context.Context, _ *wire.Call) (*wire.Result, error) {
			if len(r.noted()) == 2 || len(r.noted()) == 3 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &wire.Result{Value: json.RawMessage(`1`)}, nil
		}
		w := newWorld(t, newItems(1), r.rigged)
		out := w.run(`const a = await rig.again(); await items.remove({id: 1}); return a`)
		w.is(out, "paused", "1")
		ctx := context.Background()
		host, ended := w.host, make(chan error)
		go func() {
			_, err := host.Approve(ctx, core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
			ended <- err
		}()
		time.Sleep(time.Second)
		w.stop()
		if err := <-ended; !errors.Is(err, engine.ErrStopped) {
			t.Errorf("stopped: %v", err)
		}
		w.start()
		var got *core.Outcome
		go func() {
			var err error
			got, err = w.host.Resume(ctx, out.ExecutionID)
			ended <- err
		}()
		time.Sleep(time.Second)
		if !w.host.Cancel(out.ExecutionID, errors.New("enough")) {
			t.Error("it does not run")
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		w.is(got, "error", engine.ErrorCancelled, "enough")
		w.effectsAre()
		w.stop()
	})
}

// Steps, timers and withdrawn timers over several passes.
func TestStepsWithTimersOverPasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems(1, 2))
		out := w.run(`
			const sleep = ms => new Promise(r => setTimeout(r, ms));
			const cleared = setTimeout(() => console.log("cleared"), 1000);
			const seen = [];
			const step = codemode.step("slow", async () => { await sleep(500); setTimeout(() => console.log("left"), 10); const l = await items.list(); await sleep(500); return l.length });
			const asked = items.remove({id: 1}).then(v => { seen.push(v); clearTimeout(cleared) });
			seen.push(await step);
			await asked;
			await codemode.step("quick", () => 1);
			await sleep(2000);
			await items.remove({id: 2});
			return seen`)
		w.is(out, "paused", "2")
		w.restart()
		out = w.approve(out.ExecutionID)
		w.is(out, "paused", "5")
		for _, line := range out.Logs {
			if strings.Contains(line, "cleared") {
				t.Errorf("logs %q", out.Logs)
			}
		}
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", `["removed 1",1]`)
		w.stop()
	})
}

// Ten thousand calls at once: reads, refused ones, gated ones; none is lost and none runs twice.
func TestTenThousandCallsAtOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	gated := rigGated
	gated.Previews = true
	r := newRig(rigRead, gated)
	r.preview = func(context.Context, *wire.Call) (string, error) { return "fine", nil }
	w := newWorld(t, newItems(), r.rigged)
	w.is(w.run(`return (await Promise.all(Array.from({length: 9_999}, (_, n) => rig.read({n})))).length`), "completed", "9999")
	if n := len(r.noted()); n != 9_999 {
		t.Errorf("%d reads", n)
	}
	w.is(w.run(`return (await Promise.allSettled(Array.from({length: 9_999}, (_, n) => items.remove({n})))).filter(r => r.status == "rejected").length`), "completed", "9999")
	out := w.run(`return (await Promise.all(Array.from({length: 3_000}, (_, n) => rig.gated({n})))).length`)
	if out.Status != "paused" || len(out.Pending) != 3_000 {
		t.Fatalf("%s %d %s", out.Status, len(out.Pending), out.Error)
	}
	for _, p := range out.Pending {
		if p.Preview != "fine" {
			t.Fatalf("preview %q", p.Preview)
		}
	}
	w.is(w.approve(out.ExecutionID), "completed", "3000")
	if n := len(r.noted()); n != 9_999+3_000 {
		t.Errorf("%d calls", n)
	}
}

// As many previews are asked for at once as calls may be in flight, and one that never comes holds nothing up for good.
func TestPreviews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gated := rigGated
		gated.Previews = true
		r := newRig(gated)
		now, most, deaf := 0, 0, make(chan struct{})
		r.preview = func(_ context.Context, call *wire.Call) (string, error) {
			r.mu.Lock()
			now++
			most = max(most, now)
			r.mu.Unlock()
			if call.Seq == "7" {
				<-deaf
			}
			time.Sleep(time.Second)
			r.mu.Lock()
			now--
			r.mu.Unlock()
			return "fine", nil
		}
		w := newWorld(t, newItems(), func(o *core.Options) { r.rigged(o); o.Limits.InFlight = 4 })
		began := time.Now()
		out := w.run(`await Promise.all(Array.from({length: 10}, (_, n) => rig.gated({n})))`)
		if out.Status != "paused" || len(out.Pending) != 10 {
			t.Fatalf("%+v", out)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %s", took)
		}
		if most != 4 {
			t.Errorf("%d previews at once", most)
		}
		for _, p := range out.Pending {
			if (p.Preview == "fine") == (p.Seq == "7") {
				t.Errorf("preview of call %s: %q", p.Seq, p.Preview)
			}
		}
		close(deaf)
		w.stop()
	})
}

// Calls that policy or a schema refuses have no effect to lose: they cost no append of their own.
func TestRefusedCallsAreNotSyncedOneByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	appends := 0
	w.restart() // the hooks of the pass are over
	w.memory().OnAppend = func(memory.Stage, journal.Batch) error { appends++; return nil }
	w.is(w.run(`let n = 0; for (let i = 0; i < 50; i++) try { await items.add({number: i}) } catch { n++ } return n`), "completed", "50")
	if appends > 10 {
		t.Errorf("%d stages of appends", appends)
	}
}

// A call whose connector has prepared it while the program computed is sent all the same.
func TestPreparedWhileTheProgramComputes(t *testing.T) {
	t.Parallel()
	marked := make(chan struct{})
	c, err := (&sdk.Connector{Name: "c", Version: "1", Methods: []sdk.Method{
		sdk.Func[struct{}, int]{Name: "mark", Description: "A write, so that nothing is left to flush.", Approval: sdk.NotRequired, Call: func(context.Context, struct{}) (int, error) {
			close(marked)
			return 1, nil
		}},
		sdk.Func[struct{}, int]{
			Name: "write", Description: "Write.", Approval: sdk.NotRequired,
			Prepare: func(ctx context.Context, _ struct{}) (any, error) {
				<-marked
				return 1, nil
			},
			Call: func(context.Context, struct{}) (int, error) { return 2, nil },
		},
	}}).InProcess()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, newItems(), func(o *core.Options) {
		o.Connectors = []core.Connector{{Label: "c", Connector: c}}
		o.Limits.Sandbox.CPU, o.Limits.Wall = time.Hour, time.Hour // however slow the machine is
	})
	w.is(w.run(`const w = c.write(); await c.mark(); for (let i = 0; i < 2e6; i++); return await w`), "completed", "2")
}
