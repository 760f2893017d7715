package journaltest

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core/journal"
)

// NewID returns the id of a new execution, greater than all before.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Author writes the journal of one execution: each method returns the next batch, which follows all that it returned
// before. It panics where the fold refuses what it writes.
type Author struct {
	// State is the execution after the last batch.
	State *journal.State
	epoch uint64
	past  []journal.Event
}

// NewAuthor returns the author of an execution that has not begun.
func NewAuthor() *Author { return newAuthor(NewID()) }

func newAuthor(id string) *Author { return &Author{State: journal.NewState(id), epoch: 1} }

// ID returns the execution's id.
func (a *Author) ID() string { return a.State.ID }

// Begin begins the execution and its first pass.
func (a *Author) Begin() journal.Batch {
	return a.Batch(
		&journal.Begun{
			Source: "// Close stale issues\nawait tracker.list()", JS: "tracker.list()", Compiler: "esbuild", Engine: "goja",
			Seed: []byte{1, 2, 3}, Namespaces: []byte{4, 5, 6}, Caller: "ci", Labels: map[string]string{"team": "a"}, Owner: "host 1",
		},
		&journal.PassBegun{Pass: 1},
	)
}

// Claim gives the execution a new owner, whose batches all later ones are.
func (a *Author) Claim() journal.Batch {
	a.epoch++
	return a.Batch(&journal.Claimed{Owner: fmt.Sprintf("host %d", a.epoch)})
}

// Call issues a call.
func (a *Author) Call(i *journal.Issued) journal.Batch { return a.Batch(i) }

// Write carries out a whole call, from its issue to its outcome.
func (a *Author) Write(seq string) journal.Batch {
	return a.Batch(
		&journal.Issued{Seq: seq, Connector: "tracker", Method: "close", Args: []byte(`{"issue":` + seq + `}`), Verdict: journal.Verdict{Effect: "allow"}},
		&journal.Started{Seq: seq, Attempt: 1, Key: a.ID() + "/" + seq, Deadline: a.now().Add(time.Minute)},
		&journal.Outcome{Seq: seq, State: journal.CallApplied, Value: []byte(`{"ok":true}`), Has: true, Usage: journal.Usage{CPU: 5}},
	)
}

// Ask issues a call that waits for a person.
func (a *Author) Ask(seq string) journal.Batch {
	return a.Batch(&journal.Issued{
		Seq: seq, Connector: "tracker", Method: "drop", Args: []byte(`{}`), Verdict: journal.Verdict{Effect: "approve"}, Approval: []byte{1},
	})
}

// Pause ends the pass, for a person has to decide.
func (a *Author) Pause() journal.Batch {
	return a.Batch(&journal.PassEnded{Status: "paused", Logs: []string{"waiting"}})
}

// End ends the pass and the execution.
func (a *Author) End() journal.Batch {
	return a.Batch(
		&journal.PassEnded{Status: "completed"},
		&journal.Ended{Status: journal.StatusCompleted, Value: []byte("1"), Has: true},
	)
}

// Batch writes any events.
func (a *Author) Batch(bodies ...journal.Body) journal.Batch {
	b := journal.Batch{ID: a.ID(), Epoch: a.epoch}
	for _, body := range bodies {
		e := journal.Event{Index: a.State.Next, Epoch: a.epoch, At: a.now(), Body: body}
		if err := a.State.Apply(e); err != nil {
			panic(err)
		}
		b.Events = append(b.Events, e)
	}
	a.past = append(a.past, b.Events...)
	b.Head = a.State.Head()
	return b
}

// now is a time of its own for each event.
func (a *Author) now() time.Time {
	return time.Date(2026, 11, 30, 12, 0, 0, int(a.State.Next), time.UTC)
}

// fork returns another author who knows the same past; both may write on.
func (a *Author) fork() *Author {
	f := newAuthor(a.ID())
	f.epoch, f.past = a.epoch, slices.Clip(a.past)
	for _, e := range a.past {
		if err := f.State.Apply(e); err != nil {
			panic(err)
		}
	}
	return f
}
