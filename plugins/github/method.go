package main

import (
	"context"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// read completes a method that changes nothing.
func read[I, O any](f sdk.Func[I, O]) sdk.Method {
	f.ReadOnly = true
	return guarded(f)
}

// write completes a method that changes something: a person decides.
func write[I, O any](c *connector, f sdk.Func[I, O]) sdk.Method {
	f.Approval = sdk.Required
	if f.Reconcile != nil {
		f.Reconcile = lookTwice(c.lag, f.Reconcile)
	}
	return guarded(f)
}

// lookTwice believes that nothing has happened only when it has looked again a
// while later: GitHub's listings may lag behind its writes.
func lookTwice[I, O any](lag time.Duration, look func(context.Context, I) (sdk.Happened[O], error)) func(context.Context, I) (sdk.Happened[O], error) {
	return func(ctx context.Context, in I) (sdk.Happened[O], error) {
		happened, err := look(ctx, in)
		if err != nil || happened.Answer != sdk.No {
			return happened, err
		}
		select {
		case <-time.After(lag):
			return look(ctx, in)
		case <-ctx.Done():
			return sdk.Happened[O]{}, ctx.Err()
		}
	}
}

// guarded makes every error of the handlers one that a program can act on.
func guarded[I, O any](f sdk.Func[I, O]) sdk.Method {
	if call := f.Call; call != nil {
		f.Call = func(ctx context.Context, in I) (O, error) {
			out, err := call(ctx, in)
			return out, failure(err)
		}
	}
	if prepare := f.Prepare; prepare != nil {
		f.Prepare = func(ctx context.Context, in I) (any, error) {
			before, err := prepare(ctx, in)
			return before, failure(err)
		}
	}
	if revert := f.Revert; revert != nil {
		f.Revert = func(ctx context.Context, in I, out O) error { return failure(revert(ctx, in, out)) }
	}
	if reconcile := f.Reconcile; reconcile != nil {
		f.Reconcile = func(ctx context.Context, in I) (sdk.Happened[O], error) {
			happened, err := reconcile(ctx, in)
			return happened, failure(err)
		}
	}
	if preview := f.Preview; preview != nil {
		f.Preview = func(ctx context.Context, in I) (string, error) {
			text, err := preview(ctx, in)
			return text, failure(err)
		}
	}
	return f
}
