package engine

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

// The error types of an outcome.
const (
	ErrorCompile    = "compile"
	ErrorTimeout    = "timeout"
	ErrorPolicy     = "policy"
	ErrorRuntime    = "runtime"
	ErrorDivergence = "divergence"
	ErrorLimit      = "limit"
	ErrorRejected   = "rejected"
	ErrorCancelled  = "cancelled"
	ErrorState      = "state" // nothing was done or changed
)

// Outcome is what a run, or a decision that ran a pass, comes to. It is data: it is returned, never thrown.
type Outcome struct {
	Status      string          `json:"status"` // completed, paused or error; with Message, how the execution stands
	ExecutionID string          `json:"executionId,omitempty"`
	Result      json.RawMessage `json:"result,omitempty"` // absent: undefined
	Pending     []Pending       `json:"pending,omitempty"`
	Error       string          `json:"error,omitempty"`
	ErrorType   string          `json:"errorType,omitempty"`
	ErrorDetail *ErrorDetail    `json:"errorDetail,omitempty"`
	Logs        []string        `json:"logs,omitempty"`
	// Returned says of a paused execution that its program has already returned; only calls are left.
	Returned bool `json:"returned,omitempty"`
	// Message says what a decision has recorded that ran no pass; Changed is then true, and all but id and status absent.
	Changed bool   `json:"changed,omitempty"`
	Message string `json:"message,omitempty"`
	// Calls is the log for people, pages and embedders. It does not go to the model.
	Calls []CallRecord `json:"calls,omitempty"`
}

// ForModel returns the outcome without what is not for the model.
func (o *Outcome) ForModel() *Outcome {
	m := *o
	m.Calls = nil
	return &m
}

// ErrorDetail is an error in parts, as far as they are known.
type ErrorDetail struct {
	Name      string       `json:"name,omitempty"`
	Message   string       `json:"message"`
	Code      string       `json:"code,omitempty"`
	Retryable bool         `json:"retryable,omitempty"`
	Limit     string       `json:"limit,omitempty"`
	Line      int          `json:"line,omitempty"`
	Column    int          `json:"column,omitempty"`
	Cause     *ErrorDetail `json:"cause,omitempty"`
}

// The kinds of a pending call.
const (
	PendingApproval = "approval"
	PendingInDoubt  = "in_doubt"
)

// Pending is a call that waits for a person.
type Pending struct {
	ExecutionID string          `json:"executionId"`
	Seq         string          `json:"seq"`
	Connector   string          `json:"connector"`
	Method      string          `json:"method"`
	Args        json.RawMessage `json:"args"`
	Kind        string          `json:"kind"`
	Digest      string          `json:"digest"` // of what a decision is bound to, in hexadecimal
	Preview     string          `json:"preview,omitempty"`
	Revertible  bool            `json:"revertible"`
	ReadOnly    bool            `json:"readOnly,omitempty"` // a rule makes a read wait: there is nothing to revert
	ExpiresAt   *time.Time      `json:"expiresAt,omitempty"`
	Rule        string          `json:"rule,omitempty"`   // why it waits
	Reason      string          `json:"reason,omitempty"` // the rule's own
	Note        string          `json:"note,omitempty"`   // what the approver must know: a voided approval, why the effect is in doubt
	Line        int             `json:"line,omitempty"`
	// Settle lists, for a call in doubt, the words by which it can be settled. After the execution's end, and of a revert,
	// they are fewer.
	Settle []string `json:"settle,omitempty"`
	// Revert says that it is not the call that is in doubt, but its revert.
	Revert bool `json:"revert,omitempty"`
}

// CallRecord is one call as people see it.
type CallRecord struct {
	Seq       string          `json:"seq"`
	Connector string          `json:"connector"`
	Method    string          `json:"method"`
	Args      json.RawMessage `json:"args,omitempty"`
	Proposed  json.RawMessage `json:"proposed,omitempty"` // the program's own arguments, where the approver changed them
	Result    json.RawMessage `json:"result,omitempty"`
	Omitted   bool            `json:"resultOmitted,omitempty"`
	Error     *ErrorDetail    `json:"error,omitempty"`
	State     string          `json:"state"`
	// ReadOnly says that the call changes nothing, Revertible that its connector can undo it.
	ReadOnly   bool `json:"readOnly,omitempty"`
	Revertible bool `json:"revertible,omitempty"`
	// RevertInDoubt says that a rollback has begun to undo the call, and nobody knows whether it did.
	RevertInDoubt bool       `json:"revertInDoubt,omitempty"`
	Approval      *Approval  `json:"approval,omitempty"`
	IssuedAt      time.Time  `json:"issuedAt"`
	StartedAt     *time.Time `json:"startedAt,omitempty"`
	EndedAt       *time.Time `json:"endedAt,omitempty"`
	Attempts      int        `json:"attempts,omitempty"`
	Note          string     `json:"note,omitempty"`
}

// Approval is who decided on a call, when and why.
type Approval struct {
	Required bool       `json:"required"`
	Rule     string     `json:"rule,omitempty"`
	Decision string     `json:"decision,omitempty"`
	By       string     `json:"by,omitempty"`
	Via      string     `json:"via,omitempty"`
	At       *time.Time `json:"at,omitempty"`
	Note     string     `json:"note,omitempty"`
	Edited   bool       `json:"edited,omitempty"` // the approver changed the arguments
}

// OutcomeOf tells a state as an outcome. For an execution that runs, status is "running".
func OutcomeOf(s *journal.State) *Outcome {
	o := &Outcome{Status: string(s.Status), ExecutionID: s.ID, Calls: Calls(s)}
	switch {
	case s.Status == journal.StatusPaused:
		o.Pending, o.Returned = PendingOf(s), s.Returned
	case s.End == nil:
	case s.End.Failure != nil:
		o.Status = string(journal.StatusError)
		o.Error, o.ErrorType, o.ErrorDetail = s.End.Failure.Message, s.End.ErrorType, detailOf(s.End.Failure)
	default:
		o.Status = string(journal.StatusCompleted)
		if s.End.Has {
			o.Result = s.End.Value
		}
	}
	return o
}

// PendingOf lists the calls of an execution that wait for a person, in seq order.
func PendingOf(s *journal.State) []Pending {
	var list []Pending
	for _, c := range s.WaitingCalls() {
		p := Pending{
			ExecutionID: s.ID, Seq: c.Issued.Seq, Connector: c.Issued.Connector, Method: c.Issued.Method,
			Args: c.Args(), Kind: PendingApproval, Digest: digestText(c.Issued.Approval),
			Preview: c.Issued.Preview, Revertible: c.Issued.Revertible, ReadOnly: c.Issued.ReadOnly, ExpiresAt: c.Issued.ExpiresAt,
			Rule: c.Issued.Verdict.Rule, Reason: c.Issued.Verdict.Reason, Line: c.Issued.Line,
		}
		if c.State == journal.CallInDoubt {
			p.Kind, p.Note, p.Rule, p.Reason = PendingInDoubt, c.Doubt, "", "" // it is not a rule that makes it wait
			p.Settle = settleable(s)
			if s.Status.Terminal() {
				p.Note = strings.TrimSuffix(p.Note, ".") + ". " + endedInDoubt
			}
		} else if c.Voided != "" {
			p.Note = "An earlier approval is void: " + c.Voided
		}
		list = append(list, p)
	}
	for _, seq := range s.Order {
		if c := s.Calls[seq]; c.RevertWaits() {
			list = append(list, Pending{
				ExecutionID: s.ID, Seq: seq, Connector: c.Issued.Connector, Method: c.Issued.Method, Args: c.Args(),
				Kind: PendingInDoubt, Digest: digestText(c.Issued.Approval), Line: c.Issued.Line,
				Revertible: c.Issued.Revertible, Revert: true,
				Settle: []string{journal.DecisionAgain, journal.DecisionDone, journal.DecisionNotDone},
				Note:   "Of its revert: " + revertUnknown + ". What is said is said of the revert; the next rollback goes on with it.",
			})
		}
	}
	return list
}

// endedInDoubt is what a person has to know of a call in doubt that nobody waits for any more.
const endedInDoubt = "The execution has ended: what is said is recorded for audit and rollback, and nothing runs."

// settleable lists the words by which a call in doubt can be settled.
func settleable(s *journal.State) []string {
	if s.Status.Terminal() {
		return []string{journal.DecisionDone, journal.DecisionNotDone}
	}
	return []string{journal.DecisionAgain, journal.DecisionDone, journal.DecisionNotDone, journal.DecisionEnd}
}

// Calls lists an execution's calls in the order they were issued.
func Calls(s *journal.State) []CallRecord {
	list := make([]CallRecord, 0, len(s.Order))
	for _, seq := range s.Order {
		list = append(list, recordOf(s.Calls[seq]))
	}
	return list
}

func recordOf(c *journal.Call) CallRecord {
	r := CallRecord{
		Seq: c.Issued.Seq, Connector: c.Issued.Connector, Method: c.Issued.Method,
		Args: c.Args(), State: string(c.State), IssuedAt: c.IssuedAt, Note: c.Doubt,
		ReadOnly: c.Issued.ReadOnly, Revertible: c.Issued.Revertible, RevertInDoubt: c.RevertInDoubt(),
	}
	if c.Started != nil {
		at := c.StartedAt
		r.StartedAt, r.Attempts = &at, c.Started.Attempt
	}
	if o := c.Outcome; o != nil {
		at := c.OutcomeAt
		r.EndedAt, r.Omitted, r.Error = &at, o.Omitted, detailOf(o.Failure)
		if o.Has {
			r.Result = o.Value
		}
		if isRun(c.Issued) {
			r.Result = withoutBody(r.Result)
		}
	}
	if len(c.Issued.Approval) > 0 {
		r.Approval = &Approval{Required: true, Rule: c.Issued.Verdict.Rule}
	}
	if d := c.Decision; d != nil {
		if r.Approval == nil {
			r.Approval = &Approval{}
		}
		at := c.DecidedAt
		a := r.Approval
		a.Decision, a.By, a.Via, a.Note, a.At, a.Edited = d.Decision, d.By, d.Via, d.Note, &at, d.Args != nil
		if a.Edited {
			r.Proposed = c.Issued.Args
		}
	}
	return r
}

func detailOf(f *journal.Failure) *ErrorDetail {
	if f == nil {
		return nil
	}
	return &ErrorDetail{
		Name: f.Name, Message: f.Message, Code: f.Code, Retryable: f.Retryable,
		Limit: f.Limit, Line: f.Line, Column: f.Column, Cause: detailOf(f.Cause),
	}
}

// StateError is the outcome of a request that did and changed nothing.
func StateError(id, message string) *Outcome {
	return &Outcome{Status: string(journal.StatusError), ExecutionID: id, Error: message, ErrorType: ErrorState}
}
