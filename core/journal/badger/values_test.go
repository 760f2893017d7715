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

// large takes more than a stored value holds in one piece.
var large = bytes.Repeat([]byte("large"), 200<<10)

func store(t testing.TB, s *Store, id, key string, value []byte) {
	t.Helper()
	if err := s.PutValue(t.Context(), id, "tracker", key, value); err != nil {
		t.Fatal(err)
	}
}

// isStored checks a value; nil: there is none.
func isStored(t testing.TB, s *Store, id, key string, want []byte) {
	t.Helper()
	got, found, err := s.Value(t.Context(), id, "tracker", key)
	if err != nil || found != (want != nil) || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes (found: %v, %v), want %d", key, len(got), found, err, len(want))
	}
}

// newExecution begins one.
func newExecution(t testing.TB, s *Store) (text string, x id) {
	t.Helper()
	a := journaltest.NewAuthor()
	write(t, s, a.Begin())
	x, err := parseID(a.ID())
	if err != nil {
		t.Fatal(err)
	}
	return a.ID(), x
}

func TestValuesAreDurable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	id, _ := newExecution(t, s)
	store(t, s, id, "large", large)
	store(t, s, id, "small", []byte("old"))
	store(t, s, id, "small", []byte("new"))
	store(t, s, id, "gone", large)
	if err := s.DeleteValue(t.Context(), id, "tracker", "gone"); err != nil {
		t.Fatal(err)
	}
	crashed := open(t, crash(t, dir))
	closeStore(t, s)
	for _, s := range []*Store{crashed, open(t, dir)} {
		if err := s.Damage(); err != nil {
			t.Error(err)
		}
		isStored(t, s, id, "large", large)
		isStored(t, s, id, "small", []byte("new"))
		isStored(t, s, id, "gone", nil)
	}
}

func TestNothingIsLeftOfValues(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(s *Store, id string) error
		want   int // keys
	}{
		"replaced by a small one": {func(s *Store, id string) error {
			return s.PutValue(t.Context(), id, "tracker", "large", []byte("small"))
		}, 1},
		"deleted":              {func(s *Store, id string) error { return s.DeleteValue(t.Context(), id, "tracker", "large") }, 0},
		"dropped":              {func(s *Store, id string) error { return s.DropValues(t.Context(), id) }, 0},
		"with their execution": {func(s *Store, id string) error { return s.Delete(t.Context(), id) }, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			id, _ := newExecution(t, s)
			store(t, s, id, "large", large)
			if n := countKeys(t, s, prefixValues); n != 5 {
				t.Fatalf("the value takes %d keys", n)
			}
			if err := test.change(s, id); err != nil {
				t.Fatal(err)
			}
			if n := countKeys(t, s, prefixValues) + countKeys(t, s, prefixClearing) + countKeys(t, s, prefixDeletion); n != test.want {
				t.Errorf("%d keys are left, want %d", n, test.want)
			}
		})
	}
}

func TestDamagedValues(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(txn *badgerdb.Txn, key []byte) error
		cause  string
	}{
		"a part is missing": {func(txn *badgerdb.Txn, key []byte) error { return txn.Delete(chunkKey(key, 1)) }, "part 1"},
		"it is empty":       {func(txn *badgerdb.Txn, key []byte) error { return txn.Set(key, nil) }, "no known form"},
		"it has changed":    {func(txn *badgerdb.Txn, key []byte) error { return txn.Set(key, []byte("wsecret")) }, "checksum"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			id, x := newExecution(t, s)
			store(t, s, id, "private", large)
			store(t, s, id, "other", large)
			closeStore(t, s)
			edit(t, dir, func(txn *badgerdb.Txn) error { return test.change(txn, x.value("tracker", "private")) })

			s = open(t, dir)
			_, found, err := s.Value(t.Context(), id, "tracker", "private")
			d, ok := errors.AsType[*journal.DamagedError](err)
			if !ok || found || d.ID != id || d.Part != `a value of connector "tracker"` || !strings.Contains(d.Cause, test.cause) {
				t.Fatalf("the error is %v", err)
			}
			if text := d.Error(); strings.Contains(text, "secret") || strings.Contains(text, "private") {
				t.Errorf("the error shows a value or its key: %s", text)
			}
			isStored(t, s, id, "other", large)
			store(t, s, id, "private", []byte("whole again"))
			isStored(t, s, id, "private", []byte("whole again"))
		})
	}
}

func TestAnInterruptedDropIsFinished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	id, x := newExecution(t, s)
	other, _ := newExecution(t, s)
	for _, id := range []string{id, other} {
		store(t, s, id, "a", large)
		store(t, s, id, "b", []byte("b"))
	}
	closeStore(t, s)
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return errors.Join(txn.Set(clearing(x.values()).note(), nil), txn.Delete(x.value("tracker", "a")))
	})
	s = open(t, dir)
	if n := countKeys(t, s, x.values()) + countKeys(t, s, prefixClearing); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	isStored(t, s, other, "a", large)
	isStored(t, s, other, "b", []byte("b"))
	if _, err := s.Head(t.Context(), id); err != nil {
		t.Errorf("the execution went with its values: %v", err)
	}
}

// More than a transaction holds is dropped and deleted all the same.
func TestDropOfManyValues(t *testing.T) {
	t.Parallel()
	for name, drop := range map[string]func(s *Store, id string) error{
		"drop":   func(s *Store, id string) error { return s.DropValues(t.Context(), id) },
		"delete": func(s *Store, id string) error { return s.Delete(t.Context(), id) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			id, x := newExecution(t, s)
			var values []entry
			size := int64(0)
			for c := range 3 {
				label := fmt.Sprintf("%0*d", journal.MaxKey, c)
				for n := range journal.MaxKeys {
					values = append(values, entry{key: x.value(label, fmt.Sprintf("%0*d", journal.MaxKey, n))})
					size += values[len(values)-1].size()
				}
			}
			if limit := s.db.MaxBatchSize(); size < limit {
				t.Fatalf("%d bytes of removals are no more than the %d of a transaction", size, limit)
			}
			r := queueTask(t, t.Context(), s, taskFunc(func(w *writer) error { return w.put(values, nil) }))
			if err := <-r.done; err != nil {
				t.Fatal(err)
			}
			if err := drop(s, id); err != nil {
				t.Fatal(err)
			}
			if n := countKeys(t, s, prefixValues) + countKeys(t, s, prefixClearing) + countKeys(t, s, prefixDeletion); n != 0 {
				t.Errorf("%d keys are left", n)
			}
		})
	}
}

func TestOpenRemovesValuesWithoutAnExecution(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	id, _ := newExecution(t, s)
	store(t, s, id, "key", []byte("kept"))
	never := journaltest.NewID()
	deleted, _ := newExecution(t, s)
	if err := s.Delete(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{never, deleted} {
		store(t, s, id, "key", large)
		isStored(t, s, id, "key", large) // it may still begin
	}
	closeStore(t, s)
	s = open(t, dir)
	isStored(t, s, id, "key", []byte("kept"))
	for _, id := range []string{never, deleted} {
		isStored(t, s, id, "key", nil)
	}
	if n := countKeys(t, s, prefixValues); n != 1 {
		t.Errorf("%d keys are left", n)
	}
}

func TestValuesOfADamagedStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	old, _ := newExecution(t, s)
	store(t, s, old, "key", []byte("old"))
	before := crash(t, dir)
	for range 3 {
		store(t, s, old, "key", []byte("new"))
	}
	s = open(t, mix(t, before, dir))
	if s.Damage() == nil {
		t.Fatal("the store is not damaged")
	}
	err := s.PutValue(t.Context(), old, "tracker", "key", []byte("newer"))
	if _, ok := errors.AsType[*journal.DamagedError](err); !ok {
		t.Errorf("an execution that may have lost values stores more: %v", err)
	}
	isStored(t, s, old, "key", []byte("old"))
	fresh, _ := newExecution(t, s)
	store(t, s, fresh, "key", []byte("fresh"))
	store(t, s, journaltest.NewID(), "key", []byte("not begun"))
	save(t, s, "greet", 1)
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	store(t, s, old, "key", []byte("newer"))
}

func TestChangesOfValuesShareATransaction(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id, x := newExecution(t, s)
	store(t, s, id, "a", large)
	before := s.mark.number
	release := hold(t, s)
	storeTask := func(key, value string) task {
		record, err := journal.EncodeValue(id, "tracker", key, []byte(value))
		if err != nil {
			t.Fatal(err)
		}
		return &storing{x, "tracker", key, record}
	}
	var requests []*request
	for _, task := range []task{
		storeTask("a", "1"), storeTask("b", "2"), erasing(x.value("tracker", "a")), erasing(x.value("tracker", "none")), storeTask("a", "3"),
		storeTask("c", "4"), erasing(x.value("tracker", "c")),
	} {
		requests = append(requests, queueTask(t, t.Context(), s, task))
	}
	release()
	for _, r := range requests {
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
	}
	isStored(t, s, id, "a", []byte("3"))
	isStored(t, s, id, "b", []byte("2"))
	isStored(t, s, id, "c", nil)
	if n := countKeys(t, s, x.values()); n != 2 {
		t.Errorf("%d keys are stored", n)
	}
	closeStore(t, s)
	if got := s.mark.number - before; got != 1 {
		t.Errorf("they took %d transactions", got)
	}
}

// A change that finds nothing to remove is answered, and takes no transaction.
func TestNothingToRemove(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	before := s.mark.number
	id := journaltest.NewID()
	if err := errors.Join(s.DeleteValue(t.Context(), id, "a", "b"), s.DropValues(t.Context(), id)); err != nil {
		t.Error(err)
	}
	if existed, err := s.DeleteSnippet(t.Context(), "greet"); existed || err != nil {
		t.Errorf("delete said %v, %v", existed, err)
	}
	closeStore(t, s)
	if got := s.mark.number - before; got != 0 {
		t.Errorf("they took %d transactions", got)
	}
}

func TestAFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id, x := newExecution(t, s)
	store(t, s, id, "a", []byte("old"))
	record, err := journal.EncodeValue(id, "tracker", "a", []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		free    uint64 // MiB
		task    task
		refused bool
	}{
		"a save where an execution can only go on": {200, &saving{journaltest.NewSnippet("greet")}, true},
		"a value where an execution can go on":     {200, &storing{x, "tracker", "a", record}, false},
		"a value where it cannot":                  {60, &storing{x, "tracker", "a", record}, true},
		"a removal frees space":                    {0, erasing(x.value("tracker", "a")), false},
	}
	for name, test := range tests {
		release := hold(t, s)
		queueTask(t, t.Context(), s, taskFunc(func(w *writer) error { w.free = test.free << 20; return nil }))
		r := queueTask(t, t.Context(), s, test.task)
		release()
		err := <-r.done
		if _, refused := errors.AsType[*FullError](err); refused != test.refused || err != nil && !refused {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestValueOfNoExecution(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	if err := s.PutValue(t.Context(), "no-uuid", "a", "b", nil); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
}

func FuzzIsChunk(f *testing.F) {
	f.Add("tracker", "key", uint16(3))
	f.Add("", "", uint16(0))
	f.Add("a", "k\x00\x00", uint16(0))
	f.Fuzz(func(t *testing.T, connector, key string, n uint16) {
		var x id
		prefix, whole := x.connector(connector), x.value(connector, key)
		if isChunk(whole, prefix) || !isChunk(chunkKey(whole, n), prefix) {
			t.Errorf("%q and its part are taken for each other", key)
		}
		if ownerOf(whole) != x || !bytes.HasPrefix(whole, prefix) {
			t.Errorf("%x belongs to another", whole)
		}
	})
}
