// Package core is codemode for programs that embed it: a [Host] runs programs
// that a model wrote against connectors, asks people before what matters,
// journals every call, continues after an approval or a crash, and can undo.
//
//	tracker, err := connector.InProcess() // connector is an *sdk.Connector
//	...
//	host, err := core.New(ctx, core.Options{
//		Dir:        ".codemode",
//		Connectors: []core.Connector{{Label: "tracker", Connector: tracker}},
//	})
//	...
//	outcome, err := host.Run(ctx, core.RunRequest{Code: code})
package core

import (
	"encoding/json"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/declared"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Options make a [Host]. The zero value is a host without connectors that
// keeps its journal in memory.
type Options struct {
	// Name is the runtime's, its durable identity: letters, digits, "_", "-" and "."; "default" if empty.
	Name string
	// Dir is the data folder; the journal lies in journal/NAME below it, so that each name has a history of its own.
	// Empty: the journal is kept in memory, unless Store is set.
	Dir string
	// MinFree is the space, in bytes, that the disk of Dir must have left for a program to begin; 256 MiB if 0. What has
	// begun goes on below it, until there is too little to record anything: a full disk would end the process.
	MinFree uint64
	// Store replaces the journal in Dir. The host does not close it.
	Store journal.Store
	// FingerprintKey is a secret under which approvals are bound to the connectors' configurations. It must be the
	// same in every host over one journal. If nil it is kept in Dir; without a Dir it is made from Name, and then a
	// digest helps whoever reads the journal to guess a configuration.
	FingerprintKey []byte
	// Sandbox replaces the child processes in which programs run. The host does not close it.
	Sandbox sandbox.Sandbox
	// SandboxBinary is the file that is started as such a child: its main calls SandboxMain. Empty: this program's own
	// file, if its main does; if not, programs run in this process and share its fate, which a warning says.
	SandboxBinary string
	// SandboxReuse is how many programs a child runs, one after the other, each in a runtime of its own; 1,000 if 0.
	SandboxReuse int
	// RequireWalls refuses to run programs where a wall around the children is missing; see Host.Walls.
	RequireWalls bool
	// DynamicCode lets programs make code from text, with eval and Function. An execution keeps what it began with.
	DynamicCode bool
	// Connectors are the namespaces, each label once.
	Connectors []Connector
	// Modules are helper code that programs can import, each name once.
	Modules []Module
	// Limits replace DefaultLimits where a field is set.
	Limits engine.Limits
	// Source is the most bytes that a program may have; 256 KiB if 0.
	Source int
	// CallTimeout is the deadline of one call; 60 s if 0.
	CallTimeout time.Duration
	// Sandboxes is how many programs run at once; others wait. 32 if 0.
	Sandboxes int
	// Queue is how many new programs may wait, and QueueTimeout how long, before they are turned away; 256 and 30 s if 0.
	// What has begun is never turned away.
	Queue        int
	QueueTimeout time.Duration
	// MaxExecutions is how many executions that have ended are kept; 50 if 0. After the first pass of
	// another one, those beyond are deleted, the oldest first; what runs or waits never is.
	MaxExecutions int
	// MaxAge is the age, since its last event, at which an execution that has ended is deleted; 0: none is.
	MaxAge time.Duration
	// PausedTTL is the age at which ResumeAll ends executions that still wait; 0: none is.
	PausedTTL time.Duration
	// TransformResult shapes what a model sees of a completed result; the journal keeps the raw one. If it fails, the
	// model gets the raw result. Nil: large results are shrunk in place to truncate.DefaultLimit characters.
	TransformResult func(result json.RawMessage) (json.RawMessage, error)
	// Tool is how models see the host's one tool.
	Tool ToolOptions
	// Logger receives what operators should know; nil: nobody does.
	Logger hclog.Logger
}

// Connector is one namespace of a host.
type Connector struct {
	// Label is the namespace's name in programs, rules, journal and logs: an identifier.
	Label string
	// Connector carries the calls: a plugin process, or an sdk.Connector in this process.
	// The host describes and configures it, and does not close it.
	Connector wire.Connector
	// Config is the connector's configuration, one JSON object; nil: an empty one.
	Config json.RawMessage
	// Rules are its rules, in order: the first that matches a call wins.
	Rules []policy.Rule
	// Adjust changes what the connector declares of a method; nil: nothing.
	Adjust func(*catalog.Method)
	// Timeout is the deadline of one call of a method; nil, or 0: the host's.
	Timeout func(*catalog.Method) time.Duration
	// Pace bounds what is asked of it.
	Pace Pace
	// Declared is what its methods do besides what the connector itself can: reads before, reverts, reconciliations, previews.
	Declared declared.Blocks
	// Hint is one line on the connector for the tool's description; empty: its own instructions.
	Hint string
	// Check says what is wrong with Config, given the connector's schema of it; nil: the host checks it itself.
	Check func(schema json.RawMessage) error
	// Explain turns the connector's own complaint about Config into one that names file and line; nil: as it is.
	Explain func(complaint *wire.Error, schema json.RawMessage) error
}

// ToolOptions are an embedder's own words for the one tool. The zero value is ToolName and the description that the
// connectors make.
type ToolOptions struct {
	// Name replaces ToolName.
	Name string
	// Describe makes the description from the one that the connectors make, which follows what they offer.
	Describe func(standard string) string
}

// DefaultLimits are the limits of a host that sets none.
var DefaultLimits = engine.Limits{
	Wall:     60 * time.Second,
	InFlight: 16,
	Value:    1_000_000,
	Sandbox: sandbox.Limits{
		CPU:     10 * time.Second,
		Memory:  256 << 20,
		Calls:   10_000,
		Console: 256 << 10,
		Stack:   5_000,
		Timers:  1_000,
		Sleep:   10 * time.Minute,
		Value:   1_000_000,
	},
}

// DefaultCallTimeout is the deadline of one call of a host that sets none.
const DefaultCallTimeout = 60 * time.Second

// DefaultSandboxes is how many programs run at once in a host that sets nothing else.
const DefaultSandboxes = 32

// DefaultQueue and DefaultQueueTimeout bound the new programs that wait in a host that sets nothing else.
const (
	DefaultQueue        = 256
	DefaultQueueTimeout = 30 * time.Second
)

// DefaultMaxExecutions is how many executions that have ended a host keeps that sets nothing else.
const DefaultMaxExecutions = 50

// DefaultSource is the most bytes that a program may have, of a host that sets none.
const DefaultSource = 256 << 10

// The words of outcomes, as engine has them.
type (
	// Outcome is what a run, or a decision that ran a pass, comes to.
	Outcome = engine.Outcome
	// Pending is a call that waits for a person.
	Pending = engine.Pending
	// Rollback is the account of a rollback.
	Rollback = engine.Rollback
)

// RunRequest starts an execution.
type RunRequest struct {
	// ID is the execution's, if the caller has made it: a UUIDv7. With it an execution can be asked about before its
	// outcome is there, and a request that was lost on the way can be repeated: an ID that is taken runs nothing, and the
	// outcome is a state error. Empty: the host makes one.
	ID string `json:"executionId,omitempty"`
	// Code is the program, as the model wrote it.
	Code string `json:"code"`
	// Input is one JSON value for the program; nil is undefined.
	Input json.RawMessage `json:"input,omitempty"`
	// Caller says who asked, Labels and Task for what. Rules can test them; connectors receive them.
	Caller string            `json:"caller,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Task   string            `json:"task,omitempty"`
	// AskWrites makes every write of this execution wait for a person.
	AskWrites bool `json:"askWrites,omitempty"`
}

// Decider is who decides.
type Decider struct {
	By   string `json:"by,omitempty"`  // the person
	Via  string `json:"via,omitempty"` // how they were asked: terminal, api, a client's name
	Note string `json:"note,omitempty"`
}

// ApproveRequest approves waiting calls of an execution.
type ApproveRequest struct {
	ExecutionID string `json:"executionId"`
	// Calls are what is approved. All approves, instead, every call that waits for an approval now.
	Calls []Shown `json:"calls,omitempty"`
	All   bool    `json:"all,omitempty"`
	Decider
}

// Shown is a call as it was shown to a person.
type Shown struct {
	Seq string `json:"seq"`
	// Digest is the pending call's; an approval of anything else is refused. Empty: whatever waits under this seq.
	Digest string `json:"digest,omitempty"`
	// Args, one JSON object, are executed in place of the program's own; nil: as shown.
	Args json.RawMessage `json:"args,omitempty"`
}

// RejectRequest rejects one waiting call, and with it the execution.
type RejectRequest struct {
	ExecutionID string `json:"executionId"`
	Seq         string `json:"seq"`
	Digest      string `json:"digest,omitempty"`
	Decider            // Note is required
}

// The ways to settle a call whose effect is in doubt.
const (
	SettleAgain   = journal.DecisionAgain   // run it again: the same bytes, the same idempotency key
	SettleDone    = journal.DecisionDone    // it happened, with this result
	SettleNotDone = journal.DecisionNotDone // it did not happen: the program gets an error that says so
	SettleEnd     = journal.DecisionEnd     // end the execution; the call stays in doubt
)

// SettleRequest says what a person knows of a call whose effect is in doubt.
type SettleRequest struct {
	ExecutionID string `json:"executionId"`
	Seq         string `json:"seq"`
	How         string `json:"how"`
	// Result is the call's result, with SettleDone; nil is undefined.
	Result json.RawMessage `json:"result,omitempty"`
	Decider
}

// RollbackRequest undoes an execution.
type RollbackRequest struct {
	ExecutionID string `json:"executionId"`
	// DryRun tells what would be done, and does nothing.
	DryRun bool `json:"dryRun,omitempty"`
	Decider
}

// Reply answers a decision that runs no pass.
type Reply struct {
	ExecutionID string `json:"executionId"`
	Status      string `json:"status"`
	Changed     bool   `json:"changed"`
	Message     string `json:"message"`
}
