package sdk

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugin/wire"
)

func testLogger(w io.Writer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: w, JSONFormat: true})
}

// memoryHost is a host that keeps values and answers questions.
type memoryHost struct {
	wire.NoHost
	values sync.Map
}

func (h *memoryHost) Get(_ context.Context, executionID, key string) ([]byte, bool, error) {
	v, ok := h.values.Load(executionID + "/" + key)
	if !ok {
		return nil, false, nil
	}
	return v.([]byte), true, nil
}

func (h *memoryHost) Put(_ context.Context, executionID, key string, value []byte) error {
	h.values.Store(executionID+"/"+key, value)
	return nil
}

func (h *memoryHost) Delete(_ context.Context, executionID, key string) error {
	h.values.Delete(executionID + "/" + key)
	return nil
}

func (h *memoryHost) Ask(_ context.Context, executionID, question string) (string, error) {
	return executionID + ": " + question, nil
}

// usesHost is a method that goes through all services.
func usesHost(ctx context.Context, _ empty) ([]any, error) {
	type cursor struct {
		Page int      `json:"page"`
		Seen []string `json:"seen"`
	}
	_, before, err := Get[cursor](ctx, "cursor")
	if err != nil {
		return nil, err
	}
	if err := Set(ctx, "cursor", cursor{Page: 2}); err != nil {
		return nil, err
	}
	during, found, err := Get[cursor](ctx, "cursor")
	if err != nil {
		return nil, err
	}
	_, _, wrongType := Get[int](ctx, "cursor")
	if err := Delete(ctx, "cursor"); err != nil {
		return nil, err
	}
	_, after, err := Get[cursor](ctx, "cursor")
	if err != nil {
		return nil, err
	}
	answer, err := Ask(ctx, "which?")
	return []any{before, during, found, wrongType != nil, after, answer}, err
}

func TestHostServices(t *testing.T) {
	t.Parallel()
	c := inProcess(t, one(reading(usesHost))())
	if err := c.Configure(t.Context(), &wire.ConfigureRequest{Host: &memoryHost{}}); err != nil {
		t.Fatal(err)
	}
	got, err := invoke(t, c, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `[false,{"page":2,"seen":[]},true,true,false,"e: which?"]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMissingHostServices(t *testing.T) {
	t.Parallel()
	bothWays(t, one(reading(usesHost)), func(t *testing.T, c wire.Connector) {
		if err := c.Configure(t.Context(), &wire.ConfigureRequest{}); err != nil {
			t.Fatal(err)
		}
		if _, err := invoke(t, c, `{}`); asError(t, err).Code != Unsupported {
			t.Errorf("got %v, want unsupported", err)
		}
	})
}

func TestHooksReachTheStore(t *testing.T) {
	t.Parallel()
	host := &memoryHost{}
	host.values.Store("e/lock", []byte(`"held"`))
	c := inProcess(t, &Connector{Name: "x", Dispose: func(ctx context.Context, _ Disposal) error {
		return Delete(ctx, "lock")
	}})
	if err := c.Configure(t.Context(), &wire.ConfigureRequest{Host: host}); err != nil {
		t.Fatal(err)
	}
	if err := c.Dispose(t.Context(), &wire.Disposal{ExecutionID: "e"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := host.values.Load("e/lock"); ok {
		t.Error("the value is still there")
	}
}

func TestLoggerNamesTheCall(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	connector := one(reading(func(ctx context.Context, _ empty) (int, error) {
		Logger(ctx).Info("at work")
		return 0, nil
	}))()
	connector.Logger = testLogger(&log)
	if _, err := inProcess(t, connector).Invoke(t.Context(), call("m", ``), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"at work"`, `"execution":"e"`, `"seq":"0"`, `"method":"m"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s has no %s", log.String(), want)
		}
	}
}
