package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker"
	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// SandboxMain lets this program's binary be started again as the child processes in which programs run. It belongs at
// the top of main: in such a child it does not return.
func SandboxMain() { worker.Main() }

// openSandbox starts the child processes in which programs run, or takes what the options name.
func (h *Host) openSandbox() error {
	o := h.options
	if o.Sandbox != nil {
		h.sandbox = o.Sandbox
		return nil
	}
	pool, err := worker.New(worker.Options{
		Binary: o.SandboxBinary, Reuse: o.SandboxReuse, RequireWalls: o.RequireWalls,
		Limits: o.Limits.Sandbox, Logger: h.logger.Named("sandbox"),
	})
	switch {
	case err == nil:
		h.sandbox, h.pool = pool, pool
		h.closers = append(h.closers, pool.Close)
		return nil
	case !errors.Is(err, worker.ErrNoBinary):
		return err
	case o.RequireWalls:
		return fmt.Errorf("walls are required around programs: %w", err)
	}
	h.logger.Warn("programs run in this process and share its fate: a hostile or careless one can end it. " +
		"Call core.SandboxMain at the top of main to run them in child processes")
	h.sandbox = sandbox.New()
	return nil
}

// warm has children stand ready while connectors are started.
func (h *Host) warm() {
	if h.pool != nil {
		h.pool.Warm()
	}
}

// slots are the programs that may run at once.
type slots struct {
	free     chan struct{} // one taken for each program that runs
	waiting  atomic.Int64
	queue    int
	patience time.Duration
}

func newSlots(o Options) *slots {
	return &slots{free: make(chan struct{}, o.Sandboxes), queue: o.Queue, patience: o.QueueTimeout}
}

// errBusy is why a new program is not taken.
var errBusy = errors.New("the host is busy")

// take waits until one more program may run. What has begun is never turned away.
func (s *slots) take(ctx context.Context) (giveBack func(), err error) {
	select {
	case s.free <- struct{}{}:
		return sync.OnceFunc(func() { <-s.free }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// admit waits for a new program, unless too many wait already, and not for ever. Its error is errBusy then.
func (s *slots) admit(ctx context.Context) (giveBack func(), err error) {
	select {
	case s.free <- struct{}{}:
		return sync.OnceFunc(func() { <-s.free }), nil
	default:
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > int64(s.queue) {
		return nil, errBusy
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.patience, errBusy)
	defer cancel()
	return s.take(ctx)
}

// busyOutcome tells that nothing was started because too much runs.
func (h *Host) busyOutcome(id string) *Outcome {
	text := fmt.Sprintf("The host is busy: %d programs run, which is as many as may, and others have waited before this one. "+
		"Nothing was started. Try again in a while.", h.options.Sandboxes)
	return &Outcome{
		Status: string(journal.StatusError), ExecutionID: id, Error: text, ErrorType: engine.ErrorLimit,
		ErrorDetail: &engine.ErrorDetail{Message: text, Limit: "sandboxes", Retryable: true},
	}
}

// unstartedOutcome tells that the caller has gone before the program's turn came.
func unstartedOutcome(id string, cause error) *Outcome {
	text := fmt.Sprintf("The execution was cancelled before it began: %v. Nothing was started.", cause)
	return &Outcome{
		Status: string(journal.StatusError), ExecutionID: id, Error: text, ErrorType: engine.ErrorCancelled,
		ErrorDetail: &engine.ErrorDetail{Message: text},
	}
}

// Walls tells which layers hold around the processes in which programs run; none does in the host's own process.
func (h *Host) Walls(ctx context.Context) ([]walls.Layer, error) {
	if h.pool == nil {
		return nil, nil
	}
	return h.pool.Walls(ctx)
}
