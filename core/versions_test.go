package core_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Journals of earlier versions are kept for ever, and every later version must go on with them. See CONTRIBUTING.md for when
// another version of them is made:
//
//	go test ./core -run TestJournalsOfEarlierVersions -make-journals v2
var makeJournals = flag.String("make-journals", "", "make the journals of this version, such as v2, anew")

const journalsDir = "../testdata/journals"

// kept are the executions of a kept journal, by what they are, and their statuses.
type kept map[string]string

// keptRig is the connector under the kept journals, beside the items. Where it is told to, it loses its connection.
func keptRig() *rig { return newRig(rigGated, rigWrite, rigRead) }

// keptWorld is a host over the data folder of a kept journal.
func keptWorld(t *testing.T, dir string, it *items, r *rig) *world {
	t.Helper()
	return newWorld(t, it, func(o *core.Options) {
		onDisk(dir)(o)
		r.rigged(o)
	})
}

// makeKept makes a journal that has what journals can have, and returns the ids of its executions. Those that are left
// running are in the copy alone that copyAs makes while they run.
func makeKept(t *testing.T, dir string, copyAs string) kept {
	t.Helper()
	it, r := newItems(1, 2, 3), keptRig()
	w := keptWorld(t, dir, it, r)
	ids := kept{}

	done := w.run(`console.log("é"); const l = await items.list(); await items.add({ id: 7 }); return { l, big: await codemode.step("big", () => "0123456789".repeat(60000)) }`)
	ids["completed"] = done.ExecutionID
	if _, err := w.host.SaveSnippet(context.Background(), core.SaveRequest{Name: "count", ExecutionID: w.run(`return (await items.list()).length`).ExecutionID, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	ids["failed"] = w.run(`try { await items.fail({ id: 1 }) } catch (e) { throw new TypeError("no", { cause: e }) }`).ExecutionID
	undone := w.run(`await items.add({ id: 8 }); await items.add({ id: 9 })`)
	w.rollback(undone.ExecutionID)
	ids["rolled back"] = undone.ExecutionID
	ids["paused"] = w.run(`const n = await codemode.run("count"); await items.add({ id: 10 });
		const [a, b] = await Promise.all([items.remove({ id: 1 }), items.remove({ id: 2 })]); return [n, a, b, Math.random() < 2]`).ExecutionID
	ids["paused after an approval"] = w.run(`const a = await items.remove({ id: 3 }); return [a, await rig.gated({})]`).ExecutionID
	w.approve(ids["paused after an approval"])
	ids["rejected"] = w.run(`return await rig.gated({})`).ExecutionID
	if _, err := w.host.Reject(context.Background(), core.RejectRequest{ExecutionID: ids["rejected"], Seq: "0", Decider: core.Decider{By: "ada", Note: "no"}}); err != nil {
		t.Fatal(err)
	}
	r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, errLost }
	ids["in doubt"] = w.run(`return await rig.write({ n: 1 })`).ExecutionID

	// One runs while the folder is copied, as a crash would leave it.
	started := make(chan struct{})
	r.invoke = func(ctx context.Context, _ *wire.Call) (*wire.Result, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := w.host.Run(ctx, core.RunRequest{Code: `await items.add({ id: 11 }); return await rig.read({})`})
		ended <- err
	}()
	<-started
	p, err := w.host.Executions(context.Background(), core.ListRequest{Statuses: []string{"running"}})
	if err != nil || len(p.Executions) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	ids["running"] = p.Executions[0].ID
	pack(t, dir, copyAs)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	w.stop()
	return ids
}

// TestJournalsOfEarlierVersions opens every kept journal, as its process left it, and goes on with what waits in it.
func TestJournalsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	if v := *makeJournals; v != "" {
		to := filepath.Join(journalsDir, v)
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		ids, err := json.MarshalIndent(makeKept(t, t.TempDir(), filepath.Join(to, "killed.tar.gz")), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "executions.json"), append(ids, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	versions, err := os.ReadDir(journalsDir)
	if err != nil || len(versions) == 0 {
		t.Fatalf("no journals are kept: %v", err)
	}
	for _, v := range versions {
		t.Run(v.Name(), func(t *testing.T) {
			t.Parallel()
			goOn(t, filepath.Join(journalsDir, v.Name()))
		})
	}
}

func goOn(t *testing.T, version string) {
	text, err := os.ReadFile(filepath.Join(version, "executions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var ids kept
	if err := json.Unmarshal(text, &ids); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	unpack(t, filepath.Join(version, "killed.tar.gz"), dir)
	it, r := newItems(1, 2, 3, 7, 10, 11), keptRig()
	w := keptWorld(t, dir, it, r)
	ctx := context.Background()
	if d, err := w.host.Examine(ctx); err != nil || d.Lost != "" || len(d.Executions) > 0 || d.Sound < len(ids) {
		t.Fatalf("examined: %+v, %v", d, err)
	}
	for name, status := range map[string]string{
		"completed": "completed", "failed": "error", "rolled back": "rolled_back", "paused": "paused",
		"paused after an approval": "paused", "rejected": "rejected", "in doubt": "paused", "running": "running",
	} {
		if got := w.status(ids[name]); got != status {
			t.Errorf("%s is %s", name, got)
		}
	}
	if list, err := w.host.Snippets(ctx); err != nil || len(list) != 1 || list[0].Name != "count" {
		t.Errorf("snippets %+v, %v", list, err)
	}

	w.is(w.resume(ids["running"]), "completed", `"done"`)
	w.is(w.settle(ids["in doubt"], "0", core.SettleDone, `"it was"`), "completed", `"it was"`)
	w.is(w.approve(ids["paused after an approval"]), "completed", `["removed 3","done"]`)
	w.is(w.approve(ids["paused"]), "completed", `[4,"removed 1","removed 2",true]`)
	if got := slices.Sorted(slices.Values(it.effects())); !slices.Equal(got, []string{"remove 1", "remove 2"}) {
		t.Errorf("effects %q: all else had been done before", got)
	}
	if got := w.rollback(ids["completed"]); got.Status != "rolled_back" {
		t.Errorf("rolled back: %+v", got)
	}
	if got := r.noted(); !slices.Equal(got, []string{"invoke read 2", "invoke gated 1"}) {
		t.Errorf("the rig was asked: %q", got)
	}
	if got := w.status(ids["completed"]); got != "rolled_back" {
		t.Errorf("status %s", got)
	}
}

// pack copies the journal and the key of a data folder. Badger makes its files large in advance: zeros cost nothing.
func pack(t *testing.T, dir, to string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "LOCK" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err := errors.Join(err, w.Close(), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, from, dir string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(h.Name) {
			t.Fatalf("%v, %v", h, err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}
