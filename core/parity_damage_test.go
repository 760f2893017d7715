package core_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core"
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
}
