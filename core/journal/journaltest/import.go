package journaltest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/codemode-go/codemode/core/journal"
)

// ImportStore is a store that takes executions from elsewhere.
type ImportStore interface {
	journal.Store
	journal.Importer
}

// RunImport tests an importer. open returns an empty store.
func RunImport(t *testing.T, open func(t *testing.T) ImportStore) {
	run(t, open, map[string]func(t *testing.T, s ImportStore){
		"what is imported goes on":           testImport,
		"an execution is imported once":      testImportTwice,
		"an unsound execution is refused":    testImportUnsound,
		"what is imported may be very large": testImportLarge,
	})
}

func testImport(t *testing.T, s ImportStore) {
	a := NewAuthor()
	events := slices.Concat(a.Begin().Events, a.Write("0").Events, a.Claim().Events, a.Write("1").Events)
	blob := []byte("namespaces")
	whole, err := journal.Whole(a.ID(), events, [][]byte{blob})
	must(t, err)
	must(t, s.Import(t.Context(), whole))
	equal(t, collect(t, s.Read(t.Context(), a.ID(), 0)), events)
	head, err := s.Head(t.Context(), a.ID())
	must(t, err)
	equal(t, head, a.State.Head())
	put(t, s, a.Write("2"))
	state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
	must(t, err)
	equal(t, state, a.State)
}

func testImportTwice(t *testing.T, s ImportStore) {
	a := NewAuthor()
	whole, err := journal.Whole(a.ID(), a.Begin().Events, nil)
	must(t, err)
	must(t, s.Import(t.Context(), whole))
	put(t, s, a.Write("0"))
	if err := s.Import(t.Context(), whole); !errors.Is(err, journal.ErrConflict) {
		t.Errorf("the second import said %v", err)
	}
	state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
	must(t, err)
	equal(t, state, a.State)
}

func testImportUnsound(t *testing.T, s ImportStore) {
	a := NewAuthor()
	events := slices.Concat(a.Begin().Events, a.Write("0").Events)
	for name, unsound := range map[string][]journal.Event{
		"no events": nil, "a gap": slices.Delete(slices.Clone(events), 1, 2), "no beginning": events[1:],
	} {
		if _, err := journal.Whole(a.ID(), unsound, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Heads) > 0 {
		t.Errorf("something is listed: %v, %v", page, err)
	}
}

func testImportLarge(t *testing.T, s ImportStore) {
	a := NewAuthor()
	events, value := a.Begin().Events, make([]byte, 3<<20)
	for _, seq := range []string{"0", "1", "2", "3", "4", "5"} {
		events = append(events, a.Batch(
			&journal.Issued{Seq: seq, Connector: "tracker", Method: "list", ReadOnly: true, Verdict: journal.Verdict{Effect: "allow"}},
			&journal.Started{Seq: seq, Attempt: 1, Deadline: a.now()},
			&journal.Outcome{Seq: seq, State: journal.CallApplied, Value: value, Has: true},
		).Events...)
	}
	whole, err := journal.Whole(a.ID(), events, nil)
	must(t, err)
	must(t, s.Import(t.Context(), whole))
	n := 0
	for e, err := range s.Read(t.Context(), a.ID(), 0) {
		must(t, err)
		if o, ok := e.Body.(*journal.Outcome); ok && !bytes.Equal(o.Value, value) {
			t.Errorf("event %d is another", e.Index)
		}
		n++
	}
	equal(t, n, len(events))
}
