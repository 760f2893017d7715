package badger

import (
	"encoding/binary"
	"errors"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// schema is the version of the key layout and of what the values hold.
const schema = 1

// slots is the number of transactions that can be looked for one by one: more than fit into all the tables that
// Badger holds in memory, whose logs are what a crash leaves to be replayed.
const slots = 1 << 17

func slotOf(number uint64) uint32 { return uint32(number % slots) }

// facts are what the database says of itself.
type facts struct {
	schema uint64 // 0: it is new
	batch  uint64 // the number of its last transaction
	damage *damage
}

func readFacts(db *badgerdb.DB) (f facts, err error) {
	err = db.View(func(txn *badgerdb.Txn) error {
		if f.schema, err = getNumber(txn, keySchema); err != nil {
			return err
		}
		if f.schema > schema {
			return fmt.Errorf("it has format %d, and this version reads formats up to %d: %w", f.schema, schema, journal.ErrNewer)
		}
		if f.batch, err = getNumber(txn, keyBatch); err != nil {
			return err
		}
		f.damage, err = readDamage(txn)
		return err
	})
	return f, err
}

// getNumber returns 0 for a key that is not there.
func getNumber(txn *badgerdb.Txn, key []byte) (number uint64, err error) {
	item, err := txn.Get(key)
	if errors.Is(err, badgerdb.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	err = item.Value(func(value []byte) error {
		if len(value) != 8 {
			return fmt.Errorf("%s is not a number", key)
		}
		number = binary.BigEndian.Uint64(value)
		return nil
	})
	return number, err
}

// examine compares the database with its mark, takes note of damage, and ends what a crash has interrupted.
// lost says what was set aside before.
func (s *Store) examine(f facts, lost string) error {
	cause, err := s.loss(f)
	if err != nil {
		return err
	}
	if lost != "" {
		cause = lost // which is why the rest is missing
	}
	var notes []entry
	if f.schema == 0 {
		notes = append(notes, entry{key: keySchema, value: binary.BigEndian.AppendUint64(nil, schema)})
	}
	heal := !s.mark.known || s.mark.number < f.batch
	s.mark.number = max(s.mark.number, f.batch)
	s.damage.Store(f.damage)
	if cause != "" {
		d := newDamage(cause, s.mark.number)
		s.damage.Store(d)
		s.mark.checked = d.at
		notes = append(notes, d.entry())
	}
	if err := s.note(notes); err != nil {
		return err
	}
	if heal && len(notes) == 0 {
		if err := s.mark.write(s.mark.number, s.mark.checked); err != nil {
			return err
		}
	}
	return s.writer.finishRemovals()
}

func (s *Store) note(entries []entry) error {
	if err := s.writer.begin(); err != nil {
		return err
	}
	if err := s.writer.put(nil, entries); err != nil {
		return err
	}
	s.writer.flush()
	return s.writer.failure
}

// loss says what is missing, or why nobody can tell; empty: all is there. At a crash the one transaction in flight
// may have been written without its number having reached the mark.
func (s *Store) loss(f facts) (cause string, err error) {
	m := s.mark
	switch {
	case !m.known && f.batch <= 1:
		return "", nil // new, or its process died while it was being made
	case !m.known:
		return "its mark file is missing or unreadable, so nobody can tell whether events were lost", nil
	case f.batch < m.number:
		return fmt.Sprintf("its last %d transactions are missing: events that were recorded are gone", m.number-f.batch), nil
	case f.batch > m.number+1:
		return "its mark file is older than the database, so nobody can tell whether events were lost", nil
	}
	missing, err := s.missing(m.checked, f.batch)
	if err != nil || missing == 0 {
		return "", err
	}
	return fmt.Sprintf("%d transactions are missing from its middle: events that were recorded are gone", missing), nil
}

// missing counts the transactions after checked that left no trace. Badger replays several logs after a crash, and
// one that is damaged is cut although later ones are complete.
func (s *Store) missing(checked, last uint64) (uint64, error) {
	if last > slots {
		checked = max(checked, last-slots)
	}
	if checked >= last {
		return 0, nil
	}
	missing := last - checked
	err := s.db.View(func(txn *badgerdb.Txn) error {
		it := txn.NewIterator(badgerdb.IteratorOptions{Prefix: prefixSlots})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			number, err := getNumber(txn, it.Item().Key())
			if err != nil {
				return err
			}
			if number > checked && number <= last {
				missing--
			}
		}
		return nil
	})
	return missing, err
}
