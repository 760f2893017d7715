package badger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// keysUnder counts a store's keys.
func keysUnder(t *testing.T, s *Store, prefix []byte) (n int) {
	t.Helper()
	err := s.view(func(txn *badgerdb.Txn) error {
		it := txn.NewIterator(badgerdb.IteratorOptions{Prefix: prefix})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWaitingAppendsShareATransaction(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	before := s.mark.number
	held, release := make(chan struct{}), make(chan struct{})
	errs := make(chan error, 40)
	go func() {
		errs <- s.submit(context.Background(), taskFunc(func(*writer) error { close(held); <-release; return nil }))
	}()
	<-held
	authors := make([]*journaltest.Author, 39)
	for i := range authors {
		authors[i] = journaltest.NewAuthor()
		b := authors[i].Begin()
		if i%3 == 0 {
			b.Events[0].Index, b.Events[1].Index = 7, 8 // refused: it does not begin
			b.Events[0].Body = b.Events[1].Body
		}
		go func() { errs <- s.Append(context.Background(), b) }()
	}
	for len(s.requests) < len(authors) {
		// The writer is held, so they all come to wait.
	}
	close(release)
	refused := 0
	for range cap(errs) {
		if err := <-errs; errors.Is(err, journal.ErrConflict) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused != 13 {
		t.Errorf("%d were refused", refused)
	}
	for i, a := range authors {
		if i%3 != 0 {
			check(t, s, a)
		}
	}
	closeStore(t, s)
	if got := s.mark.number - before; got != 1 {
		t.Errorf("they took %d transactions", got)
	}
}

// taskFunc is a task that changes nothing.
type taskFunc func(w *writer) error

func (f taskFunc) run(w *writer) error { return f(w) }

func TestARequestWithdrawnBeforeItsTurn(t *testing.T) {
	t.Parallel()
	s, a := open(t, t.TempDir()), journaltest.NewAuthor()
	ctx, cancel := context.WithCancel(t.Context())
	held, release := make(chan struct{}), make(chan struct{})
	errs := make(chan error, 2)
	go func() {
		errs <- s.submit(context.Background(), taskFunc(func(*writer) error { close(held); <-release; return nil }))
	}()
	<-held
	b := a.Begin()
	go func() { errs <- s.Append(ctx, b) }()
	for len(s.requests) < 1 {
		// The writer is held, so it comes to wait.
	}
	cancel()
	close(release)
	if err := errors.Join(<-errs, <-errs); !errors.Is(err, context.Canceled) {
		t.Errorf("the append said %v", err)
	}
	if _, err := s.Head(t.Context(), a.ID()); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("it was written all the same (%v)", err)
	}
}

func TestNothingIsWrittenAfterTheDiskFailed(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, a.Begin())
	if err := s.mark.close(); err != nil { // from here on the mark cannot be written
		t.Fatal(err)
	}
	unsure := a.Write("0")
	first := s.Append(t.Context(), unsure)
	second := s.Append(t.Context(), journaltest.NewAuthor().Begin())
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("the appends said %v, and %v", first, second)
	}
	if err := s.Close(); err == nil {
		t.Error("close kept the failure to itself")
	}
	s = open(t, dir)
	if err := s.Damage(); err != nil {
		t.Errorf("what was in flight is taken for damage: %v", err)
	}
	check(t, s, a) // it had been written; its writer was never told
}

func TestABatchOfManyTransactionsCountsAsOne(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin())
	closeStore(t, s)
	x, err := parseID(a.ID())
	if err != nil {
		t.Fatal(err)
	}
	// What a process leaves that dies before the last transaction of a large batch: records, chunks, no head.
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return errors.Join(
			txn.Set(x.record(2), newRecord(t, a.ID(), 2)),
			txn.Set(chunkKey(x.record(2), 0), []byte("part")),
			txn.Set(chunkKey(x.record(3), 5), []byte("part")),
			txn.Set(x.record(4), newRecord(t, a.ID(), 4)),
		)
	})
	s = open(t, dir)
	check(t, s, a)
	for n := range 3 {
		write(t, s, a.Write(fmt.Sprint(n)))
		check(t, s, a)
	}
}

func TestDeleteLeavesNothing(t *testing.T) {
	t.Parallel()
	s, other := open(t, t.TempDir()), journaltest.NewAuthor()
	write(t, s, other.Begin())
	prefixes := [][]byte{prefixRecords, prefixHeads, []byte("s/"), prefixDeletion}
	var before []int
	for _, p := range prefixes {
		before = append(before, keysUnder(t, s, p))
	}
	a := journaltest.NewAuthor()
	write(t, s, a.Begin())
	write(t, s, a.Call(&journal.Issued{Seq: "0", Args: make([]byte, 3<<20), Verdict: journal.Verdict{Effect: "allow"}}))
	if err := s.Delete(t.Context(), a.ID()); err != nil {
		t.Fatal(err)
	}
	for i, p := range prefixes {
		if got := keysUnder(t, s, p); got != before[i] {
			t.Errorf("%d keys under %s, where %d were before", got, p, before[i])
		}
	}
	check(t, s, other)
}

func TestAnInterruptedDeleteIsFinished(t *testing.T) {
	t.Parallel()
	dir, a, other := t.TempDir(), journaltest.NewAuthor(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin(), a.Write("0"), other.Begin())
	closeStore(t, s)
	x, err := parseID(a.ID())
	if err != nil {
		t.Fatal(err)
	}
	edit(t, dir, func(txn *badgerdb.Txn) error {
		return errors.Join(txn.Delete(x.head()), txn.Delete(x.status(journal.StatusRunning)), txn.Set(x.deletion(), nil))
	})
	s = open(t, dir)
	if n := keysUnder(t, s, x.records()) + keysUnder(t, s, prefixDeletion); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	check(t, s, other)
}

func TestSpace(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	tests := map[string]struct {
		free   uint64
		begins bool
		size   int64
		want   uint64 // MiB needed; 0: it is enough
	}{
		"plenty":                            {math.MaxUint64, true, 256 * mib, 0},
		"enough to begin":                   {256 * mib, true, 1, 0},
		"too little to begin":               {256*mib - 1, true, 1, 256},
		"a large beginning":                 {300 * mib, true, 256 * mib, 320},
		"too little to begin, but to go on": {256*mib - 1, false, 1, 0},
		"too little to go on":               {64 * mib, false, 1 * mib, 65},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkSpace("dir", test.free, test.begins, test.size)
			full, refused := errors.AsType[*FullError](err)
			if refused != (test.want > 0) || refused && (full.Need>>20 != test.want || full.Free != test.free) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if free, err := freeSpace(t.TempDir()); err != nil || free == 0 {
		t.Errorf("free space: %d, %v", free, err)
	}
}
