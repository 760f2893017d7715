package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"github.com/google/go-cmp/cmp"
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

// The host dies at each append of a rollback in turn. The next rollback carries on: nothing is reverted twice, and an
// execution of which anything was reverted is rolled back, whichever process did it.
func TestRollbackDiesAtEveryAppend(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		it := newItems(1)
		w := newWorld(t, it)
		out := w.run(`await items.add({id: 5}); await items.add({id: 6}); await items.remove({id: 1})`)
		w.is(out, "paused", "2")
		w.restart() // the hooks of the pass are over
		w.memory().FailAfter(n)
		ctx := context.Background()
		_, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID})
		if err == nil {
			if n < 6 {
				t.Fatalf("only %d appends", n)
			}
			return
		}
		if !errors.Is(err, memory.ErrCrashed) {
			t.Fatal(err)
		}
		w.die(nil)
		if n > 0 { // the claim is durable
			w.is(w.approve(out.ExecutionID), "error", engine.ErrorState, "rollback")
			if got, err := w.host.ResumeAll(ctx); err != nil || len(got) != 0 {
				t.Errorf("resumed during a rollback: %+v, %v", got, err)
			}
		}
		before := len(it.effects())
		r := w.rollback(out.ExecutionID)
		for _, doubt := range r.InDoubt { // nothing else is reverted before a person has looked
			how := core.SettleNotDone
			if effects := it.effects(); len(effects) > 0 && strings.HasPrefix(effects[len(effects)-1], "undo") {
				how = core.SettleDone
			}
			if len(it.effects()) > before {
				t.Errorf("dead after %d appends: it went on in doubt: %q", n, it.effects())
			}
			if _, err := w.host.Settle(ctx, core.SettleRequest{ExecutionID: out.ExecutionID, Seq: doubt.Seq, How: how}); err != nil {
				t.Fatal(err)
			}
			r = w.rollback(out.ExecutionID)
		}
		undone := map[string]int{}
		for _, effect := range it.effects() {
			if strings.HasPrefix(effect, "undo") {
				undone[effect]++
			}
		}
		for effect, times := range undone {
			if times > 1 {
				t.Errorf("dead after %d appends: %q happened %d times", n, effect, times)
			}
		}
		s := w.recorded(out.ExecutionID)
		reverted := 0
		for _, c := range s.Calls {
			if c.State == journal.CallReverted {
				reverted++
			}
		}
		if want := reverted > 0; want != (s.Status == journal.StatusRolledBack) || string(s.Status) != r.Status {
			t.Errorf("dead after %d appends: %d reverted, status %s, told %s", n, reverted, s.Status, r.Status)
		}
		if r.Changed != (len(it.effects()) > before) {
			t.Errorf("dead after %d appends: changed %v, effects %q", n, r.Changed, it.effects())
		}
	}
}

// A revert gets what was executed: the approver's arguments, not the program's own.
func TestRevertOfAnEditedCall(t *testing.T) {
	t.Parallel()
	gated := rigGated
	gated.Reverts = true
	r := newRig(gated)
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`return await rig.gated({n: 1})`)
	w.is(out, "paused", "0")
	done, err := w.host.Approve(t.Context(), core.ApproveRequest{
		ExecutionID: out.ExecutionID, Calls: []core.Shown{{Seq: "0", Args: json.RawMessage(`{"n":2}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.is(done, "completed", `"done"`)
	if got := w.rollback(out.ExecutionID); len(got.Reverted) != 1 {
		t.Fatalf("%+v", got)
	}
	if got := r.reverts[0]; string(got.Call.Args) != `{"n":2}` || string(got.Result) != `"done"` {
		t.Errorf("the revert got %s and %s", got.Call.Args, got.Result)
	}
}

// The next rollback of a claim whose process died finds nothing left to revert: what was reverted counts all the same.
func TestRollbackOfWhatADeadOneReverted(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	w := newWorld(t, it)
	out := w.run(`await items.add({id: 5}); await items.remove({id: 1})`)
	w.is(out, "paused", "1")
	w.restart() // the hooks of the pass are over
	w.memory().OnAppend = func(stage memory.Stage, b journal.Batch) error {
		for _, e := range b.Events {
			if _, ends := e.Body.(*journal.RollbackEnded); ends && stage == memory.BeforeDurable {
				return memory.ErrCrashed
			}
		}
		return nil
	}
	if _, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID}); !errors.Is(err, memory.ErrCrashed) {
		t.Fatal(err)
	}
	w.die(nil)
	if r := w.rollback(out.ExecutionID); r.Status != "rolled_back" {
		t.Errorf("%+v", r)
	}
	w.is(w.approve(out.ExecutionID), "error", engine.ErrorState, "rolled_back")
	w.effectsAre("add 5", "undo added 5")
}

// Rollbacks of calls in each state: applied by a connector, settled as done or not done, failed with the effect known
// and not, in doubt, pending.
func TestRollbackOfEveryState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err     error
		settle  string
		account func(*core.Rollback) []engine.RevertRecord
	}{
		"applied":               {nil, "", func(r *core.Rollback) []engine.RevertRecord { return r.Reverted }},
		"in doubt":              {errLost, "", func(r *core.Rollback) []engine.RevertRecord { return r.InDoubt }},
		"settled as done":       {errLost, core.SettleDone, func(r *core.Rollback) []engine.RevertRecord { return r.Reverted }},
		"settled as not done":   {errLost, core.SettleNotDone, nil},
		"ended in doubt":        {errLost, core.SettleEnd, func(r *core.Rollback) []engine.RevertRecord { return r.InDoubt }},
		"failed, effect known":  {&wire.Error{Code: wire.CodeConflict}, "", nil},
		"failed, effect unsure": {&wire.Error{Code: wire.CodeInternal}, "", func(r *core.Rollback) []engine.RevertRecord { return r.InDoubt }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			write := rigWrite
			write.Reverts = true
			r := newRig(write)
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return &wire.Result{}, test.err }
			w := newWorld(t, newItems(), r.rigged)
			out := w.run(`try { await rig.write({}) } catch {}`)
			if test.settle != "" {
				w.settle(out.ExecutionID, "0", test.settle, "")
			}
			w.restart()
			got := w.rollback(out.ExecutionID)
			all := len(got.Reverted) + len(got.InDoubt) + len(got.Failed) + len(got.Missing) + len(got.NoRevert)
			switch {
			case test.account == nil && all != 0:
				t.Errorf("%+v", got)
			case test.account != nil && (all != 1 || len(test.account(got)) != 1):
				t.Errorf("%+v", got)
			}
		})
	}
}

// What is known only after the end informs a rollback, and revives nothing.
func TestSettledAfterTheEndThenRolledBack(t *testing.T) {
	t.Parallel()
	write := rigWrite
	write.Reverts = true
	r := newRig(write)
	r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, errLost }
	w := newWorld(t, newItems(1), r.rigged)
	out := w.run(`await Promise.all([rig.write({}), items.remove({id: 1})])`)
	w.is(out, "paused", "0", "1")
	w.is(w.settle(out.ExecutionID, "0", core.SettleEnd, ""), "error", engine.ErrorRejected, "not known")
	w.is(w.settle(out.ExecutionID, "0", core.SettleAgain, ""), "error", engine.ErrorState, "")
	recorded := w.settle(out.ExecutionID, "0", core.SettleDone, `1`)
	want := &core.Outcome{
		ExecutionID: out.ExecutionID, Status: "error", Changed: true,
		Message: "Recorded, and nothing was run: call 0 settled: it happened, by ada.",
	}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Error(diff)
	}
	if got := w.rollback(out.ExecutionID); len(got.Reverted) != 1 {
		t.Errorf("%+v", got)
	}
	if string(r.reverts[0].Result) != "1" {
		t.Errorf("the revert was given %s", r.reverts[0].Result)
	}
}

// A host that stops, or a caller that goes, in the middle of a rollback: the revert under way is awaited and recorded,
// no other begins, and the next rollback goes on.
func TestRollbackIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(w *world, cancel func()){
		"the host stops":  func(w *world, _ func()) { w.stop() },
		"the caller goes": func(w *world, cancel func()) { cancel(); time.Sleep(time.Minute); w.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				it := newItems()
				it.hook = func(_ context.Context, method string, _ int) error {
					if method == "revert add" {
						time.Sleep(10 * time.Second)
					}
					return nil
				}
				w := newWorld(t, it)
				out := w.run(`await items.add({id: 1}); await items.add({id: 2}); await items.add({id: 3})`)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				host, ended := w.host, make(chan error)
				go func() {
					_, err := host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID})
					ended <- err
				}()
				time.Sleep(time.Second)
				stopped := make(chan struct{})
				go func() { defer close(stopped); stop(w, cancel) }()
				if err := <-ended; !errors.Is(err, engine.ErrStopped) && !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				<-stopped
				w.effectsAre("add 1", "add 2", "add 3", "undo added 3")
				if _, err := host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID}); !errors.Is(err, engine.ErrStopped) {
					t.Errorf("of a host that has stopped: %v", err)
				}
				w.start()
				if r := w.rollback(out.ExecutionID); len(r.Reverted) != 2 || len(r.InDoubt) != 0 {
					t.Errorf("%+v", r)
				}
				w.effectsAre("add 1", "add 2", "add 3", "undo added 3", "undo added 2", "undo added 1")
				w.stop()
			})
		})
	}
}

// A revert that never answers is in doubt after its deadline, and the others go on.
func TestRevertThatNeverAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		deaf := make(chan struct{})
		it.hook = func(_ context.Context, method string, id int) error {
			if method == "revert add" && id == 2 {
				<-deaf
				return sdk.Errorf(sdk.Conflict, "too late")
			}
			return nil
		}
		w := newWorld(t, it)
		out := w.run(`await items.add({id: 1}); await items.add({id: 2})`)
		r := w.rollback(out.ExecutionID)
		if len(r.InDoubt) != 1 || len(r.Reverted) != 1 || r.InDoubt[0].Seq != "1" {
			t.Errorf("%+v", r)
		}
		close(deaf)
		w.stop()
	})
}
