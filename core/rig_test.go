package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/plugin/wire"
)

// rig is a connector at the level of the wire: it can answer anything, lose its connection, and change what it
// declares between two hosts.
type rig struct {
	version string
	methods []*wire.Method

	mu      sync.Mutex
	log     []string // "invoke write 1", "prepare write 1", ... with the attempt
	reverts []*wire.RevertRequest

	invoke  func(ctx context.Context, call *wire.Call) (*wire.Result, error)
	prepare func(ctx context.Context, call *wire.Call) (json.RawMessage, error)
	preview func(ctx context.Context, call *wire.Call) (string, error)
	resolve func(call *wire.Call) (*wire.Resolution, error)
	told    func(call *wire.Call) (*wire.Reconciliation, error)
	revert  func(ctx context.Context, req *wire.RevertRequest) error
	list    func() ([]*wire.Method, error)
}

var _ wire.Connector = (*rig)(nil)

// errLost is a connection that breaks: the connector had no say.
var errLost = errors.New("the connection broke")

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *rig) noted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.log)
}

func (r *rig) Describe(context.Context) (*wire.Description, error) {
	return &wire.Description{Name: "rig", Version: r.version}, nil
}

func (r *rig) Configure(context.Context, *wire.ConfigureRequest) error { return nil }

func (r *rig) Methods(context.Context) (*wire.Offer, error) {
	r.mu.Lock()
	list := r.list
	r.mu.Unlock()
	if list == nil {
		return &wire.Offer{Methods: r.methods}, nil
	}
	methods, err := list()
	return &wire.Offer{Methods: methods}, err
}

func (r *rig) Watch(context.Context, func(wire.Change)) error { return nil }

func (r *rig) Invoke(ctx context.Context, call *wire.Call, _ func(wire.Progress)) (*wire.Result, error) {
	r.note("invoke %s %d", call.Method, call.Attempt)
	if r.invoke == nil {
		return &wire.Result{Value: json.RawMessage(`"done"`)}, nil
	}
	return r.invoke(ctx, call)
}

func (r *rig) Prepare(ctx context.Context, call *wire.Call) (json.RawMessage, error) {
	r.note("prepare %s %d", call.Method, call.Attempt)
	if r.prepare == nil {
		return json.RawMessage(`"before"`), nil
	}
	return r.prepare(ctx, call)
}

func (r *rig) Revert(ctx context.Context, req *wire.RevertRequest) error {
	r.note("revert %s %d", req.Call.Method, req.Call.Attempt)
	r.mu.Lock()
	r.reverts = append(r.reverts, req)
	r.mu.Unlock()
	if r.revert == nil {
		return nil
	}
	return r.revert(ctx, req)
}

func (r *rig) Reconcile(_ context.Context, call *wire.Call) (*wire.Reconciliation, error) {
	r.note("reconcile %s %d", call.Method, call.Attempt)
	if r.told == nil {
		return &wire.Reconciliation{Happened: wire.HappenedUnknown}, nil
	}
	return r.told(call)
}

func (r *rig) Preview(ctx context.Context, call *wire.Call) (string, error) {
	if r.preview == nil {
		return "", nil
	}
	return r.preview(ctx, call)
}

func (r *rig) Resolve(_ context.Context, call *wire.Call) (*wire.Resolution, error) {
	return r.resolve(call)
}

func (r *rig) PassEnded(context.Context, *wire.PassEnd) error { return nil }

func (r *rig) Dispose(context.Context, *wire.Disposal) error { return nil }

// lists replaces what the connector lists, which a host may be asking for; nil: its methods.
func (r *rig) lists(f func() ([]*wire.Method, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = f
}

// rigged adds the connector to a world.
func (r *rig) rigged(o *core.Options) {
	o.Connectors = append(o.Connectors, core.Connector{Label: "rig", Connector: r})
}

// The methods that most tests need.
var (
	rigRead  = wire.Method{Name: "read", Description: "Read.", ReadOnly: true}
	rigWrite = wire.Method{Name: "write", Description: "Write."}
	rigGated = wire.Method{Name: "gated", Description: "Write what a person allows.", RequiresApproval: true}
	rigFound = wire.Method{Name: "found", Description: "Write what can be found again.", Reconciles: true, Reverts: true}
	rigTwice = wire.Method{Name: "twice", Description: "Write, harmlessly twice.", Idempotent: true}
)

func newRig(methods ...wire.Method) *rig {
	r := &rig{version: "1"}
	for _, m := range methods {
		r.methods = append(r.methods, &m)
	}
	return r
}

// memory is the world's store, to crash it.
func (w *world) memory() *memory.Store {
	w.t.Helper()
	s, ok := w.store.(*memory.Store)
	if !ok {
		w.t.Fatal("another store")
	}
	return s
}

// die ends the host as a power cut does, with what keep chooses of what was in flight, and starts another one.
func (w *world) die(keep func(journal.Batch) bool) {
	w.t.Helper()
	old := w.memory()
	next := old.Crash(keep)
	w.stop()
	w.store = next
	w.start()
}

func (w *world) settle(id, seq, how string, result string) *core.Outcome {
	w.t.Helper()
	req := core.SettleRequest{ExecutionID: id, Seq: seq, How: how, Decider: core.Decider{By: "ada"}}
	if result != "" {
		req.Result = json.RawMessage(result)
	}
	out, err := w.host.Settle(context.Background(), req)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) rollback(id string) *core.Rollback {
	w.t.Helper()
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}
