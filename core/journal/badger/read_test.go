package badger

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// newRecord is a record of the execution that says something else than what was written.
func newRecord(t *testing.T, id string, index int64) []byte {
	t.Helper()
	record, err := journal.EncodeRecord(id, journal.Event{Index: index, Epoch: 1, Body: &journal.PassBegun{Pass: 7}})
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte{formWhole}, record...)
}

func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	large := &journal.Issued{
		Seq: "0", Connector: "x", Method: "y", Args: bytes.Repeat([]byte("secret"), 200<<10), Verdict: journal.Verdict{Effect: "allow"},
	}
	// Event 2 is large, events 3 to 5 are not.
	tests := map[string]struct {
		change func(txn *badgerdb.Txn, x id) error
		after  int64
		cause  string
	}{
		"a record is missing": {
			func(txn *badgerdb.Txn, x id) error { return txn.Delete(x.record(1)) }, 0, "event 1 is missing",
		},
		"the last record is missing": {
			func(txn *badgerdb.Txn, x id) error { return txn.Delete(x.record(5)) }, 4, "event 5 is missing",
		},
		"a chunk is missing": {
			func(txn *badgerdb.Txn, x id) error { return txn.Delete(chunkKey(x.record(2), 1)) }, 1, "event 2: part 1",
		},
		"a chunk is cut": {
			func(txn *badgerdb.Txn, x id) error { return txn.Set(chunkKey(x.record(2), 1), []byte("short")) }, 1, "has 5 bytes",
		},
		"a chunk has changed": {
			func(txn *badgerdb.Txn, x id) error { return txn.Set(chunkKey(x.record(2), 0), make([]byte, chunkSize)) }, 1, "checksum",
		},
		"a length that is none": {
			func(txn *badgerdb.Txn, x id) error { return txn.Set(x.record(2), []byte{formChunks, 0xff}) }, 1, "no known form",
		},
		"a length beyond all limits": {
			func(txn *badgerdb.Txn, x id) error {
				return txn.Set(x.record(2), []byte{formChunks, 0xff, 0xff, 0xff, 0xff, 0x7f})
			}, 1, "no known form",
		},
		"a record is empty": {
			func(txn *badgerdb.Txn, x id) error { return txn.Set(x.record(3), nil) }, 2, "no known form",
		},
		"a record has changed": {
			func(txn *badgerdb.Txn, x id) error {
				return txn.Set(x.record(3), []byte("wsecret, which nobody may read here"))
			}, 2, "checksum",
		},
		"a record stands in another's place": {
			func(txn *badgerdb.Txn, x id) error { return txn.Set(x.record(3), newRecord(t, x.String(), 4)) }, 2, "event 4 stands where event 3 belongs",
		},
		"a record of another execution": {
			func(txn *badgerdb.Txn, x id) error { return txn.Set(x.record(3), newRecord(t, journaltest.NewID(), 3)) }, 2, "checksum",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, a, other := t.TempDir(), journaltest.NewAuthor(), journaltest.NewAuthor()
			s := open(t, dir)
			write(t, s, a.Begin(), a.Call(large), a.Write("1"), other.Begin())
			closeStore(t, s)
			x, err := parseID(a.ID())
			if err != nil {
				t.Fatal(err)
			}
			edit(t, dir, func(txn *badgerdb.Txn) error { return test.change(txn, x) })

			s = open(t, dir)
			state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
			d, ok := errors.AsType[*journal.DamagedError](err)
			if !ok || d.ID != a.ID() || d.After != test.after || !strings.Contains(d.Cause, test.cause) {
				t.Errorf("the error is %v (after %d), want %q after %d", err, d.After, test.cause, test.after)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a value: %v", err)
			}
			if state.Next != test.after+1 {
				t.Errorf("%d good events were read", state.Next)
			}
			check(t, s, other)
		})
	}
}

// A head begins with what says whether its execution is older than a loss: not a bit of that may change unnoticed.
func TestFlippedBirth(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin())
	closeStore(t, s)
	x, err := parseID(a.ID())
	if err != nil {
		t.Fatal(err)
	}
	edit(t, dir, func(txn *badgerdb.Txn) error {
		item, err := txn.Get(x.head())
		if err != nil {
			return err
		}
		value, err := item.ValueCopy(nil)
		if err != nil {
			return err
		}
		value[7] ^= 1
		return txn.Set(x.head(), value)
	})
	_, err = open(t, dir).Head(t.Context(), a.ID())
	if d, ok := errors.AsType[*journal.DamagedError](err); !ok || d.ID != a.ID() {
		t.Errorf("the head is read: %v", err)
	}
}

func TestUnreadableHead(t *testing.T) {
	t.Parallel()
	dir, a, other := t.TempDir(), journaltest.NewAuthor(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin(), other.Begin())
	closeStore(t, s)
	x, err := parseID(a.ID())
	if err != nil {
		t.Fatal(err)
	}
	edit(t, dir, func(txn *badgerdb.Txn) error { return txn.Set(x.head(), []byte("what was that?")) })

	s = open(t, dir)
	for _, q := range []journal.Query{{}, {Statuses: []journal.Status{journal.StatusRunning}}} {
		page, err := s.List(t.Context(), q)
		if err != nil || len(page.Heads) != 1 || page.Heads[0].ID != other.ID() {
			t.Errorf("%v: the other execution is not listed: %+v, %v", q, page, err)
		}
		if len(page.Unreadable) != 1 || page.Unreadable[0] != a.ID() {
			t.Errorf("%v: unreadable are %v", q, page.Unreadable)
		}
	}
	isDamaged := func(what string, err error, after int64) {
		t.Helper()
		if d, ok := errors.AsType[*journal.DamagedError](err); !ok || d.ID != a.ID() || d.After != after {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = s.Head(t.Context(), a.ID())
	isDamaged("head", err, -1)
	isDamaged("append", s.Append(t.Context(), a.Write("0")), -1)
	state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
	isDamaged("read", err, 1)
	if state.Next != 2 {
		t.Errorf("%d events could be read", state.Next)
	}
	if err := s.Delete(t.Context(), a.ID()); err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), journal.Query{Statuses: []journal.Status{journal.StatusRunning}})
	if err != nil || len(page.Heads) != 1 || len(page.Unreadable) != 0 {
		t.Errorf("after it was deleted: %+v, %v", page, err)
	}
	check(t, s, other)
}

func TestDamagedBlob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	b := journaltest.NewAuthor().Begin()
	b.Blobs = [][]byte{[]byte("secret")}
	write(t, s, b)
	closeStore(t, s)
	var hash []byte
	edit(t, dir, func(txn *badgerdb.Txn) error {
		it := txn.NewIterator(badgerdb.IteratorOptions{Prefix: []byte("b/")})
		defer it.Close()
		it.Rewind()
		key := it.Item().KeyCopy(nil)
		hash = key[2:]
		return txn.Set(key, []byte("wsecrex"))
	})
	_, err := open(t, dir).Blob(t.Context(), hash)
	if d, ok := errors.AsType[*journal.DamagedError](err); !ok || strings.Contains(d.Error(), "secre") {
		t.Errorf("the error is %v", err)
	}
}

func TestDeletedWhileItIsRead(t *testing.T) {
	t.Parallel()
	s, a := open(t, t.TempDir()), journaltest.NewAuthor()
	write(t, s, a.Begin())
	for n := range pageEvents {
		write(t, s, a.Write(fmt.Sprint(n)))
	}
	var last error
	read := 0
	for _, err := range s.Read(t.Context(), a.ID(), 0) {
		if last = err; err != nil {
			break
		}
		if read++; read == 1 {
			if err := s.Delete(t.Context(), a.ID()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if read != pageEvents || !errors.Is(last, journal.ErrNotFound) {
		t.Errorf("%d events, then %v", read, last)
	}
}

func TestReadShowsWhatIsStoredWhenItBegins(t *testing.T) {
	t.Parallel()
	s, a := open(t, t.TempDir()), journaltest.NewAuthor()
	write(t, s, a.Begin(), a.Write("0"))
	read := 0
	for _, err := range s.Read(t.Context(), a.ID(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if read++; read == 1 {
			write(t, s, a.Write("1")) // a reader may write
		}
	}
	if read != 5 {
		t.Errorf("%d events", read)
	}
}

func FuzzValue(f *testing.F) {
	f.Add([]byte("wcontent"))
	f.Add([]byte{formChunks, 0x80, 0x80, 0x10})
	f.Add([]byte{formChunks})
	f.Fuzz(func(t *testing.T, value []byte) {
		content, length, err := parseValue(value, journal.MaxRecord)
		if err == nil && len(content) > 0 && length > 0 || length < 0 || length > journal.MaxRecord {
			t.Errorf("%d bytes of content, %d in chunks, %v", len(content), length, err)
		}
		var x id
		if h, err := decodeHead(x, value); err == nil && h.ID != x.String() {
			t.Errorf("the head of %s was accepted in another's place", h.ID)
		}
		if len(value) == slotLen {
			decodeSlot(value)
		}
	})
}
