package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/plugin/wire"
)

// boundMethod is a method ready to be called, whatever its Go types. Handlers
// that the author left out are nil.
type boundMethod struct {
	facts wire.Method

	call                func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
	prepare             func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
	revert              func(ctx context.Context, args, result json.RawMessage) error
	revertWithoutResult bool
	reconcile           func(ctx context.Context, args json.RawMessage) (*wire.Reconciliation, error)
	preview             func(ctx context.Context, args json.RawMessage) (string, error)
	resolve             func(ctx context.Context, args json.RawMessage) (*wire.Resolution, error)
}

// checked completes the facts and refuses a method that contradicts itself.
func (b *boundMethod) checked(approval Approval) (*boundMethod, error) {
	f := &b.facts
	f.RequiresApproval = approval == Required
	f.Prepares = b.prepare != nil
	f.Reverts = b.revert != nil
	f.Reconciles = b.reconcile != nil
	f.Previews = b.preview != nil
	if err := errors.Join(b.faults(approval)...); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *boundMethod) faults(approval Approval) []error {
	f := &b.facts
	var faults []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	refuse(b.call == nil, "it has no Call")
	refuse(approval == "" && !f.ReadOnly,
		"it may write and does not say whether it needs approval: set Approval to Required or NotRequired, or ReadOnly")
	refuse(approval != "" && approval != Required && approval != NotRequired,
		"its Approval is %q, which is neither Required nor NotRequired", approval)
	refuse(f.Replay != Recorded && f.Replay != Reexecute,
		"its Replay is %q, which is neither Recorded nor Reexecute", f.Replay)
	refuse(f.Replay == Reexecute && !f.ReadOnly,
		"it may write, so it cannot be reexecuted in every pass")
	refuse(f.Replay == Reexecute && approval == Required,
		"it needs approval, so it cannot be reexecuted in every pass")
	refuse(f.ReadOnly && f.Destructive, "it cannot be both ReadOnly and Destructive")
	refuse(f.InputSchema != nil && !json.Valid(f.InputSchema), "its InputSchema is not JSON")
	refuse(f.OutputSchema != nil && !json.Valid(f.OutputSchema), "its OutputSchema is not JSON")
	return faults
}

func (f Func[I, O]) bind() (*boundMethod, error) {
	in, err := newInput[I](f.InputSchema)
	if err != nil {
		return nil, named(f.Name, err)
	}
	result, err := newOutput[O](f.OutputSchema)
	if err != nil {
		return nil, named(f.Name, err)
	}
	b := &boundMethod{
		facts: wire.Method{
			Name: f.Name, Description: f.Description, Tags: f.Tags,
			InputSchema: in.schema, OutputSchema: result.schema,
			ReadOnly: f.ReadOnly, Idempotent: f.Idempotent, Destructive: f.Destructive, Replay: f.Replay,
		},
		revertWithoutResult: f.RevertWithoutResult,
	}
	if f.Call != nil {
		b.call = decoding(in, then(f.Call, result.encode))
	}
	if f.Prepare != nil {
		b.prepare = decoding(in, then(f.Prepare, encodePrepared))
	}
	if f.Revert != nil {
		b.revert = reverting(in, result, f.Revert)
	}
	if f.Reconcile != nil {
		b.reconcile = decoding(in, then(f.Reconcile, result.encodeHappened))
	}
	if f.Preview != nil {
		b.preview = decoding(in, f.Preview)
	}
	bound, err := b.checked(f.Approval)
	return bound, named(f.Name, err)
}

func (m RawMethod) bind() (*boundMethod, error) {
	b := &boundMethod{
		facts: wire.Method{
			Name: m.Name, Description: m.Description, Tags: m.Tags,
			InputSchema: m.InputSchema, OutputSchema: m.OutputSchema,
			ReadOnly: m.ReadOnly, Idempotent: m.Idempotent, Destructive: m.Destructive, Replay: m.Replay,
		},
		call:                m.Call,
		prepare:             m.Prepare,
		revert:              m.Revert,
		revertWithoutResult: m.RevertWithoutResult,
		preview:             m.Preview,
	}
	if m.Reconcile != nil {
		b.reconcile = then(m.Reconcile, func(h Happened[json.RawMessage]) (*wire.Reconciliation, error) {
			return &wire.Reconciliation{Happened: h.answer(), Result: h.Result}, nil
		})
	}
	if m.Resolve != nil {
		b.facts.StandsIn = true
		b.resolve = func(ctx context.Context, args json.RawMessage) (*wire.Resolution, error) {
			method, own, err := m.Resolve(ctx, args)
			return &wire.Resolution{Method: method, Args: own}, err
		}
	}
	bound, err := b.checked(m.Approval)
	return bound, named(m.Name, err)
}

// named says which method an error is about.
func named(method string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("method %s: %w", method, err)
}

// decoding returns handle for undecoded arguments.
func decoding[I, R any](in *input[I], handle func(context.Context, I) (R, error)) func(context.Context, json.RawMessage) (R, error) {
	return func(ctx context.Context, args json.RawMessage) (R, error) {
		value, wrong := in.decode(args)
		if len(wrong) > 0 {
			var none R
			return none, invalidArguments(wrong)
		}
		return handle(ctx, value)
	}
}

// then returns handle with its result encoded.
func then[I, O, R any](handle func(context.Context, I) (O, error), encode func(O) (R, error)) func(context.Context, I) (R, error) {
	return func(ctx context.Context, in I) (R, error) {
		value, err := handle(ctx, in)
		if err != nil {
			var none R
			return none, err
		}
		return encode(value)
	}
}

// reverting returns revert for undecoded arguments and result.
func reverting[I, O any](in *input[I], out *output[O], revert func(context.Context, I, O) error) func(ctx context.Context, args, result json.RawMessage) error {
	return func(ctx context.Context, args, result json.RawMessage) error {
		value, wrong := in.decode(args)
		if len(wrong) > 0 {
			return invalidArguments(wrong)
		}
		returned, err := out.decode(result)
		if err != nil {
			return err
		}
		return revert(ctx, value, returned)
	}
}

// encodePrepared encodes what Prepare returned; the program never sees it.
func encodePrepared(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	return encodePlain(v)
}
