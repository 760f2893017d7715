package core_test

import (
	"context"
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
	ended := make(chan *core.Outcome)
	go func() { ended <- w.run(`return await items.add({id: 2})`) }()
	id := <-entered
	r, err := w.host.Delete(t.Context(), id)
	if err != nil || r.Changed || r.Status != "running" {
		t.Errorf("%+v, %v", r, err)
	}
	close(leave)
	w.is(<-ended, "completed", `"added 2"`)
	if got := w.status(id); got != "completed" {
		t.Errorf("it is %s", got)
	}
	if r, err := w.host.Delete(t.Context(), id); err != nil || !r.Changed {
		t.Errorf("%+v, %v", r, err)
	}
}
