package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// act does something to an execution and reports whether it says that it has changed it.
type act func(ctx context.Context, h *core.Host, id string) (changed bool, err error)

func acts(out *core.Outcome, err error) (bool, error) {
	return err == nil && out.ErrorType != "state", err
}

var person = core.Decider{By: "ada", Via: "test", Note: "as agreed"}

var deeds = map[string]act{
	"approve": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		return acts(h.Approve(ctx, core.ApproveRequest{ExecutionID: id, Calls: []core.Shown{{Seq: "1"}}, Decider: person}))
	},
	"reject": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		r, err := h.Reject(ctx, core.RejectRequest{ExecutionID: id, Seq: "1", Decider: person})
		return err == nil && r.Changed, err
	},
	"refuse": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		return acts(h.Refuse(ctx, core.RejectRequest{ExecutionID: id, Seq: "1", Decider: person}))
	},
	"expire": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		ids, err := h.ExpirePaused(ctx, 1)
		return slices.Contains(ids, id), err
	},
	"rollback": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		r, err := h.Rollback(ctx, core.RollbackRequest{ExecutionID: id, Decider: person})
		return err == nil && r.Changed, err
	},
	"delete": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		r, err := h.Delete(ctx, id)
		return err == nil && r.Changed, err
	},
	"resume": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		return acts(h.Resume(ctx, id))
	},
	"done": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		return acts(h.Settle(ctx, core.SettleRequest{ExecutionID: id, Seq: "1", How: core.SettleDone, Result: []byte(`"removed"`), Decider: person}))
	},
	"not done": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		return acts(h.Settle(ctx, core.SettleRequest{ExecutionID: id, Seq: "1", How: core.SettleNotDone, Decider: person}))
	},
	"again": func(ctx context.Context, h *core.Host, id string) (bool, error) {
		return acts(h.Settle(ctx, core.SettleRequest{ExecutionID: id, Seq: "1", How: core.SettleAgain, Decider: person}))
	},
}

// race is two deeds at the same time on a call that waits, or whose effect is in doubt.
type race struct {
	left, right string
	doubt       bool
	// one says that just one of both can change anything.
	one bool
}

var races = []race{
	{"approve", "approve", false, true},
	{"approve", "reject", false, true},
	{"approve", "refuse", false, true},
	{"approve", "expire", false, true},
	{"approve", "rollback", false, false},
	{"approve", "delete", false, false},
	{"approve", "resume", false, false},
	{"reject", "reject", false, true},
	{"reject", "expire", false, true},
	{"reject", "rollback", false, false},
	{"expire", "expire", false, true},
	{"rollback", "rollback", false, true},
	{"rollback", "delete", false, false},
	{"done", "not done", true, true},
	{"done", "again", true, true},
	{"again", "again", true, true},
	{"again", "rollback", true, false},
}

// rounds is how often each race is run.
func rounds() int {
	if testing.Short() {
		return 50
	}
	return 1000
}

// TestRaces: whatever is decided at the same moment, on one host or on two that share a store, one decision counts, and
// what was done is what the journal says.
func TestRaces(t *testing.T) {
	t.Parallel()
	for _, r := range races {
		for hosts := 1; hosts <= 2; hosts++ {
			t.Run(fmt.Sprintf("%s against %s on %d", r.left, r.right, hosts), func(t *testing.T) {
				t.Parallel()
				it := newItems()
				if r.doubt {
					it.hook = doubting(it)
				}
				shared := memory.NewShared()
				on := func(o *core.Options) { o.Store = shared }
				a := newWorld(t, it, on)
				b := a
				if hosts == 2 {
					b = newWorld(t, it, on)
				}
				a.store = shared
				for n := range rounds() {
					r.run(t, a, b, n)
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// doubting makes every first removal of an item time out, before anything is done.
func doubting(it *items) func(context.Context, string, int) error {
	var mu sync.Mutex
	seen := map[int]bool{}
	return func(_ context.Context, method string, id int) error {
		mu.Lock()
		defer mu.Unlock()
		if method != "remove" || seen[id] {
			return nil
		}
		seen[id] = true
		return sdk.Errorf(sdk.Timeout, "the answer did not come")
	}
}

func (r race) run(t *testing.T, a, b *world, n int) {
	ctx := context.Background()
	out := a.run(fmt.Sprintf(`await items.add({id: %d}); return await items.remove({id: %[1]d})`, n))
	if r.doubt {
		out = a.approve(out.ExecutionID)
	}
	a.is(out, "paused", "1")
	var won int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, w := range []*world{a, b} {
		name := []string{r.left, r.right}[i]
		wg.Go(func() {
			changed, err := deeds[name](ctx, w.host, out.ExecutionID)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !(a != b && tooLate(err)) {
				t.Errorf("round %d: %s: %v", n, name, err)
			}
			if changed {
				won++
			}
		})
	}
	wg.Wait()
	if r.one && won != 1 {
		t.Errorf("round %d: %d of both say that they have changed it", n, won)
	}
	r.check(t, a, out.ExecutionID, n)
}

// tooLate reports whether an error says that another host was faster.
func tooLate(err error) bool {
	return errors.Is(err, journal.ErrFenced) || errors.Is(err, journal.ErrConflict) || errors.Is(err, journal.ErrNotFound)
}

// check holds what was done to what the journal says.
func (r race) check(t *testing.T, w *world, id string, n int) {
	removed, undone := 0, 0
	removal, undoing, other := fmt.Sprint("remove ", n), fmt.Sprint("undo removed ", n), fmt.Sprint("undo added ", n)
	for _, e := range w.items.effects() {
		switch e {
		case removal:
			removed++
		case undoing, other:
			undone++
		}
	}
	if removed > 1 || undone > 2 {
		t.Errorf("round %d: removed %d times, undone %d times", n, removed, undone)
	}
	s, err := journal.Fold(id, w.store.Read(context.Background(), id, 0))
	if errors.Is(err, journal.ErrNotFound) && (r.left == "delete" || r.right == "delete") {
		return
	}
	if err != nil {
		t.Errorf("round %d: %v", n, err)
		return
	}
	c := s.Calls["1"]
	applied := c.State == journal.CallApplied || c.State == journal.CallReverted
	settled := c.Decision != nil && c.Decision.Decision == journal.DecisionDone
	if s.Status == journal.StatusRunning || applied && !settled && removed != 1 || !applied && c.State != journal.CallInDoubt && removed != 0 {
		t.Errorf("round %d: the execution is %s, the call %s, removed %d times", n, s.Status, c.State, removed)
	}
}

// TestDecisionsAgainstARunningPass: two calls of one execution, each approved by somebody else at the same moment.
func TestDecisionsAgainstARunningPass(t *testing.T) {
	t.Parallel()
	it := newItems()
	w := newWorld(t, it)
	for n := range rounds() {
		out := w.run(fmt.Sprintf(`return await Promise.all([items.remove({id: %d}), items.remove({id: -%[1]d})])`, n+1))
		w.is(out, "paused", "0", "1")
		var wg sync.WaitGroup
		for _, seq := range []string{"0", "1"} {
			wg.Go(func() {
				req := core.ApproveRequest{ExecutionID: out.ExecutionID, Calls: []core.Shown{{Seq: seq}}, Decider: person}
				if changed, err := acts(w.host.Approve(context.Background(), req)); err != nil || !changed {
					t.Errorf("round %d: the approval of %s: %v, %v", n, seq, changed, err)
				}
			})
		}
		wg.Wait()
		if got := w.status(out.ExecutionID); got != "completed" {
			t.Fatalf("round %d: the execution is %s", n, got)
		}
	}
	if got, want := len(it.effects()), 2*rounds(); got != want {
		t.Errorf("%d effects, want %d", got, want)
	}
}

// TestCancelAgainstOutcome: an execution that is cancelled at any moment is cancelled or completed, and has no effect
// that its journal does not know.
func TestCancelAgainstOutcome(t *testing.T) {
	t.Parallel()
	it := newItems()
	w := newWorld(t, it)
	for n := range rounds() {
		ctx, cancel := context.WithCancel(context.Background())
		it.mu.Lock()
		it.hook = func(context.Context, string, int) error {
			go cancel()
			return nil
		}
		it.mu.Unlock()
		out, err := w.host.Run(ctx, core.RunRequest{Code: `await items.add({id: 1}); return "done"`})
		cancel()
		if err != nil {
			t.Fatalf("round %d: %v", n, err)
		}
		s := w.recorded(out.ExecutionID)
		if string(s.Status) != out.Status || out.Status != "completed" && out.ErrorType != "cancelled" {
			t.Fatalf("round %d: the journal says %s, the outcome %s %s", n, s.Status, out.Status, out.ErrorType)
		}
		if c := s.Calls["0"]; c.State != journal.CallApplied || len(it.effects()) != n+1 {
			t.Fatalf("round %d: the call is %s after %d effects", n, c.State, len(it.effects()))
		}
	}
}
