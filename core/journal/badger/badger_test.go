package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// killChild names the store's folder in a process that is to be killed.
const killChild = "JOURNAL_KILL_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(flipChild) != "" || os.Getenv(killChild) != "" || os.Getenv("JOURNAL_POWER_CHILD") != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("store", func(t *testing.T) {
		t.Parallel()
		journaltest.Run(t, func(t *testing.T) journal.Store { return open(t, t.TempDir()) })
	})
	t.Run("snippets", func(t *testing.T) {
		t.Parallel()
		journaltest.RunSnippets(t, func(t *testing.T) journaltest.SnippetStore { return open(t, t.TempDir()) })
	})
	t.Run("values", func(t *testing.T) {
		t.Parallel()
		journaltest.RunValues(t, func(t *testing.T) journaltest.ValueStore { return open(t, t.TempDir()) })
	})
	t.Run("import", func(t *testing.T) {
		t.Parallel()
		journaltest.RunImport(t, func(t *testing.T) journaltest.ImportStore { return open(t, t.TempDir()) })
	})
}

// awaitForks returns when no process is being started any more that shares what this one has closed meanwhile: Badger's
// lock is such a file, and other tests start processes.
func awaitForks() {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
}

// open opens a store that the test closes, if it has not done so.
func open(t testing.TB, dir string) *Store {
	t.Helper()
	awaitForks()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func write(t testing.TB, s *Store, batches ...journal.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// check compares what the store tells of an execution with what its author knows.
func check(t testing.TB, s *Store, a *journaltest.Author) {
	t.Helper()
	got, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.State, got); diff != "" {
		t.Errorf("not what was written (-want +got):\n%s", diff)
	}
}

// crash returns a copy of an open store's folder: what is left when its process dies now.
func crash(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		return copyFile(path, filepath.Join(to, name))
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// copyFile leaves holes where there are zeros: Badger makes its files large in advance.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	zeros := make([]byte, 64<<10)
	for at := 0; at < len(data); at += len(zeros) {
		block := data[at:min(at+len(zeros), len(data))]
		if bytes.Equal(block, zeros[:len(block)]) {
			continue
		}
		if _, err := f.WriteAt(block, int64(at)); err != nil {
			return err
		}
	}
	return f.Truncate(int64(len(data)))
}

// edit changes the database of a store that is not open, behind its back.
func edit(t testing.TB, dir string, change func(txn *badgerdb.Txn) error) {
	t.Helper()
	awaitForks()
	db, _, err := openDatabase(filepath.Join(dir, "badger"), Options{Dir: dir, Logger: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	dir, a, other := filepath.Join(t.TempDir(), "new", "journal"), journaltest.NewAuthor(), journaltest.NewAuthor()
	for n := range 3 {
		s := open(t, dir)
		if err := s.Damage(); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			write(t, s, a.Begin(), other.Begin())
		}
		write(t, s, a.Write(fmt.Sprint(n)))
		check(t, s, a)
		check(t, s, other)
		closeStore(t, s)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v (%v)", info.Mode(), err)
	}
}

func TestReopenAfterACrash(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s := open(t, dir)
	large := a.Begin()
	large.Blobs = [][]byte{make([]byte, 3<<20)}
	write(t, s, large, a.Write("0"))
	again := open(t, crash(t, dir))
	if err := again.Damage(); err != nil {
		t.Fatal(err)
	}
	check(t, again, a)
	write(t, again, a.Claim(), a.Write("1"))
	check(t, again, a)
}

func TestCloseWritesWhatWasAccepted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	authors, errs := make([]*journaltest.Author, 32), make([]error, 32)
	var wg sync.WaitGroup
	for i := range authors {
		authors[i] = journaltest.NewAuthor()
		b := authors[i].Begin()
		wg.Go(func() { errs[i] = s.Append(context.Background(), b) })
	}
	closeStore(t, s)
	wg.Wait()
	s = open(t, dir)
	for i, a := range authors {
		if errs[i] == nil {
			check(t, s, a)
			continue
		}
		if _, err := s.Head(t.Context(), a.ID()); !errors.Is(errs[i], errClosed) || !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("append said %v, and the head %v", errs[i], err)
		}
	}
}

func TestClosedStoreReadsNothing(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	closeStore(t, s)
	_, headErr := s.Head(t.Context(), journaltest.NewID())
	_, listErr := s.List(t.Context(), journal.Query{})
	for _, err := range []error{headErr, listErr, s.Delete(t.Context(), journaltest.NewID())} {
		if !errors.Is(err, errClosed) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	_, err := Open(t.Context(), Options{Dir: dir})
	if locked, ok := errors.AsType[*LockedError](err); !ok || locked.Dir != dir {
		t.Errorf("a second open: %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(cancelled, Options{Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: file}); err == nil {
		t.Error("a file was opened as a folder")
	}
}

func TestLaterFormat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closeStore(t, open(t, dir))
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return txn.Set(keySchema, []byte{0, 0, 0, 0, 0, 0, 0, schema + 1})
	})
	if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, journal.ErrNewer) {
		t.Errorf("a later format: %v", err)
	}
}

func TestCursorOfNoPage(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	if _, err := s.List(t.Context(), journal.Query{Cursor: "yesterday"}); err == nil {
		t.Error("any text is a cursor")
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := logger{hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Trace, DisableTime: true})}
	l.Debugf("debug %d\n", 1)
	l.Infof("info %d\n", 2)
	l.Warningf("warning %d\n", 3)
	l.Errorf("error %d\n", 4)
	if got, want := out.String(), "[WARN]  warning 3\n[ERROR] error 4\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
