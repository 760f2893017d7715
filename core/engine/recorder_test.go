package engine

import (
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
)

// A clock that is set back stands still for an execution: its events never grow older.
func TestClockIsSetBack(t *testing.T) {
	t.Parallel()
	began := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	now := began
	r := &recorder{store: memory.New(), now: func() time.Time { return now }, epoch: 1, state: journal.NewState("x")}
	if _, err := r.add(&journal.Begun{}); err != nil {
		t.Fatal(err)
	}
	now = began.Add(-time.Hour)
	e, err := r.add(&journal.PassBegun{Pass: 1})
	if err != nil || !e.At.Equal(began) {
		t.Errorf("at %s: %v", e.At, err)
	}
	if err := r.flush(t.Context()); err != nil {
		t.Error(err)
	}
}
