package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/wire"
)

func telling(h wire.Happened, result string) func(*wire.Call) (*wire.Reconciliation, error) {
	return func(*wire.Call) (*wire.Reconciliation, error) {
		told := &wire.Reconciliation{Happened: h}
		if result != "" {
			told.Result = json.RawMessage(result)
		}
		return told, nil
	}
}

// losing makes every call of the first so many lose its connection.
func (r *rig) losing(calls int) {
	n := 0
	r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if n++; n <= calls {
			return nil, errLost
		}
		return &wire.Result{Value: json.RawMessage(`"done at last"`)}, nil
	}
}

// TestReconcile: a connector that can tell is asked before a person is.
func TestReconcile(t *testing.T) {
	t.Parallel()
	const lost, asked = "invoke found 1", "reconcile found 1"
	for name, tc := range map[string]struct {
		told func(*wire.Call) (*wire.Reconciliation, error)
		lost int
		want []string
		log  []string
		note string // of what waits for a person
	}{
		"it happened":           {told: telling(wire.HappenedYes, `"seen"`), lost: 1, want: []string{"completed", `"seen"`}, log: []string{lost, asked}},
		"without a result":      {told: telling(wire.HappenedYes, ""), lost: 1, want: []string{"completed", ``}, log: []string{lost, asked}},
		"it did not":            {told: telling(wire.HappenedNo, ""), lost: 1, want: []string{"completed", `"done at last"`}, log: []string{lost, asked, "invoke found 2"}},
		"it never does":         {told: telling(wire.HappenedNo, ""), lost: 9, want: []string{"paused", "0"}, log: []string{lost, asked, "invoke found 2", "reconcile found 2", "invoke found 3"}, note: "broke"},
		"it cannot tell":        {told: telling(wire.HappenedUnknown, ""), lost: 1, want: []string{"paused", "0"}, log: []string{lost, asked}, note: "cannot tell"},
		"it fails":              {told: func(*wire.Call) (*wire.Reconciliation, error) { return nil, errors.New("no") }, lost: 1, want: []string{"paused", "0"}, log: []string{lost, asked}, note: "broke"},
		"it says nothing":       {told: func(*wire.Call) (*wire.Reconciliation, error) { return nil, nil }, lost: 1, want: []string{"paused", "0"}, log: []string{lost, asked}, note: "broke"},
		"it says something new": {told: telling("perhaps", ""), lost: 1, want: []string{"paused", "0"}, log: []string{lost, asked}, note: "broke"},
		"its result is no JSON": {told: telling(wire.HappenedYes, "{"), lost: 1, want: []string{"paused", "0"}, log: []string{lost, asked}, note: "broke"},
		"its result is too large": {
			told: telling(wire.HappenedYes, `"`+strings.Repeat("x", 1_000_001)+`"`), lost: 1, want: []string{"paused", "0"}, log: []string{lost, asked}, note: "broke",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigFound)
			r.told = tc.told
			r.losing(tc.lost)
			w := newWorld(t, newItems(), r.rigged)
			out := w.run(`return await rig.found({ n: 1 })`)
			w.is(out, tc.want...)
			same(t, "calls", r.noted(), tc.log)
			if len(out.Pending) > 0 && !strings.Contains(out.Pending[0].Note, tc.note) {
				t.Errorf("a person reads %q, want %q in it", out.Pending[0].Note, tc.note)
			}
			if out.Status != "completed" {
				return
			}
			d := w.recorded(out.ExecutionID).Calls["0"].Decision
			if d.By != "rig" || d.Via != "reconcile" {
				t.Errorf("decided by %s via %s", d.By, d.Via)
			}
		})
	}
}

// TestReconcileWhatIsSent: a connector is asked about the call as it was sent last.
func TestReconcileWhatIsSent(t *testing.T) {
	t.Parallel()
	m := rigFound
	m.Prepares, m.RequiresApproval = true, true
	r := newRig(m)
	r.losing(1)
	var got *wire.Call
	r.told = func(call *wire.Call) (*wire.Reconciliation, error) {
		got = call
		return &wire.Reconciliation{Happened: wire.HappenedYes}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`await rig.found({ n: 1 })`)
	out, err := w.host.Approve(context.Background(), core.ApproveRequest{
		ExecutionID: out.ExecutionID, Calls: []core.Shown{{Seq: "0", Args: json.RawMessage(`{"n":2}`)}}, Decider: person,
	})
	if err != nil || out.Status != "completed" {
		t.Fatalf("%+v, %v", out, err)
	}
	if string(got.Args) != `{"n":2}` || string(got.Before) != `"before"` || got.Attempt != 1 || got.Method != "found" ||
		got.IdempotencyKey != out.ExecutionID+"/0" || !got.Deadline.After(time.Now()) {
		t.Errorf("it was asked about %+v", got)
	}
}

// TestReconcileAfterACrash: what a dead host had sent is asked about when the execution goes on.
func TestReconcileAfterACrash(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		told wire.Happened
		want []string
		log  []string
	}{
		"it happened":    {wire.HappenedYes, []string{"completed", `"seen"`}, []string{"invoke found 1", "reconcile found 1"}},
		"it did not":     {wire.HappenedNo, []string{"completed", `"done"`}, []string{"invoke found 1", "reconcile found 1", "invoke found 2"}},
		"it cannot tell": {wire.HappenedUnknown, []string{"paused", "0"}, []string{"invoke found 1", "reconcile found 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigFound)
			r.told = telling(tc.told, `"seen"`)
			w := newWorld(t, newItems(), r.rigged)
			store := w.memory()
			var after *memory.Store
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
				if after == nil {
					after = store.Crash(nil)
				}
				return &wire.Result{Value: json.RawMessage(`"done"`)}, nil
			}
			ended := <-w.starts(`return await rig.found({ n: 1 })`)
			if !errors.Is(ended.err, memory.ErrCrashed) {
				t.Fatalf("the dead host says %v", ended.err)
			}
			w.stop()
			w.store = after
			w.start()
			out, err := w.host.Resume(context.Background(), w.only())
			if err != nil {
				t.Fatal(err)
			}
			w.is(out, tc.want...)
			same(t, "calls", r.noted(), tc.log)
		})
	}
}

// TestReconcileLater: a call that waits for a person is asked about again in the next pass; a person's word goes first.
func TestReconcileLater(t *testing.T) {
	t.Parallel()
	r := newRig(rigFound, rigGated)
	r.losing(1)
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`return await Promise.all([rig.found({ n: 1 }), rig.gated({ n: 2 })])`)
	w.is(out, "paused", "0", "1")
	r.told = telling(wire.HappenedYes, `"seen"`)
	w.is(w.approve(out.ExecutionID, "1"), "completed", `["seen","done at last"]`)
}

// TestRollbackReconciles: before a rollback lists a call as in doubt, its connector is asked.
func TestRollbackReconciles(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		told    wire.Happened
		changed bool
		doubts  int
		reverts int
		state   journal.CallState
	}{
		"it happened":    {wire.HappenedYes, true, 0, 1, journal.CallReverted},
		"it did not":     {wire.HappenedNo, false, 0, 0, journal.CallFailed},
		"it cannot tell": {wire.HappenedUnknown, false, 1, 0, journal.CallInDoubt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigFound)
			r.losing(1)
			w := newWorld(t, newItems(), r.rigged)
			out := w.run(`return await rig.found({ n: 1 })`)
			w.is(out, "paused", "0")
			ended := w.settle(out.ExecutionID, "0", core.SettleEnd, "")
			if ended.Status != "error" {
				t.Fatalf("settled: %+v", ended)
			}
			r.told = telling(tc.told, `"seen"`)
			got := w.rollback(out.ExecutionID)
			if got.Changed != tc.changed || len(got.InDoubt) != tc.doubts || len(r.reverts) != tc.reverts {
				t.Errorf("rollback: %+v, %d reverts", got, len(r.reverts))
			}
			if state := w.recorded(out.ExecutionID).Calls["0"].State; state != tc.state {
				t.Errorf("the call is %s", state)
			}
			if tc.reverts == 1 && string(r.reverts[0].Result) != `"seen"` {
				t.Errorf("the revert got the result %s", r.reverts[0].Result)
			}
		})
	}
}

// process is a connector whose handlers do not hear of deadlines: they end with their process alone.
type process struct {
	*rig
	incarnation int
}

func (p *process) Incarnation() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.incarnation
}

func (p *process) Restart(_ context.Context, incarnation int) {
	time.Sleep(time.Second) // it does not want to go
	p.mu.Lock()
	defer p.mu.Unlock()
	if incarnation == p.incarnation {
		p.incarnation++
		p.log = append(p.log, "restart")
	}
}

// TestHandlerThatGoesOn: a call whose handler went on after its deadline is nobody's to decide before the process is
// gone; meanwhile the connector gets no new calls, and those that run come to their end.
func TestHandlerThatGoesOn(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"deaf": context.DeadlineExceeded, "lost": errLost} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(rigWrite, rigRead)
				p := &process{rig: r}
				r.invoke = func(ctx context.Context, call *wire.Call) (*wire.Result, error) {
					switch string(call.Args) {
					case `{"n":"deaf"}`:
						<-ctx.Done()
						return nil, err
					case `{"n":"slow"}`:
						time.Sleep(80 * time.Second)
					}
					r.note("end of %s", call.Args)
					return &wire.Result{}, nil
				}
				w := newWorld(t, newItems(), func(o *core.Options) {
					o.Connectors = append(o.Connectors, core.Connector{Label: "rig", Connector: p})
					o.CallTimeout = 60 * time.Second
					o.Limits.Wall = time.Hour
				})
				first := w.starts(`await rig.write({ n: "deaf" })`)
				time.Sleep(40 * time.Second)
				second := w.starts(`try { await rig.write({ n: "slow" }) } catch { return "cut off" }; return "ended"`)
				time.Sleep(21 * time.Second) // the first one's deadline has passed
				third := w.starts(`await rig.read({ n: "new" }); return "read"`)
				synctest.Wait()
				if got := r.noted(); slices.Contains(got, "restart") || slices.Contains(got, `end of {"n":"new"}`) {
					t.Errorf("while a call runs: %q", got)
				}
				w.is((<-first).out, "paused", "0")
				if got := r.noted(); !slices.Contains(got, "restart") {
					t.Errorf("a person is asked before the process is gone: %q", got)
				}
				if out := (<-second).out; out.Status != "completed" && out.Status != "paused" {
					t.Errorf("the call that ran: %+v", out)
				}
				w.is((<-third).out, "completed", `"read"`)
				w.stop()
			})
		})
	}
}

// TestRevertThatGoesOn: a revert whose handler went on after its deadline is nobody's to settle before the process is gone.
func TestRevertThatGoesOn(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"deaf": context.DeadlineExceeded, "lost": errLost} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(rigFound)
				p := &process{rig: r}
				r.revert = func(ctx context.Context, _ *wire.RevertRequest) error {
					<-ctx.Done()
					return err
				}
				w := newWorld(t, newItems(), func(o *core.Options) {
					o.Connectors = append(o.Connectors, core.Connector{Label: "rig", Connector: p})
				})
				id := w.run(`await rig.found({})`).ExecutionID
				if got := w.rollback(id); len(got.InDoubt) != 1 {
					t.Errorf("%+v", got)
				}
				same(t, "calls", r.noted(), []string{"invoke found 1", "revert found 1", "restart"})
				w.stop()
			})
		})
	}
}
