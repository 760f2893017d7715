package badger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

const (
	// maxGroup bounds the requests of one transaction, and with them the wait of the first.
	maxGroup = 256
	// spareSize is left free in a transaction for what the writer itself adds.
	spareSize  = 64 << 10
	spareCount = 16
)

// request is one change that waits for the writer.
type request struct {
	ctx  context.Context
	task task
	done chan error // receives once
}

// task is a change. It is called by the writer alone, so what it reads cannot change before it is written. It first
// checks everything and may refuse; then it puts its entries, and from there on nothing can fail but the disk: a task
// never spoils the transaction that it shares with others.
type task interface {
	run(w *writer) error
}

// submit hands a task to the writer and waits until it is durable or refused. A context that ends before the
// writer has reached the task withdraws it; after that its end is always awaited, so that a caller knows.
func (s *Store) submit(ctx context.Context, t task) error {
	r := &request{ctx: ctx, task: t, done: make(chan error, 1)}
	if err := s.enqueue(ctx, r); err != nil {
		return err
	}
	return <-r.done
}

func (s *Store) enqueue(ctx context.Context, r *request) error {
	s.lifetime.RLock()
	defer s.lifetime.RUnlock()
	if s.closed {
		return errClosed
	}
	select {
	case s.requests <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writer makes all changes to the database, one transaction after the other.
type writer struct {
	store *Store
	// failure is the disk's; what a failed commit left behind is not known, so nothing is written after it.
	failure error

	txn     *badgerdb.Txn
	size    int64
	count   int64
	waiting []*request // whose entries are in txn
	free    uint64     // bytes on the disk, as of the transaction's begin
}

// run serves requests until Close.
func (w *writer) run() {
	defer close(w.store.written)
	for r := range w.store.requests {
		w.handle(r)
		w.gather()
		w.flush()
	}
}

// gather takes in what waits already, without waiting for more.
func (w *writer) gather() {
	for len(w.waiting) < maxGroup {
		select {
		case r, open := <-w.store.requests:
			if !open {
				return
			}
			w.handle(r)
		default:
			return
		}
	}
}

func (w *writer) handle(r *request) {
	if err := r.ctx.Err(); err != nil {
		r.done <- err
		return
	}
	if err := w.begin(); err != nil {
		r.done <- err
		return
	}
	if err := r.task.run(w); err != nil {
		r.done <- err
		return
	}
	w.waiting = append(w.waiting, r)
}

func (w *writer) begin() error {
	if w.failure != nil || w.txn != nil {
		return w.failure
	}
	free, err := freeSpace(w.store.dir)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	w.free = free
	w.txn = w.store.db.NewTransaction(true)
	w.size, w.count = 0, 0
	return nil
}

// put adds a change to the transaction. Beside others if it fits; else they are written first; and if it fits into
// no transaction at all, as much of the body as need be is written before. The tail goes into one transaction, the
// last: it is what makes the body count.
func (w *writer) put(body, tail []entry) error {
	if !w.fits(body, tail) {
		w.flush()
		if err := w.begin(); err != nil {
			return err
		}
	}
	for _, e := range body {
		if err := w.room(e); err != nil {
			return err
		}
		if err := w.set(e); err != nil {
			return err
		}
	}
	if err := w.room(tail...); err != nil {
		return err
	}
	for _, e := range tail {
		if err := w.set(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) fits(lists ...[]entry) bool {
	size, count := w.size, w.count
	for _, list := range lists {
		for _, e := range list {
			size += e.size()
			count++
		}
	}
	db := w.store.db
	return size <= db.MaxBatchSize()-spareSize && count <= db.MaxBatchCount()-spareCount
}

// room writes what the transaction holds if the entries do not fit beside it.
func (w *writer) room(entries ...entry) error {
	if w.fits(entries) {
		return nil
	}
	if err := w.txn.Commit(); err != nil {
		return w.fail(err)
	}
	w.txn = nil
	return w.begin()
}

func (w *writer) set(e entry) error {
	var err error
	if e.remove {
		err = w.txn.Delete(e.key)
	} else {
		err = w.txn.SetEntry(badgerdb.NewEntry(e.key, e.value))
	}
	if err != nil {
		return w.fail(err)
	}
	w.size += e.size()
	w.count++
	return nil
}

// number is what the transaction under way will get.
func (w *writer) number() uint64 { return w.store.mark.number + 1 }

// flush makes the transaction durable and tells those who wait for it.
func (w *writer) flush() {
	if w.txn == nil {
		return
	}
	if w.count == 0 { // what was to be removed is not there
		w.txn.Discard()
		w.txn = nil
		w.answer(nil)
		return
	}
	if err := w.commit(); err != nil {
		_ = w.fail(err) // which every waiting request receives
		return
	}
	w.txn = nil
	w.answer(nil)
}

// commit writes the transaction under its number, and the number into the mark. In this order: a mark that is ahead
// of the database says that something was lost.
func (w *writer) commit() error {
	number := w.number()
	value := binary.BigEndian.AppendUint64(nil, number)
	for _, key := range [][]byte{keyBatch, slotKey(slotOf(number))} {
		if err := w.txn.Set(key, value); err != nil {
			return err
		}
	}
	if err := w.txn.Commit(); err != nil {
		return err
	}
	return w.store.mark.write(number, w.store.mark.checked)
}

// fail ends all writing.
func (w *writer) fail(err error) error {
	w.failure = fmt.Errorf("write journal: %w; nothing more is written until it is opened again", err)
	w.txn.Discard()
	w.txn = nil
	w.answer(w.failure)
	return w.failure
}

func (w *writer) answer(err error) {
	for _, r := range w.waiting {
		r.done <- err
	}
	clear(w.waiting)
	w.waiting = w.waiting[:0]
}

// head returns the stored head as the transaction sees it; nil if there is none.
func (w *writer) head(x id) (*storedHead, error) {
	h, err := readHead(w.txn, x)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, nil
	}
	return h, err
}
