package core_test

import (
	"context"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// What runs here is not deleted under the hands of its pass.
func TestDeleteOfWhatRuns(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	entered, leave := make(chan string), make(chan struct{})
	w := newWorld(t, it)
	it.hook = func(context.Context, string, int) error {
		p, err := w.host.Executions(context.Background(), core.ListRequest{})
		if err != nil || len(p.Executions) != 1 {
			t.Errorf("%+v, %v", p, err)
		}
		entered <- p.Executions[0].ID
		<-leave
		return nil
	}
	var out *core.Outcome
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		out, failed = w.host.Run(context.Background(), core.RunRequest{Code: `return await items.add({id: 2})`})
	})
	id := <-entered
	r, err := w.host.Delete(t.Context(), id)
	if err != nil || r.Changed || r.Status != "running" {
		t.Errorf("%+v, %v", r, err)
	}
	close(leave)
	wg.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
	w.is(out, "completed", `"added 2"`)
	if got := w.status(id); got != "completed" {
		t.Errorf("it is %s", got)
	}
	if r, err := w.host.Delete(t.Context(), id); err != nil || !r.Changed {
		t.Errorf("%+v, %v", r, err)
	}
}
