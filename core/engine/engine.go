// Package engine drives one pass of an execution: it replays what is recorded,
// judges and dispatches what is new, journals both, and ends in a completion,
// an error, or a pause for a person.
//
// Between two turns of the program, and only then, the engine acts: for each
// issued call, in program order, it matches the journal, validates the
// arguments, asks policy, journals the call, waits for a person or a slot,
// journals the start, dispatches, journals the outcome and delivers it. There
// is no other path to a connector.
package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Catalog is what the engine needs to know of methods.
type Catalog interface {
	// Lookup resolves a listed or raw method name. Its error is written for the model.
	Lookup(connector, method string) (*catalog.Method, error)
	// Search and Describe answer codemode.search and codemode.describe; args and answer are JSON objects.
	Search(ctx context.Context, args []byte) ([]byte, error)
	Describe(ctx context.Context, args []byte) ([]byte, error)
}

// Connectors hands out what carries calls.
type Connectors interface {
	// Connector returns the connector behind a label, or an error that says why it cannot be used.
	Connector(label string) (wire.Connector, error)
	// Identity returns what an approval is bound to besides the call: the connector's label, plugin name,
	// version and configuration fingerprint.
	Identity(label string) []byte
	// Timeout is the deadline of one call of this method.
	Timeout(label, method string) time.Duration
}

// Judge says what becomes of a call.
type Judge interface {
	Judge(policy.Call) policy.Verdict
}

// Snippets finds saved programs. args are those of a run call, {name, input}.
type Snippets interface {
	// CheckInput holds the input against the snippet's schema, when the call is issued. Its error is written for the model.
	CheckInput(ctx context.Context, args []byte) error
	// OpenSnippet returns what completes the call: a sandbox.Snippet, or {error}.
	OpenSnippet(ctx context.Context, args []byte) ([]byte, error)
}

// Validator checks arguments against a method's input schema. Its error is written for the model.
type Validator interface {
	Validate(m *catalog.Method, args []byte) error
}

// Options are the parts that an engine works with. All but Logger and Now are required.
type Options struct {
	Store      journal.Store
	Sandbox    sandbox.Sandbox
	Catalog    Catalog
	Connectors Connectors
	Policy     Judge
	Schemas    Validator
	Snippets   Snippets
	Limits     Limits
	// Owner names this host in the journal.
	Owner string
	// Lease says why nothing may be started any more: it is ErrLeaseEnded, or nil. By default it never ends.
	Lease  func() error
	Logger hclog.Logger
	// Now is the host's clock; time.Now by default.
	Now func() time.Time
}

// Limits bound what an execution may use. A zero field means no bound.
type Limits struct {
	Sandbox  sandbox.Limits
	Wall     time.Duration // waiting for people and for timers is not counted
	InFlight int           // calls dispatched at once by one execution; others queue
	Value    int           // characters of one recorded value
}

// Engine drives executions. It is safe for concurrent use.
type Engine struct {
	Options
	// stragglers are handlers that ran on after their call's deadline.
	stragglers sync.WaitGroup
}

// New returns an engine over the given parts.
func New(o Options) *Engine {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Lease == nil {
		o.Lease = func() error { return nil }
	}
	return &Engine{Options: o}
}

// Close waits until every handler that this engine has called has returned.
func (e *Engine) Close() { e.stragglers.Wait() }

// ErrStopped is the cause of a pass that ended because its host stops: the
// execution stays as it is and a later host continues it.
var ErrStopped = errors.New("the host is stopping")

// ErrLeaseEnded is why a host starts nothing more on a store that it shares: others take it for dead, and may go on with
// what it was doing.
var ErrLeaseEnded = errors.New("this host's lease on the journal has ended, and another host may go on with the execution")

// replayBound is how often the recorded CPU time a replay may cost, and replayFloor what it may cost at least:
// a replay does the same work again, on a machine that may be busier.
const (
	replayBound = 4
	replayFloor = 2 * time.Second
)
