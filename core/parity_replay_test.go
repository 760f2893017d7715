package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// Every call and every step has one entry, numbered by the host in program order.
func TestEveryCallHasOneEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`
		const p = [items.add({id: 4}), items.list()];
		await codemode.step("s", async () => { await items.notify({id: 5}); await items.list() });
		await Promise.all(p);
		await new Promise(r => setTimeout(r, 1));
		await codemode.search("list");
		await items.remove({id: 1})`)
	w.is(out, "paused", "5")
	want := []string{
		"0 items.add applied", "1 items.list applied", "2 codemode.step applied", "2.0 items.notify applied", "2.1 items.list applied",
		"3 codemode.timer applied", "4 codemode.search applied", "5 items.remove pending",
	}
	same(t, "calls", calls(out), want)
	w.restart()
	want[len(want)-1] = "5 items.remove applied"
	same(t, "calls after the approval", calls(w.approve(out.ExecutionID)), want)
}

// A process that ends between pause and decision loses nothing: what waits is listed from the disk, what was read is
// read from the journal, and the approved call runs once.
func TestPauseOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	it := newItems(1, 2)
	w := newWorld(t, it, onDisk(t.TempDir()))
	out := w.run(`const l = await items.list(); await items.add({id: 9}); const r = await items.remove({id: l[0]}); return [l, r, await items.list()]`)
	w.is(out, "paused", "2")
	w.stop()
	w.items = newItems(1, 2, 3, 9) // another connector process, and a world that has moved on
	w.start()
	pending, err := w.host.Pending(context.Background(), "")
	if err != nil || len(pending) != 1 || pending[0].ExecutionID != out.ExecutionID || string(pending[0].Args) != `{"id":1}` {
		t.Fatalf("%+v, %v", pending, err)
	}
	w.is(w.approve(out.ExecutionID), "completed", `[[1,2],"removed 1",[2,3,9]]`)
	w.effectsAre("remove 1")
	if n := w.items.called("list"); n != 1 {
		t.Errorf("the new connector was read %d times, once is live", n)
	}
}

// When the connector gets an approved call, the journal already says that it executes.
func TestApprovedCallIsExecutingBeforeItIsSent(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	w := newWorld(t, it)
	out := w.run(`return await items.remove({id: 1})`)
	w.is(out, "paused", "0")
	state := ""
	it.hook = func(context.Context, string, int) error {
		state = string(w.recorded(out.ExecutionID).Calls["0"].State) // from the store, as another process would see it
		return nil
	}
	w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
	if state != "executing" {
		t.Errorf("the journal said %q", state)
	}
}

// A rejection that comes while the approved call executes is too late: it changes nothing and says so.
func TestRejectWhileTheApprovedCallExecutes(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	w := newWorld(t, it)
	out := w.run(`return await items.remove({id: 1})`)
	w.is(out, "paused", "0")
	var reply *core.Reply
	it.hook = func(ctx context.Context, method string, _ int) error {
		var err error
		reply, err = w.host.Reject(ctx, core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "0", Decider: core.Decider{Note: "too late"}})
		return err
	}
	done := w.approve(out.ExecutionID)
	w.is(done, "completed", `"removed 1"`)
	if reply == nil || reply.Changed || !strings.Contains(reply.Message, "executing") {
		t.Errorf("reply %+v", reply)
	}
	same(t, "calls", calls(done), []string{"0 items.remove applied"})
}

// Two programs at once have their own ids and results.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	it := newItems()
	both := make(chan struct{})
	var once sync.Once
	it.hook = func(_ context.Context, _ string, id int) error {
		if id == 2 {
			once.Do(func() { close(both) }) // the second is here while the first waits
		}
		<-both
		return nil
	}
	w := newWorld(t, it)
	outs := make([]*core.Outcome, 2)
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i := range outs {
		wg.Go(func() {
			outs[i], errs[i] = w.host.Run(context.Background(), core.RunRequest{Code: fmt.Sprintf(`return await items.add({id: %d})`, i+1)})
		})
	}
	wg.Wait()
	for i, out := range outs {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		w.is(out, "completed", fmt.Sprintf(`"added %d"`, i+1))
	}
	if outs[0].ExecutionID == outs[1].ExecutionID {
		t.Error("one id for two executions")
	}
}

// There is no current execution: whatever acts on one must name it.
func TestEveryActNamesItsExecution(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.remove({id: 1})`)
	w.is(out, "paused", "0")
	by := core.Decider{By: "ada", Note: "n"}
	approved, err1 := w.host.Approve(ctx, core.ApproveRequest{All: true, Decider: by})
	refused, err2 := w.host.Refuse(ctx, core.RejectRequest{Seq: "0", Decider: by})
	settled, err3 := w.host.Settle(ctx, core.SettleRequest{Seq: "0", How: core.SettleEnd, Decider: by})
	resumed, err4 := w.host.Resume(ctx, "")
	for i, got := range []*core.Outcome{approved, refused, settled, resumed} {
		if err := []error{err1, err2, err3, err4}[i]; err != nil {
			t.Fatal(err)
		}
		w.is(got, "error", engine.ErrorState, `no execution ""`)
	}
	if r, err := w.host.Reject(ctx, core.RejectRequest{Seq: "0", Decider: by}); err != nil || r.Changed {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.host.Rollback(ctx, core.RollbackRequest{}); err != nil || r.Changed {
		t.Errorf("%+v, %v", r, err)
	}
	if s := w.status(out.ExecutionID); s != "paused" {
		t.Errorf("status %s", s)
	}
}

// A connector's error that nobody catches ends the execution, with its words, code and place; nothing else is said.
func TestConnectorErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	out := w.run("const a = 1;\nawait items.fail({id: 7});\nawait items.add({id: 1})")
	w.is(out, "error", engine.ErrorRuntime, "there is no item 7")
	if d := out.ErrorDetail; d.Code != "not_found" || d.Line != 2 {
		t.Errorf("%+v", d)
	}
	if s := w.status(out.ExecutionID); s != "error" || len(out.Logs) != 0 {
		t.Errorf("status %s, logs %q", s, out.Logs)
	}
	w.effectsAre()
}

// A name that does not exist is told with the names that do.
func TestReferenceErrorNamesTheGlobals(t *testing.T) {
	t.Parallel()
	w, _ := newVault(t)
	out := w.run(`return host.items`)
	w.is(out, "error", engine.ErrorRuntime, "host is not defined")
	for _, name := range []string{"items", "vault", "codemode", "input", "env", "console"} {
		if !strings.Contains(out.Error, name) {
			t.Errorf("%q does not name %s", out.Error, name)
		}
	}
}

// A runtime's name is its identity: two names in one data folder are two histories, one name is one.
func TestRuntimesHaveTheirOwnHistories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := ""
	w := newWorld(t, newItems(), func(o *core.Options) { o.Store, o.Dir, o.Name = nil, dir, name })
	seen := func() (ids []string) {
		t.Helper()
		p, err := w.host.Executions(context.Background(), core.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range p.Executions {
			ids = append(ids, h.ID)
		}
		return ids
	}
	first := w.run(`return 1`).ExecutionID
	name = "staging"
	w.restart()
	same(t, "history of another name", seen(), nil)
	second := w.run(`return 2`).ExecutionID
	same(t, "its own", seen(), []string{second})
	name = "default"
	w.restart()
	same(t, "history of the default name", seen(), []string{first})
}

func TestRuntimeNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"": true, "default": true, "a-b_c.1": true, "A": true,
		"a b": false, "a/b": false, "é": false, "a\n": false, "..": false, ".": false, "../x": false,
	} {
		h, err := core.New(context.Background(), core.Options{Name: name})
		if err == nil {
			err = h.Close()
		}
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What connectors a host has does not touch its history; an execution knows those that it began with.
func TestConnectorsAreData(t *testing.T) {
	t.Parallel()
	v := &vault{}
	w := newWorld(t, newItems(1))
	out := w.run(`const names = Object.keys(env); await items.remove({id: 1}); return [names, Object.keys(env), typeof vault]`)
	w.is(out, "paused", "0")
	w.more = v.with(t)
	w.restart()
	if got := w.recorded(out.ExecutionID).Begun.Connectors; len(got) != 1 || got[0].Label != "items" || got[0].Version != "1" {
		t.Errorf("recorded connectors %+v", got)
	}
	w.is(w.approve(out.ExecutionID), "completed", `[["items"],["items"],"undefined"]`)
	second := w.run(`return Object.keys(env)`)
	w.is(second, "completed", `["items","vault"]`)
	p, err := w.host.Executions(context.Background(), core.ListRequest{})
	if err != nil || len(p.Executions) != 2 || p.Executions[0].ID != second.ExecutionID || p.Executions[1].ID != out.ExecutionID {
		t.Errorf("%+v, %v", p, err)
	}
}

// The words for statuses and call states, each met in the life of an execution.
func TestStatusesAndStates(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	it := newItems(1, 2, 3)
	var w *world
	var mu sync.Mutex // guards the two
	statuses, states := map[string]bool{}, map[string]bool{}
	note := func() {
		mu.Lock()
		defer mu.Unlock()
		p, err := w.host.Executions(ctx, core.ListRequest{})
		if err != nil {
			t.Error(err)
			return
		}
		for _, h := range p.Executions {
			statuses[string(h.Status)] = true
			for _, c := range w.recorded(h.ID).Calls {
				states[string(c.State)] = true
			}
		}
	}
	it.hook = func(_ context.Context, method string, id int) error {
		note()
		if method == "add" && id == 66 {
			return &sdk.Error{Code: sdk.Timeout, Message: "no answer"}
		}
		return nil
	}
	w = newWorld(t, it)
	noted := func(out *core.Outcome) *core.Outcome { note(); return out }
	by := core.Decider{By: "ada", Note: "n"}

	rolledBack := noted(w.run(`await Promise.all([items.add({id: 4}), items.add({id: 5})])`))
	if _, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: rolledBack.ExecutionID}); err != nil {
		t.Fatal(err)
	}
	note()
	noted(w.run(`try { await items.remove({no: 1}) } catch {} const a = setTimeout(() => {}, 1e4); clearTimeout(a); await items.fail({id: 1})`))
	noted(w.run(`await items.add({id: 66})`))
	rejected := noted(w.run(`await items.remove({id: 1})`))
	if _, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: rejected.ExecutionID, Seq: "0", Decider: by}); err != nil {
		t.Fatal(err)
	}
	note()
	noted(w.run(`await items.remove({id: 2})`))
	if _, err := w.host.ExpirePaused(ctx, 0); err != nil {
		t.Fatal(err)
	}
	note()
	// In seq order: the second is journaled as queued when the first is sent.
	w.more = func(o *core.Options) { o.Limits.InFlight = 1 }
	w.restart()
	noted(w.run(`await Promise.all([items.add({id: 7}), items.add({id: 8})])`))

	for _, s := range []string{"running", "paused", "completed", "error", "rejected", "rolled_back"} {
		if !statuses[s] {
			t.Errorf("no execution was %s", s)
		}
	}
	want := []string{
		"queued", "pending", "executing", "applied", "failed", "denied", "rejected", "expired", "withdrawn", "in_doubt", "reverted",
	}
	for _, s := range want {
		if !states[s] {
			t.Errorf("no call was %s", s)
		}
	}
	if len(statuses) != 6 || len(states) != len(want) {
		t.Errorf("other words: %v, %v", statuses, states)
	}
}

// A pass does not end while a call is in flight, so that no call runs again after the approval.
func TestCallsInFlightAtAPauseRunOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1)
		it.hook = func(_ context.Context, method string, _ int) error {
			switch method {
			case "list":
				time.Sleep(3 * time.Second)
			case "add":
				time.Sleep(5 * time.Second)
			}
			return nil
		}
		w := newWorld(t, it)
		began := time.Now()
		out := w.run(`return await Promise.all([items.remove({id: 1}), items.list(), items.add({id: 2})])`)
		w.is(out, "paused", "0")
		if took := time.Since(began); took < 5*time.Second {
			t.Errorf("the pass ended after %s, with a call in flight", took)
		}
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", `["removed 1",[1],"added 2"]`)
		w.effectsAre("add 2", "remove 1")
		if n := w.items.called("list") + w.items.called("add"); n != 2 {
			t.Errorf("%d calls, want one each", n)
		}
		w.stop()
	})
}

// Calls under a step are numbered under it, judged like any other, and replay; a step can pause in its middle.
func TestCallsInAStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2))
	out := w.run(`
		const both = await codemode.step("both", async () => [await items.add({id: 7}), await items.remove({id: 1}), Math.random()]);
		await items.remove({id: 2});
		return both.slice(0, 2)`)
	w.is(out, "paused", "0.1")
	w.restart()
	again := w.approve(out.ExecutionID)
	w.is(again, "paused", "1")
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `["added 7","removed 1"]`)
	w.effectsAre("add 7", "remove 1", "remove 2")
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || len(r.Reverted) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.effectsAre("add 7", "remove 1", "remove 2", "undo removed 2", "undo removed 1", "undo added 7")
}

// latencies makes a hook by which the call for item i takes the ith time.
func latencies(times ...time.Duration) func(context.Context, string, int) error {
	return func(ctx context.Context, _ string, id int) error {
		if id >= len(times) {
			return nil
		}
		select {
		case <-time.After(times[id]):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// The same branch is taken however fast connectors are in a later pass: results belong to calls, not to arrivals.
func TestConcurrencyReplaysWhateverTheLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		it := newItems(9)
		w := newWorld(t, it)
		it.hook = latencies(0, 30*ms, 20*ms, 10*ms, 50*ms, 40*ms)
		out := w.run(`
			const order = [];
			const got = await Promise.all([1, 2, 3].map(async (id) => { const r = await items.notify({id}); order.push(id); return r + id }));
			const winner = await Promise.race([4, 5].map(async (id) => { await items.notify({id}); return id }));
			if (winner === 5) await items.add({id: 50}); else await items.notify({id: 40});
			await items.remove({id: 9});
			return [got, order, winner]`)
		w.is(out, "paused", "6")
		it.hook = latencies(0, 10*ms, 20*ms, 30*ms, 40*ms, 50*ms)
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", `[["told1","told2","told3"],[3,2,1],5]`)
		w.effectsAre("notify 3", "notify 2", "notify 1", "notify 5", "add 50", "notify 4", "remove 9")
		w.stop()
	})
}

// A host that stops while some of a Promise.all have answered goes on with the rest, in another order of answers.
func TestConcurrencyGoesOnAfterAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		it := newItems(9)
		reads := func(times ...time.Duration) func(context.Context, string, int) error {
			wait := latencies(times...)
			return func(ctx context.Context, method string, id int) error {
				if method == "fail" {
					return wait(ctx, method, id)
				}
				return nil
			}
		}
		w := newWorld(t, it)
		it.hook = reads(0, time.Hour, time.Hour, 10*ms)
		host := w.host
		stopped := make(chan error)
		go func() {
			_, err := host.Run(context.Background(), core.RunRequest{Code: `
				return await Promise.all([1, 2, 3].map(async (id) => {
					try { await items.fail({id}) } catch (e) { return [e.message, await items.add({id})] }
				}))`})
			stopped <- err
		}()
		time.Sleep(time.Second)
		w.effectsAre("add 3")
		w.stop()
		if err := <-stopped; !errors.Is(err, engine.ErrStopped) {
			t.Errorf("the run ended with %v", err)
		}
		it.hook = reads(0, 20*ms, 10*ms, time.Hour)
		w.start()
		outs, err := w.host.ResumeAll(context.Background())
		if err != nil || len(outs) != 1 {
			t.Fatalf("%v, %v", outs, err)
		}
		w.is(outs[0], "completed", `[["there is no item 1","added 1"],["there is no item 2","added 2"],["there is no item 3","added 3"]]`)
		w.effectsAre("add 3", "add 2", "add 1")
		w.stop()
	})
}

// Discovery is a call like any other: what the first pass found is what every pass finds, whatever connectors there
// are by then. A snippet that is not there is a value.
func TestDiscoveryReplays(t *testing.T) {
	t.Parallel()
	v := &vault{}
	w := newWorld(t, newItems(1), v.with(t))
	out := w.run(`
		const find = async () => [(await codemode.search("seal a value")).results.map((r) => r.path), (await codemode.describe("vault.seal")).kind, await codemode.run("nobody", 1)];
		const found = await find();
		await items.remove({id: 1});
		return [found, await find()]`)
	w.is(out, "paused", "3")
	first := out.Calls[0]
	if first.Connector != "codemode" || first.Method != "search" || !strings.Contains(string(first.Result), "vault.seal") {
		t.Fatalf("%+v", first)
	}
	// The vault lacks the method by now.
	w.more = func(o *core.Options) {
		c := &sdk.Connector{Name: "vault", Version: "2"}
		o.Connectors = append(o.Connectors, core.Connector{Label: "vault", Connector: mounted(t, c)})
	}
	w.restart()
	done := w.approve(out.ExecutionID)
	const nobody = `{"error":"There is no snippet named \"nobody\"."}`
	w.is(done, "completed", `[[["vault.seal","vault.put","vault.read"],"method",`+nobody+`],[[],"unknown",`+nobody+`]]`)
	if got := calls(done); len(got) != 7 || !slices.Contains(got, "2 codemode.run applied") {
		t.Errorf("calls %q", got)
	}
}
