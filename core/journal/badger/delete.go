package badger

import (
	"context"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// Delete implements journal.Store. It removes head, records, chunks and connectors' values. Blobs stay, for
// executions share them: collecting those that nobody names any more is retention's work.
func (s *Store) Delete(ctx context.Context, text string) error {
	x, err := parseID(text)
	if err != nil {
		return err
	}
	return s.submit(ctx, deletion{x})
}

// deletion is the task of a delete. The execution is gone with its head; a note of it is left until the last of its
// records and values is gone too, so that the next Open finishes what a crash interrupts.
type deletion struct{ id id }

func (d deletion) run(w *writer) error {
	statuses, err := d.statuses(w)
	if err != nil {
		return err
	}
	tail := []entry{removal(d.id.head()), {key: d.id.deletion()}}
	if err := w.put(nil, append(tail, statuses...)); err != nil {
		return err
	}
	return d.finish(w)
}

// statuses returns the removals of the execution's places in the index. A head that cannot be decoded does not say
// where that is, and must not keep its execution from being deleted.
func (d deletion) statuses(w *writer) ([]entry, error) {
	if _, err := w.txn.Get(d.id.head()); err != nil {
		if err == badgerdb.ErrKeyNotFound {
			err = journal.ErrNotFound
		}
		return nil, fmt.Errorf("execution %s: %w", d.id, err)
	}
	var removals []entry
	for _, status := range []journal.Status{
		journal.StatusRunning, journal.StatusPaused, journal.StatusCompleted,
		journal.StatusError, journal.StatusRejected, journal.StatusRolledBack,
	} {
		removals = append(removals, removal(d.id.status(status)))
	}
	return removals, nil
}

// finish removes the records and the connectors' values, and then the note.
func (d deletion) finish(w *writer) error {
	return w.clear(d.id.deletion(), d.id.records(), d.id.values())
}
