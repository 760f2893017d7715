package engine

import (
	"context"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

// recorder writes one execution's journal. Events are applied to the state at
// once and buffered until flush, which makes them durable in one append; so
// nothing is ever appended behind an event that is not durable.
type recorder struct {
	store journal.Store
	now   func() time.Time
	epoch uint64
	state *journal.State
	buf   []journal.Event
	blobs [][]byte
}

// add appends an event to the buffer and returns it.
func (r *recorder) add(body journal.Body) (journal.Event, error) {
	at := r.now().UTC().Round(0)
	if at.Before(r.state.Updated) {
		at = r.state.Updated
	}
	e := journal.Event{Index: r.state.Next, Epoch: r.epoch, At: at, Body: body}
	if err := r.state.Apply(e); err != nil {
		return e, err
	}
	r.buf = append(r.buf, e)
	return e, nil
}

// dirty reports whether events wait to be made durable.
func (r *recorder) dirty() bool { return len(r.buf) > 0 }

// flush makes the buffered events durable. The append is not abandoned when ctx ends: what was
// decided must not be left half known.
func (r *recorder) flush(ctx context.Context) error {
	if len(r.buf) == 0 {
		return nil
	}
	err := r.store.Append(context.WithoutCancel(ctx), journal.Batch{
		ID: r.state.ID, Epoch: r.epoch, Events: r.buf, Head: r.state.Head(), Blobs: r.blobs,
	})
	if err != nil {
		return err
	}
	r.buf, r.blobs = nil, nil
	return nil
}
