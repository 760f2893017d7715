package core_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
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

// A program's world holds what is documented and the language itself, and nothing through which it could reach, name
// or write what the host keeps.
func TestProgramsReachNothingOfTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	out := w.run(`
		const standard = new Set(["globalThis", "Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined",
			"Boolean", "String", "Symbol", "Date", "Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError",
			"SyntaxError", "TypeError", "URIError", "JSON", "Math", "Intl", "ArrayBuffer", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array",
			"Uint32Array", "Int32Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigUint64Array", "BigInt64Array", "DataView", "Map",
			"BigInt", "Set", "WeakMap", "WeakSet", "WeakRef", "Proxy", "Reflect", "decodeURI", "decodeURIComponent", "encodeURI",
			"encodeURIComponent", "escape", "unescape", "isFinite", "isNaN", "eval", "Iterator", "SharedArrayBuffer", "Atomics"]);
		return Object.getOwnPropertyNames(globalThis).filter((name) => !standard.has(name)).sort()`)
	w.is(out, "completed", `["TextDecoder","TextEncoder","atob","btoa","clearInterval","clearTimeout","codemode","console",`+
		`"crypto","items","performance","queueMicrotask","setInterval","setTimeout","structuredClone"]`)

	attempts := `
		const seen = [];
		const tries = {
			own: () => [Object.getOwnPropertyNames(codemode), Object.getPrototypeOf(codemode), Object.getOwnPropertySymbols(codemode).length],
			constructor: () => [codemode.constructor, items.constructor, codemode.__proto__, items.__proto__],
			replace: () => { codemode.step = null; items.add = null; return [typeof codemode.step, typeof items.add] },
			define: () => Reflect.defineProperty(items, "forged", {value: 1}),
			remove: () => Reflect.deleteProperty(codemode, "step"),
			globals: () => { globalThis.items = 1; globalThis.codemode = 2; return [typeof items, typeof codemode] },
			forged: () => ["record", "journal", "decide", "apply", "outcome", "emit", "dispatch", "approve", "__record", "timer"].map((m) => { try { return codemode[m]({seq: "0"}) } catch { return "refused" } }).every((r) => r === "refused"),
		};
		for (const [name, f] of Object.entries(tries)) { try { seen.push([name, f()]) } catch (e) { seen.push([name, "throws"]) } }
		Array.prototype.push = function () { throw new Error("poisoned") };
		Object.prototype.seq = "99"; Object.prototype.State = "applied"; Object.prototype.toJSON = () => "forged";
		Promise.prototype.then = undefined;
		items.list().catch;
		return seen`
	out = w.run(attempts)
	if out.Status == "completed" {
		t.Errorf("it should have been told that toJSON is poisoned, or returned what follows: %s", out.Result)
	}
	_ = strings.Contains
}
