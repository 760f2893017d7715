package badger

import (
	"errors"
	"slices"

	badgerdb "github.com/dgraph-io/badger/v4"
)

// keysUnder returns the keys with a prefix, in order.
func keysUnder(txn *badgerdb.Txn, prefix []byte) (keys [][]byte) {
	opts := badgerdb.DefaultIteratorOptions
	opts.PrefetchValues = false
	opts.Prefix = prefix
	it := txn.NewIterator(opts)
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		keys = append(keys, it.Item().KeyCopy(nil))
	}
	return keys
}

// removals are those of all keys with a prefix.
func removals(txn *badgerdb.Txn, prefix []byte) (list []entry) {
	for _, key := range keysUnder(txn, prefix) {
		list = append(list, removal(key))
	}
	return list
}

// clear removes all keys with the prefixes, and then the note that it was to be done.
func (w *writer) clear(note []byte, prefixes ...[]byte) error {
	var body []entry
	for _, prefix := range prefixes {
		body = append(body, removals(w.txn, prefix)...)
	}
	return w.put(body, []entry{removal(note)})
}

// clearing is the task that removes all keys with this prefix. They may be more than a transaction holds: a note is
// left until the last is gone, so that the next Open finishes what a crash interrupts.
type clearing []byte

func (c clearing) note() []byte { return slices.Concat(prefixClearing, c) }

func (c clearing) run(w *writer) error {
	if len(keysUnder(w.txn, c)) == 0 {
		return nil
	}
	if err := w.put(nil, []entry{{key: c.note()}}); err != nil {
		return err
	}
	return c.finish(w)
}

func (c clearing) finish(w *writer) error { return w.clear(c.note(), c) }

// finishRemovals ends those that a crash has interrupted, and removes the values that it has left without an
// execution.
func (w *writer) finishRemovals() error {
	if err := w.begin(); err != nil {
		return err
	}
	for _, key := range keysUnder(w.txn, prefixDeletion) {
		if err := (deletion{idOf(key)}).finish(w); err != nil {
			return err
		}
	}
	for _, key := range keysUnder(w.txn, prefixClearing) {
		if err := clearing(key[len(prefixClearing):]).finish(w); err != nil {
			return err
		}
	}
	if err := w.clearOrphans(); err != nil {
		return err
	}
	w.flush()
	return w.failure
}

// clearOrphans removes the values of executions that do not exist: a process has died before their first event was
// written, or a connector has stored something for one that was deleted.
func (w *writer) clearOrphans() error {
	owners := map[id]bool{}
	for _, key := range keysUnder(w.txn, prefixValues) {
		owners[ownerOf(key)] = true
	}
	for x := range owners {
		_, err := w.txn.Get(x.head())
		if err == nil {
			continue
		}
		if !errors.Is(err, badgerdb.ErrKeyNotFound) {
			return err
		}
		if err := clearing(x.values()).run(w); err != nil {
			return err
		}
	}
	return nil
}
