package badger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

const defaultLimit = 50

// List implements journal.Store. It reads heads alone; those of some statuses are found by their index.
func (s *Store) List(ctx context.Context, q journal.Query) (journal.Page, error) {
	if err := ctx.Err(); err != nil {
		return journal.Page{}, err
	}
	var before *id // the listing goes on with what is older
	if q.Cursor != "" {
		x, err := parseID(q.Cursor)
		if err != nil {
			return journal.Page{}, errors.New("the cursor is none that an earlier page gave")
		}
		before = &x
	}
	q.Limit = cmp.Or(max(q.Limit, 0), defaultLimit)
	var page journal.Page
	err := s.view(func(txn *badgerdb.Txn) error {
		ids := newest(txn, prefixes(q.Statuses), before, q.Limit+1)
		if len(ids) > q.Limit {
			ids = ids[:q.Limit]
			page.Next = ids[q.Limit-1].String()
		}
		return fill(txn, ids, &page)
	})
	return page, err
}

func fill(txn *badgerdb.Txn, ids []id, page *journal.Page) error {
	for _, x := range ids {
		h, err := readHead(txn, x)
		_, damaged := errors.AsType[*journal.DamagedError](err)
		switch {
		case err == nil:
			page.Heads = append(page.Heads, h.Head)
		case damaged, errors.Is(err, journal.ErrNewer), errors.Is(err, journal.ErrNotFound):
			page.Unreadable = append(page.Unreadable, x.String())
		default:
			return err
		}
	}
	return nil
}

// prefixes are those of the keys that hold the ids to list.
func prefixes(statuses []journal.Status) [][]byte {
	if len(statuses) == 0 {
		return [][]byte{prefixHeads}
	}
	list := make([][]byte, 0, len(statuses))
	for _, status := range statuses {
		list = append(list, statusPrefix(status))
	}
	return list
}

// newest returns the greatest ids under the prefixes, at most limit: UUIDs of version 7 sort by their time.
func newest(txn *badgerdb.Txn, prefixes [][]byte, before *id, limit int) []id {
	var ids []id
	for _, prefix := range prefixes {
		ids = append(ids, newestUnder(txn, prefix, before, limit)...)
	}
	slices.SortFunc(ids, func(a, b id) int { return bytes.Compare(b[:], a[:]) })
	ids = slices.Compact(ids)
	return ids[:min(len(ids), limit)]
}

func newestUnder(txn *badgerdb.Txn, prefix []byte, before *id, limit int) (ids []id) {
	opts := badgerdb.DefaultIteratorOptions
	opts.PrefetchValues = false
	opts.Reverse = true
	opts.Prefix = prefix
	it := txn.NewIterator(opts)
	defer it.Close()
	for it.Seek(seekBefore(prefix, before)); it.Valid() && len(ids) < limit; it.Next() {
		key := it.Item().Key()
		if len(key) != len(prefix)+idLen {
			continue
		}
		if x := idOf(key); before == nil || x != *before {
			ids = append(ids, x)
		}
	}
	return ids
}

// seekBefore is where a reverse iteration starts: at the id, or behind all ids.
func seekBefore(prefix []byte, before *id) []byte {
	if before != nil {
		return before.key(prefix)
	}
	return append(slices.Clone(prefix), bytes.Repeat([]byte{0xff}, idLen+1)...)
}
