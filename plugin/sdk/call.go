package sdk

import (
	"context"
	"encoding/json"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Call is what a handler can know of the call it carries out, besides its arguments.
type Call struct {
	// ExecutionID names the execution, Seq the call within it.
	ExecutionID, Seq string
	// Method is the method's name as the connector gave it.
	Method string
	// IdempotencyKey is the same for every attempt of this call and differs
	// for every other; a revert has one of its own.
	IdempotencyKey string
	// Attempt is 1 for the first.
	Attempt int
	// Caller and Labels say on whose behalf the program runs, Task what it
	// serves; as the host knows them, empty if it does not. Labels must not be changed.
	Caller string
	Labels map[string]string
	Task   string
	// Deadline is the context's own; zero: none.
	Deadline time.Time
	// ResultOmitted says, in a revert, that the call's result was not kept.
	ResultOmitted bool
}

// CallFrom returns the call that ctx belongs to, or the zero Call outside of a method's handlers.
func CallFrom(ctx context.Context) Call {
	s := scopeFrom(ctx)
	if s.call == nil {
		return Call{}
	}
	c := s.call
	return Call{
		ExecutionID: c.ExecutionID, Seq: c.Seq, Method: c.Method,
		IdempotencyKey: c.IdempotencyKey, Attempt: c.Attempt,
		Caller: c.Caller, Labels: c.Labels, Task: c.Task,
		Deadline: c.Deadline, ResultOmitted: s.resultOmitted,
	}
}

// IdempotencyKey returns CallFrom(ctx).IdempotencyKey: hand it to a service
// that takes one, so that a repeated call is carried out once.
func IdempotencyKey(ctx context.Context) string {
	return CallFrom(ctx).IdempotencyKey
}

// Label returns the connector's name in the host's configuration, in every
// function of a connector.
func Label(ctx context.Context) string {
	return scopeFrom(ctx).label
}

// Before returns what Prepare returned for this call, in Call, Revert and
// Reconcile. It is an error if there is nothing, or nothing that fits T.
func Before[T any](ctx context.Context) (T, error) {
	var before T
	call := scopeFrom(ctx).call
	if call == nil || len(call.Before) == 0 {
		return before, Errorf(Internal, "nothing was prepared for this call")
	}
	if err := json.Unmarshal(call.Before, &before); err != nil {
		return before, Errorf(Internal, "what was prepared for this call is no %T", before)
	}
	return before, nil
}

// Progress reports on a call that takes long: a message, and how much of how
// much is done, in any unit; total 0 is unknown. It never fails. It may be
// called from several goroutines; after the handler has returned it does nothing.
func Progress(ctx context.Context, message string, done, total float64) {
	if report := scopeFrom(ctx).progress; report != nil {
		report(wire.Progress{Message: message, Done: done, Total: total})
	}
}

// scope is what the functions of this package find in a context.
type scope struct {
	label         string
	executionID   string
	call          *wire.Call
	resultOmitted bool
	progress      func(wire.Progress)
	mounted       *mounted
}

type scopeKey struct{}

// scopeFrom returns the scope in ctx, or an empty one.
func scopeFrom(ctx context.Context) *scope {
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return s
	}
	return &scope{}
}
