package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// house is a tracker with its file, as a host has it.
type house struct {
	t         *testing.T
	connector wire.Connector
	values    *values
	file      string
}

// open mounts a tracker on a file of the sample.
func open(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, values: newValues(), file: filepath.Join(t.TempDir(), "tracker.json")}
	h.start()
	return h
}

// start mounts a new tracker, as a host does whose plugin has died.
func (h *house) start() {
	h.t.Helper()
	mounted, err := New().InProcess()
	if err != nil {
		h.t.Fatal(err)
	}
	config, err := json.Marshal(Config{File: h.file})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := mounted.Configure(h.t.Context(), &wire.ConfigureRequest{Label: "tracker", Config: config, Host: h.values}); err != nil {
		h.t.Fatal(err)
	}
	h.connector = mounted
}

func configure(ctx context.Context, c wire.Connector, config map[string]any) error {
	raw, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return c.Configure(ctx, &wire.ConfigureRequest{Label: "tracker", Config: raw})
}

// call is a call under an idempotency key.
func (h *house) call(key, method, args string) *wire.Call {
	return &wire.Call{ExecutionID: "e", Seq: "0", IdempotencyKey: key, Attempt: 1, Caller: "mary", Method: method, Args: json.RawMessage(args)}
}

// invoke carries a call out and decodes its result.
func invoke[O any](h *house, call *wire.Call) (O, error) {
	var out O
	result, err := h.connector.Invoke(h.t.Context(), call, nil)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(result.Value, &out); err != nil {
		h.t.Fatal(err)
	}
	return out, nil
}

// must is invoke for a call that succeeds.
func must[O any](h *house, call *wire.Call) O {
	h.t.Helper()
	out, err := invoke[O](h, call)
	if err != nil {
		h.t.Fatalf("%s: %v", call.Method, err)
	}
	return out
}

// carryOut does what a host does with a write: prepare, then call. It returns
// the request that reverts it.
func (h *house) carryOut(call *wire.Call) *wire.RevertRequest {
	h.t.Helper()
	if h.method(call.Method).Prepares {
		before, err := h.connector.Prepare(h.t.Context(), call)
		if err != nil {
			h.t.Fatalf("prepare %s: %v", call.Method, err)
		}
		call.Before = before
	}
	result, err := h.connector.Invoke(h.t.Context(), call, nil)
	if err != nil {
		h.t.Fatalf("%s: %v", call.Method, err)
	}
	reverting := *call
	reverting.IdempotencyKey += "/revert"
	return &wire.RevertRequest{Call: &reverting, Result: result.Value}
}

func (h *house) method(name string) *wire.Method {
	h.t.Helper()
	offer, err := h.connector.Methods(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, m := range offer.Methods {
		if m.Name == name {
			return m
		}
	}
	h.t.Fatalf("there is no method %s", name)
	return nil
}

// data reads the file, except for what a revert cannot take back: numbers that
// were given and keys that were seen.
func (h *house) data() *data {
	h.t.Helper()
	d, err := load(h.file)
	if err != nil {
		h.t.Fatal(err)
	}
	d.Next, d.Done = 0, nil
	return d
}

// edit changes the file behind the tracker's back.
func (h *house) edit(f func(*data)) {
	h.t.Helper()
	d, err := load(h.file)
	if err != nil {
		h.t.Fatal(err)
	}
	f(d)
	if err := write(h.file, d); err != nil {
		h.t.Fatal(err)
	}
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

func TestConfigureRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.json")
	if err := os.WriteFile(damaged, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		config map[string]any
		path   string
	}{
		"nothing":       {map[string]any{}, "file"},
		"empty":         {map[string]any{"file": ""}, "file"},
		"a number":      {map[string]any{"file": 7}, "file"},
		"a folder":      {map[string]any{"file": dir}, "file"},
		"no folder":     {map[string]any{"file": filepath.Join(dir, "none", "tracker.json")}, "file"},
		"damaged":       {map[string]any{"file": damaged}, "file"},
		"one unknown":   {map[string]any{"file": filepath.Join(dir, "t.json"), "files": "x"}, "files"},
		"another's key": {map[string]any{"file": filepath.Join(dir, "t.json"), "token": "x"}, "token"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mounted, err := New().InProcess()
			if err != nil {
				t.Fatal(err)
			}
			e := wantCode(t, configure(t.Context(), mounted, test.config), sdk.InvalidArgument)
			if len(e.Diagnostics) != 1 || strings.Join(e.Diagnostics[0].Path, ".") != test.path || e.Diagnostics[0].Summary == "" {
				t.Errorf("the diagnostics are %+v", e.Diagnostics)
			}
		})
	}
	if text, err := os.ReadFile(damaged); err != nil || string(text) != "{" {
		t.Errorf("the damaged file has become %q, %v", text, err)
	}
}

// TestConfigureKeepsFile: only a file that does not exist is filled.
func TestConfigureKeepsFile(t *testing.T) {
	t.Parallel()
	h := open(t)
	must[Issue](h, h.call("k", "create_issue", `{"title":"Mine"}`))
	mounted, err := New().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := configure(t.Context(), mounted, map[string]any{"file": h.file}); err != nil {
		t.Fatal(err)
	}
	if issues := h.data().Issues; issues[len(issues)-1].Title != "Mine" {
		t.Errorf("the issues are %+v", issues)
	}
}

// TestFileGone: without its file, a tracker does nothing and says so.
func TestFileGone(t *testing.T) {
	t.Parallel()
	h := open(t)
	if err := os.Remove(h.file); err != nil {
		t.Fatal(err)
	}
	for method, args := range map[string]string{"list_issues": `{}`, "create_issue": `{"title":"x"}`} {
		_, err := h.connector.Invoke(t.Context(), h.call("k", method, args), nil)
		if e := wantCode(t, err, sdk.Unavailable); e.Effect != sdk.EffectNone {
			t.Errorf("%s: the effect is %q", method, e.Effect)
		}
	}
}

// TestFileCannotBeWritten: a write that fails leaves the file as it was.
func TestFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := h.data()
	err := write(filepath.Join(filepath.Dir(h.file), "none", "t.json"), before)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.Mkdir(h.file+".d", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write(h.file+".d", before); err == nil {
		t.Error("a folder was replaced")
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(h.file), ".tracker-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
