package badger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// Append implements journal.Store. Once the writer has taken the batch up, Append returns only when its end is known,
// however its context fares. After an error of the disk nothing more is written: open the store again.
// On a damaged store it is refused with a *journal.DamagedError for every execution that is older than the damage.
func (s *Store) Append(ctx context.Context, batch journal.Batch) error {
	x, err := parseID(batch.ID)
	if err != nil {
		return err
	}
	enc, err := batch.Encode()
	if err != nil {
		return err
	}
	return s.submit(ctx, newAddition(x, batch, enc))
}

// Import implements journal.Importer.
func (s *Store) Import(ctx context.Context, whole journal.Batch) error {
	x, err := parseID(whole.ID)
	if err != nil {
		return err
	}
	enc, err := whole.EncodeWhole()
	if err != nil {
		return err
	}
	a := newAddition(x, whole, enc)
	a.whole = true
	return s.submit(ctx, a)
}

// addition is the task of an append.
type addition struct {
	id      id
	batch   journal.Batch
	enc     *journal.Encoded
	records []entry
	blobs   [][]entry // the last entry of each says whether it is stored
	size    int64
	whole   bool // it is an import
}

func newAddition(x id, batch journal.Batch, enc *journal.Encoded) *addition {
	a := &addition{id: x, batch: batch, enc: enc}
	for i, record := range enc.Records {
		a.records = appendValue(a.records, x.record(batch.Events[i].Index), record)
		a.size += int64(len(record))
	}
	for _, blob := range batch.Blobs {
		hash := sha256.Sum256(blob)
		a.blobs = append(a.blobs, appendValue(nil, blobKey(hash[:]), blob))
		a.size += int64(len(blob))
	}
	return a
}

func (a *addition) run(w *writer) error {
	stored, err := w.head(a.id)
	if err != nil {
		return err
	}
	if err := a.check(w, stored); err != nil {
		return err
	}
	body := a.records
	for _, blob := range a.blobs {
		_, err := w.txn.Get(blob[len(blob)-1].key)
		switch {
		case errors.Is(err, badgerdb.ErrKeyNotFound):
			body = append(body, blob...)
		case err != nil:
			return err
		}
	}
	return w.put(body, a.tail(w, stored))
}

func (a *addition) check(w *writer, stored *storedHead) error {
	if a.whole && stored != nil {
		return fmt.Errorf("import execution %s: %w: it is known already", a.id, journal.ErrConflict)
	}
	if stored == nil {
		if !a.whole {
			if err := a.batch.Follows(nil); err != nil {
				return err
			}
		}
		return w.store.checkSpace(w.free, true, a.size)
	}
	if err := a.batch.Follows(&stored.Head); err != nil {
		return err
	}
	if err := w.trusts(stored); err != nil {
		return err
	}
	return w.store.checkSpace(w.free, false, a.size)
}

// tail is what makes the records count: the head, and its place in the index of statuses.
func (a *addition) tail(w *writer, stored *storedHead) []entry {
	born, status := w.number(), a.enc.Head.Status
	var tail []entry
	if stored != nil {
		born = stored.born
		if stored.Status == status {
			return append(tail, headEntry(a.id, born, a.enc.HeadRecord))
		}
		tail = append(tail, removal(a.id.status(stored.Status)))
	}
	return append(tail, headEntry(a.id, born, a.enc.HeadRecord), entry{key: a.id.status(status)})
}
