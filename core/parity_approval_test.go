package core_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// What waits is listed over all executions, or of one.
func TestPendingOfAllAndOfOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems(1, 2))
	first := w.run(`await items.remove({id: 1})`)
	second := w.run(`await items.list(); await Promise.all([items.remove({id: 2}), items.remove({id: 3})])`)
	w.run(`return await items.list()`)
	list := func(id string) (seen []string) {
		t.Helper()
		pending, err := w.host.Pending(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pending {
			name := map[string]string{first.ExecutionID: "first", second.ExecutionID: "second"}[p.ExecutionID]
			seen = append(seen, name+" "+p.Seq+" "+p.Connector+"."+p.Method+" "+string(p.Args))
		}
		return seen
	}
	one := []string{`first 0 items.remove {"id":1}`}
	two := []string{`second 1 items.remove {"id":2}`, `second 2 items.remove {"id":3}`}
	same(t, "all, newest execution first", list(""), append(append([]string{}, two...), one...))
	same(t, "the first", list(first.ExecutionID), one)
	same(t, "the second", list(second.ExecutionID), two)
	var missing *core.NotFoundError
	if _, err := w.host.Pending(ctx, "nope"); !errors.As(err, &missing) {
		t.Errorf("of an unknown one: %v", err)
	}
}

// A read that a rule makes wait is told as one: there is nothing about it that could not be undone.
func TestReadThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), func(o *core.Options) {
		o.Connectors[0].Rules = []policy.Rule{{Methods: []string{"list"}, Effect: policy.Approve}}
	})
	out := w.run(`await Promise.all([items.list(), items.remove({id: 1})])`)
	if len(out.Pending) != 2 || !out.Pending[0].ReadOnly || out.Pending[1].ReadOnly {
		t.Errorf("%+v", out.Pending)
	}
}

// An approval that comes too late revives nothing: it changes nothing and says what the execution is.
func TestApprovalOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	by := core.Decider{By: "ada", Note: "n"}
	for name, test := range map[string]struct {
		end    func(w *world, id string) error
		status string
	}{
		"rejected": {func(w *world, id string) error {
			_, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: id, Seq: "1", Decider: by})
			return err
		}, "rejected"},
		"completed": {func(w *world, id string) error { w.is(w.approve(id), "completed", `"removed 1"`); return nil }, "completed"},
		"failed": {func(w *world, id string) error {
			w.items.hook = func(context.Context, string, int) error { return sdk.Errorf(sdk.Conflict, "no") }
			w.is(w.approve(id), "error", engine.ErrorRuntime, "no")
			return nil
		}, "error"},
		"expired": {func(w *world, id string) error {
			_, err := w.host.ExpirePaused(ctx, 0)
			return err
		}, "rejected"},
		"rolled back": {func(w *world, id string) error {
			_, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: id})
			return err
		}, "rolled_back"},
		"rolled back after its end": {func(w *world, id string) error {
			w.is(w.approve(id), "completed", `"removed 1"`)
			_, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: id})
			return err
		}, "rolled_back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, newItems(1))
			out := w.run(`await items.add({id: 5}); return await items.remove({id: 1})`)
			w.is(out, "paused", "1")
			if err := test.end(w, out.ExecutionID); err != nil {
				t.Fatal(err)
			}
			w.items.hook = nil
			effects := w.items.effects()
			for range 2 { // and the same from a host that has just started
				w.hasEndedAs(out.ExecutionID, test.status)
				w.restart()
			}
			w.effectsAre(effects...)
		})
	}
}

// Rejecting what has ended ends nothing, and says so.
func TestRejectOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`return await items.remove({id: 1})`)
	w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
	r, err := w.host.Reject(context.Background(), core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "0", Decider: core.Decider{Note: "no"}})
	if err != nil || r.Changed || r.Status != "completed" || !strings.Contains(r.Message, "not paused") {
		t.Errorf("%+v, %v", r, err)
	}
	w.hasEndedAs(out.ExecutionID, "completed")
}

// A loop over gated calls pauses once for each, whatever ran before it.
func TestEveryGatedCallPausesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2, 3, 4))
	out := w.run(`const done = []; for (const id of await items.list()) done.push(await items.remove({id})); return done`)
	id := out.ExecutionID
	var effects []string
	for n := 1; n <= 4; n++ {
		w.is(out, "paused", fmt.Sprint(n))
		if out.ExecutionID != id || len(out.Pending) != 1 || out.Pending[0].ExecutionID != id {
			t.Fatalf("%+v", out)
		}
		w.effectsAre(effects...)
		effects = append(effects, fmt.Sprintf("remove %d", n))
		if n%2 == 0 {
			w.restart()
		}
		out = w.approve(id)
	}
	w.is(out, "completed", `["removed 1","removed 2","removed 3","removed 4"]`)
	w.effectsAre(effects...)
	if w.items.called("list") != 1 || w.items.called("remove") != 4 {
		t.Errorf("%d reads, %d removals", w.items.called("list"), w.items.called("remove"))
	}
}

// Nothing expires by itself; the act of expiring takes what is older than a day unless it is told otherwise.
func TestDefaultExpiryIsADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, newItems(1))
		out := w.run(`return await items.remove({id: 1})`)
		w.is(out, "paused", "0")
		if core.DefaultExpiry != 24*time.Hour {
			t.Errorf("the default is %s", core.DefaultExpiry)
		}
		time.Sleep(23 * time.Hour)
		if ids, err := w.host.ExpirePaused(ctx, core.DefaultExpiry); err != nil || len(ids) != 0 {
			t.Errorf("after 23 hours: %v, %v", ids, err)
		}
		time.Sleep(30 * 24 * time.Hour)
		w.restart()
		if s := w.status(out.ExecutionID); s != "paused" {
			t.Errorf("after a month it is %s by itself", s)
		}
		if ids, err := w.host.ExpirePaused(ctx, core.DefaultExpiry); err != nil || len(ids) != 1 {
			t.Errorf("after a month: %v, %v", ids, err)
		}
		w.hasEndedAs(out.ExecutionID, "rejected")
		w.stop()
	})
}

// An execution's age counts from its last event: a decision makes it young again.
func TestAgeCountsFromTheLastEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, newItems(1, 2))
		out := w.run(`await items.remove({id: 1}); await items.remove({id: 2}); return "done"`)
		time.Sleep(20 * time.Hour)
		w.is(w.approve(out.ExecutionID), "paused", "1")
		time.Sleep(20 * time.Hour)
		if ids, err := w.host.ExpirePaused(ctx, core.DefaultExpiry); err != nil || len(ids) != 0 {
			t.Errorf("%v, %v", ids, err)
		}
		w.is(w.approve(out.ExecutionID), "completed", `"done"`)
		w.stop()
	})
}
