package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// Whatever an interrupt breaks off, it is the interrupt that is told.
func TestInterruptIsTold(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		says string
	}{
		"broken off":  {fmt.Errorf("compile: %w", context.Canceled), "codemode: interrupted at the terminal\n"},
		"failed":      {errors.New("the disk is full"), "codemode: the disk is full\n"},
		"another one": {context.DeadlineExceeded, "codemode: context deadline exceeded\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{})
			ctx, interrupt := context.WithCancelCause(t.Context())
			s.open = func(context.Context) (*session, error) {
				interrupt(errInterrupted)
				return nil, tc.err
			}
			if code := s.run(ctx, []string{"pending"}); code != exitUsage || s.err.String() != tc.says {
				t.Errorf("exit code %d, %q", code, &s.err)
			}
		})
	}
}

// A tab of cobra's is white space, and not something to escape.
func TestMistypedCommand(t *testing.T) {
	t.Parallel()
	s := newStage(&service{})
	s.does(t, exitUsage, "aprove")
	if got, want := s.err.String(), "codemode: unknown command \"aprove\" for \"codemode\"\n\nDid you mean this?\n  approve\n"; got != want {
		t.Errorf("got %q", got)
	}
}

// A run that an interrupt cancels may have to wait for a call, and says so meanwhile.
func TestInterruptedRunSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancelCause(t.Context())
	s := newStage(&service{run: func(context.Context, core.RunRequest) (*core.Outcome, error) {
		interrupt(errInterrupted)
		return &core.Outcome{Status: "error", ErrorType: "cancelled", ExecutionID: "x1"}, nil
	}})
	s.in = strings.NewReader("1")
	if code := s.run(ctx, []string{"run", "-"}); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	says(t, &s.err, "Cancelling. What has started is awaited")
}
