package core_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/plugin/sdk"
)

func newID(t *testing.T) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

// TestCallersNameTheirExecutions repeats a request whose answer was lost.
func TestCallersNameTheirExecutions(t *testing.T) {
	t.Parallel()
	var log []string
	h := newBlobs(t, &log)
	id := newID(t)
	first, err := h.Run(t.Context(), core.RunRequest{ID: id, Code: `await blobs.write({ n: 1 })`})
	if err != nil || first.Status != "completed" || first.ExecutionID != id {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := h.Run(t.Context(), core.RunRequest{ID: id, Code: `await blobs.write({ n: 1 })`})
	if err != nil || again.ErrorType != engine.ErrorState {
		t.Errorf("again: %+v, %v", again, err)
	}
	if len(log) != 1 {
		t.Errorf("it ran %d times", len(log))
	}
	for _, bad := range []string{"x", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "urn:uuid:" + newID(t)} {
		if out, err := h.Run(t.Context(), core.RunRequest{ID: bad, Code: "1"}); err != nil || out.ErrorType != engine.ErrorState {
			t.Errorf("id %s: %+v, %v", bad, out, err)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan struct{})
	c := &sdk.Connector{Name: "slow", Version: "1", Methods: []sdk.Method{
		sdk.Func[struct{}, int]{Name: "quick", Description: "Read.", ReadOnly: true, Call: func(context.Context, struct{}) (int, error) { return 1, nil }},
		sdk.Func[struct{}, int]{Name: "slow", Description: "Read.", ReadOnly: true, Call: func(context.Context, struct{}) (int, error) {
			close(began)
			<-end
			return 2, nil
		}},
	}}
	in, err := c.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	h, err := core.New(t.Context(), core.Options{Connectors: []core.Connector{{Label: "slow", Connector: in}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	id := newID(t)
	done := make(chan error)
	go func() {
		_, err := h.Run(t.Context(), core.RunRequest{ID: id, Code: `await slow.quick({}); await slow.slow({})`})
		done <- err
	}()
	<-began
	p := h.Progress(id)
	if !p.Running || p.Calls != 2 || p.Done != 1 || len(p.Executing) != 1 || p.Executing[0] != "slow.slow" {
		t.Errorf("%+v", p)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if p := h.Progress(id); p.Running || p.Calls != 0 {
		t.Errorf("after its end: %+v", p)
	}
}
