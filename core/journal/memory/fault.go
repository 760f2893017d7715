package memory

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/codemode-go/codemode/core/journal"
)

// ErrCrashed answers changes to a store whose process is taken to have died.
var ErrCrashed = errors.New("the journal's process has died")

// Stage is a point in the course of an append.
type Stage int

// The stages.
const (
	BeforeDurable Stage = iota + 1 // a crash here may lose the batch, or keep it
	AfterDurable                   // a crash here keeps the batch, though its writer was never told
)

// change is what a writer wants done to a store: an append, or a change to snippets or values. It says whether that
// may be done now, and returns what does it. Its caller holds the store's lock.
type change func(s *Store) (apply func(), err error)

// flight is a change that is not durable yet.
type flight struct {
	batch  journal.Batch // an append's; of a change to values the execution's id alone; of a snippet nothing
	change change
}

// FailAfter lets n more changes through: appends, and changes to snippets and values. The one after them is in flight
// when the process dies: it and all later ones return ErrCrashed, and Crash decides what became of it.
func (s *Store) FailAfter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remaining = n
}

// Crash ends the store as a power cut would and returns what the next process finds: every durable change, and of
// those that were in flight the ones that keep chooses (nil: none), for both is legal. For a change to values keep
// gets a batch with the execution's id and no events, for one to snippets an empty batch. The old store takes no more
// changes, so that what is left of the old process cannot write into the new one's past.
func (s *Store) Crash(keep func(journal.Batch) bool) *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = ErrCrashed
	next := s.clone()
	for _, f := range s.inFlight {
		if keep == nil || !keep(f.batch) {
			continue
		}
		if apply, err := f.change(next); err == nil {
			apply()
		}
	}
	maps.DeleteFunc(next.values, func(id string, _ map[valueKey][]byte) bool { return next.executions[id] == nil })
	return next
}

// clone returns a store with the same content. The caller holds the lock.
func (s *Store) clone() *Store {
	next := New()
	next.blobs = maps.Clone(s.blobs)
	for id, x := range s.executions {
		copied := *x
		copied.records = slices.Clip(x.records)
		next.executions[id] = &copied
	}
	for name, versions := range s.snippets {
		next.snippets[name] = slices.Clip(versions)
	}
	for id, values := range s.values {
		next.values[id] = maps.Clone(values)
	}
	return next
}

// do carries a change out.
func (s *Store) do(ctx context.Context, batch journal.Batch, c change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := s.take(batch, c)
	if err != nil {
		return err
	}
	return s.write(f)
}

// take accepts a change into flight.
func (s *Store) take(batch journal.Batch, c change) (*flight, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return nil, s.stopped
	}
	if _, err := c(s); err != nil {
		return nil, err
	}
	f := &flight{batch: batch, change: c}
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

// write makes a change durable. It checks again: another one may have overtaken this one.
func (s *Store) write(f *flight) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return s.stopped
	}
	s.inFlight = slices.DeleteFunc(s.inFlight, func(other *flight) bool { return other == f })
	apply, err := f.change(s)
	if err != nil {
		return err
	}
	apply()
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
