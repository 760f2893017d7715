package memory_test

import (
	"errors"
	"testing"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
	"github.com/codemode-go/codemode/core/journal/memory"
)

// eventsIn counts the events that a store holds of an execution, and checks that they can be folded.
func eventsIn(t *testing.T, s *memory.Store, id string) int {
	t.Helper()
	state, err := journal.Fold(id, s.Read(t.Context(), id, 0))
	if err != nil && !errors.Is(err, journal.ErrNotFound) {
		t.Fatal(err)
	}
	return int(state.Next)
}

func all(journal.Batch) bool { return true }

func TestFailAfter(t *testing.T) {
	t.Parallel()
	s, a := memory.New(), journaltest.NewAuthor()
	s.FailAfter(2)
	for _, b := range []journal.Batch{a.Begin(), a.Write("0")} {
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	durable := eventsIn(t, s, a.ID())
	for _, seq := range []string{"1", "2"} {
		if err := s.Append(t.Context(), a.Write(seq)); !errors.Is(err, memory.ErrCrashed) {
			t.Fatalf("an append after the failure: %v", err)
		}
	}
	if got := eventsIn(t, s.Crash(nil), a.ID()); got != durable {
		t.Errorf("%d events without the batch in flight, want %d", got, durable)
	}
	if got := eventsIn(t, s.Crash(all), a.ID()); got != durable+3 {
		t.Errorf("%d events with the batch in flight, want %d", got, durable+3)
	}
}

func TestCrashAtEachStage(t *testing.T) {
	t.Parallel()
	dead := errors.New("dead")
	tests := map[string]struct {
		stage memory.Stage
		keep  func(journal.Batch) bool
		want  int
	}{
		"before it was durable, lost": {memory.BeforeDurable, nil, 2},
		"before it was durable, kept": {memory.BeforeDurable, all, 5},
		"after it was durable":        {memory.AfterDurable, nil, 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, a := memory.New(), journaltest.NewAuthor()
			s.OnAppend = func(stage memory.Stage, b journal.Batch) error {
				if stage == test.stage && b.Events[0].Index > 0 {
					return dead
				}
				return nil
			}
			if err := s.Append(t.Context(), a.Begin()); err != nil {
				t.Fatal(err)
			}
			if err := s.Append(t.Context(), a.Write("0")); err != dead {
				t.Errorf("the append that met the crash: %v", err)
			}
			if err := s.Append(t.Context(), journaltest.NewAuthor().Begin()); !errors.Is(err, memory.ErrCrashed) {
				t.Errorf("an append of a dead process: %v", err)
			}
			if err := s.Delete(t.Context(), a.ID()); !errors.Is(err, memory.ErrCrashed) {
				t.Errorf("a delete of a dead process: %v", err)
			}
			if got := eventsIn(t, s.Crash(test.keep), a.ID()); got != test.want {
				t.Errorf("%d events, want %d", got, test.want)
			}
		})
	}
}

func TestCrashFromTheHook(t *testing.T) {
	t.Parallel()
	var next *memory.Store
	s, a := memory.New(), journaltest.NewAuthor()
	s.OnAppend = func(memory.Stage, journal.Batch) error {
		if next == nil {
			next = s.Crash(nil)
		}
		return nil
	}
	if err := s.Append(t.Context(), a.Begin()); !errors.Is(err, memory.ErrCrashed) {
		t.Errorf("an append whose process died meanwhile: %v", err)
	}
	if got := eventsIn(t, next, a.ID()); got != 0 {
		t.Errorf("the next process finds %d events", got)
	}
}

func TestTheNextProcessWritesOn(t *testing.T) {
	t.Parallel()
	s, a := memory.New(), journaltest.NewAuthor()
	begin := a.Begin()
	begin.Blobs = [][]byte{[]byte("namespaces")}
	if err := s.Append(t.Context(), begin); err != nil {
		t.Fatal(err)
	}
	next := s.Crash(nil)
	for _, b := range []journal.Batch{a.Claim(), a.Write("0")} {
		if err := next.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if before, after := eventsIn(t, s, a.ID()), eventsIn(t, next, a.ID()); before != 2 || after != 6 {
		t.Errorf("the old store has %d events, the new one %d", before, after)
	}
	other := next.Crash(nil)
	if got := eventsIn(t, other, a.ID()); got != 6 {
		t.Errorf("a second crash leaves %d events", got)
	}
}

func TestConcurrentAppendsInFlight(t *testing.T) {
	t.Parallel()
	s, a := memory.New(), journaltest.NewAuthor()
	if err := s.Append(t.Context(), a.Begin()); err != nil {
		t.Fatal(err)
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	s.OnAppend = func(stage memory.Stage, _ journal.Batch) error {
		if stage == memory.BeforeDurable {
			arrived <- struct{}{}
			<-release
		}
		return nil
	}
	b := a.Claim()
	errs := make(chan error)
	for range 2 {
		go func() { errs <- s.Append(t.Context(), b) }()
		<-arrived
	}
	close(release)
	first, second := <-errs, <-errs
	if first == nil {
		first, second = second, first
	}
	if !errors.Is(first, journal.ErrFenced) || second != nil {
		t.Errorf("two appends of the same claim: %v and %v", first, second)
	}
}
