package journal

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// platform is the connector of steps, timers and the host's own methods: their calls have an outcome without a start.
const platform = "codemode"

// The effects of a verdict.
const (
	effectAllow   = "allow"
	effectDeny    = "deny"
	effectApprove = "approve"
)

func (s *State) issued(b *Issued, at time.Time) error {
	switch parent := parentSeq(b.Seq); {
	case !s.PassOpen:
		return errors.New("no pass was open")
	case !validSeq(b.Seq):
		return errors.New("its seq is not a seq")
	case s.Calls[b.Seq] != nil:
		return fmt.Errorf("call %s was issued before", b.Seq)
	case parent != "" && s.Calls[parent] == nil:
		return fmt.Errorf("call %s was issued under call %s, which was not", b.Seq, parent)
	}
	c := &Call{Issued: b, IssuedAt: at, IssueClock: s.Usage.Clock}
	switch b.Verdict.Effect {
	case effectAllow, effectDeny: // a denied call waits for the outcome that says so
		c.State = CallQueued
	case effectApprove:
		c.State = CallPending
	default:
		return fmt.Errorf("call %s: unknown verdict %q", b.Seq, b.Verdict.Effect)
	}
	s.Calls[b.Seq] = c
	s.Order = append(s.Order, b.Seq)
	s.countWaiting(false, c)
	return nil
}

func (s *State) reissued(c *Call, b *Reissued) error {
	if err := s.live(); err != nil {
		return err
	}
	// What can run again unharmed is judged again where its host has died in the middle of it.
	if err := c.in(CallQueued, CallPending); err != nil && (c.State != CallExecuting || !c.repeatable()) {
		return err
	}
	if b.Verdict.Effect != effectApprove {
		return fmt.Errorf("a call does not wait for a person under the verdict %q", b.Verdict.Effect)
	}
	issued := *c.Issued // the event that issued it stays as it was
	issued.Verdict, issued.Approval, issued.Preview = b.Verdict, b.Approval, b.Preview
	c.Issued = &issued
	c.Decision, c.DecidedAt = nil, time.Time{}
	c.State, c.Voided = CallPending, b.Why
	return nil
}

func (s *State) started(c *Call, b *Started, at time.Time) error {
	if !s.PassOpen {
		return errors.New("no pass was open")
	}
	if err := c.startable(); err != nil {
		return err
	}
	if b.Attempt != c.attempts()+1 {
		return fmt.Errorf("attempt %d follows attempt %d", b.Attempt, c.attempts())
	}
	c.Started, c.StartedAt = b, at
	c.State, c.Doubt = CallExecuting, ""
	if c.Issued.Connector == platform {
		return nil
	}
	if b.Attempt > 1 {
		s.StartedOrder = slices.DeleteFunc(s.StartedOrder, func(seq string) bool { return seq == b.Seq })
	}
	s.StartedOrder = append(s.StartedOrder, b.Seq)
	return nil
}

// startable refuses to start what was not allowed, and to start a second time what must not happen twice.
func (c *Call) startable() error {
	if c.Issued.Verdict.Effect == effectDeny {
		return errors.New("it was denied")
	}
	switch {
	case c.State == CallQueued && !c.decided(DecisionRefuse):
		return nil
	case c.repeatable() && (c.State == CallExecuting || c.State == CallInDoubt):
		return nil
	}
	return fmt.Errorf("it was %s and cannot start", c.State)
}

// repeatable reports whether the call does no harm when it runs again.
func (c *Call) repeatable() bool { return c.Issued.ReadOnly || c.Issued.Idempotent }

func (c *Call) attempts() int {
	if c.Started == nil {
		return 0
	}
	return c.Started.Attempt
}

func (s *State) outcome(c *Call, b *Outcome, at time.Time) error {
	if err := s.live(); err != nil {
		return err
	}
	if err := c.canEndAs(b.State); err != nil {
		return err
	}
	c.Outcome, c.OutcomeAt = b, at
	c.State, c.Doubt = b.State, ""
	s.Deliveries = append(s.Deliveries, b.Seq)
	s.Usage = b.Usage
	return nil
}

func (c *Call) canEndAs(state CallState) error {
	if c.Outcome != nil {
		return errors.New("it had an outcome already")
	}
	settled := c.settled()
	if !settled {
		if err := c.in(CallQueued, CallPending, CallExecuting, CallInDoubt); err != nil {
			return err
		}
	}
	switch state {
	case CallFailed, CallDenied, CallRejected:
		return nil
	case CallApplied:
	default:
		return fmt.Errorf("an outcome is not %q", state)
	}
	started := c.Started != nil || c.Issued.Connector == platform || settled
	if !started || c.State == CallPending || c.Issued.Verdict.Effect == effectDeny {
		return errors.New("it succeeded without having been started")
	}
	return nil
}

func (s *State) doubted(c *Call, b *Doubted) error {
	if err := s.live(); err != nil {
		return err
	}
	if err := c.in(CallQueued, CallPending, CallExecuting, CallInDoubt); err != nil {
		return err
	}
	if c.Started == nil {
		return errors.New("it was never started, so its effect is known")
	}
	c.State, c.Doubt = CallInDoubt, b.Cause
	return nil
}

func (s *State) withdrawn(c *Call, b *Withdrawn) error {
	// A rollback of a paused execution withdraws what still waits.
	if s.Status.Terminal() {
		return s.live()
	}
	if err := c.in(CallQueued, CallPending, CallExecuting, CallInDoubt); err != nil {
		return err
	}
	c.giveUp(CallWithdrawn, b.Cause)
	return nil
}

// giveUp ends a call that will not be carried out. A write that has been started before is in doubt instead:
// that nobody starts it again says nothing of what the first attempt did.
func (c *Call) giveUp(state CallState, why string) {
	if c.Started == nil || c.Issued.ReadOnly {
		c.State, c.Doubt = state, ""
		return
	}
	c.State = CallInDoubt
	if c.Doubt == "" {
		c.Doubt = why
	}
}

// in refuses a call that is in none of these states.
func (c *Call) in(states ...CallState) error {
	if slices.Contains(states, c.State) {
		return nil
	}
	return fmt.Errorf("it was already %s", c.State)
}
