package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// hooked is a connector that writes down what it is told, and counts calls in the host's store.
type hooked struct {
	mu   sync.Mutex
	told []string
	hang bool
}

func (k *hooked) tell(ctx context.Context, format string, args ...any) error {
	k.mu.Lock()
	k.told = append(k.told, fmt.Sprintf(format, args...))
	hang := k.hang
	k.mu.Unlock()
	if hang {
		<-ctx.Done()
	}
	return errors.New("nobody minds")
}

func (k *hooked) said() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.told)
}

func (k *hooked) mount(t *testing.T) core.Connector {
	t.Helper()
	c, err := (&sdk.Connector{
		Name: "hooked", Version: "1",
		PassEnded: func(ctx context.Context, e sdk.PassEnd) error { return k.tell(ctx, "pass %s", e.Status) },
		Dispose:   func(ctx context.Context, d sdk.Disposal) error { return k.tell(ctx, "dispose %s", d.Status) },
		Methods: []sdk.Method{sdk.Func[struct{}, int]{
			Name: "count", Description: "Count the calls of this execution.", ReadOnly: true,
			Call: func(ctx context.Context, _ struct{}) (int, error) {
				n, _, err := sdk.Get[int](ctx, "calls")
				if err != nil {
					return 0, err
				}
				return n + 1, sdk.Set(ctx, "calls", n+1)
			},
		}},
	}).InProcess()
	if err != nil {
		t.Fatal(err)
	}
	return core.Connector{Label: "hooked", Connector: c}
}

func newHooked(t *testing.T, k *hooked, it *items) *world {
	t.Helper()
	return newWorld(t, it, func(o *core.Options) { o.Connectors = append(o.Connectors, k.mount(t)) })
}

func (k *hooked) is(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := k.said(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		k := &hooked{}
		w := newHooked(t, k, newItems(1, 2))
		out := w.run(`await items.add({id: 7}); await items.remove({id: 1}); return 1`)
		k.is(t, "pass paused")
		w.is(w.approve(out.ExecutionID), "completed", "1")
		k.is(t, "pass paused", "pass completed", "dispose completed")
		if _, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID}); err != nil {
			t.Fatal(err)
		}
		k.is(t, "pass paused", "pass completed", "dispose completed", "dispose rolled_back")
		w.stop()
	})
}

func TestHooksOfEndsWithoutAPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		k := &hooked{}
		w := newHooked(t, k, newItems(1, 2))
		code := `await items.remove({id: 1})`
		rejected, expired, deleted := w.run(code), w.run(code), w.run(code)
		synctest.Wait()
		k.told = nil
		if _, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: rejected.ExecutionID, Seq: "0", Decider: core.Decider{Note: "no"}}); err != nil {
			t.Fatal(err)
		}
		k.is(t, "dispose rejected")
		if _, err := w.host.Delete(ctx, deleted.ExecutionID); err != nil {
			t.Fatal(err)
		}
		k.is(t, "dispose rejected", "dispose rejected")
		time.Sleep(time.Hour)
		if ids, err := w.host.ExpirePaused(ctx, time.Minute); err != nil || !slices.Equal(ids, []string{expired.ExecutionID}) {
			t.Fatalf("%v, %v", ids, err)
		}
		k.is(t, "dispose rejected", "dispose rejected", "dispose rejected")
		w.stop()
	})
}

// A hook that hangs delays an answer by its deadline at most, and changes nothing of it.
func TestHookThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &hooked{hang: true}
		w := newHooked(t, k, newItems())
		began := time.Now()
		w.is(w.run(`return 1`), "completed", "1")
		if took := time.Since(began); took > 15*time.Second { // two rounds of five seconds, and their grace
			t.Errorf("the answer took %s", took)
		}
		w.stop()
	})
}

// What a dead host did not tell, a later one does when it takes up the work.
func TestMissedHooksAreCaughtUpOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &hooked{}
		w := newHooked(t, k, newItems())
		w.memory().FailAfter(1) // the end of the pass is durable, the record of its hooks is not
		w.is(w.run(`return 1`), "completed", "1")
		synctest.Wait()
		w.die(nil)
		k.told = nil
		for range 2 { // and it does so once
			if _, err := w.host.ResumeAll(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		k.is(t, "pass completed", "dispose completed")
		w.stop()
	})
}

// A connector's values survive restarts, are its own for each execution, and go with the disposal.
func TestConnectorValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &hooked{}
		w := newHooked(t, k, newItems(1))
		out := w.run(`const a = await hooked.count(); await items.remove({id: 1}); return [a, await hooked.count()]`)
		w.is(out, "paused", "1")
		w.is(w.run(`return await hooked.count()`), "completed", "1")
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", "[1,2]")
		synctest.Wait()
		store, ok := w.store.(*memory.Store)
		if !ok {
			t.Fatal("another store")
		}
		if _, found, err := store.Value(context.Background(), out.ExecutionID, "hooked", "calls"); err != nil || found {
			t.Errorf("the value is still there: %v, %v", found, err)
		}
		w.stop()
	})
}

// A host that was started to decide, and has run nothing, tells connectors of the end all the same.
func TestHooksOfAHostThatOnlyDecides(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, end := range map[string]func(w *world, out *core.Outcome) error{
		"reject": func(w *world, out *core.Outcome) error {
			_, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "0", Decider: core.Decider{Note: "no"}})
			return err
		},
		"expire": func(w *world, _ *core.Outcome) error {
			_, err := w.host.ExpirePaused(ctx, -time.Hour)
			return err
		},
		"delete": func(w *world, out *core.Outcome) error {
			_, err := w.host.Delete(ctx, out.ExecutionID)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &hooked{}
				w := newHooked(t, k, newItems(1))
				out := w.run(`return await items.remove({id: 1})`)
				k.is(t, "pass paused")
				w.restart()
				if err := end(w, out); err != nil {
					t.Fatal(err)
				}
				k.is(t, "pass paused", "dispose rejected")
			})
		})
	}
}
