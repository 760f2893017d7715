package badger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// history is a store's folder at three times, each as a crash would leave it.
type history struct {
	author   *journaltest.Author
	old, now string // seven transactions apart
	next     string // one after now
}

func newHistory(t *testing.T) history {
	t.Helper()
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin())
	h := history{author: a, old: crash(t, dir)}
	for _, seq := range []string{"0", "1", "2", "3", "4", "5", "6"} {
		write(t, s, a.Write(seq))
	}
	h.now = crash(t, dir)
	write(t, s, a.Write("7"))
	h.next = crash(t, dir)
	return h
}

// mix returns a folder with the database of one time and the mark of another; with no mark if that is empty.
func mix(t *testing.T, database, mark string) string {
	t.Helper()
	dir := crash(t, database)
	path := filepath.Join(dir, "mark")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if mark != "" {
		if err := copyFile(filepath.Join(mark, "mark"), path); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDamage(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	tests := map[string]func(t *testing.T, h history){
		"the mark tells":                       testMark,
		"a lost folder":                        testLostFolder,
		"a torn mark":                          testTornMark,
		"transactions missing from the middle": testMissingFromMiddle,
		"no search after a clean close":        testNoSearch,
		"until it is confirmed":                testUntilConfirmed,
		"confirm on a closed store":            testConfirmClosed,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}

func testMark(t *testing.T, h history) {
	overwrite := func(t *testing.T, content string) string {
		dir := crash(t, h.now)
		if err := os.WriteFile(filepath.Join(dir, "mark"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	tests := map[string]struct {
		dir   string
		cause string // empty: no damage
	}{
		"equal":      {mix(t, h.now, h.now), ""},
		"one behind": {mix(t, h.next, h.now), ""},
		"far behind": {mix(t, h.now, h.old), "older than the database"},
		"one ahead":  {mix(t, h.now, h.next), "last 1 transactions are missing"},
		"far ahead":  {mix(t, h.old, h.now), "last 7 transactions are missing"},
		"missing":    {mix(t, h.now, ""), "missing or unreadable"},
		"unreadable": {overwrite(t, strings.Repeat("x", 2*slotStride)), "missing or unreadable"},
		"cut":        {overwrite(t, "cmk1"), "missing or unreadable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // damage outlives a restart, and so does health
				s := open(t, test.dir)
				err := s.Damage()
				if test.cause == "" {
					if err != nil {
						t.Errorf("taken for damaged: %v", err)
					}
				} else if d, ok := errors.AsType[*journal.DamagedError](err); !ok || d.ID != "" || !strings.Contains(d.Cause, test.cause) {
					t.Errorf("the damage is %v, want %q", err, test.cause)
				}
				closeStore(t, s)
			}
		})
	}
}

func testLostFolder(t *testing.T, h history) {
	dir := crash(t, h.now)
	if err := os.RemoveAll(filepath.Join(dir, "badger")); err != nil {
		t.Fatal(err)
	}
	if s := open(t, dir); s.Damage() == nil {
		t.Error("an empty database beside an old mark is taken for a new one")
	}
}

func TestCrashWhileBeingMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	for name, mark := range map[string]string{"without a mark": "", "with an empty mark": "\x00"} {
		left := mix(t, dir, "")
		if mark != "" {
			if err := os.WriteFile(filepath.Join(left, "mark"), []byte(mark), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := open(t, left).Damage(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func testTornMark(t *testing.T, h history) {
	dir := crash(t, h.now)
	m, err := openMark(filepath.Join(dir, "mark"))
	if err != nil {
		t.Fatal(err)
	}
	last := 1 - m.next
	if _, err := m.file.WriteAt([]byte("torn"), last*slotStride+6); err != nil {
		t.Fatal(err)
	}
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if err := s.Damage(); err != nil {
		t.Errorf("the other slot is one behind, as after any crash: %v", err)
	}
	write(t, s, behind(t, s, h.author.ID()))
}

func testMissingFromMiddle(t *testing.T, h history) {
	dir := crash(t, h.now)
	edit(t, dir, func(txn *badgerdb.Txn) error { return txn.Delete(slotKey(4)) })
	d, ok := errors.AsType[*journal.DamagedError](open(t, dir).Damage())
	if !ok || !strings.Contains(d.Cause, "1 transactions are missing from its middle") {
		t.Errorf("the damage is %v", d)
	}
}

func testNoSearch(t *testing.T, h history) {
	dir := crash(t, h.now)
	closeStore(t, open(t, dir))
	edit(t, dir, func(txn *badgerdb.Txn) error { return txn.Delete(slotKey(4)) })
	if err := open(t, dir).Damage(); err != nil {
		t.Errorf("tables carry checksums, and are searched all the same: %v", err)
	}
}

func testUntilConfirmed(t *testing.T, h history) {
	dir := mix(t, h.old, h.now)
	s := open(t, dir)
	old, fresh := h.author, journaltest.NewAuthor()
	refused := func(s *Store, b journal.Batch) {
		t.Helper()
		if _, ok := errors.AsType[*journal.DamagedError](s.Append(t.Context(), b)); !ok {
			t.Error("an execution that may have lost events goes on")
		}
	}
	next := behind(t, s, old.ID())
	refused(s, next)
	write(t, s, fresh.Begin(), fresh.Write("0")) // what is new has lost nothing
	closeStore(t, s)

	s = open(t, dir)
	refused(s, next)
	write(t, s, fresh.Write("1"))
	check(t, s, fresh)
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Damage(); err != nil {
		t.Errorf("after it was confirmed: %v", err)
	}
	write(t, s, next, fresh.Write("2"))
	closeStore(t, s)

	s = open(t, dir)
	if err := s.Damage(); err != nil {
		t.Errorf("after it was confirmed and opened again: %v", err)
	}
	check(t, s, fresh)
	if err := s.Confirm(t.Context()); err != nil {
		t.Errorf("to confirm what is well: %v", err)
	}
}

// behind writes the batch that follows what a store holds of an execution.
func behind(t *testing.T, s *Store, id string) journal.Batch {
	t.Helper()
	state, err := journal.Fold(id, s.Read(t.Context(), id, 0))
	if err != nil {
		t.Fatal(err)
	}
	e := journal.Event{Index: state.Next, Epoch: state.Epoch, At: state.Updated, Body: &journal.PassEnded{Status: "paused"}}
	if err := state.Apply(e); err != nil {
		t.Fatal(err)
	}
	return journal.Batch{ID: id, Epoch: state.Epoch, Events: []journal.Event{e}, Head: state.Head()}
}

func testConfirmClosed(t *testing.T, h history) {
	s := open(t, mix(t, h.old, h.now))
	closeStore(t, s)
	if err := s.Confirm(t.Context()); !errors.Is(err, errClosed) || s.Damage() == nil {
		t.Errorf("confirm said %v", err)
	}
}
