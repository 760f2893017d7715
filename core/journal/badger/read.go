package badger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// A page of events is read from one snapshot and then handed out, so that no snapshot, and no lock, is held while the
// reader works.
const (
	pageEvents = 256
	pageBytes  = 4 << 20
)

// Read implements journal.Store. It shows the events that are stored when the iteration begins. A missing or damaged
// record, and a tail that is shorter than the head says, end it with a *journal.DamagedError; a record of a later
// version ends it with journal.ErrNewer.
func (s *Store) Read(ctx context.Context, text string, from int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		x, err := parseID(text)
		if err != nil {
			yield(journal.Event{}, err)
			return
		}
		r := reader{id: x, next: max(from, 0), end: -1}
		for more := true; more; {
			page, err := s.page(ctx, &r)
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			more = len(page) > 0 && r.next < r.end
		}
	}
}

// reader is a place in an execution's journal.
type reader struct {
	id   id
	next int64 // the event to read next
	end  int64 // the event behind the last; negative: not known yet
}

// page reads on. With an error it returns the good events before it.
func (s *Store) page(ctx context.Context, r *reader) (page []journal.Event, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = s.view(func(txn *badgerdb.Txn) error {
		head, err := readHead(txn, r.id)
		if errors.Is(err, journal.ErrNotFound) {
			return err // also where it has been deleted since the last page
		}
		if err != nil {
			// What the records say can be shown all the same; that they are all there cannot.
			page = r.salvage(txn)
			return r.withLast(err)
		}
		if r.end < 0 {
			r.end = head.Next
		}
		page, err = r.read(txn, r.end)
		return err
	})
	return page, err
}

// salvage reads the good records of an execution whose head is lost, all at once.
func (r *reader) salvage(txn *badgerdb.Txn) (events []journal.Event) {
	for {
		page, err := r.read(txn, math.MaxInt64)
		events = append(events, page...)
		if err != nil {
			return events
		}
	}
}

func (r *reader) withLast(err error) error {
	if d, ok := errors.AsType[*journal.DamagedError](err); ok {
		return &journal.DamagedError{ID: d.ID, After: r.next - 1, Cause: d.Cause}
	}
	return err
}

func (r *reader) read(txn *badgerdb.Txn, end int64) (page []journal.Event, err error) {
	opts := badgerdb.DefaultIteratorOptions
	opts.PrefetchValues = false // a hundred prefetched values may be a hundred megabytes
	opts.Prefix = r.id.records()
	it := txn.NewIterator(opts)
	defer it.Close()
	size := 0
	for it.Seek(r.id.record(r.next)); it.Valid() && r.next < end; it.Next() {
		item := it.Item()
		if len(item.Key()) != recordLen {
			continue // a chunk
		}
		e, n, err := r.event(txn, item)
		if err != nil {
			return page, err
		}
		page = append(page, e)
		r.next++
		size += n
		if len(page) == pageEvents || size >= pageBytes {
			return page, nil
		}
	}
	if r.next < end {
		return page, r.damaged("event %d is missing", r.next)
	}
	return page, nil
}

// event decodes the record at hand, which must be the next one.
func (r *reader) event(txn *badgerdb.Txn, item *badgerdb.Item) (e journal.Event, size int, err error) {
	key := item.Key()
	if index := int64(binary.BigEndian.Uint64(key[recordLen-8:])); index != r.next {
		return e, 0, r.damaged("event %d is missing", r.next)
	}
	record, err := readValue(txn, item, journal.MaxRecord)
	if err != nil {
		return e, 0, r.damaged("event %d: %v", r.next, err)
	}
	e, err = journal.DecodeRecord(r.id.String(), record)
	switch {
	case errors.Is(err, journal.ErrNewer):
		return e, 0, fmt.Errorf("event %d of execution %s: %w", r.next, r.id, err)
	case err != nil:
		return e, 0, r.damaged("event %d: %v", r.next, err)
	case e.Index != r.next:
		return e, 0, r.damaged("event %d stands where event %d belongs", e.Index, r.next)
	}
	return e, len(record), nil
}

func (r *reader) damaged(format string, args ...any) error {
	return &journal.DamagedError{ID: r.id.String(), After: r.next - 1, Cause: fmt.Sprintf(format, args...)}
}

// Blob implements journal.Store. A blob whose content has changed is a *journal.DamagedError.
func (s *Store) Blob(_ context.Context, hash []byte) ([]byte, error) {
	if len(hash) != sha256.Size {
		return nil, fmt.Errorf("blob: a hash has %d bytes, not %d", sha256.Size, len(hash))
	}
	var blob []byte
	err := s.view(func(txn *badgerdb.Txn) error {
		item, err := txn.Get(blobKey(hash))
		if errors.Is(err, badgerdb.ErrKeyNotFound) {
			return fmt.Errorf("blob %x: %w", hash, journal.ErrNotFound)
		}
		if err != nil {
			return fmt.Errorf("blob %x: %w", hash, err)
		}
		blob, err = readValue(txn, item, journal.MaxRecord)
		if sum := sha256.Sum256(blob); err != nil || !bytes.Equal(sum[:], hash) {
			return &journal.DamagedError{After: -1, Cause: fmt.Sprintf("blob %x is not what was stored", hash)}
		}
		return nil
	})
	return blob, err
}
