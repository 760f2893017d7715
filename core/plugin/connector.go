package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/plugin/wire"
)

var _ wire.Connector = (*Supervisor)(nil)

// Describe starts the process if need be, but does not configure it.
func (s *Supervisor) Describe(ctx context.Context) (*wire.Description, error) {
	c, err := s.acquire(ctx, false)
	if err != nil {
		return nil, unsent(s, err)
	}
	about := *c.about
	return &about, nil
}

// Configure replaces the Spec's configuration and host services and configures
// a process with it now; later processes get it when they are started. One that
// runs with another configuration is stopped first. A refusal is the
// connector's own *wire.Error. Calling it clears what earlier failures have
// counted: somebody has changed something.
func (s *Supervisor) Configure(ctx context.Context, req *wire.ConfigureRequest) error {
	s.mu.Lock()
	s.request = *req
	s.wanted++
	s.backoff.reset()
	s.mu.Unlock()
	_, err := s.acquire(ctx, true)
	return err
}

// Methods implements [wire.Connector].
func (s *Supervisor) Methods(ctx context.Context) (*wire.Offer, error) {
	offer, err := use(ctx, s, func(c wire.Connector) (*wire.Offer, error) { return c.Methods(ctx) })
	if err != nil {
		return nil, err
	}
	return s.hider.offer(offer), nil
}

// Invoke implements [wire.Connector].
func (s *Supervisor) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	progress = s.hider.progress(progress)
	return use(ctx, s, func(c wire.Connector) (*wire.Result, error) { return c.Invoke(ctx, call, progress) })
}

// Prepare implements [wire.Connector].
func (s *Supervisor) Prepare(ctx context.Context, call *wire.Call) (json.RawMessage, error) {
	return use(ctx, s, func(c wire.Connector) (json.RawMessage, error) { return c.Prepare(ctx, call) })
}

// Revert implements [wire.Connector].
func (s *Supervisor) Revert(ctx context.Context, req *wire.RevertRequest) error {
	return do(ctx, s, func(c wire.Connector) error { return c.Revert(ctx, req) })
}

// Reconcile implements [wire.Connector].
func (s *Supervisor) Reconcile(ctx context.Context, call *wire.Call) (*wire.Reconciliation, error) {
	return use(ctx, s, func(c wire.Connector) (*wire.Reconciliation, error) { return c.Reconcile(ctx, call) })
}

// Resolve implements [wire.Connector].
func (s *Supervisor) Resolve(ctx context.Context, call *wire.Call) (*wire.Resolution, error) {
	return use(ctx, s, func(c wire.Connector) (*wire.Resolution, error) { return c.Resolve(ctx, call) })
}

// Preview implements [wire.Connector].
func (s *Supervisor) Preview(ctx context.Context, call *wire.Call) (string, error) {
	text, err := use(ctx, s, func(c wire.Connector) (string, error) { return c.Preview(ctx, call) })
	return s.hider.text(text), err
}

// PassEnded implements [wire.Connector].
func (s *Supervisor) PassEnded(ctx context.Context, req *wire.PassEnd) error {
	return do(ctx, s, func(c wire.Connector) error { return c.PassEnded(ctx, req) })
}

// Dispose implements [wire.Connector].
func (s *Supervisor) Dispose(ctx context.Context, req *wire.Disposal) error {
	return do(ctx, s, func(c wire.Connector) error { return c.Dispose(ctx, req) })
}

// use makes one call on the process of the moment.
func use[T any](ctx context.Context, s *Supervisor, call func(wire.Connector) (T, error)) (T, error) {
	var none T
	c, err := s.acquire(ctx, true)
	if err != nil {
		return none, unsent(s, err)
	}
	result, err := call(c.connector)
	if err != nil {
		return none, s.judge(ctx, c, err)
	}
	return result, nil
}

// do is use for calls without a result.
func do(ctx context.Context, s *Supervisor, call func(wire.Connector) error) error {
	_, err := use(ctx, s, func(c wire.Connector) (struct{}, error) { return struct{}{}, call(c) })
	return err
}

// unsent is the error of a call that found no process. A refused configuration
// is the answer to Configure alone.
func unsent(s *Supervisor, err error) error {
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return s.unavailable(failure{cause: refusedCause(refusal)})
	}
	return err
}

// judge tells what the connector said from what befell the connection. Where
// the caller's own patience ended, the error is the context's.
func (s *Supervisor) judge(ctx context.Context, c *connection, err error) error {
	if said, ok := errors.AsType[*wire.Error](err); ok {
		return s.hider.said(said)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("connector %q: %w", s.spec.Label, err)
	}
	lost := &LostError{Label: s.spec.Label}
	if wire.IsLost(err) {
		err = s.inquire(ctx, c, err)
		lost.Stderr = c.tail.last()
	}
	lost.Cause = s.hider.error(err)
	return lost
}

// inquire finds out what became of a process whose connection broke. One that
// lives and no longer serves is killed, since no later call would reach it.
func (s *Supervisor) inquire(ctx context.Context, c *connection, err error) error {
	if c.process.awaitExit(exitNotice) {
		return c.death()
	}
	if !c.serves(ctx) && ctx.Err() == nil {
		c.process.kill()
		return fmt.Errorf("it no longer answers and was killed: %w", err)
	}
	return err
}
