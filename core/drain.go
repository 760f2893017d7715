package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/codemode-go/codemode/plugin/wire"
)

// replaceable is a connector whose process can be replaced by another.
type replaceable interface {
	wire.Connector
	Incarnation() int
	Restart(ctx context.Context, incarnation int)
}

// drained makes sure that nothing acts any longer of which nobody hears any more. When a handler goes on after its call's
// deadline, or a connection is lost, the process may still work: it gets no new calls, each running one ends or reaches
// its own deadline, and then the process is ended. The next call starts another.
type drained struct {
	replaceable
	work sync.WaitGroup // the drain under way

	mu       sync.Mutex // guards all below
	running  int
	draining chan struct{} // closed when the drain under way has ended; nil: none is
	idle     chan struct{} // closed when the last running call of it has ended
}

// drainError is a call that was not sent, because its caller did not wait for the end of a drain.
type drainError struct{ cause error }

func (e *drainError) Error() string {
	return fmt.Sprintf("%s: %v", e.Summary(), e.cause)
}

func (e *drainError) Unwrap() error   { return e.cause }
func (e *drainError) NeverSent() bool { return true }
func (e *drainError) Summary() string {
	return "the connector is being restarted; the call was not sent"
}

// enter waits until calls may be made.
func (d *drained) enter(ctx context.Context) error {
	for {
		d.mu.Lock()
		ended := d.draining
		if ended == nil {
			d.running++
			d.mu.Unlock()
			return nil
		}
		d.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return &drainError{context.Cause(ctx)}
		}
	}
}

// leave ends a call, and begins a drain where its handler may have outlived it.
func (d *drained) leave(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	if outlived(err) && d.draining == nil {
		d.draining, d.idle = make(chan struct{}), make(chan struct{})
		d.work.Go(d.drain)
	}
	if d.draining != nil && d.running == 0 {
		close(d.idle)
	}
}

// drain waits for the running calls and ends the process.
func (d *drained) drain() {
	<-d.idle
	d.Restart(context.Background(), d.Incarnation()) // it takes no longer than a process is given to exit
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.draining)
	d.draining = nil
}

// outlived reports whether a call's error leaves open whether its handler works on.
func outlived(err error) bool {
	var told *wire.Error
	if err == nil || errors.As(err, &told) || errors.Is(err, context.Canceled) {
		return false
	}
	var lost interface{ NeverSent() bool }
	return !errors.As(err, &lost) || !lost.NeverSent()
}

// quiet waits for the end of a drain under way.
func (d *drained) quiet(ctx context.Context) error {
	d.mu.Lock()
	ended := d.draining
	d.mu.Unlock()
	if ended == nil {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// through makes one call of a handler.
func through[T any](ctx context.Context, d *drained, call func() (T, error)) (T, error) {
	var none T
	if err := d.enter(ctx); err != nil {
		return none, err
	}
	v, err := call()
	d.leave(err)
	return v, err
}

func (d *drained) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	return through(ctx, d, func() (*wire.Result, error) { return d.replaceable.Invoke(ctx, call, progress) })
}

func (d *drained) Prepare(ctx context.Context, call *wire.Call) (json.RawMessage, error) {
	return through(ctx, d, func() (json.RawMessage, error) { return d.replaceable.Prepare(ctx, call) })
}

func (d *drained) Revert(ctx context.Context, req *wire.RevertRequest) error {
	_, err := through(ctx, d, func() (struct{}, error) { return struct{}{}, d.replaceable.Revert(ctx, req) })
	return err
}

func (d *drained) Reconcile(ctx context.Context, call *wire.Call) (*wire.Reconciliation, error) {
	return through(ctx, d, func() (*wire.Reconciliation, error) { return d.replaceable.Reconcile(ctx, call) })
}

func (d *drained) Preview(ctx context.Context, call *wire.Call) (string, error) {
	return through(ctx, d, func() (string, error) { return d.replaceable.Preview(ctx, call) })
}
