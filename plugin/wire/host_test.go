package wire

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memoryHost keeps values and answers questions.
type memoryHost struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (h *memoryHost) Get(_ context.Context, executionID, key string) ([]byte, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	value, found := h.values[executionID+"/"+key]
	return value, found, nil
}

func (h *memoryHost) Put(_ context.Context, executionID, key string, value []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.values[executionID+"/"+key] = value
	return nil
}

func (h *memoryHost) Delete(_ context.Context, executionID, key string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.values, executionID+"/"+key)
	return nil
}

func (h *memoryHost) Ask(_ context.Context, executionID, question string) (string, error) {
	if question == "" {
		return "", &Error{Code: CodeInvalidArgument, Message: "no question"}
	}
	return executionID + ": " + question, nil
}

// configured returns a link and what its connector sees as the host's services.
func configured(t *testing.T, host HostServices) (link, HostServices) {
	t.Helper()
	var seen HostServices
	c := dial(t, &fake{configure: func(_ context.Context, r *ConfigureRequest) error {
		seen = r.Host
		return nil
	}})
	if err := c.Configure(t.Context(), &ConfigureRequest{Host: host}); err != nil {
		t.Fatal(err)
	}
	if remote, ok := seen.(*hostClient); ok {
		t.Cleanup(func() { _ = remote.close() })
	}
	return c, seen
}

func TestHostServices(t *testing.T) {
	t.Parallel()
	_, h := configured(t, &memoryHost{values: map[string][]byte{}})
	ctx := t.Context()
	if _, found, err := h.Get(ctx, "e", "k"); found || err != nil {
		t.Errorf("before: found %t, %v", found, err)
	}
	for _, err := range []error{h.Put(ctx, "e", "k", []byte{0, 255}), h.Put(ctx, "e", "empty", nil)} {
		if err != nil {
			t.Error(err)
		}
	}
	value, found, err := h.Get(ctx, "e", "k")
	if diff := cmp.Diff([]any{[]byte{0, 255}, true, nil}, []any{value, found, err}); diff != "" {
		t.Errorf("get (-want +got):\n%s", diff)
	}
	if value, found, err := h.Get(ctx, "e", "empty"); len(value) > 0 || !found || err != nil {
		t.Errorf("empty value: %q, found %t, %v", value, found, err)
	}
	if _, found, _ := h.Get(ctx, "other", "k"); found {
		t.Error("another execution sees the value")
	}
	if err := h.Delete(ctx, "e", "k"); err != nil {
		t.Error(err)
	}
	if _, found, _ := h.Get(ctx, "e", "k"); found {
		t.Error("the value outlives Delete")
	}
	if answer, err := h.Ask(ctx, "e", "which?"); answer != "e: which?" || err != nil {
		t.Errorf("answer %q, %v", answer, err)
	}
	_, err = h.Ask(ctx, "e", "")
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeInvalidArgument {
		t.Errorf("got %v, want the host's own error", err)
	}
}

func TestNoHostServices(t *testing.T) {
	t.Parallel()
	if _, h := configured(t, nil); h != nil {
		t.Errorf("the connector sees %T", h)
	}
	ctx := t.Context()
	_, _, getErr := NoHost{}.Get(ctx, "e", "k")
	_, askErr := NoHost{}.Ask(ctx, "e", "?")
	for name, err := range map[string]error{
		"get": getErr, "ask": askErr,
		"put":    NoHost{}.Put(ctx, "e", "k", nil),
		"delete": NoHost{}.Delete(ctx, "e", "k"),
	} {
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeUnsupported {
			t.Errorf("%s: got %v, want unsupported", name, err)
		}
	}
}

func TestCloseEndsHostServices(t *testing.T) {
	t.Parallel()
	c, h := configured(t, &memoryHost{values: map[string][]byte{}})
	if _, err := h.Ask(t.Context(), "e", "q"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := h.Ask(t.Context(), "e", "q"); !IsLost(err) {
		t.Errorf("got %v, want a lost connection", err)
	}
}

func TestRefusedConfigurationGivesUpTheHost(t *testing.T) {
	t.Parallel()
	var seen HostServices
	refusal := &Error{Code: CodeInvalidArgument, Message: "no"}
	c := dial(t, &fake{configure: func(_ context.Context, r *ConfigureRequest) error {
		seen = r.Host
		return refusal
	}})
	err := c.Configure(t.Context(), &ConfigureRequest{Host: &memoryHost{}})
	if diff := cmp.Diff(error(refusal), err); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := seen.Ask(t.Context(), "e", "q"); err == nil {
		t.Error("the services still answer")
	}
}
