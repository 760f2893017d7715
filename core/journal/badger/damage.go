package badger

import (
	"context"
	"encoding/binary"
	"errors"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// damage is a loss that nobody has confirmed yet. It is kept in the database, for the mark is the same again after
// the first transaction that follows.
type damage struct {
	err *journal.DamagedError
	// at is the last number that may have been lost. Executions that began later are not touched by the loss.
	at uint64
}

func newDamage(cause string, at uint64) *damage {
	return &damage{err: &journal.DamagedError{After: -1, Cause: cause}, at: at}
}

func (d *damage) entry() entry {
	return entry{key: keyDamage, value: append(binary.BigEndian.AppendUint64(nil, d.at), d.err.Cause...)}
}

func readDamage(txn *badgerdb.Txn) (d *damage, err error) {
	item, err := txn.Get(keyDamage)
	if errors.Is(err, badgerdb.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = item.Value(func(value []byte) error {
		if len(value) < 8 {
			return errors.New("the note of its damage cannot be read")
		}
		d = newDamage(string(value[8:]), binary.BigEndian.Uint64(value))
		return nil
	})
	return d, err
}

// Damage returns a *journal.DamagedError if events that had been acknowledged are gone, or may be, and nobody has
// confirmed that yet; else nil. Everything that is left can be read; new executions can begin. Nothing can be
// appended to the executions that were there before, nor can connectors store values for them: an approval, a started write or a revert of theirs may be
// among what was lost, and would be carried out again.
func (s *Store) Damage() error {
	if d := s.damage.Load(); d != nil {
		return d.err
	}
	return nil
}

// trusts returns the damage that an execution may have suffered.
func (w *writer) trusts(stored *storedHead) error {
	if d := w.store.damage.Load(); d != nil && stored != nil && stored.born <= d.at {
		return d.err
	}
	return nil
}

// Confirm accepts a loss, by the word of a person: from now on the journal is taken for what it holds. Without
// damage it does nothing.
func (s *Store) Confirm(ctx context.Context) error {
	if s.damage.Load() == nil {
		return nil
	}
	if err := s.submit(ctx, confirmation{}); err != nil {
		return err
	}
	s.damage.Store(nil)
	return nil
}

type confirmation struct{}

func (confirmation) run(w *writer) error {
	return w.put(nil, []entry{removal(keyDamage)})
}
