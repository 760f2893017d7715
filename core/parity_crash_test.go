package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/wire"
)

// The host dies at each of its appends in turn, the append lost or kept. The next one goes on to the same end, every
// effect happens once, and what nobody can know is asked.
func TestHostDiesAtEveryAppend(t *testing.T) {
	t.Parallel()
	const code = `
		const l = await items.list();
		const a = await Promise.all([items.add({id: 5}), items.add({id: 6})]);
		let why; try { await items.fail({id: 7}) } catch (e) { why = e.code }
		const r = await items.remove({id: l[0]});
		return [l, a, why, r]`
	const want = `[[1],["added 5","added 6"],"not_found","removed 1"]`
	keep := map[string]func(journal.Batch) bool{"lost": nil, "kept": func(journal.Batch) bool { return true }}
	for fate := range keep {
		t.Run(fate, func(t *testing.T) {
			t.Parallel()
			doubts := 0
			for n := 0; ; n++ {
				store := memory.New()
				store.FailAfter(n)
				w := newWorld(t, newItems(1), func(o *core.Options) { o.Store = store })
				out, err := w.host.Run(context.Background(), core.RunRequest{Code: code})
				if err == nil && out.Status == "paused" {
					out, err = w.host.Approve(context.Background(), core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
				}
				if err == nil { // it came through before the append that fails
					w.is(out, "completed", want)
					if n < 8 {
						t.Fatalf("only %d appends", n)
					}
					break
				}
				if !errors.Is(err, memory.ErrCrashed) {
					t.Fatal(err)
				}
				w.stop()
				store = store.Crash(keep[fate])
				w.start()
				out, asked := w.carryOn()
				doubts += asked
				if out == nil { // nothing had become durable
					w.effectsAre()
					continue
				}
				w.is(out, "completed", want)
				effects := w.items.effects()
				slices.Sort(effects)
				same(t, fmt.Sprintf("effects, dead after %d appends", n), effects, []string{"add 5", "add 6", "remove 1"})
			}
			if doubts == 0 {
				t.Error("no crash left a call in doubt")
			}
		})
	}
}

// A host dies while it brings an execution to its end, and a write is still awaited. The next one comes to the same end.
func TestHostDiesWhileAnExecutionEnds(t *testing.T) {
	t.Parallel()
	const code = `
		codemode.step('adds', async () => { await items.add({id: 5}) });
		items.remove({id: 1});
		await items.list();
		throw new Error('no')`
	crashed := true
	for n := 0; crashed; n++ {
		synctest.Test(t, func(t *testing.T) {
			store, it := memory.New(), newItems(1)
			store.FailAfter(n)
			it.hook = func(_ context.Context, method string, _ int) error {
				if method == "add" { // it is under way when the program fails
					time.Sleep(time.Second)
				}
				return nil
			}
			w := newWorld(t, it, func(o *core.Options) { o.Store = store })
			out, err := w.host.Run(context.Background(), core.RunRequest{Code: code})
			if crashed = err != nil; crashed {
				w.stop()
				store = store.Crash(nil)
				w.store = store
				w.start()
				if out, _ = w.carryOn(); out == nil { // nothing had become durable
					return
				}
			}
			if out.ErrorType != engine.ErrorRuntime || out.Error != "no" {
				t.Fatalf("dead after %d appends: %+v", n, out)
			}
			w.effectsAre("add 5")
			if !crashed && n < 3 {
				t.Fatalf("only %d appends", n)
			}
		})
	}
}

// carryOn does what people do with the one execution that a dead host left: it resumes, approves, and settles as
// the connector's state tells. It returns the end, or nil where nothing was left, and how often it settled.
func (w *world) carryOn() (out *core.Outcome, asked int) {
	w.t.Helper()
	ctx := context.Background()
	p, err := w.host.Executions(ctx, core.ListRequest{})
	if err != nil || len(p.Executions) == 0 {
		return nil, 0
	}
	id := p.Executions[0].ID
	d, err := w.host.Show(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	if journal.Status(d.Status).Terminal() { // the end was durable, and its caller was never told
		return d.Outcome, 0
	}
	out, err = w.host.Resume(ctx, id)
	for range 10 {
		if err != nil {
			w.t.Fatal(err)
		}
		if len(out.Pending) == 0 {
			return out, asked
		}
		call := out.Pending[0]
		if call.Kind == engine.PendingApproval {
			out = w.approve(id)
			continue
		}
		asked++
		var in itemID
		if err := json.Unmarshal(call.Args, &in); err != nil {
			w.t.Fatal(err)
		}
		req := core.SettleRequest{ExecutionID: id, Seq: call.Seq, How: core.SettleAgain}
		if slices.Contains(w.items.effects(), fmt.Sprintf("%s %d", call.Method, in.ID)) {
			past := map[string]string{"add": "added", "remove": "removed"}[call.Method]
			req.How, req.Result = core.SettleDone, json.RawMessage(fmt.Sprintf(`"%s %d"`, past, in.ID))
		}
		out, err = w.host.Settle(ctx, req)
	}
	w.t.Fatal("it does not end")
	return nil, 0
}

// A read that was under way when the host died runs again; a write that was is in doubt and is never run again unasked.
func TestStartedCallsAfterACrash(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	w := newWorld(t, it)
	store, ok := w.store.(*memory.Store)
	if !ok {
		t.Fatal("another store")
	}
	var after *memory.Store // what a crash in the middle of the write leaves
	it.hook = func(_ context.Context, method string, _ int) error {
		if method == "add" && after == nil {
			after = store.Crash(nil)
		}
		return nil
	}
	_, err := w.host.Run(context.Background(), core.RunRequest{Code: `const l = await items.list(); await items.add({id: 5}); return l`})
	if !errors.Is(err, memory.ErrCrashed) {
		t.Fatalf("the dead host says %v", err)
	}
	w.stop()
	w.store = after
	w.start()
	outs, err := w.host.ResumeAll(context.Background())
	if err != nil || len(outs) != 1 {
		t.Fatalf("%v, %v", outs, err)
	}
	w.is(outs[0], "paused", "1")
	if p := outs[0].Pending[0]; p.Kind != engine.PendingInDoubt || !strings.Contains(p.Note, "stopped after the call had started") {
		t.Errorf("%+v", p)
	}
	w.effectsAre("add 5")
	if again, err := w.host.ResumeAll(context.Background()); err != nil || len(again) != 0 {
		t.Errorf("it was resumed once more: %v, %v", again, err)
	}
}

// An idempotent write that the host's death cut off runs again once. After a second death a person is asked.
func TestIdempotentCallAfterTwoCrashes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(rigTwice)
	w := newWorld(t, newItems(), r.rigged)
	var after *memory.Store // what a crash in the middle of the write leaves
	r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
		after = w.memory().Crash(nil)
		return &wire.Result{Value: json.RawMessage(`"done"`)}, nil
	}
	next := func() {
		w.stop()
		w.store = after
		w.start()
	}
	if _, err := w.host.Run(ctx, core.RunRequest{Code: `return await rig.twice({})`}); !errors.Is(err, memory.ErrCrashed) {
		t.Fatalf("the first host says %v", err)
	}
	next()
	if _, err := w.host.ResumeAll(ctx); !errors.Is(err, memory.ErrCrashed) {
		t.Fatalf("the second host says %v", err)
	}
	next()
	outs, err := w.host.ResumeAll(ctx)
	if err != nil || len(outs) != 1 {
		t.Fatalf("%v, %v", outs, err)
	}
	w.is(outs[0], "paused", "0")
	if p := outs[0].Pending[0]; p.Kind != engine.PendingInDoubt {
		t.Errorf("%+v", p)
	}
	same(t, "calls", r.noted(), []string{"invoke twice 1", "invoke twice 2"})
}

// Who has lost an execution to another host can write nothing more of it: no end overwrites another.
func TestLostOwnershipIsFenced(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	it := newItems()
	entered, release := make(chan struct{}), make(chan struct{})
	it.hook = func(_ context.Context, method string, _ int) error {
		if method == "add" {
			close(entered)
			<-release
		}
		return nil
	}
	w := newWorld(t, it)
	ended := make(chan error)
	go func() {
		_, err := w.host.Run(ctx, core.RunRequest{Code: `await items.add({id: 5}); return "completed after all"`})
		ended <- err
	}()
	<-entered
	other, err := core.New(ctx, core.Options{Store: w.store})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	expired, err := other.ExpirePaused(ctx, 0)
	if err != nil || len(expired) != 1 {
		t.Fatalf("%v, %v", expired, err)
	}
	close(release)
	if err := <-ended; !errors.Is(err, journal.ErrFenced) {
		t.Errorf("the former owner says %v", err)
	}
	s := w.recorded(expired[0])
	if s.Status != journal.StatusError || s.End.Failure.Message != "Expired while running." || s.Calls["0"].State != journal.CallInDoubt {
		t.Errorf("status %s, end %+v, call %s", s.Status, s.End, s.Calls["0"].State)
	}
}

// An execution that nobody runs any more is ended once by an expiry that is old enough.
func TestStuckExecutionExpiresOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		it := newItems()
		w := newWorld(t, it)
		it.hook = func(ctx context.Context, _ string, _ int) error { <-ctx.Done(); return ctx.Err() }
		host := w.host
		go func() { _, _ = host.Run(ctx, core.RunRequest{Code: `await items.list()`}) }()
		time.Sleep(time.Second)
		if ids, err := host.ExpirePaused(ctx, 0); err != nil || len(ids) != 0 {
			t.Errorf("an execution that runs was expired: %v, %v", ids, err)
		}
		w.restart()
		for _, test := range []struct {
			age  time.Duration
			want int
		}{{time.Hour, 0}, {0, 1}, {0, 0}} {
			ids, err := w.host.ExpirePaused(ctx, test.age)
			if err != nil || len(ids) != test.want {
				t.Errorf("older than %s: %v, %v", test.age, ids, err)
			}
			for _, id := range ids {
				d, err := w.host.Show(ctx, id)
				if err != nil || d.Status != "error" || d.Outcome.Error != "Expired while running." {
					t.Errorf("%+v, %v", d, err)
				}
			}
		}
		w.stop()
	})
}

// Every call has a deadline and a context that ends with it. A read that ran out of time is an error to the program;
// a write is in doubt, also where its handler never comes back.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code string
		deaf bool
		want []string
	}{
		"a read":                {`try { await items.list() } catch (e) { return e.code }`, false, []string{"completed", `"timeout"`}},
		"a write":               {`return await items.add({id: 1})`, false, []string{"paused", "0"}},
		"a read that is deaf":   {`try { await items.list() } catch (e) { return e.code }`, true, []string{"completed", `"timeout"`}},
		"a write that is deaf":  {`return await items.add({id: 1})`, true, []string{"paused", "0"}},
		"a write, then a catch": {`try { await items.add({id: 1}) } catch { await items.notify({id: 2}) }`, false, []string{"paused", "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				it := newItems()
				release := make(chan struct{})
				deadlines := make(chan time.Time, 1)
				it.hook = func(ctx context.Context, _ string, _ int) error {
					d, _ := ctx.Deadline()
					deadlines <- d
					if test.deaf {
						<-release
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				}
				w := newWorld(t, it, func(o *core.Options) { o.CallTimeout = 5 * time.Second })
				began := time.Now()
				out := w.run(test.code)
				if took := time.Since(began); took < 5*time.Second || took > 7*time.Second {
					t.Errorf("it took %s", took)
				}
				w.is(out, test.want...)
				if d := (<-deadlines).Sub(began); d < 5*time.Second || d > 6*time.Second {
					t.Errorf("the handler's deadline was after %s", d)
				}
				if out.Status == "paused" && out.Pending[0].Kind != engine.PendingInDoubt {
					t.Errorf("pending %+v", out.Pending[0])
				}
				w.effectsAre()
				close(release)
				w.stop()
			})
		})
	}
}

// When an execution ends, the reads that are under way are cancelled at once, and not at their deadline.
func TestCancelledReads(t *testing.T) {
	t.Parallel()
	it := newItems()
	cancelled := make(chan struct{})
	it.hook = func(ctx context.Context, method string, _ int) error {
		if method == "list" {
			<-ctx.Done()
			close(cancelled)
			return ctx.Err()
		}
		return nil
	}
	w := newWorld(t, it)
	out := w.run(`await Promise.all([items.list(), items.fail({id: 3})])`)
	w.is(out, "error", engine.ErrorRuntime, "no item 3")
	<-cancelled // the deadline is a minute away
	same(t, "calls", calls(out), []string{"0 items.list withdrawn", "1 items.fail failed"})
}
