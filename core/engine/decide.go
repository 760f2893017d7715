package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
)

// approvalDigest is what a decision is bound to: the argument bytes, the method and its input schema, and the
// connector's label, plugin name, version and configuration.
func (x *Execution) approvalDigest(m *catalog.Method, args []byte) []byte {
	h := sha256.New()
	for _, part := range [][]byte{args, []byte(m.Connector), []byte(m.Raw), m.InputSchema, x.e.Connectors.Identity(m.Connector)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

func digestText(digest []byte) string { return hex.EncodeToString(digest) }

// Decision is a person's word on one waiting call.
type Decision struct {
	Seq      string
	Decision string // one of journal's Decision words
	By, Via  string
	Note     string
	// Digest is what was shown, in hexadecimal; empty: the decision stands for whatever waits under this seq.
	Digest string
	// Args are the approver's own arguments, with DecisionApprove: they are what is executed, and what prepare, revert
	// and reconcile receive; the program's are what replay matches. Nil: as issued.
	Args []byte
	// Result is the call's result, with DecisionDone; nil is undefined.
	Result []byte
}

// UndecidableError says why decisions were not taken. Nothing has changed.
type UndecidableError struct {
	Seq    string // empty: it is about the execution
	Reason string
}

func (e *UndecidableError) Error() string {
	if e.Seq == "" {
		return e.Reason
	}
	return fmt.Sprintf("call %s: %s", e.Seq, e.Reason)
}

// Decide records decisions, all of them or none, durably. It reports whether a
// running pass picks them up; for an idle execution that has not ended, the
// caller runs the next pass. A rejection of an idle execution ends it at once.
func (x *Execution) Decide(ctx context.Context, list []Decision) (picked bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.rec.state
	switch {
	case ofReverts(s, list):
		// A rollback that stopped over them waits for these decisions.
	case s.Status.Terminal() && !slices.ContainsFunc(list, onlyInforms):
		return false, &UndecidableError{Reason: fmt.Sprintf("execution %s is %s, not paused%s", s.ID, s.Status, stillSaid(s))}
	case s.RollingBack:
		return false, &UndecidableError{Reason: fmt.Sprintf("a rollback holds execution %s; decide when it has ended", s.ID)}
	case x.closing && !s.Status.Terminal():
		return false, &UndecidableError{Reason: fmt.Sprintf("execution %s is being ended", s.ID)}
	}
	named := map[string]bool{}
	for _, d := range list {
		if err := decidable(s, d); err != nil {
			return false, err
		}
		if named[d.Seq] {
			return false, &UndecidableError{Seq: d.Seq, Reason: "it is named twice"}
		}
		named[d.Seq] = true
	}
	approvals := make([][]byte, len(list))
	for i, d := range list {
		if approvals[i], err = x.boundTo(s.Calls[d.Seq].Issued, d); err != nil {
			return false, err
		}
	}
	for i, d := range list {
		c := s.Calls[d.Seq]
		_, err := x.rec.add(&journal.Decided{
			Seq: d.Seq, Decision: d.Decision, By: d.By, Via: d.Via, Note: d.Note, Args: d.Args,
			Approval: approvals[i], Result: d.Result, HasValue: d.Result != nil, Revert: c.RevertInDoubt(),
		})
		if err != nil {
			return false, err
		}
	}
	if s.Status.Terminal() || s.RollingBack {
		return false, x.rec.flush(ctx)
	}
	if x.running {
		x.news = true
		select {
		case x.wake <- struct{}{}:
		default:
		}
		return true, x.rec.flush(ctx)
	}
	if end := rejectionOf(s); end != nil {
		return false, x.end(end)
	}
	return false, x.rec.flush(ctx)
}

// stillSaid tells what can be decided after the end; empty: nothing.
func stillSaid(s *journal.State) string {
	if s.Waiting == 0 {
		return ""
	}
	return ": nothing of it runs again; of what is in doubt it can only be said whether it happened"
}

// boundTo is what a decision is bound to: what was shown, or the approver's own arguments in place of it, which are
// validated and judged as the program's were.
func (x *Execution) boundTo(i *journal.Issued, d Decision) ([]byte, error) {
	if d.Args == nil {
		return i.Approval, nil
	}
	if d.Decision != journal.DecisionApprove {
		return nil, &UndecidableError{Seq: d.Seq, Reason: "arguments are edited with an approval only"}
	}
	m, failure := x.resolve(i.Connector, i.Method, d.Args)
	if failure != nil {
		return nil, &UndecidableError{Seq: d.Seq, Reason: failure.Message}
	}
	if v := x.verdict(m, d.Args); v.Effect == policy.Deny {
		return nil, &UndecidableError{Seq: d.Seq, Reason: "with these arguments the call is refused by policy " + v.Reason}
	}
	return x.approvalDigest(m, d.Args), nil
}

// ofReverts reports whether all decisions speak of reverts whose effect is in doubt.
func ofReverts(s *journal.State, list []Decision) bool {
	return !slices.ContainsFunc(list, func(d Decision) bool { return !ofRevert(s.Calls[d.Seq], d) })
}

func ofRevert(c *journal.Call, d Decision) bool {
	return c != nil && c.RevertInDoubt() && (onlyInforms(d) || d.Decision == journal.DecisionAgain)
}

// onlyInforms reports whether a decision says what happened: after the end it informs audit and rollback, and revives nothing.
func onlyInforms(d Decision) bool {
	return d.Decision == journal.DecisionDone || d.Decision == journal.DecisionNotDone
}

// decidable says why a decision cannot be taken; nil: it can.
func decidable(s *journal.State, d Decision) error {
	c := s.Calls[d.Seq]
	if c == nil {
		return &UndecidableError{Seq: d.Seq, Reason: "there is no such call in execution " + s.ID}
	}
	if ofRevert(c, d) {
		return nil
	}
	if s.Status.Terminal() && !onlyInforms(d) {
		return &UndecidableError{Seq: d.Seq, Reason: "the execution has ended; only what happened can still be said"}
	}
	want := journal.CallPending
	switch d.Decision {
	case journal.DecisionDone, journal.DecisionNotDone:
		if c.Doubtful() {
			return nil
		}
		want = journal.CallInDoubt
	case journal.DecisionAgain, journal.DecisionEnd:
		want = journal.CallInDoubt
	}
	if c.State != want {
		return &UndecidableError{Seq: d.Seq, Reason: fmt.Sprintf("it is %s, not %s", c.State, want)}
	}
	if d.Digest != "" && d.Digest != digestText(c.Issued.Approval) {
		return &UndecidableError{Seq: d.Seq, Reason: "what waits now is not what was shown (the digest differs); look at it again"}
	}
	return nil
}

// rejectionOf says how an execution ends because of a recorded decision; nil: none ends it.
func rejectionOf(s *journal.State) *ending {
	for _, seq := range s.Order {
		if end := rejection(s.Calls[seq]); end != nil {
			return end
		}
	}
	return nil
}

// rejection says how the decision on a call ends the execution; nil: it does not.
func rejection(c *journal.Call) *ending {
	d := c.Decision
	if d == nil || c.Outcome != nil {
		return nil
	}
	name := c.Issued.Connector + "." + c.Issued.Method
	switch d.Decision {
	case journal.DecisionReject:
		text := fmt.Sprintf("A person rejected %s (call %s)", name, c.Issued.Seq)
		if d.Note != "" {
			text += ": " + d.Note
		}
		return rejected(text + ".")
	case journal.DecisionExpire:
		return rejected("Expired awaiting approval.")
	case journal.DecisionEnd:
		return fail(ErrorRejected, &journal.Failure{
			Message: fmt.Sprintf("A person ended the execution because the effect of %s (call %s) is not known.", name, c.Issued.Seq),
		})
	}
	return nil
}

// rejected is the end of an execution by a person's word, or for lack of it.
func rejected(text string) *ending {
	return &ending{status: journal.StatusRejected, errType: ErrorRejected, failure: &journal.Failure{Message: text}}
}

// decided picks up the decisions that a person has recorded since it was last asked.
func (p *pass) decided() (*ending, error) {
	if p.fatal != nil {
		return p.fatal, nil
	}
	if !p.news {
		return nil, nil
	}
	p.news = false
	for _, c := range slices.Clone(p.open.at[stageWaiting]) {
		known := p.rec.state.Calls[c.seq]
		if end := rejection(known); end != nil {
			return end, nil
		}
		if known.Waiting() {
			continue
		}
		if err := p.apply(c, known); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// apply carries a decision out.
func (p *pass) apply(c *call, known *journal.Call) error {
	switch d := known.Decision; d.Decision {
	case journal.DecisionApprove, journal.DecisionAgain:
		c.again = true
		p.open.move(c, stageQueued)
	case journal.DecisionRefuse:
		text := fmt.Sprintf("A person refused %s.%s", known.Issued.Connector, known.Issued.Method)
		if d.Note != "" {
			text += ": " + d.Note
		}
		return p.refuse(c, journal.CallRejected, &journal.Failure{
			Name: nameRejectedError, Code: "rejected", Message: text + ". Do not try it again in another way.",
		})
	case journal.DecisionDone:
		return p.outcome(c, &journal.Outcome{State: journal.CallApplied, Value: d.Result, Has: d.HasValue})
	case journal.DecisionNotDone:
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: &journal.Failure{
			Name: nameCallError, Code: "not_done", Retryable: true,
			Message: fmt.Sprintf("%s.%s did not happen: a person has looked.", known.Issued.Connector, known.Issued.Method),
		}})
	}
	return nil
}

// Expire ends an idle execution: a paused one as rejected, one that its host left running as an error. It reports
// whether it did.
func (x *Execution) Expire() (bool, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.rec.state
	if x.running || s.Status.Terminal() || s.RollingBack {
		return false, nil
	}
	if s.Status == journal.StatusRunning {
		err := x.end(fail(ErrorCancelled, &journal.Failure{Message: "Expired while running."}))
		return err == nil, err
	}
	for _, c := range s.WaitingCalls() {
		if _, err := x.rec.add(&journal.Decided{Seq: c.Issued.Seq, Decision: journal.DecisionExpire}); err != nil {
			return false, err
		}
	}
	err := x.end(rejected("Expired awaiting approval."))
	return err == nil, err
}

// end ends an execution that no pass runs.
func (x *Execution) end(end *ending) error {
	for _, seq := range x.rec.state.Order {
		switch c := x.rec.state.Calls[seq]; c.State {
		case journal.CallPending, journal.CallQueued, journal.CallExecuting:
			if _, err := x.rec.add(&journal.Withdrawn{Seq: seq, Cause: end.failure.Message}); err != nil {
				return err
			}
		}
	}
	_, err := x.rec.add(&journal.Ended{Status: end.status, ErrorType: end.errType, Failure: end.failure})
	if err != nil {
		return err
	}
	return x.rec.flush(context.Background())
}
