package sdk

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// handle runs a method's handler within the call's deadline. A call that comes
// too late is refused: its host may have settled it already.
func handle[R any](ctx context.Context, m *mounted, s *scope, run func(context.Context) (R, error)) (R, error) {
	deadline := s.call.Deadline
	if !deadline.IsZero() && !time.Now().Before(deadline) {
		var none R
		return none, &Error{Code: Timeout, Message: "the call's deadline had passed before it began", Effect: EffectNone}
	}
	return guard(ctx, m, s, "method "+s.call.Method, func(ctx context.Context) (R, error) {
		if deadline.IsZero() {
			return run(ctx)
		}
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		return run(ctx)
	})
}

// guard runs one of the author's functions in scope s: a panic becomes an
// error, and every error an *Error. Only where the host itself gave up, which
// shows in ctx, does it get its own context's error, as it would from a
// connector in another process.
func guard[R any](ctx context.Context, m *mounted, s *scope, what string, run func(context.Context) (R, error)) (value R, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.logger.Error(what+" panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = &Error{Code: Internal, Message: what + " panicked; the connector's log has the stack", Effect: EffectUnknown}
		}
	}()
	value, err = run(m.context(ctx, s))
	if err == nil {
		return value, nil
	}
	said := wire.ErrorFrom(err)
	if said.Code == Timeout && ctx.Err() != nil {
		return value, fmt.Errorf("%s: %w", what, ctx.Err())
	}
	return value, said
}

// guardHook is guard for the functions that return nothing.
func guardHook(ctx context.Context, m *mounted, s *scope, what string, run func(context.Context) error) error {
	_, err := guard(ctx, m, s, what, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, run(ctx)
	})
	return err
}
