package journal

import (
	"errors"
	"fmt"
	"time"
)

// didNotHappen is what a settled call says that nobody can deliver to a program any more.
const didNotHappen = "it did not happen: a person has settled it so"

func (s *State) decided(c *Call, b *Decided, at time.Time) error {
	if b.Revert {
		return s.decidedRevert(c, b)
	}
	switch b.Decision {
	case DecisionApprove, DecisionReject, DecisionRefuse:
		return s.decidedApproval(c, b, at)
	case DecisionExpire:
		return s.expired(c, b, at)
	case DecisionAgain, DecisionEnd:
		return s.decidedDoubt(c, b, at)
	case DecisionDone, DecisionNotDone:
		return s.settled(c, b, at)
	}
	return fmt.Errorf("unknown decision %q", b.Decision)
}

func (s *State) decidedApproval(c *Call, b *Decided, at time.Time) error {
	if err := s.live(); err != nil {
		return err
	}
	if err := c.in(CallPending); err != nil {
		return err
	}
	c.decide(b, at)
	if b.Decision == DecisionReject {
		c.giveUp(CallRejected, "a person rejected its next attempt")
		return nil
	}
	c.State = CallQueued // to be started, or to be delivered as refused
	return nil
}

func (s *State) expired(c *Call, b *Decided, at time.Time) error {
	if err := s.live(); err != nil {
		return err
	}
	if err := c.in(CallPending, CallInDoubt); err != nil {
		return err
	}
	c.decide(b, at)
	c.giveUp(CallExpired, "nobody decided in time on its next attempt")
	return nil
}

func (s *State) decidedDoubt(c *Call, b *Decided, at time.Time) error {
	if err := s.live(); err != nil {
		return err
	}
	if err := c.in(CallInDoubt); err != nil {
		return err
	}
	c.decide(b, at)
	if b.Decision == DecisionAgain {
		c.State, c.Doubt = CallQueued, ""
	}
	return nil
}

// settled takes a word on what really happened. It stands at once, so that neither a dispatch nor a rollback can
// miss it; the program is told by an outcome of its own, while there is a program.
func (s *State) settled(c *Call, b *Decided, at time.Time) error {
	if !c.Doubtful() {
		return fmt.Errorf("it was %s: its effect is known", c.State)
	}
	c.decide(b, at)
	c.Doubt = ""
	happened := b.Decision == DecisionDone
	switch {
	case happened:
		c.State = CallApplied
	case c.Outcome == nil: // else it keeps the state that the program was told
		c.State = CallFailed
	}
	if c.Outcome != nil || !s.Status.Terminal() {
		return nil
	}
	c.Outcome, c.OutcomeAt = &Outcome{Seq: b.Seq, State: c.State, Usage: s.Usage}, at
	if happened {
		c.Outcome.Value, c.Outcome.Has = b.Result, b.HasValue
	} else {
		c.Outcome.Failure = &Failure{Message: didNotHappen}
	}
	return nil
}

// decide makes a decision the one that stands. What it says of a call that has been sent is said of the bytes that were
// sent, so an approver's edited arguments outlive it, with what they were bound to.
func (c *Call) decide(b *Decided, at time.Time) {
	switch {
	case b.Args != nil:
		c.Edited = b.Args
	case c.Edited != nil:
		kept := *b
		kept.Args = c.Edited
		if c.Decision != nil {
			kept.Approval = c.Decision.Approval
		}
		b = &kept
	}
	c.Decision, c.DecidedAt = b, at
}

func (c *Call) decided(decision string) bool {
	return c.Decision != nil && c.Decision.Decision == decision
}

// settled reports whether a person, or the connector, has said what really happened.
func (c *Call) settled() bool { return c.decided(DecisionDone) || c.decided(DecisionNotDone) }

func (s *State) decidedRevert(c *Call, b *Decided) error {
	if !c.RevertInDoubt() {
		return errors.New("no revert of it is in doubt")
	}
	switch b.Decision {
	case DecisionDone:
		c.RevertEnded, c.State = &RevertEnded{Seq: b.Seq, Done: true}, CallReverted
	case DecisionNotDone:
		c.RevertEnded = &RevertEnded{Seq: b.Seq, Failure: &Failure{Message: didNotHappen}}
	case DecisionAgain:
		c.RevertEnded = &RevertEnded{Seq: b.Seq}
	case DecisionEnd:
		c.RevertEnded = &RevertEnded{Seq: b.Seq, Doubt: true}
	default:
		return fmt.Errorf("a revert in doubt is not settled by %q", b.Decision)
	}
	return nil
}
