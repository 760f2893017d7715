package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/codemode-go/codemode/acceptance/mockgithub"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// house is the connector with a GitHub of its own, as a host has it.
type house struct {
	t         *testing.T
	connector wire.Connector
	github    *mockgithub.GitHub
	methods   map[string]*wire.Method
}

// open mounts the connector on a new GitHub, every request to which must be one
// that GitHub's own description allows.
func open(t *testing.T) *house { return openWith(t, nil) }

func openWith(t *testing.T, config map[string]any) *house {
	t.Helper()
	mock := mockgithub.New()
	h := serve(t, described(t, mock), config)
	h.github = mock
	return h
}

// serve mounts the connector on any server.
func serve(t *testing.T, handler http.Handler, config map[string]any) *house {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	all := map[string]any{"token": "ghp_secret", "base_url": server.URL}
	for name, value := range config {
		all[name] = value
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	mounted, err := (&connector{base: server.Client().Transport}).sdk().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := mounted.Configure(t.Context(), &wire.ConfigureRequest{Label: "github", Config: raw}); err != nil {
		t.Fatal(err)
	}
	offer, err := mounted.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, connector: mounted, methods: map[string]*wire.Method{}}
	for _, m := range offer.Methods {
		h.methods[m.Name] = m
	}
	return h
}

// call is a call under an idempotency key.
func call(key, method, args string) *wire.Call {
	return &wire.Call{ExecutionID: "e", Seq: "0", IdempotencyKey: key, Attempt: 1, Caller: "mary", Method: method, Args: json.RawMessage(args)}
}

// prepare does what a host does before it sends a write.
func (h *house) prepare(c *wire.Call) error {
	h.t.Helper()
	if m := h.methods[c.Method]; m == nil || !m.Prepares {
		return nil
	}
	before, err := h.connector.Prepare(h.t.Context(), c)
	c.Before = before
	return err
}

// invoke prepares and carries out a call.
func (h *house) invoke(c *wire.Call) (json.RawMessage, error) {
	h.t.Helper()
	if err := h.prepare(c); err != nil {
		return nil, err
	}
	result, err := h.connector.Invoke(h.t.Context(), c, nil)
	if err != nil {
		return nil, err
	}
	return result.Value, nil
}

// must is invoke for a call that succeeds, with its result decoded.
func must[O any](h *house, c *wire.Call) O {
	h.t.Helper()
	var out O
	value, err := h.invoke(c)
	if err != nil {
		h.t.Fatalf("%s: %v", c.Method, err)
	}
	if err := json.Unmarshal(value, &out); err != nil {
		h.t.Fatalf("%s: %v", c.Method, err)
	}
	return out
}

// revert undoes a call that was carried out.
func (h *house) revert(c *wire.Call, result json.RawMessage) error {
	back := *c
	back.IdempotencyKey += "/revert"
	return h.connector.Revert(h.t.Context(), &wire.RevertRequest{Call: &back, Result: result})
}

// wantCode checks an error's code.
func wantCode(t *testing.T, err error, code sdk.Code) *sdk.Error {
	t.Helper()
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return e
}
