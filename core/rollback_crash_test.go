package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/wire"
)

// undoing counts what calls and their reverts have really done.
type undoing struct {
	*rig
	done, undone map[string]int
}

func newUndoing() *undoing {
	l := &undoing{rig: newRig(rigFound), done: map[string]int{}, undone: map[string]int{}}
	l.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		var args struct{ Act, Lose bool }
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return nil, err
		}
		if args.Act {
			l.count(l.done, call.Seq)
		}
		if args.Lose {
			return nil, errLost
		}
		return &wire.Result{}, nil
	}
	l.revert = func(_ context.Context, req *wire.RevertRequest) error {
		l.count(l.undone, req.Call.Seq)
		return nil
	}
	return l
}

func (l *undoing) count(book map[string]int, seq string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	book[seq]++
}

func (l *undoing) has(book map[string]int, seq string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return book[seq] > 0
}

// tell answers from the books.
func (l *undoing) tell(call *wire.Call) (*wire.Reconciliation, error) {
	if l.has(l.done, call.Seq) {
		return &wire.Reconciliation{Happened: wire.HappenedYes}, nil
	}
	return &wire.Reconciliation{Happened: wire.HappenedNo}, nil
}

// rollsBack rolls an execution back as people do: they look into the books for each revert in doubt, and go on. again
// has a revert that did nothing tried again, in place of a word on it.
func (w *world) rollsBack(id string, l *undoing, again bool) error {
	ctx := context.Background()
	for {
		r, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: id})
		if err != nil || len(r.InDoubt) == 0 {
			return err
		}
		for _, doubt := range r.InDoubt {
			how := core.SettleNotDone
			switch {
			case l.has(l.undone, doubt.Seq):
				how = core.SettleDone
			case again:
				how = core.SettleAgain
			}
			out, err := w.host.Settle(ctx, core.SettleRequest{ExecutionID: id, Seq: doubt.Seq, How: how, Decider: person})
			if err != nil {
				return err
			}
			if !out.Changed {
				return fmt.Errorf("call %s is not settled: %s", doubt.Seq, out.Error)
			}
		}
	}
}

// TestRollbackDiesTwice: the host dies at each change of the journal in the course of a rollback, and the next one at
// each of the one that carries on, with and without what was in flight. Calls in doubt are looked into by the rollback
// itself. Whatever comes, each effect is undone once, and what had none is not undone.
func TestRollbackDiesTwice(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]func(journal.Batch) bool{
		"what was in flight is lost": nil,
		"what was in flight is kept": func(journal.Batch) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := 0
			for ; ; first++ {
				second := 0
				for ; ; second++ {
					at := fmt.Sprintf("dead after %d changes and again after %d", first, second)
					l := newUndoing()
					w := newWorld(t, newItems(), l.rigged)
					id := w.run(`
						await rig.found({ act: true });
						rig.found({ act: true, lose: true });
						rig.found({ act: false, lose: true });
						await rig.found({ act: true })`).ExecutionID
					w.restart() // the hooks of the pass are over
					l.told = l.tell
					w.memory().FailAfter(first)
					if err := w.rollsBack(id, l, second%2 == 0); err == nil {
						if first < 10 {
							t.Fatalf("only %d changes", first)
						}
						return
					} else if !errors.Is(err, memory.ErrCrashed) {
						t.Fatalf("%s: %v", at, err)
					}
					w.die(keep)
					w.memory().FailAfter(second)
					err := w.rollsBack(id, l, second%2 == 0)
					if err != nil && !errors.Is(err, memory.ErrCrashed) {
						t.Fatalf("%s: %v", at, err)
					}
					if err != nil {
						w.die(keep)
						if err := w.rollsBack(id, l, second%2 == 0); err != nil {
							t.Fatalf("%s: %v", at, err)
						}
					}
					l.isUndone(t, at, w.recorded(id))
					w.stop()
					if err == nil {
						break
					}
				}
				if second == 0 && first < 5 {
					t.Fatalf("dead after %d changes, nothing was left to do", first)
				}
			}
		})
	}
}

// isUndone holds the books against the journal.
func (l *undoing) isUndone(t *testing.T, at string, s *journal.State) {
	t.Helper()
	if s.Status != journal.StatusRolledBack || s.RollingBack {
		t.Errorf("%s: the execution is %s, rolling back %v", at, s.Status, s.RollingBack)
	}
	for seq, c := range s.Calls {
		want, state := 0, journal.CallFailed
		if l.done[seq] > 0 {
			want, state = 1, journal.CallReverted
		}
		if l.done[seq] > 1 || l.undone[seq] != want || c.State != state {
			t.Errorf("%s: call %s is %s, done %d times and undone %d times", at, seq, c.State, l.done[seq], l.undone[seq])
		}
	}
}
