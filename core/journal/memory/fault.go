package memory

import (
	"errors"
	"maps"
	"slices"

	"github.com/codemode-go/codemode/core/journal"
)

// ErrCrashed answers appends to a store whose process is taken to have died.
var ErrCrashed = errors.New("the journal's process has died")

// Stage is a point in the course of an append.
type Stage int

// The stages.
const (
	BeforeDurable Stage = iota + 1 // a crash here may lose the batch, or keep it
	AfterDurable                   // a crash here keeps the batch, though its writer was never told
)

// flight is an append that is not durable yet.
type flight struct {
	batch journal.Batch
	enc   *journal.Encoded
}

// FailAfter lets n more appends through. The one after them is in flight when the process dies: it and all later
// ones return ErrCrashed, and Crash decides what became of it.
func (s *Store) FailAfter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remaining = n
}

// Crash ends the store as a power cut would and returns what the next process finds: every durable batch, and of
// those that were in flight the ones that keep chooses (nil: none), for both is legal. The old store takes no more
// appends, so that what is left of the old process cannot write into the new one's past.
func (s *Store) Crash(keep func(journal.Batch) bool) *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = ErrCrashed
	next := New()
	next.blobs = maps.Clone(s.blobs)
	for id, x := range s.executions {
		copied := *x
		copied.records = slices.Clip(x.records)
		next.executions[id] = &copied
	}
	for _, f := range s.inFlight {
		if keep != nil && keep(f.batch) && next.check(f.batch) == nil {
			next.put(f.batch, f.enc)
		}
	}
	return next
}

// take accepts a batch into flight.
func (s *Store) take(batch journal.Batch, enc *journal.Encoded) (*flight, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(batch); err != nil {
		return nil, err
	}
	f := &flight{batch: batch, enc: enc}
	s.inFlight = append(s.inFlight, f)
	if s.remaining == 0 {
		s.stopped = ErrCrashed
		return nil, ErrCrashed
	}
	if s.remaining > 0 {
		s.remaining--
	}
	return f, nil
}

// write makes a batch durable. It checks again: another append may have overtaken this one in its hook.
func (s *Store) write(f *flight) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return s.stopped
	}
	s.inFlight = slices.DeleteFunc(s.inFlight, func(other *flight) bool { return other == f })
	if err := s.check(f.batch); err != nil {
		return err
	}
	s.put(f.batch, f.enc)
	return nil
}

// pass calls the hook. Its error is the process's death.
func (s *Store) pass(stage Stage, batch journal.Batch) error {
	if s.OnAppend == nil {
		return nil
	}
	err := s.OnAppend(stage, batch)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = ErrCrashed
	}
	return err
}
