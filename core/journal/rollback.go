package journal

import (
	"errors"
	"fmt"
)

func (s *State) rollbackBegun() error {
	if s.Status == StatusRunning {
		return errors.New("the execution was running")
	}
	s.RollingBack = true // again, where the process of an earlier claim died
	return nil
}

func (s *State) revertStarted(c *Call, b *RevertStarted) error {
	if !s.RollingBack {
		return errors.New("no rollback held the execution")
	}
	if err := c.in(CallApplied); err != nil {
		return err
	}
	if c.RevertInDoubt() {
		return errors.New("its last revert may have happened")
	}
	attempts := 0
	if c.Revert != nil {
		attempts = c.Revert.Attempt
	}
	if b.Attempt != attempts+1 {
		return fmt.Errorf("revert attempt %d follows attempt %d", b.Attempt, attempts)
	}
	c.Revert, c.RevertEnded = b, nil
	return nil
}

func (s *State) revertEnded(c *Call, b *RevertEnded) error {
	switch {
	case !s.RollingBack:
		return errors.New("no rollback held the execution")
	case !c.RevertInDoubt():
		return errors.New("no revert of it had started")
	}
	c.RevertEnded = b
	if b.Done {
		c.State = CallReverted
	}
	return nil
}

// RevertInDoubt reports whether a revert has been started and nobody has said what it did.
func (c *Call) RevertInDoubt() bool {
	return c.Revert != nil && (c.RevertEnded == nil || c.RevertEnded.Doubt)
}

// RevertWaits reports whether a revert is in doubt that is not under way any more: a person can say what it did.
func (c *Call) RevertWaits() bool { return c.RevertEnded != nil && c.RevertInDoubt() }

// asks reports whether a person is to say something of the call or of its revert.
func (c *Call) asks() bool { return c.Waiting() || c.RevertWaits() }

func (s *State) rollbackEnded(b *RollbackEnded) error {
	if !s.RollingBack {
		return errors.New("no rollback held the execution")
	}
	if err := s.canRollBackTo(b.Status); err != nil {
		return err
	}
	if b.Status == StatusRolledBack {
		s.closeCalls("its execution was rolled back")
	}
	s.RollingBack, s.Status = false, b.Status
	return nil
}

func (s *State) canRollBackTo(status Status) error {
	reverted := false
	for _, seq := range s.Order {
		c := s.Calls[seq]
		reverted = reverted || c.State == CallReverted
		if c.Revert != nil && c.RevertEnded == nil {
			return fmt.Errorf("the revert of call %s has no end", seq)
		}
	}
	if status == s.Status || status == StatusRolledBack && reverted {
		return nil
	}
	return fmt.Errorf("a rollback that reverted nothing leaves the status %s, not %s", s.Status, status)
}
