package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// countKeys counts a store's keys.
func countKeys(t *testing.T, s *Store, prefix []byte) (n int) {
	t.Helper()
	err := s.view(func(txn *badgerdb.Txn) error {
		n = len(keysUnder(txn, prefix))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// queue puts an append before the writer and does not wait for it.
func queue(t *testing.T, ctx context.Context, s *Store, b journal.Batch) *request {
	t.Helper()
	x, err := parseID(b.ID)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return queueTask(t, ctx, s, newAddition(x, b, enc))
}

func queueTask(t *testing.T, ctx context.Context, s *Store, task task) *request {
	t.Helper()
	r := &request{ctx: ctx, task: task, done: make(chan error, 1)}
	if err := s.enqueue(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// hold stops the writer, so that what is queued comes to wait, until release is called.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	queueTask(t, t.Context(), s, taskFunc(func(*writer) error { close(held); <-free; return nil }))
	<-held
	return func() { close(free) }
}

// taskFunc is a task that changes nothing.
type taskFunc func(w *writer) error

func (f taskFunc) run(w *writer) error { return f(w) }

func TestWaitingAppendsShareATransaction(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	before := s.mark.number
	release := hold(t, s)
	authors, requests := make([]*journaltest.Author, 40), make([]*request, 40)
	for i := range authors {
		authors[i] = journaltest.NewAuthor()
		b := authors[i].Begin()
		if i%4 == 0 {
			b = authors[i].Write("0") // refused: the execution has not begun
		}
		requests[i] = queue(t, t.Context(), s, b)
	}
	release()
	for i, r := range requests {
		switch err := <-r.done; {
		case i%4 == 0:
			if !errors.Is(err, journal.ErrConflict) {
				t.Errorf("an execution without a begin: %v", err)
			}
		case err != nil:
			t.Error(err)
		default:
			check(t, s, authors[i])
		}
	}
	closeStore(t, s)
	if got := s.mark.number - before; got != 1 {
		t.Errorf("they took %d transactions", got)
	}
}

func TestBatchesOfOneExecutionInOneTransaction(t *testing.T) {
	t.Parallel()
	s, a := open(t, t.TempDir()), journaltest.NewAuthor()
	release := hold(t, s)
	var requests []*request
	for _, b := range []journal.Batch{a.Begin(), a.Ask("0"), a.Pause(), a.Claim()} {
		requests = append(requests, queue(t, t.Context(), s, b))
	}
	release()
	for _, r := range requests {
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
	}
	check(t, s, a)
	if n := countKeys(t, s, []byte("s/")); n != 1 {
		t.Errorf("the execution has %d statuses", n)
	}
}

func TestMoreWaitsThanATransactionHolds(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	before := s.mark.number
	release := hold(t, s)
	authors, requests := make([]*journaltest.Author, 12), make([]*request, 12)
	for i := range authors {
		authors[i] = journaltest.NewAuthor()
		b := authors[i].Begin()
		b.Blobs = [][]byte{bytes.Repeat([]byte{byte(i)}, 400<<10)}
		requests[i] = queue(t, t.Context(), s, b)
	}
	release()
	for i, r := range requests {
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		check(t, s, authors[i])
	}
	closeStore(t, s)
	if got := s.mark.number - before; got != 3 {
		t.Errorf("they took %d transactions", got)
	}
}

func TestARequestWithdrawnBeforeItsTurn(t *testing.T) {
	t.Parallel()
	s, a := open(t, t.TempDir()), journaltest.NewAuthor()
	ctx, cancel := context.WithCancel(t.Context())
	release := hold(t, s)
	r := queue(t, ctx, s, a.Begin())
	cancel()
	release()
	if err := <-r.done; !errors.Is(err, context.Canceled) {
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
	other := journaltest.NewAuthor()
	second := s.Append(t.Context(), other.Begin())
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
	if _, err := s.Head(t.Context(), other.ID()); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("the second append was written all the same: %v", err)
	}
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
		before = append(before, countKeys(t, s, p))
	}
	a := journaltest.NewAuthor()
	write(t, s, a.Begin())
	write(t, s, a.Call(&journal.Issued{Seq: "0", Args: make([]byte, 3<<20), Verdict: journal.Verdict{Effect: "allow"}}))
	if err := s.Delete(t.Context(), a.ID()); err != nil {
		t.Fatal(err)
	}
	for i, p := range prefixes {
		if got := countKeys(t, s, p); got != before[i] {
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
	if n := countKeys(t, s, x.records()) + countKeys(t, s, prefixDeletion); n != 0 {
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
			err := (&Store{dir: "dir", floor: DefaultFloor}).checkSpace(test.free, test.begins, test.size)
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
