package journal

import "time"

// Status is an execution's status.
type Status string

// The statuses.
const (
	StatusRunning    Status = "running"
	StatusPaused     Status = "paused"
	StatusCompleted  Status = "completed"
	StatusError      Status = "error"
	StatusRejected   Status = "rejected"
	StatusRolledBack Status = "rolled_back"
)

// Terminal reports whether nothing runs in an execution of this status any more.
func (s Status) Terminal() bool { return s != StatusRunning && s != StatusPaused }

// CallState is a call's state.
type CallState string

// The states of a call.
const (
	CallQueued    CallState = "queued"    // issued, allowed, not yet started
	CallPending   CallState = "pending"   // waits for a person's approval
	CallExecuting CallState = "executing" // started
	CallApplied   CallState = "applied"   // succeeded
	CallFailed    CallState = "failed"    // the connector, or the host, reported an error
	CallDenied    CallState = "denied"    // refused by policy or by its input schema
	CallRejected  CallState = "rejected"  // refused by a person
	CallExpired   CallState = "expired"   // nobody decided in time
	CallWithdrawn CallState = "withdrawn" // never started: the execution ended, or the timer was cleared
	CallInDoubt   CallState = "in_doubt"  // started, outcome unknown
	CallReverted  CallState = "reverted"  // compensated by a rollback
)

// State is an execution as its events tell it: the fold over its journal.
// Nothing changes it but Apply.
type State struct {
	ID      string
	Status  Status
	Epoch   uint64
	Next    int64     // the index of the next event
	Created time.Time // the time of the first event
	Updated time.Time // the time of the last event
	Begun   *Begun
	Owner   string // of the last claim
	Passes  int    // begun so far
	Waiting int    // how many calls, and reverts, wait for a person

	// Calls holds every issued call by its seq, Order their seqs as they were issued.
	Calls map[string]*Call
	Order []string
	// Deliveries are the seqs with an outcome, in the order of delivery.
	Deliveries []string
	// StartedOrder are the seqs of connector calls in the order of their last started event.
	StartedOrder []string

	Usage Usage
	// Logs is the console of all passes, in order.
	Logs []string
	// LogsAfter is the number of deliveries at the end of the last ended pass: console lines up to there are in Logs.
	LogsAfter int
	PassOpen  bool // a pass has begun and not ended
	// PassStatus is the status that the last ended pass ended with; Returned its Returned.
	PassStatus string
	Returned   bool
	End        *Ended
	// RollingBack says that a rollback holds the execution.
	RollingBack bool
	// Hooks are the rounds of hooks carried out so far.
	Hooks []HookRound
}

// Call is one call as the events tell it.
type Call struct {
	// Issued is the call as it was issued; verdict, approval and preview are those of its last reissue, if there was one.
	Issued     *Issued
	IssuedAt   time.Time
	IssueClock time.Duration // the timers' clock when it was issued
	State      CallState
	// Decision is the last decision that stands; nil while none does. Decisions about the revert are in RevertEnded.
	// A call settled as done or not done is applied or failed at once; its outcome is nil until it is delivered.
	Decision  *Decided
	DecidedAt time.Time
	Started   *Started // the last attempt; nil before the first
	StartedAt time.Time
	// Outcome is what the program was told. Where the execution had ended before the call was settled, it is made of
	// that decision, and no delivery.
	Outcome   *Outcome
	OutcomeAt time.Time
	Doubt     string // why the outcome is unknown; set in state in_doubt
	Edited    []byte // an approver's own arguments, which outlive the decision that they came with; nil: none
	Voided    string // why an earlier approval is void; empty: none was voided
	// Revert is the last attempt to revert the call, RevertEnded how it ended: done, in doubt, failed, or, with none
	// of these, to be tried again. An attempt without an end is in doubt.
	Revert      *RevertStarted
	RevertEnded *RevertEnded
}

// Args returns the arguments that are, or would be, executed: the approver's edit, else the program's own.
func (c *Call) Args() []byte {
	if c.Edited != nil {
		return c.Edited
	}
	return c.Issued.Args
}

// Result returns what the call gave: the word of whoever settled it as done, else its recorded outcome.
func (c *Call) Result() (value []byte, has bool) {
	switch {
	case c.decided(DecisionDone):
		return c.Decision.Result, c.Decision.HasValue
	case c.Outcome != nil:
		return c.Outcome.Value, c.Outcome.Has
	}
	return nil, false
}

// Doubtful reports whether the call may have taken effect and nobody has said whether it did: it is in doubt, or it
// ended in an error that leaves this open.
func (c *Call) Doubtful() bool {
	if c.settled() {
		return false
	}
	return c.State == CallInDoubt || c.Outcome != nil && c.Outcome.Failure != nil && c.Outcome.Failure.EffectUnknown
}

// Waiting reports whether the call waits for a person: for an approval, or for a word on its effect.
func (c *Call) Waiting() bool { return c.State == CallPending || c.State == CallInDoubt }
