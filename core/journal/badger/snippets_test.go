package badger

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// saved is what was saved as a version. The text says which, and takes more than a stored value holds in one piece.
func saved(name string, version int) journal.Snippet {
	s := journaltest.NewSnippet(name)
	s.Version, s.ExecutionID = version, ""
	s.JS = strings.Repeat(fmt.Sprintf("%s %d;", name, version), 100<<10)
	return s
}

func save(t testing.TB, s *Store, name string, versions int) {
	t.Helper()
	for n := 1; n <= versions; n++ {
		if got, err := s.SaveSnippet(t.Context(), saved(name, n)); err != nil || got != n {
			t.Fatalf("version %d was saved as %d (%v)", n, got, err)
		}
	}
}

// isSaved checks that a version is what was saved.
func isSaved(t testing.TB, s *Store, name string, version int) {
	t.Helper()
	got, err := s.Snippet(t.Context(), name, version)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(got, saved(name, version)) {
		t.Errorf("version %d of %s is not what was saved", version, name)
	}
}

func TestSnippetsAreDurable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	save(t, s, "greet", 3)
	crashed := open(t, crash(t, dir))
	closeStore(t, s)
	for what, s := range map[string]*Store{"crashed": crashed, "closed": open(t, dir)} {
		if err := s.Damage(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for n := 1; n <= 3; n++ {
			isSaved(t, s, "greet", n)
		}
		if version, err := s.SaveSnippet(t.Context(), saved("greet", 4)); err != nil || version != 4 {
			t.Errorf("%s: the next version is %d (%v)", what, version, err)
		}
	}
}

func TestDamagedSnippets(t *testing.T) {
	t.Parallel()
	other, err := journal.EncodeSnippet(saved("greet", 1))
	if err != nil {
		t.Fatal(err)
	}
	newest := snippetKey("greet", 2)
	tests := map[string]struct {
		change func(txn *badgerdb.Txn) error
		cause  string
	}{
		"a part is missing":  {func(txn *badgerdb.Txn) error { return txn.Delete(chunkKey(newest, 1)) }, "part 1"},
		"a part has changed": {func(txn *badgerdb.Txn) error { return txn.Set(chunkKey(newest, 0), make([]byte, chunkSize)) }, "checksum"},
		"it is empty":        {func(txn *badgerdb.Txn) error { return txn.Set(newest, nil) }, "no known form"},
		"it has changed":     {func(txn *badgerdb.Txn) error { return txn.Set(newest, []byte("wsecret")) }, "checksum"},
		"it is cut":          {func(txn *badgerdb.Txn) error { return txn.Set(newest, []byte("wsec")) }, "cut"},
		"another version stands in its place": {func(txn *badgerdb.Txn) error {
			return setValue(txn, newest, other)
		}, "checksum"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			save(t, s, "greet", 2)
			save(t, s, "another", 1)
			save(t, s, "last", 2)
			closeStore(t, s)
			edit(t, dir, test.change)

			s = open(t, dir)
			named := func(err error) {
				t.Helper()
				d, ok := errors.AsType[*journal.DamagedError](err)
				if !ok || d.Part != `version 2 of snippet "greet"` || d.ID != "" || !strings.Contains(d.Cause, test.cause) || strings.Contains(d.Error(), "sec") {
					t.Errorf("the error is %v", err)
				}
			}
			for _, version := range []int{0, 2} {
				_, err := s.Snippet(t.Context(), "greet", version)
				named(err)
			}
			list, err := s.Snippets(t.Context())
			named(err)
			if !cmp.Equal(list, []journal.Snippet{saved("another", 1), saved("last", 2)}) {
				t.Errorf("it hurts others: %d snippets are listed", len(list))
			}
			isSaved(t, s, "greet", 1)
			// The next version is whole, and the damaged one is never taken for it.
			if version, err := s.SaveSnippet(t.Context(), saved("greet", 3)); err != nil || version != 3 {
				t.Errorf("the next version is %d (%v)", version, err)
			}
			isSaved(t, s, "greet", 3)
			if list, err := s.Snippets(t.Context()); err != nil || len(list) != 3 {
				t.Errorf("%d snippets are listed after it was saved anew (%v)", len(list), err)
			}
			if existed, err := s.DeleteSnippet(t.Context(), "greet"); err != nil || !existed {
				t.Errorf("delete said %v, %v", existed, err)
			}
		})
	}
}

// setValue stores content in the form that the key's reader expects.
func setValue(txn *badgerdb.Txn, key, content []byte) error {
	for _, e := range appendValue(nil, key, content) {
		if err := txn.Set(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

func TestSeveralDamagedSnippets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	for _, name := range []string{"a", "b", "c"} {
		save(t, s, name, 1)
	}
	closeStore(t, s)
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return errors.Join(txn.Set(snippetKey("a", 1), nil), txn.Set(snippetKey("c", 1), nil))
	})
	list, err := open(t, dir).Snippets(t.Context())
	if len(list) != 1 || list[0].Name != "b" {
		t.Errorf("%d snippets are listed", len(list))
	}
	for _, name := range []string{"a", "c"} {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("version 1 of snippet %q is damaged", name)) {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
}

// What a process leaves that dies before the last transaction of a save: parts without a version.
func TestAnInterruptedSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	save(t, s, "greet", 1)
	closeStore(t, s)
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return errors.Join(
			txn.Set(chunkKey(snippetKey("greet", 2), 0), make([]byte, chunkSize)),
			txn.Set(chunkKey(snippetKey("greet", 2), 9), []byte("part")),
			txn.Set(chunkKey(snippetKey("fresh", 1), 0), []byte("part")),
		)
	})
	s = open(t, dir)
	if list, err := s.Snippets(t.Context()); err != nil || len(list) != 1 || list[0].Version != 1 {
		t.Errorf("%d snippets are listed (%v)", len(list), err)
	}
	isSaved(t, s, "greet", 1)
	if version, err := s.SaveSnippet(t.Context(), saved("greet", 2)); err != nil || version != 2 {
		t.Errorf("the next version is %d (%v)", version, err)
	}
	isSaved(t, s, "greet", 2)
	for name, want := range map[string]bool{"greet": true, "fresh": false} {
		if existed, err := s.DeleteSnippet(t.Context(), name); err != nil || existed != want {
			t.Errorf("delete of %s said %v, %v", name, existed, err)
		}
	}
	if n := countKeys(t, s, prefixSnippets) + countKeys(t, s, prefixClearing); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

func TestAnInterruptedDeleteOfASnippet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	save(t, s, "greet", 3)
	save(t, s, "greet-2", 2)
	closeStore(t, s)
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return errors.Join(
			txn.Set(clearing(snippetPrefix("greet")).note(), nil),
			txn.Delete(snippetKey("greet", 1)), txn.Delete(chunkKey(snippetKey("greet", 1), 0)),
		)
	})
	s = open(t, dir)
	if _, err := s.Snippet(t.Context(), "greet", 0); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("a part of it is left: %v", err)
	}
	if n := countKeys(t, s, snippetPrefix("greet")) + countKeys(t, s, prefixClearing); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	isSaved(t, s, "greet-2", 2)
}

func TestSavesAndDeletesOfOneTransaction(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	before := s.mark.number
	release := hold(t, s)
	small := journaltest.NewSnippet("greet")
	saves, forgets := []*saving{{small}, {small}, {small}}, []*forgetting{{name: "greet"}, {name: "greet"}}
	var requests []*request
	for _, task := range []task{saves[0], saves[1], forgets[0], forgets[1], saves[2]} {
		requests = append(requests, queueTask(t, t.Context(), s, task))
	}
	release()
	for _, r := range requests {
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{1, 2, 1} {
		if got := saves[i].snippet.Version; got != want {
			t.Errorf("save %d became version %d, want %d", i, got, want)
		}
	}
	if !forgets[0].found || forgets[1].found {
		t.Errorf("the deletes found %v, and %v", forgets[0].found, forgets[1].found)
	}
	if list, err := s.Snippets(t.Context()); err != nil || len(list) != 1 || list[0].Version != 1 {
		t.Errorf("%d snippets are listed (%v)", len(list), err)
	}
	closeStore(t, s)
	if got := s.mark.number - before; got != 1 {
		t.Errorf("they took %d transactions", got)
	}
}

func TestClosedStoreReadsNoSnippets(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	closeStore(t, s)
	_, err := s.Snippet(t.Context(), "greet", 0)
	_, listErr := s.Snippets(t.Context())
	_, _, valueErr := s.Value(t.Context(), journaltest.NewID(), "a", "b")
	for _, err := range []error{err, listErr, valueErr} {
		if !errors.Is(err, errClosed) {
			t.Errorf("the error is %v", err)
		}
	}
}

func FuzzSnippetKey(f *testing.F) {
	f.Add([]byte("greet/\x00\x00\x00\x00\x00\x00\x00\x01"))
	f.Add([]byte("greet/\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00"))
	f.Add([]byte("/"))
	f.Fuzz(func(t *testing.T, rest []byte) {
		key := append([]byte("p/"), rest...)
		name, version, ok := parseSnippetKey(key)
		if ok && !bytes.Equal(snippetKey(name, version), key) {
			t.Errorf("%x is taken for version %d of %q", key, version, name)
		}
	})
}
