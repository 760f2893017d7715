package core_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal/memory"
)

// maintained runs Maintain beside a test until the returned function is called.
func maintained(w *world) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	host := w.host
	wg.Go(func() { host.Maintain(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// A process that serves ends what has waited for too long and deletes what is too old, when it starts and from then on.
func TestMaintainExpiresAndPrunes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems(1), func(o *core.Options) { o.PausedTTL, o.MaxAge = 2*time.Hour, 10*time.Hour })
		code := `await items.remove({id: 1})`
		stale := w.run(code).ExecutionID
		time.Sleep(3 * time.Hour)
		w.restart()
		waiting := w.run(code).ExecutionID
		end := maintained(w)
		synctest.Wait()
		if got := w.status(stale); got != "rejected" {
			t.Errorf("what was stale at the start is %s", got)
		}
		time.Sleep(115 * time.Minute)
		if got := w.status(waiting); got != "paused" {
			t.Errorf("after less than its time it is %s", got)
		}
		time.Sleep(10 * time.Minute)
		if got := w.status(waiting); got != "rejected" {
			t.Errorf("after its time it is %s", got)
		}
		time.Sleep(8*time.Hour + time.Minute)
		page, err := w.host.Executions(context.Background(), core.ListRequest{})
		if err != nil || len(page.Executions) != 1 || page.Executions[0].ID != waiting {
			t.Errorf("left are %+v, %v", page, err)
		}
		time.Sleep(3 * time.Hour)
		page, err = w.host.Executions(context.Background(), core.ListRequest{})
		if err != nil || len(page.Executions) != 0 {
			t.Errorf("left are %+v, %v", page, err)
		}
		end()
		w.stop()
	})
}

// What a dead process left running is continued beside what else is done; one that takes long keeps nothing waiting.
func TestMaintainContinuesWhatWasLeftRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		it.hook = func(ctx context.Context, _ string, _ int) error { <-ctx.Done(); return ctx.Err() }
		w := newWorld(t, it, func(o *core.Options) { o.CallTimeout = time.Hour })
		var wg sync.WaitGroup
		host := w.host
		for _, code := range []string{`await items.list(); return "one"`, `await items.list(); return "two"`} {
			wg.Go(func() {
				if _, err := host.Run(context.Background(), core.RunRequest{Code: code}); !errors.Is(err, engine.ErrStopped) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		w.stop()
		wg.Wait()
		slow, first := make(chan struct{}), true
		it.hook = func(context.Context, string, int) error {
			it.mu.Lock()
			mine := first
			first = false
			it.mu.Unlock()
			if mine {
				<-slow
			}
			return nil
		}
		w.start()
		end := maintained(w)
		synctest.Wait()
		statuses := func() (list []string) {
			page, err := w.host.Executions(context.Background(), core.ListRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, head := range page.Executions {
				list = append(list, string(head.Status))
			}
			slices.Sort(list)
			return list
		}
		same(t, "while one is slow", statuses(), []string{"completed", "running"})
		close(slow)
		synctest.Wait()
		same(t, "in the end", statuses(), []string{"completed", "completed"})
		end()
		w.stop()
	})
}

// The end of the host ends Maintain as well.
func TestMaintainEndsWithItsHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems())
		end := maintained(w)
		synctest.Wait()
		w.stop()
		end()
	})
}

// Whoever is asked learns until when: by the outcome, the list and the detail alike, and not where time ends nothing.
func TestExpiresAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, newItems(1, 2), func(o *core.Options) { o.PausedTTL = time.Hour })
		code := `await items.remove({id: 1}); await items.remove({id: 2})`
		is := func(out *core.Outcome, want time.Time) {
			t.Helper()
			listed, err := w.host.Pending(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			shown, err := w.host.Show(ctx, out.ExecutionID)
			if err != nil {
				t.Fatal(err)
			}
			for place, list := range map[string][]core.Pending{"outcome": out.Pending, "list": listed, "detail": shown.Outcome.Pending} {
				if len(list) != 1 || list[0].ExpiresAt == nil || !list[0].ExpiresAt.Equal(want) {
					t.Errorf("%s: %+v, want %s", place, list, want)
				}
			}
		}
		out := w.run(code)
		is(out, time.Now().Add(time.Hour))
		time.Sleep(time.Minute)
		is(out, time.Now().Add(59*time.Minute))
		out = w.approve(out.ExecutionID)
		is(out, time.Now().Add(time.Hour)) // it is counted from the last event
		w.more = nil
		w.restart()
		if listed, err := w.host.Pending(ctx, out.ExecutionID); err != nil || len(listed) != 1 || listed[0].ExpiresAt != nil {
			t.Errorf("without a lifetime: %+v, %v", listed, err)
		}
		w.stop()
	})
}

// An execution whose rollback has begun and not ended is not deleted: only its journal knows what is left to revert.
func TestDeleteDuringARollback(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems())
	out := w.run(`await items.add({id: 5})`)
	w.is(out, "completed", `"added 5"`)
	w.restart() // the hooks of the pass are over
	w.memory().FailAfter(1)
	if _, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID}); !errors.Is(err, memory.ErrCrashed) {
		t.Fatal(err)
	}
	w.die(nil)
	r, err := w.host.Delete(ctx, out.ExecutionID)
	if err != nil || r.Changed || r.Status != "completed" {
		t.Errorf("%+v, %v", r, err)
	}
	if pruned, err := w.host.Prune(ctx, 0); err != nil || len(pruned) != 0 {
		t.Errorf("pruned %v, %v", pruned, err)
	}
	if got := w.rollback(out.ExecutionID); got.Status != "rolled_back" {
		t.Fatalf("%+v", got)
	}
	if r, err := w.host.Delete(ctx, out.ExecutionID); err != nil || !r.Changed {
		t.Errorf("after the rollback: %+v, %v", r, err)
	}
}
