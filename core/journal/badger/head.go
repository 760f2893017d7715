package badger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// storedHead is a head as it is kept: born(8) crc32c(4) record.
type storedHead struct {
	journal.Head
	// born is the number of the transaction that the execution began with.
	born uint64
}

const headPrefix = 8 + 4

func headEntry(x id, born uint64, record []byte) entry {
	value := binary.BigEndian.AppendUint64(make([]byte, 0, headPrefix+len(record)), born)
	value = binary.BigEndian.AppendUint32(value, crc32.Checksum(value, castagnoli))
	return entry{key: x.head(), value: append(value, record...)}
}

// readHead returns journal.ErrNotFound where there is no head, and a *journal.DamagedError or journal.ErrNewer where
// it cannot be decoded.
func readHead(txn *badgerdb.Txn, x id) (*storedHead, error) {
	item, err := txn.Get(x.head())
	if errors.Is(err, badgerdb.ErrKeyNotFound) {
		return nil, fmt.Errorf("execution %s: %w", x, journal.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read the head of execution %s: %w", x, err)
	}
	var h *storedHead
	err = item.Value(func(value []byte) error {
		h, err = decodeHead(x, value)
		return err
	})
	return h, err
}

func decodeHead(x id, value []byte) (*storedHead, error) {
	if len(value) < headPrefix || binary.BigEndian.Uint32(value[8:]) != crc32.Checksum(value[:8], castagnoli) {
		return nil, damagedHead(x, "its head does not match its checksum")
	}
	head, err := journal.DecodeHead(x.String(), value[headPrefix:])
	if errors.Is(err, journal.ErrNewer) {
		return nil, fmt.Errorf("execution %s: %w", x, err)
	}
	if err != nil {
		return nil, damagedHead(x, err.Error())
	}
	return &storedHead{Head: head, born: binary.BigEndian.Uint64(value)}, nil
}

func damagedHead(x id, cause string) error {
	return &journal.DamagedError{ID: x.String(), After: -1, Cause: cause}
}

// Head implements journal.Store. A head that cannot be decoded is a *journal.DamagedError, or journal.ErrNewer.
func (s *Store) Head(_ context.Context, text string) (journal.Head, error) {
	x, err := parseID(text)
	if err != nil {
		return journal.Head{}, err
	}
	var h *storedHead
	err = s.view(func(txn *badgerdb.Txn) error {
		h, err = readHead(txn, x)
		return err
	})
	if err != nil {
		return journal.Head{}, err
	}
	return h.Head, nil
}
