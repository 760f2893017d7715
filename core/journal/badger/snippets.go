package badger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// SaveSnippet implements journal.Snippets. It works on a damaged store, too, where numbers of versions that were lost
// are given again.
func (s *Store) SaveSnippet(ctx context.Context, snippet journal.Snippet) (int, error) {
	if err := journal.CheckSnippetName(snippet.Name); err != nil {
		return 0, err
	}
	save := &saving{snippet}
	if err := s.submit(ctx, save); err != nil {
		return 0, err
	}
	return save.snippet.Version, nil
}

// saving is the task of a save. It fills in the version.
type saving struct{ snippet journal.Snippet }

func (t *saving) run(w *writer) error {
	t.snippet.Version = newestVersion(w.txn, t.snippet.Name) + 1
	record, err := journal.EncodeSnippet(t.snippet)
	if err != nil {
		return err
	}
	if err := w.store.checkSpace(w.free, true, int64(len(record))); err != nil {
		return err
	}
	entries := appendValue(nil, snippetKey(t.snippet.Name, t.snippet.Version), record)
	last := len(entries) - 1
	return w.put(entries[:last], entries[last:])
}

// newestVersion returns 0 where there is no such snippet.
func newestVersion(txn *badgerdb.Txn, name string) int {
	opts := badgerdb.DefaultIteratorOptions
	opts.PrefetchValues = false
	opts.Reverse = true
	opts.Prefix = snippetPrefix(name)
	it := txn.NewIterator(opts)
	defer it.Close()
	for it.Seek(append(snippetPrefix(name), 0xff)); it.Valid(); it.Next() {
		if _, version, ok := parseSnippetKey(it.Item().Key()); ok {
			return version
		}
	}
	return 0
}

// Snippet implements journal.Snippets.
func (s *Store) Snippet(ctx context.Context, name string, version int) (snippet journal.Snippet, err error) {
	if err := ctx.Err(); err != nil {
		return journal.Snippet{}, err
	}
	err = s.view(func(txn *badgerdb.Txn) error {
		newest := 0
		if journal.CheckSnippetName(name) == nil {
			newest = newestVersion(txn, name)
		}
		if newest == 0 {
			return fmt.Errorf("snippet %q: %w", name, journal.ErrNotFound)
		}
		snippet, err = readSnippet(txn, name, cmp.Or(version, newest))
		return err
	})
	return snippet, err
}

func readSnippet(txn *badgerdb.Txn, name string, version int) (journal.Snippet, error) {
	item, err := txn.Get(snippetKey(name, version))
	if errors.Is(err, badgerdb.ErrKeyNotFound) {
		return journal.Snippet{}, fmt.Errorf("version %d of snippet %q: %w", version, name, journal.ErrNotFound)
	}
	if err != nil {
		return journal.Snippet{}, fmt.Errorf("read version %d of snippet %q: %w", version, name, err)
	}
	record, err := readValue(txn, item, journal.MaxRecord)
	if err != nil {
		return journal.Snippet{}, journal.DamagedSnippet(name, version, err)
	}
	return journal.DecodeSnippet(name, version, record)
}

// Snippets implements journal.Snippets.
func (s *Store) Snippets(ctx context.Context) (list []journal.Snippet, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var unreadable []error
	err = s.view(func(txn *badgerdb.Txn) error {
		newest := newestVersions(txn)
		for _, name := range slices.Sorted(maps.Keys(newest)) {
			snippet, err := readSnippet(txn, name, newest[name])
			if err != nil {
				unreadable = append(unreadable, err)
				continue
			}
			list = append(list, snippet)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, errors.Join(unreadable...)
}

// newestVersions returns the newest version of every snippet.
func newestVersions(txn *badgerdb.Txn) map[string]int {
	newest := map[string]int{}
	for _, key := range keysUnder(txn, prefixSnippets) {
		if name, version, ok := parseSnippetKey(key); ok {
			newest[name] = version // the last is the greatest
		}
	}
	return newest
}

// DeleteSnippet implements journal.Snippets.
func (s *Store) DeleteSnippet(ctx context.Context, name string) (bool, error) {
	if journal.CheckSnippetName(name) != nil {
		return false, nil
	}
	forget := &forgetting{name: name}
	if err := s.submit(ctx, forget); err != nil {
		return false, err
	}
	return forget.found, nil
}

// forgetting is the task of a snippet's deletion.
type forgetting struct {
	name  string
	found bool
}

func (t *forgetting) run(w *writer) error {
	t.found = newestVersion(w.txn, t.name) > 0
	return clearing(snippetPrefix(t.name)).run(w)
}
