package memory_test

import (
	"errors"
	"testing"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
	"github.com/codemode-go/codemode/core/journal/memory"
)

// world is a store with one execution, one value of it and one snippet.
type world struct {
	t  *testing.T
	s  *memory.Store
	id string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w, a := &world{t: t, s: memory.New()}, journaltest.NewAuthor()
	w.id = a.ID()
	_, err := w.s.SaveSnippet(t.Context(), journaltest.NewSnippet("greet"))
	if err := errors.Join(err, w.s.Append(t.Context(), a.Begin()), w.put("old")); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) put(value string) error {
	return w.s.PutValue(w.t.Context(), w.id, "tracker", "key", []byte(value))
}

// facts are the number of the snippet's versions, and the value.
type facts struct {
	versions int
	value    string
}

func (w *world) facts(s *memory.Store) facts {
	w.t.Helper()
	newest, err := s.Snippet(w.t.Context(), "greet", 0)
	if err != nil && !errors.Is(err, journal.ErrNotFound) {
		w.t.Fatal(err)
	}
	value, _, err := s.Value(w.t.Context(), w.id, "tracker", "key")
	if err != nil {
		w.t.Fatal(err)
	}
	return facts{newest.Version, string(value)}
}

func TestCrashWithAChangeInFlight(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(w *world) error
		done   facts  // what a crash leaves that keeps the change
		kept   string // the execution that keep is told
	}{
		"save": {func(w *world) error {
			_, err := w.s.SaveSnippet(w.t.Context(), journaltest.NewSnippet("greet"))
			return err
		}, facts{2, "old"}, ""},
		"delete snippet": {func(w *world) error {
			_, err := w.s.DeleteSnippet(w.t.Context(), "greet")
			return err
		}, facts{0, "old"}, ""},
		"put":    {func(w *world) error { return w.put("new") }, facts{1, "new"}, "its own"},
		"delete": {func(w *world) error { return w.s.DeleteValue(w.t.Context(), w.id, "tracker", "key") }, facts{1, ""}, "its own"},
		"drop":   {func(w *world) error { return w.s.DropValues(w.t.Context(), w.id) }, facts{1, ""}, "its own"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.s.FailAfter(0)
			for range 2 { // the second meets a dead process
				if err := test.change(w); !errors.Is(err, memory.ErrCrashed) {
					t.Errorf("the change said %v", err)
				}
			}
			before := facts{1, "old"}
			if got := w.facts(w.s.Crash(nil)); got != before {
				t.Errorf("lost: %+v, want %+v", got, before)
			}
			keep := func(b journal.Batch) bool {
				if own := b.ID == w.id; own != (test.kept != "") || len(b.Events) != 0 {
					t.Errorf("keep is asked of %+v", b)
				}
				return true
			}
			next := w.s.Crash(keep)
			if got := w.facts(next); got != test.done {
				t.Errorf("kept: %+v, want %+v", got, test.done)
			}
			if got := w.facts(w.s); got != before {
				t.Errorf("the old store has become %+v", got)
			}
			// The next process goes on, and changes nothing of the old one.
			w.s, next = next, w.s
			if err := test.change(w); err != nil {
				t.Error(err)
			}
			if got := w.facts(next); got != before {
				t.Errorf("the old store has become %+v", got)
			}
		})
	}
}

// Each crash leaves a store of its own, although they share a past.
func TestTwoCrashesOfOneStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	save := func(s *memory.Store, by string) {
		snippet := journaltest.NewSnippet("greet")
		snippet.By = by
		if _, err := s.SaveSnippet(t.Context(), snippet); err != nil {
			t.Fatal(err)
		}
	}
	save(w.s, "ann")
	save(w.s, "ann")
	one, other := w.s.Crash(nil), w.s.Crash(nil)
	save(one, "bob")
	save(other, "eve")
	for by, s := range map[string]*memory.Store{"bob": one, "eve": other} {
		if got, err := s.Snippet(t.Context(), "greet", 4); err != nil || got.By != by {
			t.Errorf("what %s saved is %s's (%v)", by, got.By, err)
		}
	}
}

func TestFailAfterCountsChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.s.FailAfter(2)
	for n, want := range []error{nil, nil, memory.ErrCrashed, memory.ErrCrashed} {
		if err := w.put("new"); !errors.Is(err, want) {
			t.Errorf("change %d: %v", n, err)
		}
	}
}

func TestARefusedChangeIsNotInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.s.FailAfter(0)
	if err := w.put(string(make([]byte, journal.MaxValue+1))); errors.Is(err, memory.ErrCrashed) {
		t.Error("a value that nobody takes crashed the process")
	}
	if _, err := w.s.SaveSnippet(t.Context(), journaltest.NewSnippet("a b")); !errors.Is(err, journal.ErrSnippetName) {
		t.Errorf("a name that is none: %v", err)
	}
	w.s.Crash(func(b journal.Batch) bool {
		t.Errorf("%+v was in flight", b)
		return true
	})
}

func TestACrashBeforeTheFirstEventTakesTheValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := journaltest.NewAuthor()
	if err := w.s.PutValue(t.Context(), a.ID(), "tracker", "key", []byte("value")); err != nil {
		t.Fatal(err)
	}
	next := w.s.Crash(nil)
	if _, found, err := next.Value(t.Context(), a.ID(), "tracker", "key"); found || err != nil {
		t.Errorf("the value of an execution that does not exist is there (%v)", err)
	}
	if got, want := w.facts(next), (facts{1, "old"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
