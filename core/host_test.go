package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/core/sandbox/worker"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

func TestMain(m *testing.M) {
	if worker.IsChild() {
		core.SandboxMain()
	}
	goleak.VerifyTestMain(m) // hosts run programs in this process, where a test does not say otherwise
}

// items is a connector that counts what it is asked to do. Writes carry numbers; removals need approval.
type items struct {
	mu    sync.Mutex
	have  map[int]bool
	log   []string // every effect, in order
	calls map[string]int
	// hook runs inside every handler, before its work.
	hook func(ctx context.Context, method string, id int) error
}

type itemID struct {
	ID int `json:"id"`
}

func newItems(ids ...int) *items {
	it := &items{have: map[int]bool{}, calls: map[string]int{}}
	for _, id := range ids {
		it.have[id] = true
	}
	return it
}

func (it *items) enter(ctx context.Context, method string, id int) error {
	it.mu.Lock()
	it.calls[method]++
	hook := it.hook
	it.mu.Unlock()
	if hook != nil {
		return hook(ctx, method, id)
	}
	return nil
}

func (it *items) effect(format string, args ...any) {
	it.log = append(it.log, fmt.Sprintf(format, args...))
}

func (it *items) effects() []string {
	it.mu.Lock()
	defer it.mu.Unlock()
	return slices.Clone(it.log)
}

func (it *items) called(method string) int {
	it.mu.Lock()
	defer it.mu.Unlock()
	return it.calls[method]
}

func (it *items) connector() *sdk.Connector {
	return &sdk.Connector{
		Name: "items", Version: "1", Instructions: "Numbered items.",
		Methods: []sdk.Method{
			sdk.Func[struct{}, []int]{Name: "list", Description: "List the items.", ReadOnly: true, Call: func(ctx context.Context, _ struct{}) ([]int, error) {
				if err := it.enter(ctx, "list", 0); err != nil {
					return nil, err
				}
				it.mu.Lock()
				defer it.mu.Unlock()
				list := []int{}
				for id := range it.have {
					list = append(list, id)
				}
				slices.Sort(list)
				return list, nil
			}},
			sdk.Func[struct{}, int]{Name: "fresh", Description: "Count its calls.", ReadOnly: true, Replay: sdk.Reexecute, Call: func(ctx context.Context, _ struct{}) (int, error) {
				err := it.enter(ctx, "fresh", 0)
				return it.called("fresh"), err
			}},
			sdk.Func[itemID, string]{
				Name: "add", Description: "Add an item.", Approval: sdk.NotRequired,
				Call: func(ctx context.Context, in itemID) (string, error) {
					if err := it.enter(ctx, "add", in.ID); err != nil {
						return "", err
					}
					it.mu.Lock()
					defer it.mu.Unlock()
					it.have[in.ID] = true
					it.effect("add %d", in.ID)
					return fmt.Sprintf("added %d", in.ID), nil
				},
				Revert: func(ctx context.Context, in itemID, out string) error {
					if err := it.enter(ctx, "revert add", in.ID); err != nil {
						return err
					}
					it.mu.Lock()
					defer it.mu.Unlock()
					delete(it.have, in.ID)
					it.effect("undo %s", out)
					return nil
				},
			},
			sdk.Func[itemID, string]{
				Name: "remove", Description: "Remove an item.", Approval: sdk.Required, Destructive: true,
				Prepare: func(_ context.Context, in itemID) (any, error) {
					it.mu.Lock()
					defer it.mu.Unlock()
					return it.have[in.ID], nil
				},
				Call: func(ctx context.Context, in itemID) (string, error) {
					if err := it.enter(ctx, "remove", in.ID); err != nil {
						return "", err
					}
					it.mu.Lock()
					defer it.mu.Unlock()
					delete(it.have, in.ID)
					it.effect("remove %d", in.ID)
					return fmt.Sprintf("removed %d", in.ID), nil
				},
				Revert: func(ctx context.Context, in itemID, out string) error {
					had, err := sdk.Before[bool](ctx)
					if err != nil {
						return err
					}
					it.mu.Lock()
					defer it.mu.Unlock()
					it.have[in.ID] = had
					it.effect("undo %s", out)
					return nil
				},
				Preview: func(_ context.Context, in itemID) (string, error) { return fmt.Sprintf("Remove item %d.", in.ID), nil },
			},
			sdk.Func[itemID, string]{Name: "notify", Description: "Tell people.", Approval: sdk.NotRequired, Call: func(ctx context.Context, in itemID) (string, error) {
				if err := it.enter(ctx, "notify", in.ID); err != nil {
					return "", err
				}
				it.mu.Lock()
				defer it.mu.Unlock()
				it.effect("notify %d", in.ID)
				return "told", nil
			}},
			sdk.Func[itemID, string]{Name: "fail", Description: "Fail.", ReadOnly: true, Call: func(ctx context.Context, in itemID) (string, error) {
				if err := it.enter(ctx, "fail", in.ID); err != nil {
					return "", err
				}
				return "", sdk.Errorf(sdk.NotFound, "there is no item %d", in.ID)
			}},
		},
	}
}

// world is a host that can be restarted over the same journal.
type world struct {
	t     *testing.T
	store journal.Store
	items *items
	host  *core.Host
	more  func(*core.Options)
}

func newWorld(t *testing.T, it *items, more ...func(*core.Options)) *world {
	t.Helper()
	w := &world{t: t, store: memory.New(), items: it}
	if len(more) > 0 {
		w.more = more[0]
	}
	w.start()
	t.Cleanup(w.stop)
	return w
}

func (w *world) start() {
	w.t.Helper()
	c, err := w.items.connector().InProcess()
	if err != nil {
		w.t.Fatal(err)
	}
	o := core.Options{Store: w.store, Connectors: []core.Connector{{Label: "items", Connector: c}}}
	if w.more != nil {
		w.more(&o)
	}
	w.host, err = core.New(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) stop() {
	w.t.Helper()
	if w.host == nil {
		return
	}
	if err := w.host.Close(); err != nil {
		w.t.Error(err)
	}
	w.host = nil
}

// restart replaces the host, and the connector's state stays.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.start()
}

func (w *world) run(code string) *core.Outcome {
	w.t.Helper()
	out, err := w.host.Run(context.Background(), core.RunRequest{Code: code})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) approve(id string, seqs ...string) *core.Outcome {
	w.t.Helper()
	req := core.ApproveRequest{ExecutionID: id, All: len(seqs) == 0, Decider: core.Decider{By: "ada", Via: "test"}}
	for _, seq := range seqs {
		req.Calls = append(req.Calls, core.Shown{Seq: seq})
	}
	out, err := w.host.Approve(context.Background(), req)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// is fails the test unless the outcome is as wanted: "completed" and the result, "paused" and the pending seqs, or
// "error", its type and a part of its text.
func (w *world) is(out *core.Outcome, want ...string) {
	w.t.Helper()
	got := []string{out.Status}
	switch out.Status {
	case "completed":
		got = append(got, string(out.Result))
	case "paused":
		for _, p := range out.Pending {
			got = append(got, p.Seq)
		}
	case "error":
		got = append(got, out.ErrorType)
		if len(want) > 2 && strings.Contains(out.Error, want[2]) {
			got = append(got, want[2])
		} else {
			got = append(got, out.Error)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("outcome:\n got  %q\n want %q\n error %s\n logs %q", got, want, out.Error, out.Logs)
	}
}

func (w *world) effectsAre(want ...string) {
	w.t.Helper()
	if got := w.items.effects(); !slices.Equal(got, want) {
		w.t.Fatalf("effects:\n got  %q\n want %q", got, want)
	}
}

func (w *world) status(id string) string {
	w.t.Helper()
	d, err := w.host.Show(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return d.Status
}

func TestReadOnlyRunsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2))
	out := w.run(`const l = await items.list(); console.log("have", l); return l.map(x => x * 10)`)
	w.is(out, "completed", "[10,20]")
	if len(out.Logs) != 1 || !strings.Contains(out.Logs[0], "have") {
		t.Errorf("logs %q", out.Logs)
	}
	if len(out.Calls) != 1 || out.Calls[0].Seq != "0" || out.Calls[0].State != "applied" {
		t.Errorf("calls %+v", out.Calls)
	}
}

func TestGatedCallPausesAndIsAppliedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2))
	out := w.run(`const l = await items.list(); const r = await items.remove({id: l[0]}); return [l, r]`)
	w.is(out, "paused", "1")
	p := out.Pending[0]
	if p.Connector != "items" || p.Method != "remove" || string(p.Args) != `{"id":1}` || p.Kind != "approval" || p.Preview != "Remove item 1." || !p.Revertible || p.Digest == "" {
		t.Errorf("pending %+v", p)
	}
	w.effectsAre()
	w.items.have[7] = true // what changes meanwhile does not show
	w.restart()
	pending, err := w.host.Pending(context.Background(), "")
	if err != nil || len(pending) != 1 || pending[0].Seq != "1" {
		t.Fatalf("pending after a restart: %+v, %v", pending, err)
	}
	done := w.approve(out.ExecutionID)
	w.is(done, "completed", `[[1,2],"removed 1"]`)
	w.effectsAre("remove 1")
	if w.items.called("list") != 1 {
		t.Errorf("the read ran %d times", w.items.called("list"))
	}
	w.is(w.approve(out.ExecutionID), "error", "state", "completed")
	w.effectsAre("remove 1")
}

func TestConcurrentWritesAreAskedForTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2, 3))
	out := w.run(`return await Promise.all([3, 1, 2].map(id => items.remove({id})))`)
	w.is(out, "paused", "0", "1", "2")
	out2 := w.approve(out.ExecutionID, "1")
	w.is(out2, "paused", "0", "2")
	w.effectsAre("remove 1")
	w.restart()
	out3 := w.approve(out.ExecutionID, "2", "0")
	w.is(out3, "completed", `["removed 3","removed 1","removed 2"]`)
	if got := len(w.items.effects()); got != 3 {
		t.Errorf("%d effects", got)
	}
}

func TestCatchDoesNotSeeAPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`try { await items.remove({id: 1}) } catch (e) { await items.add({id: 9}) } finally { await items.notify({id: 9}) } return "end"`)
	w.is(out, "paused", "0")
	w.effectsAre()
	w.is(w.approve(out.ExecutionID), "completed", `"end"`)
	w.effectsAre("remove 1", "notify 9")
}

func TestReject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.add({id: 5}); await items.remove({id: 1})`)
	w.is(out, "paused", "1")
	ctx := context.Background()
	for name, req := range map[string]core.RejectRequest{
		"unknown seq": {ExecutionID: out.ExecutionID, Seq: "7", Decider: core.Decider{Note: "no"}},
		"not pending": {ExecutionID: out.ExecutionID, Seq: "0", Decider: core.Decider{Note: "no"}},
		"no note":     {ExecutionID: out.ExecutionID, Seq: "1"},
		"unknown id":  {ExecutionID: "nope", Seq: "1", Decider: core.Decider{Note: "no"}},
	} {
		r, err := w.host.Reject(ctx, req)
		if err != nil || r.Changed || r.Message == "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if s := w.status(out.ExecutionID); s != "paused" {
		t.Fatalf("status %s", s)
	}
	r, err := w.host.Reject(ctx, core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "1", Decider: core.Decider{By: "ada", Note: "not now"}})
	if err != nil || !r.Changed || r.Status != "rejected" {
		t.Fatalf("%+v, %v", r, err)
	}
	w.effectsAre("add 5")
	w.is(w.approve(out.ExecutionID), "error", "state", "rejected")
	d, err := w.host.Show(ctx, out.ExecutionID)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.Outcome.Error, "not now") || d.Outcome.ErrorType != "rejected" {
		t.Errorf("outcome %+v", d.Outcome)
	}
	if c := d.Outcome.Calls[1]; c.State != "rejected" || c.Approval.By != "ada" || c.Approval.Note != "not now" {
		t.Errorf("call %+v", c)
	}
}

func TestRefuseGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`try { await items.remove({id: 1}) } catch (e) { return [e.name, e.code, e.message] }`)
	w.is(out, "paused", "0")
	got, err := w.host.Refuse(context.Background(), core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "0", Decider: core.Decider{Note: "keep it"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "completed" || !strings.Contains(string(got.Result), "keep it") || !strings.Contains(string(got.Result), `"rejected"`) {
		t.Fatalf("%+v", got)
	}
	w.effectsAre()
}

func TestFailuresAreOutcomesAndReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`let code; try { await items.fail({id: 4}) } catch (e) { code = e.code + ": " + e.message } await items.remove({id: 1}); return code`)
	w.is(out, "paused", "1")
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `"not_found: there is no item 4"`)
	if n := w.items.called("fail"); n != 1 {
		t.Errorf("called %d times", n)
	}
	w.is(w.run(`await items.fail({id: 4})`), "error", "runtime", "there is no item 4")
}

func TestStepsTimeAndChanceReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	code := `
		const before = [Date.now(), Math.random(), crypto.randomUUID()];
		const step = await codemode.step("draw", async () => [Math.random(), await items.list()]);
		await new Promise(r => setTimeout(r, 5));
		const after = [Date.now(), Math.random()];
		const seen = JSON.stringify([before, step, after]);
		console.log(seen);
		await items.remove({id: 1});
		return seen;`
	out := w.run(code)
	w.is(out, "paused", "2")
	first := out.Logs[0]
	w.restart()
	done := w.approve(out.ExecutionID)
	if done.Status != "completed" {
		t.Fatalf("%+v", done)
	}
	var seen string
	if err := json.Unmarshal(done.Result, &seen); err != nil {
		t.Fatal(err)
	}
	if seen != first {
		t.Errorf("before the pause %s, after it %s", first, seen)
	}
	if len(done.Logs) != 0 {
		t.Errorf("the resumed pass repeats the console: %q", done.Logs)
	}
	if w.items.called("list") != 1 {
		t.Errorf("the read in the step ran %d times", w.items.called("list"))
	}
}

func TestPolicyAndArgumentErrorsReachTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`try { await items.remove({number: 1}) } catch (e) { return [e.code, e.message] }`)
	if out.Status != "completed" || !strings.Contains(string(out.Result), "invalid_argument") {
		t.Fatalf("%+v %s", out, out.Result)
	}
	if c := out.Calls[0]; c.State != "denied" || c.StartedAt != nil {
		t.Errorf("call %+v", c)
	}
	w.effectsAre()
}

func TestRollback(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.add({id: 5}); await items.list(); await items.notify({id: 5}); return await items.remove({id: 1})`)
	w.is(out, "paused", "3")
	w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
	w.restart()
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Changed || r.Status != "rolled_back" || len(r.Reverted) != 2 || len(r.NoRevert) != 1 {
		t.Fatalf("%+v", r)
	}
	w.effectsAre("add 5", "notify 5", "remove 1", "undo removed 1", "undo added 5")
	if !w.items.have[1] || w.items.have[5] {
		t.Errorf("items %v", w.items.have)
	}
	again, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || again.Changed {
		t.Fatalf("%+v, %v", again, err)
	}
	w.is(w.approve(out.ExecutionID), "error", "state", "rolled_back")
}

func TestRollbackGoesOnAfterAFailedRevert(t *testing.T) {
	t.Parallel()
	it := newItems()
	w := newWorld(t, it)
	out := w.run(`await items.add({id: 1}); await items.add({id: 2}); await items.add({id: 3})`)
	it.hook = func(_ context.Context, method string, id int) error {
		if method == "revert add" && id == 2 {
			return sdk.Errorf(sdk.Conflict, "item 2 is in use")
		}
		return nil
	}
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Reverted) != 2 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Reason, "in use") {
		t.Fatalf("%+v", r)
	}
	w.effectsAre("add 1", "add 2", "add 3", "undo added 3", "undo added 1")
	none, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: "nope"})
	if err != nil || none.Changed || none.Message == "" {
		t.Fatalf("%+v, %v", none, err)
	}
}

func TestNothingRevertedKeepsTheStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.notify({id: 1}); await items.remove({id: 1}); return 1`)
	w.is(out, "paused", "1")
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || r.Changed || r.Status != "paused" {
		t.Fatalf("%+v, %v", r, err)
	}
	w.is(w.approve(out.ExecutionID), "completed", "1")
}

func TestReexecuteRunsInEveryPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`const a = await items.fresh(); await items.remove({id: 1}); return a`)
	w.is(out, "paused", "1")
	w.restart()
	done := w.approve(out.ExecutionID)
	w.is(done, "completed", "2")
	if c := done.Calls[0]; c.State != "applied" || !c.Omitted || c.Result != nil {
		t.Errorf("call %+v", c)
	}
}

func TestMissingConnectorChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.remove({id: 1}); return 1`)
	w.is(out, "paused", "0")
	w.more = func(o *core.Options) { o.Connectors = nil }
	w.restart()
	w.is(w.approve(out.ExecutionID), "error", "state", `requires connector(s) "items"`)
	if s := w.status(out.ExecutionID); s != "paused" {
		t.Fatalf("status %s", s)
	}
	w.more = nil
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", "1")
}

func TestUnknownExecution(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	w.is(w.approve("nope"), "error", "state", `no execution "nope"`)
	var missing *core.NotFoundError
	if _, err := w.host.Show(context.Background(), "nope"); !errors.As(err, &missing) {
		t.Errorf("error %v", err)
	}
}

func TestStuckProgramSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	w.is(w.run(`await new Promise(() => {})`), "error", "runtime", "nobody can resolve")
}

func TestUnawaitedCallsAreCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	out := w.run(`[1, 2].forEach(async (id) => { await items.add({id}); await items.notify({id}) }); return "done"`)
	w.is(out, "completed", `"done"`)
	if n := len(w.items.effects()); n != 4 {
		t.Errorf("effects %q", w.items.effects())
	}
	if len(out.Logs) == 0 || !strings.Contains(out.Logs[0], "without awaiting") {
		t.Errorf("logs %q", out.Logs)
	}
}

func TestErrorWithWritesOutstanding(t *testing.T) {
	t.Parallel()
	it := newItems(1)
	release := make(chan struct{})
	it.hook = func(_ context.Context, method string, _ int) error {
		if method == "add" {
			<-release
		}
		if method == "fail" {
			close(release)
		}
		return nil
	}
	w := newWorld(t, it)
	out := w.run(`await Promise.all([items.add({id: 3}), items.remove({id: 1}), items.fail({id: 2})])`)
	w.is(out, "error", "runtime", "no item 2")
	w.effectsAre("add 3")
	states := map[string]string{}
	for _, c := range out.Calls {
		states[c.Method] = c.State
	}
	if states["add"] != "applied" || states["remove"] != "withdrawn" || states["fail"] != "failed" {
		t.Errorf("states %v", states)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.remove({id: 1})`)
	w.is(out, "paused", "0")
	ctx := context.Background()
	young, err := w.host.ExpirePaused(ctx, core.DefaultExpiry)
	if err != nil || len(young) != 0 {
		t.Fatalf("%v, %v", young, err)
	}
	old, err := w.host.ExpirePaused(ctx, 0)
	if err != nil || !slices.Equal(old, []string{out.ExecutionID}) {
		t.Fatalf("%v, %v", old, err)
	}
	d, err := w.host.Show(ctx, out.ExecutionID)
	if err != nil || d.Status != "rejected" || d.Outcome.Error != "Expired awaiting approval." || d.Outcome.Calls[0].State != "expired" {
		t.Fatalf("%+v, %v", d.Outcome, err)
	}
	w.is(w.approve(out.ExecutionID), "error", "state", "rejected")
	if pending, err := w.host.Pending(ctx, ""); err != nil || len(pending) != 0 {
		t.Errorf("pending %v, %v", pending, err)
	}
}

func TestStaleDigestIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.remove({id: 1})`)
	w.is(out, "paused", "0")
	got, err := w.host.Approve(context.Background(), core.ApproveRequest{
		ExecutionID: out.ExecutionID, Calls: []core.Shown{{Seq: "0", Digest: "00"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.is(got, "error", "state", "digest differs")
	if len(got.Pending) != 1 {
		t.Errorf("it does not say what waits: %+v", got)
	}
	w.effectsAre()
}

func TestLostWriteIsInDoubtAndSettled(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		core.SettleDone:    `"by hand"`,
		core.SettleNotDone: `"not_done"`,
		core.SettleAgain:   `"added 4"`,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			it := newItems()
			lost := true
			it.hook = func(_ context.Context, method string, _ int) error {
				if method == "add" && lost {
					lost = false
					return &wire.Error{Code: wire.CodeTimeout, Message: "no answer"}
				}
				return nil
			}
			w := newWorld(t, it)
			out := w.run(`try { return await items.add({id: 4}) } catch (e) { return e.code }`)
			w.is(out, "paused", "0")
			if out.Pending[0].Kind != "in_doubt" || out.Pending[0].Note == "" {
				t.Fatalf("pending %+v", out.Pending[0])
			}
			w.is(w.approve(out.ExecutionID), "error", "state", "")
			w.restart()
			got, err := w.host.Settle(context.Background(), core.SettleRequest{
				ExecutionID: out.ExecutionID, Seq: "0", How: how, Result: json.RawMessage(`"by hand"`),
			})
			if err != nil {
				t.Fatal(err)
			}
			w.is(got, "completed", want)
		})
	}
}

func TestDuplicateAndReservedLabels(t *testing.T) {
	t.Parallel()
	c, err := newItems().connector().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	for name, labels := range map[string][]string{"duplicate": {"a", "a"}, "reserved": {"codemode"}, "no identifier": {"a-b"}} {
		var o core.Options
		for _, l := range labels {
			o.Connectors = append(o.Connectors, core.Connector{Label: l, Connector: c})
		}
		if h, err := core.New(context.Background(), o); err == nil {
			t.Errorf("%s: accepted", name)
			_ = h.Close()
		}
	}
}

func TestCancelEndsTheExecution(t *testing.T) {
	t.Parallel()
	it := newItems()
	ctx, cancel := context.WithCancelCause(context.Background())
	it.hook = func(inner context.Context, method string, _ int) error {
		if method == "list" {
			cancel(errors.New("the user has gone"))
			<-inner.Done()
		}
		return inner.Err()
	}
	w := newWorld(t, it)
	out, err := w.host.Run(ctx, core.RunRequest{Code: `await items.list()`})
	if err != nil {
		t.Fatal(err)
	}
	w.is(out, "error", engine.ErrorCancelled, "the user has gone")
}

func TestEndedExecutionsArePrunedAndWaitingOnesAreNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), func(o *core.Options) { o.MaxExecutions = 2 })
	waiting := w.run(`await items.remove({id: 1})`)
	var last string
	for range 5 {
		last = w.run(`return 1`).ExecutionID
	}
	w.stop() // which waits for the pruning
	w.start()
	p, err := w.host.Executions(context.Background(), core.ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range p.Executions {
		ids = append(ids, e.ID)
	}
	if len(ids) != 3 || ids[0] != last || ids[2] != waiting.ExecutionID {
		t.Errorf("kept %v; the newest is %s, the waiting one %s", ids, last, waiting.ExecutionID)
	}
}

// A connector that cannot start fails the calls to it, and no other's, in a way that a program can handle.
func TestCallOfAConnectorThatCannotStart(t *testing.T) {
	t.Parallel()
	broken, err := (&sdk.Connector{
		Name: "broken", Version: "1",
		DynamicMethods: func(context.Context) ([]sdk.Method, error) { return nil, errors.New("no such server") },
	}).InProcess()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, newItems(1), func(o *core.Options) {
		o.Connectors = append(o.Connectors, core.Connector{Label: "broken", Connector: broken})
	})
	out := w.run(`
		const have = await items.list();
		try { await broken.anything({a: 1}) } catch (e) { return [have, e.code, e.retryable, e.message] }`)
	w.is(out, "completed", `[[1],"unavailable",true,"connector broken is not available: it cannot list its methods"]`)
	if len(out.Calls) != 2 || out.Calls[1].State != "failed" {
		t.Errorf("calls %+v", out.Calls)
	}
}

func TestSnippets(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems(1, 2))
	source := w.run("```js\nasync (input) => { const l = await items.list(); await items.remove({id: input.id}); return [l.length, Math.random() < 1] }\n```")
	if source.ErrorType != "runtime" { // it was run without an input
		t.Fatalf("%+v", source)
	}
	save := core.SaveRequest{
		Name: "drop", ExecutionID: source.ExecutionID, Description: "Remove one item.", By: "ada",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`),
	}
	var refused *core.SnippetError
	if _, err := w.host.SaveSnippet(ctx, save); !errors.As(err, &refused) {
		t.Fatalf("the program of a failed execution was saved: %v", err)
	}
	save.Force = true
	if s, err := w.host.SaveSnippet(ctx, save); err != nil || s.Version != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	out := w.run(`
		const found = await codemode.search("remove one item");
		let wrong; try { await codemode.run("drop", {id: "x"}) } catch (e) { wrong = e.code }
		const missing = await codemode.run("none");
		const done = await codemode.run("drop", {id: 1});
		return [found.results[0].kind, wrong, missing, done]`)
	w.is(out, "paused", "3.1")
	w.effectsAre()
	// A newer version does not move what is pinned.
	if s, err := w.host.SaveSnippet(ctx, save); err != nil || s.Version != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `["snippet","invalid_argument",{"error":"There is no snippet named \"none\"."},[2,true]]`)
	w.effectsAre("remove 1")
	d, err := w.host.Show(ctx, out.ExecutionID)
	if err != nil || string(d.Outcome.Calls[3].Result) != `{"snippet":"drop","version":1}` {
		t.Errorf("the run call is shown as %s, %v", d.Outcome.Calls[3].Result, err)
	}
	if list, err := w.host.Snippets(ctx); err != nil || len(list) != 1 || list[0].Version != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if there, err := w.host.DeleteSnippet(ctx, "drop"); err != nil || !there {
		t.Errorf("%v, %v", there, err)
	}
	if _, err := w.host.Snippet(ctx, "drop", 0); !errors.As(err, &refused) {
		t.Errorf("it is still there: %v", err)
	}
}

// The approver's own arguments are executed, and reverted; the program's own are what replay matches.
func TestEditedArguments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems(1, 2))
	out := w.run(`const r = await items.remove({id: 1}); await items.remove({id: 2}); return r`)
	w.is(out, "paused", "0")
	edit := func(args string) *core.Outcome {
		t.Helper()
		got, err := w.host.Approve(ctx, core.ApproveRequest{
			ExecutionID: out.ExecutionID, Calls: []core.Shown{{Seq: "0", Digest: out.Pending[0].Digest, Args: json.RawMessage(args)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	w.is(edit(`{"number": 7}`), "error", "state", "number")
	w.is(edit(`{"id":7}`), "paused", "1")
	w.effectsAre("remove 7")
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `"removed 7"`)
	d, err := w.host.Show(ctx, out.ExecutionID)
	if err != nil || !d.Outcome.Calls[0].Approval.Edited || string(d.Outcome.Calls[0].Args) != `{"id":7}` {
		t.Errorf("%+v, %v", d.Outcome.Calls[0], err)
	}
	if got := string(d.Outcome.Calls[0].Proposed); got != `{"id":1}` || d.Outcome.Calls[1].Proposed != nil {
		t.Errorf("the program's own arguments are %s", got)
	}
	for _, e := range d.Timeline {
		if e.Kind == "decided" && (e.Seq == "0") != (string(e.Args) == `{"id":7}` && strings.Contains(e.Text, "approved with other arguments")) {
			t.Errorf("%s of %s: %s", e.Text, e.Seq, e.Args)
		}
	}
	plan, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID, DryRun: true})
	if err != nil || plan.Changed || len(plan.Reverted) != 2 || plan.Status != "completed" {
		t.Errorf("%+v, %v", plan, err)
	}
	w.effectsAre("remove 7", "remove 2")
	if _, err := w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: out.ExecutionID}); err != nil {
		t.Fatal(err)
	}
	w.effectsAre("remove 7", "remove 2", "undo removed 2", "undo removed 7")
}

func TestDeleteAndPrune(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems(1))
	waiting := w.run(`await items.remove({id: 1})`)
	var ids []string
	for range 3 {
		ids = append(ids, w.run(`return 1`).ExecutionID)
	}
	pruned, err := w.host.Prune(ctx, 1)
	if err != nil || !slices.Equal(pruned, []string{ids[1], ids[0]}) {
		t.Errorf("pruned %v of %v, %v", pruned, ids, err)
	}
	for id, there := range map[string]bool{waiting.ExecutionID: true, ids[2]: true, ids[0]: false, "nope": false} {
		r, err := w.host.Delete(ctx, id)
		if err != nil || r.Changed != there || r.Message == "" {
			t.Errorf("delete %s: %+v, %v", id, r, err)
		}
	}
	w.is(w.approve(waiting.ExecutionID), "error", "state", "no execution")
}

// A connector's own name for a method can be called too, and is the same method to rules.
func TestRawNamesAreCallable(t *testing.T) {
	t.Parallel()
	c, err := (&sdk.Connector{Name: "notes", Version: "1", Methods: []sdk.Method{
		sdk.Func[struct{}, int]{Name: "list-notes", Description: "List.", ReadOnly: true, Call: func(context.Context, struct{}) (int, error) { return 3, nil }},
		sdk.Func[struct{}, int]{Name: "drop-notes", Description: "Drop.", Approval: sdk.Required, Call: func(context.Context, struct{}) (int, error) { return 4, nil }},
	}}).InProcess()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, newItems(), func(o *core.Options) { o.Connectors = []core.Connector{{Label: "notes", Connector: c}} })
	w.is(w.run(`return [await notes["list-notes"](), await notes.list_notes(), Object.keys(notes)]`), "completed", `[3,3,["list_notes","drop_notes"]]`)
	w.is(w.run(`return await notes["drop-notes"]()`), "paused", "0")
}

func TestTransformResult(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	fail := false
	w := newWorld(t, newItems(1), func(o *core.Options) {
		o.TransformResult = func(r json.RawMessage) (json.RawMessage, error) {
			if fail {
				return nil, errors.New("broken")
			}
			return json.RawMessage(`"shaped"`), nil
		}
	})
	for _, want := range []string{`"shaped"`, "1"} {
		out, err := w.host.Call(ctx, json.RawMessage(`{"code": "return 1"}`), core.RunRequest{})
		if err != nil || string(out.Result) != want {
			t.Errorf("%s, %v", out.Result, err)
		}
		d, err := w.host.Show(ctx, out.ExecutionID)
		if err != nil || string(d.Outcome.Result) != "1" {
			t.Errorf("the record has %s, %v", d.Outcome.Result, err)
		}
		fail = true
	}
	paused, err := w.host.Call(ctx, json.RawMessage(`{"code": "await items.remove({id: 1})"}`), core.RunRequest{})
	if err != nil || paused.Status != "paused" {
		t.Errorf("%+v, %v", paused, err)
	}
}

// A snippet keeps the connectors of its execution; a host that lacks one of them answers with a value, and says so in the logs.
func TestSnippetWithoutItsConnector(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`return (await items.list()).length`)
	if _, err := w.host.SaveSnippet(context.Background(), core.SaveRequest{Name: "n", ExecutionID: out.ExecutionID}); err != nil {
		t.Fatal(err)
	}
	w.more = func(o *core.Options) { o.Connectors = nil }
	w.restart()
	got := w.run(`return await codemode.run("n")`)
	if got.Status != "completed" || !strings.Contains(string(got.Result), `"error":"Snippet \"n\" requires connector(s) \"items\"`) {
		t.Fatalf("%s %s %s", got.Status, got.Result, got.Error)
	}
	if len(got.Logs) != 1 || !strings.HasPrefix(got.Logs[0], "[warn] codemode.run (call 0)") {
		t.Errorf("logs %q", got.Logs)
	}
}
