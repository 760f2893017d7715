package codetool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// call is a call of a function that has not come to its end.
type call struct {
	sandbox.Call
	method *catalog.Method
	cancel context.CancelFunc // of one that runs
}

// result is what came of a call.
type result struct {
	call  *call
	value json.RawMessage
	err   error
}

// callError is the name of the errors that programs get of failed calls.
const callError = "CallError"

// admit queues a call of a function, unless it can be seen to fail.
func (r *run) admit(c sandbox.Call) {
	m, err := r.catalog.Lookup(c.Connector, c.Method)
	if err != nil {
		r.deliver(c, nil, &sandbox.Error{Name: callError, Code: string(wire.CodeNotFound), Message: err.Error()})
		return
	}
	if err := r.inputs[m].Validate(c.Args); err != nil {
		r.deliver(c, nil, &sandbox.Error{
			Name: callError, Code: string(wire.CodeInvalidArgument),
			Message: fmt.Sprintf("%s.%s was not called: %s", c.Connector, c.Method, err),
		})
		return
	}
	r.queued = append(r.queued, &call{Call: c, method: m})
}

// startQueued starts what has a slot.
func (r *run) startQueued(ctx context.Context) {
	for len(r.queued) > 0 && len(r.running) < r.limits.InFlight {
		r.start(ctx, r.queued[0])
		r.queued = r.queued[1:]
	}
}

// start calls a function on a goroutine of its own, which leave waits for.
func (r *run) start(ctx context.Context, c *call) {
	ctx, c.cancel = context.WithCancel(ctx)
	deadline := time.Now().Add(r.limits.Call)
	r.running = append(r.running, c)
	r.functions.Go(func() {
		defer c.cancel()
		value, err := r.invoke(ctx, c, deadline)
		select {
		case r.results <- result{call: c, value: value, err: err}:
		case <-r.done:
		}
	})
}

// invoke calls a function, whose context ends at the deadline.
func (r *run) invoke(ctx context.Context, c *call, deadline time.Time) (json.RawMessage, error) {
	res, err := r.carriers[c.Connector].Invoke(ctx, &wire.Call{
		ExecutionID: r.id, Seq: c.Seq, IdempotencyKey: r.id + "/" + c.Seq, Attempt: 1, Deadline: deadline,
		Method: c.method.Raw, Args: c.Args,
	}, nil)
	switch {
	case err != nil:
		return nil, err
	case res.Value != nil && !json.Valid(res.Value):
		return nil, &wire.Error{Code: wire.CodeInternal, Message: fmt.Sprintf("%s.%s answered with something that is not JSON", c.Connector, c.Method)}
	}
	return res.Value, nil
}

// conclude works a result in.
func (r *run) conclude(res result) {
	c := res.call
	r.running = slices.DeleteFunc(r.running, func(other *call) bool { return other == c })
	if res.err != nil {
		r.deliver(c.Call, nil, failure(res.err))
		return
	}
	r.deliver(c.Call, res.value, nil)
}

// failure is a function's error as the program gets it.
func failure(err error) *sandbox.Error {
	var told *wire.Error
	if !errors.As(err, &told) { // its context has ended, and the program with it
		return &sandbox.Error{Name: callError, Code: string(wire.CodeUnavailable), Message: err.Error()}
	}
	return &sandbox.Error{
		Name: callError, Code: string(told.Code), Message: cmp.Or(told.Message, string(told.Code)),
		Retryable: told.Retryable, Details: told.Details,
	}
}

// leave ends what a program has left behind: nobody wants the results of reads, and a
// write is better whole than half.
func (r *run) leave() {
	close(r.done)
	for _, c := range r.running {
		if c.method.ReadOnly {
			c.cancel()
		}
	}
	r.functions.Wait()
}

// warnUnawaited names the calls that the program returned without awaiting. They are carried out all the same.
func (r *run) warnUnawaited() {
	for _, c := range slices.Concat(r.running, r.queued) {
		r.console.warn("the program returned without awaiting %s.%s (line %d)", c.Connector, c.Method, c.Line)
	}
}
