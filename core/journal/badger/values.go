package badger

import (
	"context"
	"errors"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// Value implements journal.Values.
func (s *Store) Value(ctx context.Context, executionID, connector, key string) (value []byte, found bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	err = s.view(func(txn *badgerdb.Txn) error {
		x, err := parseID(executionID)
		if err != nil {
			return nil // it has no values
		}
		item, err := txn.Get(x.value(connector, key))
		if errors.Is(err, badgerdb.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a value of connector %q: %w", connector, err)
		}
		record, err := readValue(txn, item, journal.MaxRecord)
		if err != nil {
			return journal.DamagedValue(executionID, connector, err)
		}
		value, err = journal.DecodeValue(executionID, connector, key, record)
		found = err == nil
		return err
	})
	return value, found, err
}

// PutValue implements journal.Values. On a damaged store it is refused with a *journal.DamagedError for every
// execution that is older than the damage.
func (s *Store) PutValue(ctx context.Context, executionID, connector, key string, value []byte) error {
	x, err := parseID(executionID)
	if err != nil {
		return err
	}
	record, err := journal.EncodeValue(executionID, connector, key, value)
	if err != nil {
		return err
	}
	return s.submit(ctx, &storing{id: x, connector: connector, key: key, record: record})
}

// storing is the task that puts a value in place of another.
type storing struct {
	id             id
	connector, key string
	record         []byte
}

func (t *storing) run(w *writer) error {
	stored, err := w.head(t.id)
	if err != nil {
		return err
	}
	if err := w.trusts(stored); err != nil {
		return err
	}
	former := removals(w.txn, t.id.value(t.connector, t.key))
	if len(former) == 0 && !t.hasRoom(w.txn) {
		return &journal.TooManyKeysError{Connector: t.connector}
	}
	if err := w.store.checkSpace(w.free, false, int64(len(t.record))); err != nil {
		return err
	}
	// In one transaction, which holds the largest value: the parts of the former one lie under the same keys.
	return w.put(nil, appendValue(former, t.id.value(t.connector, t.key), t.record))
}

// hasRoom reports whether the connector may have one more key.
func (t *storing) hasRoom(txn *badgerdb.Txn) bool {
	keys, prefix := 0, t.id.connector(t.connector)
	for _, key := range keysUnder(txn, prefix) {
		if !isChunk(key, prefix) {
			keys++
		}
	}
	return keys < journal.MaxKeys
}

// DeleteValue implements journal.Values.
func (s *Store) DeleteValue(ctx context.Context, executionID, connector, key string) error {
	x, err := parseID(executionID)
	if err != nil {
		return nil // it has no values
	}
	return s.submit(ctx, erasing(x.value(connector, key)))
}

// erasing is the task that removes the value under this key.
type erasing []byte

func (e erasing) run(w *writer) error { return w.put(nil, removals(w.txn, e)) }

// DropValues implements journal.Values.
func (s *Store) DropValues(ctx context.Context, executionID string) error {
	x, err := parseID(executionID)
	if err != nil {
		return nil
	}
	return s.submit(ctx, clearing(x.values()))
}
