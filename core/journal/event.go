// Package journal records what happens to an execution as append-only events.
// Status, calls, audit and the pending list are a fold over them: a [State].
// It knows nothing of sandboxes, connectors or policy.
package journal

import (
	"strconv"
	"time"
)

// Event is one record of an execution's journal.
type Event struct {
	Index int64     // its number, from 0, without gaps
	Epoch uint64    // the owner that wrote it
	At    time.Time // never earlier than the event before it
	Body  Body
}

// Body is what an event says. The types below are the only ones.
type Body interface{ kind() Kind }

// Kind numbers a body's type in its record. Numbers are never used again for another type.
type Kind uint8

// Begun is the first event: all that the program's course depends on, apart from its deliveries.
type Begun struct {
	Source     string            `cbor:"1,keyasint"`
	JS         string            `cbor:"2,keyasint"` // the compiled text that replays
	Compiler   string            `cbor:"3,keyasint"` // its version
	Engine     string            `cbor:"4,keyasint"` // the sandbox's version: engine and prelude
	Input      []byte            `cbor:"5,keyasint,omitempty"`
	HasInput   bool              `cbor:"6,keyasint,omitempty"`
	Seed       []byte            `cbor:"7,keyasint"`
	Namespaces []byte            `cbor:"8,keyasint"` // hash of the blob that lists them
	Connectors []Connector       `cbor:"9,keyasint,omitempty"`
	Caller     string            `cbor:"10,keyasint,omitempty"`
	Labels     map[string]string `cbor:"11,keyasint,omitempty"`
	Task       string            `cbor:"12,keyasint,omitempty"`
	AskWrites  bool              `cbor:"13,keyasint,omitempty"` // every write of this execution waits for a person
	Owner      string            `cbor:"14,keyasint,omitempty"`
	Modules    []Module          `cbor:"15,keyasint,omitempty"` // what the program imports; JS has them in it
	// DynamicCode says that the program may make code from text, in every pass.
	DynamicCode bool `cbor:"16,keyasint,omitempty"`
}

// Module is a module that a program imports.
type Module struct {
	Name string `cbor:"1,keyasint" json:"name"`
	Hash []byte `cbor:"2,keyasint" json:"hash"` // SHA-256 of its text
}

// Connector is a connector as an execution met it.
type Connector struct {
	Label   string `cbor:"1,keyasint"`
	Name    string `cbor:"2,keyasint,omitempty"` // the plugin's own
	Version string `cbor:"3,keyasint,omitempty"`
}

// Claimed gives the execution a new owner; the event carries the new epoch.
type Claimed struct {
	Owner string `cbor:"1,keyasint"`
}

// PassBegun starts a pass.
type PassBegun struct {
	Pass int `cbor:"1,keyasint"` // from 1
}

// Issued records a call and what policy said of it, in program order.
type Issued struct {
	Seq        string  `cbor:"1,keyasint"`
	Connector  string  `cbor:"2,keyasint"`
	Method     string  `cbor:"3,keyasint"` // the listed name
	Args       []byte  `cbor:"4,keyasint,omitempty"`
	Verdict    Verdict `cbor:"5,keyasint"`
	ReadOnly   bool    `cbor:"6,keyasint,omitempty"`
	Idempotent bool    `cbor:"7,keyasint,omitempty"`
	Reexecute  bool    `cbor:"8,keyasint,omitempty"` // dispatched again in every pass, result not recorded
	Revertible bool    `cbor:"9,keyasint,omitempty"`
	// Approval is the digest that a decision is bound to; set where a person decides.
	Approval []byte `cbor:"10,keyasint,omitempty"`
	// Preview is what the connector says the call will do; set where a person decides and the connector can tell.
	Preview   string     `cbor:"11,keyasint,omitempty"`
	Line      int        `cbor:"12,keyasint,omitempty"` // in the model's text
	ExpiresAt *time.Time `cbor:"13,keyasint,omitempty"`
}

// Verdict is what policy said of a call: "allow", "deny" or "approve", by which rule and why.
type Verdict struct {
	Effect string `cbor:"1,keyasint"`
	Rule   string `cbor:"2,keyasint,omitempty"`
	Reason string `cbor:"3,keyasint,omitempty"`
}

// Reissued sends a call back to a person: what they would have allowed has changed.
type Reissued struct {
	Seq      string  `cbor:"1,keyasint"`
	Verdict  Verdict `cbor:"2,keyasint"`
	Approval []byte  `cbor:"3,keyasint"`
	Preview  string  `cbor:"4,keyasint,omitempty"`
	Why      string  `cbor:"5,keyasint"`
}

// The decisions of a person on a waiting call.
const (
	DecisionApprove = "approve"
	DecisionReject  = "reject"   // ends the execution
	DecisionRefuse  = "refuse"   // delivered to the program as an error: reject --continue
	DecisionExpire  = "expire"   // nobody decided in time; ends the execution
	DecisionAgain   = "again"    // settle: run it again
	DecisionDone    = "done"     // settle: it happened, with this result
	DecisionNotDone = "not_done" // settle: it did not happen
	DecisionEnd     = "end"      // settle: end the execution
)

// Decided records a person's decision on one call.
type Decided struct {
	Seq      string `cbor:"1,keyasint"`
	Decision string `cbor:"2,keyasint"`
	By       string `cbor:"3,keyasint,omitempty"`
	Via      string `cbor:"4,keyasint,omitempty"` // terminal, api, an MCP client's name
	Note     string `cbor:"5,keyasint,omitempty"`
	Approval []byte `cbor:"6,keyasint,omitempty"` // the digest that was shown
	Args     []byte `cbor:"7,keyasint,omitempty"` // the approver's edited arguments; nil: as issued
	Result   []byte `cbor:"8,keyasint,omitempty"` // with DecisionDone
	HasValue bool   `cbor:"9,keyasint,omitempty"` // with DecisionDone: the result is not undefined
	// Revert says that the decision speaks of the call's revert.
	Revert bool `cbor:"10,keyasint,omitempty"`
}

// Started is written immediately before a call goes to its connector.
type Started struct {
	Seq      string    `cbor:"1,keyasint"`
	Attempt  int       `cbor:"2,keyasint"` // from 1
	Key      string    `cbor:"3,keyasint,omitempty"`
	Deadline time.Time `cbor:"4,keyasint"`
	Before   []byte    `cbor:"5,keyasint,omitempty"` // what prepare returned
}

// Outcome gives a call its end, which is delivered to the program. The order of the outcomes is the order of the deliveries.
type Outcome struct {
	Seq     string    `cbor:"1,keyasint"`
	State   CallState `cbor:"2,keyasint"` // applied, failed, denied, rejected
	Value   []byte    `cbor:"3,keyasint,omitempty"`
	Has     bool      `cbor:"4,keyasint,omitempty"` // the value is not undefined
	Omitted bool      `cbor:"5,keyasint,omitempty"` // the value was too large, or belongs to a reexecute call
	Failure *Failure  `cbor:"6,keyasint,omitempty"`
	Usage   Usage     `cbor:"7,keyasint"` // what the execution has used up to here
}

// Failure is a recorded error.
type Failure struct {
	Name       string   `cbor:"1,keyasint,omitempty"`
	Message    string   `cbor:"2,keyasint"`
	Code       string   `cbor:"3,keyasint,omitempty"`
	Retryable  bool     `cbor:"4,keyasint,omitempty"`
	RetryAfter int64    `cbor:"5,keyasint,omitempty"` // milliseconds
	Details    []byte   `cbor:"6,keyasint,omitempty"`
	Line       int      `cbor:"7,keyasint,omitempty"`
	Column     int      `cbor:"8,keyasint,omitempty"`
	Limit      string   `cbor:"9,keyasint,omitempty"`
	Cause      *Failure `cbor:"10,keyasint,omitempty"`
	// EffectUnknown says of a write that it may have happened all the same.
	EffectUnknown bool `cbor:"11,keyasint,omitempty"`
}

// Usage is what an execution has used, over all its passes. Replayed work is not counted.
type Usage struct {
	CPU   time.Duration `cbor:"1,keyasint,omitempty"`
	Wall  time.Duration `cbor:"2,keyasint,omitempty"` // waiting for people and for timers is not counted
	Clock time.Duration `cbor:"3,keyasint,omitempty"` // the timers' clock: it stands still while a call waits for a person
}

// Doubted says that a started call's outcome is not known and that a person, or its connector, must tell.
type Doubted struct {
	Seq   string `cbor:"1,keyasint"`
	Cause string `cbor:"2,keyasint"`
}

// Withdrawn ends a call that had not started: its execution ended, or a timer was cleared. A write that had started
// in an earlier attempt is in doubt by it.
type Withdrawn struct {
	Seq   string `cbor:"1,keyasint"`
	Cause string `cbor:"2,keyasint,omitempty"`
}

// PassEnded ends a pass: "completed", "error" or "paused".
type PassEnded struct {
	Status string   `cbor:"1,keyasint"`
	Logs   []string `cbor:"2,keyasint,omitempty"` // the console of the pass's live part
	Usage  Usage    `cbor:"3,keyasint"`
	// Returned says that the program's main promise has fulfilled while calls still wait.
	Returned bool `cbor:"4,keyasint,omitempty"`
}

// Ended gives the execution its final status; nothing runs after it. Calls that are still open are withdrawn by it,
// or in doubt if they are writes that had started.
type Ended struct {
	Status    Status   `cbor:"1,keyasint"`
	Value     []byte   `cbor:"2,keyasint,omitempty"`
	Has       bool     `cbor:"3,keyasint,omitempty"`
	Omitted   bool     `cbor:"4,keyasint,omitempty"` // the result was too large to keep
	ErrorType string   `cbor:"5,keyasint,omitempty"`
	Failure   *Failure `cbor:"6,keyasint,omitempty"`
}

// RollbackBegun claims an execution for a rollback.
type RollbackBegun struct {
	By   string `cbor:"1,keyasint,omitempty"`
	Note string `cbor:"2,keyasint,omitempty"`
}

// RevertStarted is written immediately before a revert goes to its connector.
type RevertStarted struct {
	Seq      string    `cbor:"1,keyasint"`
	Attempt  int       `cbor:"2,keyasint"`
	Key      string    `cbor:"3,keyasint"`
	Deadline time.Time `cbor:"4,keyasint"`
}

// RevertEnded is a revert's end: reverted, failed with the effect known, or in doubt.
type RevertEnded struct {
	Seq     string   `cbor:"1,keyasint"`
	Done    bool     `cbor:"2,keyasint,omitempty"`
	Doubt   bool     `cbor:"3,keyasint,omitempty"`
	Failure *Failure `cbor:"4,keyasint,omitempty"`
}

// RollbackEnded ends the claim. Status is rolled_back if anything was reverted, else what it was before.
type RollbackEnded struct {
	Status Status `cbor:"1,keyasint"`
}

// The rounds of hooks that go to every connector.
const (
	HookPassEnd = "pass_end"
	HookDispose = "dispose"
)

// HookRound records that a round of hooks was carried out for a status.
type HookRound struct {
	Hook   string `cbor:"1,keyasint"`
	Status string `cbor:"2,keyasint"`
	Pass   int    `cbor:"3,keyasint,omitempty"`
}

// The numbers of the kinds. They are part of the stored format.
const (
	KindBegun Kind = iota + 1
	KindClaimed
	KindPassBegun
	KindIssued
	KindReissued
	KindDecided
	KindStarted
	KindOutcome
	KindDoubted
	KindWithdrawn
	KindPassEnded
	KindEnded
	KindRollbackBegun
	KindRevertStarted
	KindRevertEnded
	KindRollbackEnded
	KindHookRound
)

var kindNames = [...]string{
	KindBegun: "begun", KindClaimed: "claimed", KindPassBegun: "pass begun", KindIssued: "issued",
	KindReissued: "reissued", KindDecided: "decided", KindStarted: "started", KindOutcome: "outcome",
	KindDoubted: "doubted", KindWithdrawn: "withdrawn", KindPassEnded: "pass ended", KindEnded: "ended",
	KindRollbackBegun: "rollback begun", KindRevertStarted: "revert started", KindRevertEnded: "revert ended",
	KindRollbackEnded: "rollback ended", KindHookRound: "hook round",
}

// String names the kind in plain words.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

func (*Begun) kind() Kind         { return KindBegun }
func (*Claimed) kind() Kind       { return KindClaimed }
func (*PassBegun) kind() Kind     { return KindPassBegun }
func (*Issued) kind() Kind        { return KindIssued }
func (*Reissued) kind() Kind      { return KindReissued }
func (*Decided) kind() Kind       { return KindDecided }
func (*Started) kind() Kind       { return KindStarted }
func (*Outcome) kind() Kind       { return KindOutcome }
func (*Doubted) kind() Kind       { return KindDoubted }
func (*Withdrawn) kind() Kind     { return KindWithdrawn }
func (*PassEnded) kind() Kind     { return KindPassEnded }
func (*Ended) kind() Kind         { return KindEnded }
func (*RollbackBegun) kind() Kind { return KindRollbackBegun }
func (*RevertStarted) kind() Kind { return KindRevertStarted }
func (*RevertEnded) kind() Kind   { return KindRevertEnded }
func (*RollbackEnded) kind() Kind { return KindRollbackEnded }
func (*HookRound) kind() Kind     { return KindHookRound }
