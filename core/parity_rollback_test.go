package core_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// Only what was really reverted is marked so: a failed revert leaves its call applied, what has none stays as it is,
// and the account says which is which.
func TestOnlyRevertedCallsAreMarked(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	w := newWorld(t, it)
	out := w.run(`await items.add({id: 4}); await items.add({id: 5}); await items.notify({id: 6}); await items.list(); await items.remove({id: 1})`)
	w.is(out, "paused", "4")
	it.hook = func(_ context.Context, method string, id int) error {
		if method == "revert add" && id == 4 {
			return sdk.Errorf(sdk.Conflict, "4 is in use")
		}
		return nil
	}
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID, Decider: core.Decider{By: "ada"}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Changed || r.Status != "rolled_back" || len(r.Reverted) != 1 || r.Reverted[0].Seq != "1" ||
		len(r.Failed) != 1 || r.Failed[0].Seq != "0" || !strings.Contains(r.Failed[0].Reason, "in use") ||
		len(r.NoRevert) != 1 || r.NoRevert[0].Seq != "2" {
		t.Errorf("%+v", r)
	}
	d, err := w.host.Show(context.Background(), out.ExecutionID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "calls", calls(d.Outcome), []string{
		"0 items.add applied", "1 items.add reverted", "2 items.notify applied", "3 items.list applied", "4 items.remove withdrawn",
	})
	w.hasEndedAs(out.ExecutionID, "rolled_back")
	w.effectsAre("add 4", "add 5", "notify 6", "undo added 5")
}

// Reverts run in the reverse order of the starts, with or without approval, with what was recorded and prepared, also
// by a host that never saw the calls.
func TestRollbackByAnotherHost(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	w := newWorld(t, it, onDisk(t.TempDir()))
	out := w.run(`await items.add({id: 5}); await items.remove({id: 1}); await items.add({id: 6}); return "done"`)
	w.is(w.approve(out.ExecutionID), "completed", `"done"`)
	w.restart()
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || r.Status != "rolled_back" || len(r.Reverted) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.effectsAre("add 5", "remove 1", "add 6", "undo added 6", "undo removed 1", "undo added 5")
	if !it.have[1] || it.have[5] || it.have[6] {
		t.Errorf("items %v", it.have)
	}
	w.restart()
	again, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || again.Changed || again.Status != "rolled_back" {
		t.Errorf("%+v, %v", again, err)
	}
	w.effectsAre("add 5", "remove 1", "add 6", "undo added 6", "undo removed 1", "undo added 5")
}

// A rollback that reverts nothing leaves every status as it was.
func TestRollbackOfNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ code, status string }{
		"reads only":          {`return await items.list()`, "completed"},
		"no calls":            {`return 1`, "completed"},
		"a write without one": {`await items.notify({id: 1}); throw new Error("x")`, "error"},
		"waiting":             {`await items.remove({id: 1})`, "paused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, newItems(1))
			id := w.run(test.code).ExecutionID
			r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: id})
			if err != nil || r.Changed || r.Status != test.status || len(r.Reverted) != 0 {
				t.Errorf("%+v, %v", r, err)
			}
			if s := w.status(id); s != test.status {
				t.Errorf("status %s", s)
			}
		})
	}
}

// A connector that is not there any more is skipped and named; the others revert.
func TestRollbackWithoutAConnector(t *testing.T) {
	t.Parallel()
	v := &vault{}
	w := newWorld(t, newItems(), v.with(t))
	out := w.run(`await items.add({id: 1}); await vault.put({a: 1}); return 1`)
	w.more = nil
	w.restart()
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || len(r.Reverted) != 1 || len(r.Missing) != 1 || r.Missing[0].Connector != "vault" {
		t.Errorf("%+v, %v", r, err)
	}
}

// A host that dies while a call is being reverted leaves that revert in doubt: the next rollback carries on, and
// reverts nothing twice.
func TestRollbackCarriesOnAfterACrash(t *testing.T) {
	t.Parallel()
	it := newItems()
	w := newWorld(t, it)
	out := w.run(`await items.add({id: 1}); await items.add({id: 2}); await items.add({id: 3})`)
	store, ok := w.store.(*memory.Store)
	if !ok {
		t.Fatal("another store")
	}
	var after *memory.Store
	it.hook = func(_ context.Context, method string, id int) error {
		if method == "revert add" && id == 2 && after == nil {
			after = store.Crash(nil)
		}
		return nil
	}
	ctx := context.Background()
	if _, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID}); !errors.Is(err, memory.ErrCrashed) {
		t.Fatalf("the dead host says %v", err)
	}
	w.stop()
	w.store = after
	w.start()
	if out := w.approve(out.ExecutionID); out.ErrorType != engine.ErrorState {
		t.Errorf("decided during a rollback: %+v", out)
	}
	r, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || r.Changed || len(r.InDoubt) != 1 || r.InDoubt[0].Seq != "1" {
		t.Fatalf("%+v, %v", r, err)
	}
	pending, err := w.host.Pending(ctx, out.ExecutionID)
	if err != nil || len(pending) != 1 || pending[0].Kind != engine.PendingInDoubt || !strings.Contains(pending[0].Note, "revert") {
		t.Fatalf("pending %+v, %v", pending, err)
	}
	d, err := w.host.Show(ctx, out.ExecutionID)
	if err != nil || d.Outcome.Calls[0].RevertInDoubt || !d.Outcome.Calls[1].RevertInDoubt {
		t.Fatalf("%+v, %v", d, err)
	}
	// The effect is there: a person says so, and the next rollback goes on behind it.
	if _, err := w.host.Settle(ctx, core.SettleRequest{ExecutionID: out.ExecutionID, Seq: "1", How: core.SettleDone}); err != nil {
		t.Fatal(err)
	}
	r, err = w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || r.Status != "rolled_back" || len(r.Reverted) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.effectsAre("add 1", "add 2", "add 3", "undo added 3", "undo added 2", "undo added 1")
}

// An execution that runs is not rolled back, and two rollbacks at once revert once.
func TestRollbackClaimsTheExecution(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	it := newItems()
	w := newWorld(t, it)
	it.hook = func(ctx context.Context, method string, id int) error {
		if method != "add" || id != 2 {
			return nil
		}
		p, err := w.host.Executions(ctx, core.ListRequest{})
		if err != nil {
			return err
		}
		r, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: p.Executions[0].ID})
		if err == nil && (r.Changed || !strings.Contains(r.Message, "running")) {
			t.Errorf("rolled back while it runs: %+v", r)
		}
		return err
	}
	out := w.run(`await items.add({id: 1}); return await items.add({id: 2})`)
	w.is(out, "completed", `"added 2"`)
	var changed atomic.Int32
	var asked, wg sync.WaitGroup
	asked.Add(4)
	it.hook = func(context.Context, string, int) error {
		asked.Wait() // the first revert goes on when all four have asked
		return nil
	}
	for range 4 {
		wg.Go(func() {
			asked.Done()
			r, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID})
			if err != nil {
				t.Error(err)
				return
			}
			if r.Changed {
				changed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := changed.Load(); n != 1 {
		t.Errorf("%d of four rollbacks say that they reverted", n)
	}
	w.effectsAre("add 1", "add 2", "undo added 2", "undo added 1")
}
