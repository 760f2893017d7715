package core_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

// spoil overwrites the last event of an execution, in a journal that nobody has open.
func spoil(t *testing.T, dir, id string) {
	t.Helper()
	path := filepath.Join(dir, "journal", "default", "badger")
	db, err := badgerdb.Open(badgerdb.DefaultOptions(path).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(txn *badgerdb.Txn) error {
		of := uuid.MustParse(id)
		prefix := append([]byte("j/"), of[:]...)
		var last []byte
		it := txn.NewIterator(badgerdb.IteratorOptions{Prefix: prefix})
		for it.Rewind(); it.Valid(); it.Next() {
			last = bytes.Clone(it.Item().Key())
		}
		it.Close()
		return txn.Set(last, []byte(`{"$bytes": "was that all?"}`))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A record that cannot be read is told where somebody looks at it, and hurts no other execution: all is listed,
// pending, continued and decided as if it were not there.
func TestDamagedExecutionHurtsNoOther(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	w := newWorld(t, newItems(1, 2), onDisk(dir))
	bad := w.run(`await items.add({id: 7}); return await items.remove({id: 1})`)
	good := w.run(`return await items.remove({id: 2})`)
	w.stop()
	spoil(t, dir, bad.ExecutionID)
	w.start()

	p, err := w.host.Executions(ctx, core.ListRequest{})
	if err != nil || len(p.Executions) != 2 {
		t.Errorf("listed %+v, %v", p, err)
	}
	pending, err := w.host.Pending(ctx, "")
	if err != nil || len(pending) != 1 || pending[0].ExecutionID != good.ExecutionID {
		t.Errorf("pending %+v, %v", pending, err)
	}
	d, err := w.host.Show(ctx, bad.ExecutionID)
	if err != nil || d.Damage == "" || len(d.Outcome.Calls) != 2 || len(d.Timeline) == 0 {
		t.Errorf("shown %+v, %v", d, err)
	}
	if outs, err := w.host.ResumeAll(ctx); err != nil || len(outs) != 0 {
		t.Errorf("resumed %v, %v", outs, err)
	}
	if out, err := w.host.Approve(ctx, core.ApproveRequest{ExecutionID: bad.ExecutionID, All: true}); err == nil {
		t.Errorf("the damaged one was continued: %+v", out)
	}
	w.is(w.approve(good.ExecutionID), "completed", `"removed 2"`)
	w.effectsAre("add 7", "remove 2")

	damage, err := w.host.Examine(ctx)
	if err != nil || damage.Lost != "" || damage.Sound != 1 || len(damage.Executions) != 1 || damage.Executions[0].ID != bad.ExecutionID {
		t.Fatalf("examined %+v, %v", damage, err)
	}
	findings := core.JournalFindings("dir", damage)
	if len(findings) != 2 || findings[0].State != core.FindingOK || findings[1].State != core.FindingFault ||
		!strings.Contains(findings[1].Subject, bad.ExecutionID) || !strings.Contains(findings[1].Text, "restore a backup, or delete it") {
		t.Errorf("findings %+v", findings)
	}
	if r, err := w.host.Delete(ctx, bad.ExecutionID); err != nil || !r.Changed {
		t.Errorf("deleted %+v, %v", r, err)
	}
}

// A journal that may have lost events shows what it has and runs what is new; what had begun before does nothing.
func TestLossKeepsWhatHadBegun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	w := newWorld(t, newItems(1, 2), onDisk(dir))
	old := w.run(`return await items.remove({id: 1})`)
	w.is(old, "paused", "0")
	w.stop()
	if err := os.Remove(filepath.Join(dir, "journal", "default", "mark")); err != nil {
		t.Fatal(err)
	}
	w.start()
	damage, err := w.host.Examine(ctx)
	if err != nil || !strings.Contains(damage.Lost, "mark file is missing") || damage.Waiting != 1 || damage.Sound != 1 {
		t.Fatalf("examined %+v, %v", damage, err)
	}
	var damaged *journal.DamagedError
	if out, err := w.host.Approve(ctx, core.ApproveRequest{ExecutionID: old.ExecutionID, All: true}); !errors.As(err, &damaged) && (err != nil || out.ErrorType != "state") {
		t.Errorf("approved: %+v, %v", out, err)
	}
	fresh := w.run(`await items.add({id: 7}); return await items.remove({id: 2})`)
	w.is(fresh, "paused", "1")
	w.is(w.approve(fresh.ExecutionID), "completed", `"removed 2"`)
	w.effectsAre("add 7", "remove 2")
}

// Where the disk is almost full no program begins, and what has begun goes on to its end.
func TestAlmostFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, newItems(1), onDisk(dir))
	out := w.run(`await items.add({id: 7}); return await items.remove({id: 1})`)
	w.is(out, "paused", "1")
	w.more = func(o *core.Options) {
		onDisk(dir)(o)
		o.MinFree = 1 << 62
	}
	w.restart()
	w.is(w.run(`return await items.add({id: 8})`), "error", "state", "too full for a program to begin")
	w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
	w.effectsAre("add 7", "remove 1")
	if p, err := w.host.Executions(context.Background(), core.ListRequest{}); err != nil || len(p.Executions) != 1 {
		t.Errorf("listed %+v, %v", p, err)
	}
}
