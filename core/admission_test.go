package core_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

// New programs wait for their turn, only so many and only so long. What has begun is never turned away.
func TestAdmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1, 2)
		it.hook = func(_ context.Context, method string, _ int) error {
			if method == "list" {
				time.Sleep(30 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it, func(o *core.Options) {
			o.Sandboxes, o.Queue, o.QueueTimeout = 1, 1, 10*time.Second
		})
		paused := w.run(`return await items.remove({ id: 1 })`)
		var wg sync.WaitGroup
		wg.Go(func() { w.is(w.run(`await items.list(); return 1`), "completed", "1") })
		time.Sleep(time.Second)

		wg.Go(func() { // waits, and not for ever
			began := time.Now()
			out := w.run(`await items.add({ id: 7 })`)
			w.is(out, "error", engine.ErrorLimit, "busy")
			if waited := time.Since(began); waited != 10*time.Second {
				t.Errorf("it waited %v", waited)
			}
			if d := out.ErrorDetail; d == nil || d.Limit != "sandboxes" || !d.Retryable {
				t.Errorf("detail: %+v", d)
			}
		})
		time.Sleep(time.Second)
		began := time.Now()
		w.is(w.run(`await items.add({ id: 8 })`), "error", engine.ErrorLimit, "busy") // the queue is full
		if waited := time.Since(began); waited != 0 {
			t.Errorf("it waited %v", waited)
		}
		wg.Go(func() { w.is(w.approve(paused.ExecutionID, "0"), "completed", `"removed 1"`) }) // waits as long as it takes
		wg.Wait()
		w.effectsAre("remove 1")
		w.is(w.run(`return 3`), "completed", "3")
		w.stop()
	})
}
