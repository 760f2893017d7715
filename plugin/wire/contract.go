package wire

import (
	"context"
	"encoding/json"
	"time"
)

// Connector is one connector as its host sees it. A [Client] implements it over
// gRPC and an sdk.Connector implements it in the host's own process, so host
// code cannot tell the two apart.
//
// Every method may be called concurrently once Configure has returned nil.
// Errors are *[Error] wherever the connector had a say; an error of any other
// type means that the transport failed and nothing is known of the effect.
type Connector interface {
	// Describe says who the connector is. It is called first and needs no configuration.
	Describe(ctx context.Context) (*Description, error)
	// Configure hands over the evaluated config block, once per process and before all that follows.
	// A refused configuration is an *Error whose Diagnostics say where.
	Configure(ctx context.Context, req *ConfigureRequest) error
	// Methods says what the connector offers, as far as it is known now.
	Methods(ctx context.Context) (*Offer, error)
	// Watch reports changes until ctx ends or the connector stops.
	// A connector whose methods never change may return nil at once.
	Watch(ctx context.Context, report func(Change)) error
	// Invoke carries out one call. progress may be nil.
	Invoke(ctx context.Context, call *Call, progress func(Progress)) (*Result, error)
	// Prepare runs before the call is recorded as started and returns what a revert will need.
	Prepare(ctx context.Context, call *Call) (json.RawMessage, error)
	// Revert compensates for one applied call.
	Revert(ctx context.Context, req *RevertRequest) error
	// Reconcile finds out whether a call of unknown outcome took effect.
	Reconcile(ctx context.Context, call *Call) (*Reconciliation, error)
	// Preview tells an approver in a paragraph what the call will do.
	Preview(ctx context.Context, call *Call) (string, error)
	// Resolve says which call of another method a call stands for. It does nothing. An error is why it stands for none.
	Resolve(ctx context.Context, call *Call) (*Resolution, error)
	// PassEnded reports the end of a pass: completed, failed or paused. It is idempotent.
	PassEnded(ctx context.Context, req *PassEnd) error
	// Dispose reports the end of an execution. It is idempotent.
	Dispose(ctx context.Context, req *Disposal) error
}

// Description is what a connector says of itself before it is configured.
type Description struct {
	// Name and Version are the plugin's own; the label in the host's configuration is its identity there.
	Name, Version string
	// Instructions tell a model how to use the connector, in a paragraph; an
	// Offer may have more.
	Instructions string
	// ConfigSchema is the JSON Schema of the config block; nil accepts an empty one only.
	ConfigSchema json.RawMessage
}

// ConfigureRequest carries a connector's configuration.
type ConfigureRequest struct {
	// Label is the connector's name in the host's configuration.
	Label string
	// Config is one JSON object.
	Config json.RawMessage
	// Host offers the host's services; nil where the host has none.
	Host HostServices
}

// Offer is what a configured connector offers.
type Offer struct {
	// Instructions are those known only after configuration; empty: none. A
	// host shows them before the Description's, which they do not replace.
	Instructions string
	// Methods are in the connector's own order.
	Methods []*Method
	// Skipped is what cannot be offered. It is told to operators, and to no model.
	Skipped []Skipped
}

// Skipped is something that a connector could not make a method of.
type Skipped struct {
	Name   string // what it is called where it comes from
	Reason string // holds no secret
}

// Replay says what a replay does with a recorded call of a method.
type Replay string

// The replay policies. A method with ReplayReexecute is dispatched again in
// every pass and its result is not recorded; it must be an idempotent read.
const (
	ReplayRecorded  Replay = ""
	ReplayReexecute Replay = "reexecute"
)

// Method is one operation of a connector: one JSON object in, one JSON value out.
type Method struct {
	Name         string
	Description  string
	Tags         []string
	InputSchema  json.RawMessage // JSON Schema of the arguments; nil: any object
	OutputSchema json.RawMessage // JSON Schema of the result; nil: unknown

	ReadOnly         bool // changes nothing
	Idempotent       bool // doing it twice with one idempotency key is doing it once
	Destructive      bool // may destroy what cannot be had back
	RequiresApproval bool // a person decides, unless a rule says otherwise
	Replay           Replay

	// What else the connector implements for this method.
	Prepares, Reverts, Reconciles, Previews bool
	// StandsIn says that each call stands for a call of another method, which
	// Resolve tells: a host judges it as that one.
	StandsIn bool
}

// Resolution is the call that another call stands for.
type Resolution struct {
	Method string // the raw name
	Args   json.RawMessage
}

// Call is one call of a method, as it reaches the connector.
type Call struct {
	ExecutionID    string
	Seq            string
	IdempotencyKey string // stable over every attempt of this call
	Attempt        int    // 1 for the first
	Caller         string
	Labels         map[string]string
	Task           string
	Deadline       time.Time // absolute; zero: none

	Method string          // the raw name, as Methods gave it
	Args   json.RawMessage // the bytes that were judged and approved
	Before json.RawMessage // what Prepare returned; nil without it
}

// Result is what a successful call returned.
type Result struct {
	// Value is one JSON value; nil is JavaScript's undefined, distinct from null.
	Value json.RawMessage
}

// Progress is a connector's sign of life during a call.
type Progress struct {
	Message string
	// Done and Total count in a unit of the connector's choice; Total 0 is unknown.
	Done, Total float64
}

// RevertRequest asks to compensate for an applied call.
type RevertRequest struct {
	Call   *Call // the call as it was executed, with the revert's own idempotency key, attempt and deadline
	Result json.RawMessage
	// ResultOmitted says that the result was too large to keep.
	ResultOmitted bool
}

// Happened is a connector's answer to whether a call took effect.
type Happened string

// The answers of a reconciliation.
const (
	HappenedYes     Happened = "yes"
	HappenedNo      Happened = "no"
	HappenedUnknown Happened = "unknown"
)

// Reconciliation is the outcome of Reconcile; Result is set with HappenedYes.
type Reconciliation struct {
	Happened Happened
	Result   json.RawMessage
}

// PassEnd says how a pass ended: "completed", "error" or "paused".
type PassEnd struct {
	ExecutionID string
	Status      string
}

// Disposal says how an execution ended: "completed", "error", "rejected" or "rolled_back".
type Disposal struct {
	ExecutionID string
	Status      string
}

// Change is one report of Watch.
type Change struct {
	// MethodsChanged asks the host to read Methods again, for the instructions' sake, too.
	MethodsChanged bool
	// Health is empty while the connector is well, else one line for an operator.
	Health string
}

// HostServices is what a host offers to a connector. Its calls answer
// an *[Error] with CodeUnsupported where a host does not have the service.
type HostServices interface {
	// Get, Put and Delete reach the key-value store that the host keeps for this connector and execution.
	Get(ctx context.Context, executionID, key string) (value []byte, found bool, err error)
	Put(ctx context.Context, executionID, key string, value []byte) error
	Delete(ctx context.Context, executionID, key string) error
	// Ask puts a question to the person behind the execution and returns the answer.
	Ask(ctx context.Context, executionID, question string) (string, error)
}
