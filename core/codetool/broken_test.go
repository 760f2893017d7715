package codetool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/codemode-go/codemode/core/codetool"
	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

var errBroken = errors.New("the child process is gone")

// brokenSandbox fails at one point, or hands out sessions that fail at one.
type brokenSandbox struct{ at string }

func (b brokenSandbox) fail(at string) error {
	if b.at == at {
		return errBroken
	}
	return nil
}

func (b brokenSandbox) Compile(context.Context, program.Source) (*program.Program, error) {
	return &program.Program{}, b.fail("compile")
}

func (b brokenSandbox) Start(context.Context, sandbox.Spec) (sandbox.Session, error) {
	return b, b.fail("start")
}

func (b brokenSandbox) Resume(context.Context, []sandbox.Completion) (sandbox.Turn, error) {
	return sandbox.Turn{Result: &sandbox.Result{Value: []byte("1")}}, b.fail("resume")
}

func (b brokenSandbox) Close() error { return b.fail("close") }

// TestBrokenSandbox: what the sandbox does wrong is no failure of the program.
func TestBrokenSandbox(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"compile", "start", "resume", "close"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			got, err := newTool(t, codetool.Options{Sandbox: brokenSandbox{at}}).Run(t.Context(), "1")
			var failed *codetool.Error
			if got != nil || !errors.Is(err, errBroken) || errors.As(err, &failed) {
				t.Errorf("got %v, %v", got, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = newTool(t, codetool.Options{Sandbox: brokenSandbox{at}}).Run(ctx, "1")
			if failed := failure(t, err); failed.Type != codetool.ErrorCancelled {
				t.Errorf("cancelled, it is %v", err)
			}
		})
	}
}

// forger issues a call that no program of the tool could make.
type forger struct {
	brokenSandbox
	told *sandbox.Error
}

func (f *forger) Start(context.Context, sandbox.Spec) (sandbox.Session, error) { return f, nil }

func (f *forger) Resume(_ context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	if len(completions) == 0 {
		return sandbox.Turn{Calls: []sandbox.Call{{Seq: "0", Connector: "notes", Method: "burn", Args: []byte(`{"text":""}`)}}}, nil
	}
	f.told = completions[0].Error
	return sandbox.Turn{Result: &sandbox.Result{}}, nil
}

// TestDispatchIsGuarded: a function that is left out is not dispatched, whatever the sandbox lets through.
func TestDispatchIsGuarded(t *testing.T) {
	t.Parallel()
	f := &forger{}
	if _, err := newTool(t, codetool.Options{Namespaces: new(world).namespaces(), Sandbox: f}).Run(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if f.told == nil || f.told.Code != "not_found" {
		t.Errorf("the program was told %+v", f.told)
	}
}
