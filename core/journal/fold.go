package journal

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// NewState returns the state of an execution without events.
func NewState(id string) *State {
	return &State{ID: id, Calls: map[string]*Call{}}
}

// Fold applies events in order. On an error, its own or the iterator's, it returns the state up to the last good
// event beside it, so that what is known of a damaged execution can be shown. Without any event the error is ErrNotFound.
func Fold(id string, events iter.Seq2[Event, error]) (*State, error) {
	s := NewState(id)
	for e, err := range events {
		if err != nil {
			return s, err
		}
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	if s.Next == 0 {
		return s, ErrNotFound
	}
	return s, nil
}

// Apply takes the next event into account. An event that cannot follow what is known, by its number, epoch, time
// or meaning, is refused with a *DamagedError and changes nothing.
// The state keeps pointers to the event's body: whoever applies an event must not change it afterwards.
func (s *State) Apply(e Event) error {
	// Times are compared and kept as they are stored, without the monotonic reading of a live clock.
	e.At = e.At.Round(0).UTC()
	err := s.checkOrder(e)
	if err == nil {
		err = s.apply(e)
	}
	if err != nil {
		cause := fmt.Sprintf("event %d (%s): %v", e.Index, kindOf(e.Body), err)
		return &DamagedError{ID: s.ID, After: s.Next - 1, Cause: cause}
	}
	if s.Next == 0 {
		s.Created = e.At
	}
	s.Next++
	s.Epoch = e.Epoch
	s.Updated = e.At
	return nil
}

func kindOf(b Body) Kind {
	if b == nil {
		return 0
	}
	return b.kind()
}

func (s *State) checkOrder(e Event) error {
	_, begun := e.Body.(*Begun)
	_, claimed := e.Body.(*Claimed)
	epoch := s.Epoch
	if begun || claimed {
		epoch++
	}
	switch {
	case e.Index != s.Next:
		return fmt.Errorf("event %d was expected", s.Next)
	case begun != (s.Next == 0):
		return errors.New("an execution begins once, with its first event")
	case e.Epoch != epoch:
		return fmt.Errorf("it has epoch %d where %d was expected", e.Epoch, epoch)
	case e.At.Before(s.Updated):
		return errors.New("it is older than the event before it")
	}
	return nil
}

func (s *State) apply(e Event) error {
	switch b := e.Body.(type) {
	case *Begun:
		s.Begun, s.Status, s.Owner = b, StatusRunning, b.Owner
	case *Claimed:
		s.Owner = b.Owner
	case *PassBegun:
		return s.passBegun(b)
	case *PassEnded:
		return s.passEnded(b)
	case *Ended:
		return s.ended(b)
	case *Issued:
		return s.issued(b, e.At)
	case *RollbackBegun:
		return s.rollbackBegun()
	case *RollbackEnded:
		return s.rollbackEnded(b)
	case *HookRound:
		s.Hooks = append(s.Hooks, *b)
	default:
		return s.applyToCall(e)
	}
	return nil
}

// applyToCall takes the events that speak of one issued call, and keeps count of the calls that wait for a person.
func (s *State) applyToCall(e Event) error {
	seq, known := seqOf(e.Body)
	if !known {
		return ErrNewer
	}
	c := s.Calls[seq]
	if c == nil {
		return fmt.Errorf("call %s was never issued", seq)
	}
	waited := c.asks()
	if err := s.change(c, e); err != nil {
		return fmt.Errorf("call %s: %w", seq, err)
	}
	s.countWaiting(waited, c)
	return nil
}

func (s *State) countWaiting(waited bool, c *Call) {
	switch waits := c.asks(); {
	case waits && !waited:
		s.Waiting++
	case waited && !waits:
		s.Waiting--
	}
}

func seqOf(b Body) (seq string, known bool) {
	switch b := b.(type) {
	case *Reissued:
		return b.Seq, true
	case *Decided:
		return b.Seq, true
	case *Started:
		return b.Seq, true
	case *Outcome:
		return b.Seq, true
	case *Doubted:
		return b.Seq, true
	case *Withdrawn:
		return b.Seq, true
	case *RevertStarted:
		return b.Seq, true
	case *RevertEnded:
		return b.Seq, true
	}
	return "", false
}

func (s *State) change(c *Call, e Event) error {
	switch b := e.Body.(type) {
	case *Reissued:
		return s.reissued(c, b)
	case *Decided:
		return s.decided(c, b, e.At)
	case *Started:
		return s.started(c, b, e.At)
	case *Outcome:
		return s.outcome(c, b, e.At)
	case *Doubted:
		return s.doubted(c, b)
	case *Withdrawn:
		return s.withdrawn(c, b)
	case *RevertStarted:
		return s.revertStarted(c, b)
	case *RevertEnded:
		return s.revertEnded(c, b)
	}
	return ErrNewer
}

// live refuses what can only happen while the execution goes on.
func (s *State) live() error {
	switch {
	case s.Status.Terminal():
		return fmt.Errorf("the execution had already ended (%s)", s.Status)
	case s.RollingBack:
		return errors.New("a rollback holds the execution")
	}
	return nil
}

func (s *State) passBegun(b *PassBegun) error {
	if err := s.live(); err != nil {
		return err
	}
	if b.Pass != s.Passes+1 {
		return fmt.Errorf("pass %d follows pass %d", b.Pass, s.Passes)
	}
	// The pass before may be open still: its process died.
	s.Passes, s.PassOpen, s.Status = b.Pass, true, StatusRunning
	return nil
}

func (s *State) passEnded(b *PassEnded) error {
	if !s.PassOpen {
		return errors.New("no pass was open")
	}
	switch b.Status {
	case string(StatusPaused):
		s.Status = StatusPaused
	case string(StatusCompleted), string(StatusError):
	default:
		return fmt.Errorf("a pass does not end as %q", b.Status)
	}
	s.PassOpen, s.PassStatus, s.Returned = false, b.Status, b.Returned
	s.Usage = b.Usage
	s.Logs = append(s.Logs, b.Logs...)
	s.LogsAfter = len(s.Deliveries)
	return nil
}

func (s *State) ended(b *Ended) error {
	if err := s.live(); err != nil {
		return err
	}
	switch b.Status {
	case StatusCompleted, StatusError, StatusRejected:
	default:
		return fmt.Errorf("an execution does not end as %q", b.Status)
	}
	s.closeCalls("its execution ended")
	s.Status, s.End, s.PassOpen = b.Status, b, false
	return nil
}

// closeCalls ends the calls that an end of the execution finds open, as if each had been withdrawn.
func (s *State) closeCalls(why string) {
	for _, seq := range s.Order {
		c := s.Calls[seq]
		switch c.State {
		case CallQueued, CallPending, CallExecuting:
			waited := c.asks()
			c.giveUp(CallWithdrawn, why)
			s.countWaiting(waited, c)
		}
	}
}

// WaitingCalls returns the calls that wait for a person, in the order of their seqs.
func (s *State) WaitingCalls() []*Call {
	if s.Waiting == 0 {
		return nil
	}
	var waiting []*Call
	for _, seq := range s.Order {
		if c := s.Calls[seq]; c.Waiting() {
			waiting = append(waiting, c)
		}
	}
	slices.SortFunc(waiting, func(a, b *Call) int { return CompareSeq(a.Issued.Seq, b.Issued.Seq) })
	return waiting
}
