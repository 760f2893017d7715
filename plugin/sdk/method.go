package sdk

import (
	"context"
	"encoding/json"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Method is one method of a connector: a [Func] or a [RawMethod].
type Method interface {
	bind() (*boundMethod, error)
}

var (
	_ Method = Func[struct{}, struct{}]{}
	_ Method = RawMethod{}
)

// Approval says whether a person decides on a call, unless a rule in the
// host's configuration says otherwise. A method that is not read-only must say one.
type Approval string

// The approvals.
const (
	Required    Approval = "required"
	NotRequired Approval = "not required"
)

// Replay says what a replay does with a recorded call.
type Replay = wire.Replay

// The replay policies. Recorded, the default, gives the program the recorded
// result. Reexecute calls the method again in every pass and records no
// result; it is for read-only methods that need no approval and whose results
// are large or must be fresh.
const (
	Recorded  = wire.ReplayRecorded
	Reexecute = wire.ReplayReexecute
)

// Func is a method with typed input and output.
//
// I is a struct, or a map with string keys, whose JSON form is the object of
// arguments. O is any type that encoding/json encodes; struct{} means that the
// method returns nothing.
type Func[I, O any] struct {
	// Name is the method's name as the connector knows it; the host derives an identifier from it.
	Name string
	// Description tells a model what the method does; its first sentence is shown in lists.
	Description string
	// Tags group the methods of a large connector.
	Tags []string

	// ReadOnly: it changes nothing. Reads are repeated after a crash.
	ReadOnly bool
	// Idempotent: two calls with one idempotency key have the effect of one.
	// A call whose outcome was lost is then repeated without asking anybody.
	Idempotent bool
	// Destructive: it may destroy what cannot be had back.
	Destructive bool
	// Approval must be Required or NotRequired unless the method is ReadOnly.
	Approval Approval
	Replay   Replay

	// InputSchema and OutputSchema replace the JSON Schemas made from I and O.
	InputSchema, OutputSchema json.RawMessage

	// Call carries the call out. It must be set.
	Call func(ctx context.Context, in I) (O, error)
	// Prepare runs before the call is recorded as started and returns what a
	// revert will need, such as the former title; any JSON value, nil for
	// nothing. Handlers read it with [Before]. It changes nothing.
	Prepare func(ctx context.Context, in I) (any, error)
	// Revert undoes one call that was carried out, with its arguments and its result.
	Revert func(ctx context.Context, in I, out O) error
	// RevertWithoutResult says that Revert does not look at out. The host does
	// not keep results above its size limit; without this, such a call is not reverted.
	RevertWithoutResult bool
	// Reconcile finds out whether a call whose outcome was lost took effect.
	Reconcile func(ctx context.Context, in I) (Happened[O], error)
	// Preview tells an approver in a paragraph what the call will do. It changes nothing.
	Preview func(ctx context.Context, in I) (string, error)
}

// RawMethod is a method whose input and output are JSON that the connector
// handles itself, for connectors that learn their methods at run time. Its
// fields mean what those of [Func] mean, except that arguments reach the
// handlers as the host sent them: not checked against InputSchema (the host
// has done that), nil if there are none, and with what JSON lacks as tags,
// {"$bytes": "<base64>"} and {"$bigint": "<digits>"}. Results are passed on in
// the same form; a nil result is undefined. wire.Untag and wire.Escape
// translate.
type RawMethod struct {
	Name        string
	Description string
	Tags        []string

	ReadOnly    bool
	Idempotent  bool
	Destructive bool
	Approval    Approval
	Replay      Replay

	// InputSchema nil accepts any object, OutputSchema nil promises nothing.
	InputSchema, OutputSchema json.RawMessage

	Call                func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
	Prepare             func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
	Revert              func(ctx context.Context, args, result json.RawMessage) error
	RevertWithoutResult bool
	Reconcile           func(ctx context.Context, args json.RawMessage) (Happened[json.RawMessage], error)
	Preview             func(ctx context.Context, args json.RawMessage) (string, error)
	// Resolve says which call of another method of the connector a call stands
	// for. With it the host judges the call as that one: the rules of the
	// other method hold, and its approval. Call must carry out just that. An
	// error refuses the call.
	Resolve func(ctx context.Context, args json.RawMessage) (method string, own json.RawMessage, err error)
}

// Answer is what a connector can say of a call whose outcome was lost.
type Answer = wire.Happened

// The answers.
const (
	Yes     = wire.HappenedYes
	No      = wire.HappenedNo
	Unknown = wire.HappenedUnknown
)

// Happened is the outcome of a reconciliation. Its zero value answers Unknown.
type Happened[O any] struct {
	Answer Answer
	// Result is what the call would have returned; it counts with Yes only.
	Result O
}
