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
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/plugin/wire"
)

// A decision that is recorded while the pass asks for a preview is carried out by this pass, though nothing but people
// is left to wait for when the preview is there.
func TestDecisionDuringAReissue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gated := rigGated
		gated.Previews = true
		r := newRig(gated, rigWrite)
		w := newWorld(t, newItems(), r.rigged)
		out := w.run(`
			const refused = rig.gated({n: 2}).catch(() => rig.write({n: 3}));
			return await Promise.all([rig.gated({n: 1}), refused])`)
		w.is(out, "paused", "0", "1")
		r.version = "2" // which voids the approvals
		r.preview = func(context.Context, *wire.Call) (string, error) { time.Sleep(5 * time.Second); return "", nil }
		w.restart()
		var wg sync.WaitGroup
		wg.Go(func() { w.is(w.approve(out.ExecutionID, "1"), "paused", "1") })
		time.Sleep(time.Second)
		got, err := w.host.Refuse(t.Context(), core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "0", Decider: core.Decider{Note: "no"}})
		if err != nil {
			t.Fatal(err)
		}
		w.is(got, "paused", "1")
		wg.Wait()
		same(t, "calls", r.noted(), []string{"invoke write 1"})
		w.stop()
	})
}

// A call that is named twice in one request is approved once, or nothing is.
func TestOneRequestDecidesACallOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2))
	out := w.run(`return await Promise.all([items.remove({id: 1}), items.remove({id: 2})])`)
	w.is(out, "paused", "0", "1")
	w.is(w.approve(out.ExecutionID, "0", "1", "0"), "error", engine.ErrorState, "0")
	w.effectsAre()
	w.is(w.approve(out.ExecutionID, "0", "1"), "completed", `["removed 1","removed 2"]`)
}

// Decisions of one request are taken together: one that cannot be taken keeps the others from being.
func TestDecisionsAreTakenTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1, 2))
	out := w.run(`const both = [items.remove({id: 1}), items.remove({id: 2})]; await items.list(); return await Promise.all(both)`)
	w.is(out, "paused", "0", "1")
	for _, seq := range []string{"2", "9"} { // one that does not wait, and none at all
		w.is(w.approve(out.ExecutionID, "0", seq), "error", engine.ErrorState, "Call "+seq)
		w.effectsAre()
	}
	if s := w.recorded(out.ExecutionID); s.Calls["0"].Decision != nil {
		t.Errorf("a decision is recorded: %+v", s.Calls["0"].Decision)
	}
	w.is(w.approve(out.ExecutionID, "0", "1"), "completed", `["removed 1","removed 2"]`)
}

// An approval is bound to all that says what the call will do: where that has changed the call waits again.
func TestWhatAnApprovalIsBoundTo(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *rig){
		"the input schema": func(r *rig) {
			r.methods[0].InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number","description":"tons"}}}`)
		},
		"the version": func(r *rig) { r.version = "2" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigGated)
			w := newWorld(t, newItems(), r.rigged)
			out := w.run(`return await rig.gated({n: 1})`)
			w.is(out, "paused", "0")
			change(r)
			w.restart()
			again := w.approve(out.ExecutionID)
			w.is(again, "paused", "0")
			if p := again.Pending[0]; !strings.Contains(p.Note, "void") || p.Digest == out.Pending[0].Digest {
				t.Errorf("it waits as %+v", p)
			}
			same(t, "calls", r.noted(), nil)
			w.is(w.approve(out.ExecutionID), "completed", `"done"`)
		})
	}
}

// Approving all that waits speaks of approvals alone: a call whose effect is in doubt waits for another word.
func TestApprovingAllLeavesDoubts(t *testing.T) {
	t.Parallel()
	r := newRig(rigWrite, rigGated)
	r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		if call.Method == "write" {
			return nil, errLost
		}
		return &wire.Result{Value: json.RawMessage(`"allowed"`)}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`return await Promise.all([rig.write({}), rig.gated({})])`)
	w.is(out, "paused", "0", "1")
	w.is(w.approve(out.ExecutionID), "paused", "0")
	same(t, "calls", r.noted(), []string{"invoke write 1", "invoke gated 1"})
	w.is(w.settle(out.ExecutionID, "0", core.SettleDone, `"it did"`), "completed", `["it did","allowed"]`)
}

// Resuming decides nothing: what waits for a person is left as it is.
func TestResumeOfWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`await items.list(); return await items.remove({id: 1})`)
	w.is(out, "paused", "1")
	w.restart()
	got, err := w.host.Resume(t.Context(), out.ExecutionID)
	if err != nil {
		t.Fatal(err)
	}
	w.is(got, "error", engine.ErrorState, "waits for a person")
	if all, err := w.host.ResumeAll(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("all: %+v, %v", all, err)
	}
	if s := w.recorded(out.ExecutionID); s.Passes != 1 {
		t.Errorf("%d passes have run", s.Passes)
	}
	w.effectsAre()
}

// number is a condition that holds for calls with this text in their arguments.
type number string

func (n number) Holds(c policy.Call) (bool, error) {
	return strings.Contains(string(c.Args), string(n)), nil
}

// An approver's own arguments are judged as the program's were.
func TestEditsAreJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), func(o *core.Options) {
		o.Connectors[0].Rules = []policy.Rule{{When: number("13"), Effect: policy.Deny, Reason: "no thirteens"}}
	})
	out := w.run(`return await items.remove({id: 1})`)
	w.is(out, "paused", "0")
	got, err := w.host.Approve(t.Context(), core.ApproveRequest{
		ExecutionID: out.ExecutionID, Calls: []core.Shown{{Seq: "0", Args: json.RawMessage(`{"id":13}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.is(got, "error", engine.ErrorState, "no thirteens")
	w.effectsAre()
	if s := w.recorded(out.ExecutionID); s.Calls["0"].Decision != nil {
		t.Errorf("a decision is recorded: %+v", s.Calls["0"].Decision)
	}
	w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
}

// More programs than may run at once: those that wait for their turn are cancelled, decided and left to a later host
// like any other.
func TestWaitingForASandbox(t *testing.T) {
	t.Parallel()
	one := func(o *core.Options) { o.Sandboxes = 1 }
	slow := func(_ context.Context, method string, _ int) error {
		if method == "list" {
			time.Sleep(30 * time.Second)
		}
		return nil
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			it := newItems(1)
			it.hook = slow
			w := newWorld(t, it, one)
			var wg sync.WaitGroup
			wg.Go(func() { w.run(`await items.list()`) })
			time.Sleep(time.Second)
			ctx, cancel := context.WithCancelCause(context.Background())
			wg.Go(func() { time.Sleep(time.Second); cancel(errors.New("the user has gone")) })
			out, err := w.host.Run(ctx, core.RunRequest{Code: `await items.add({id: 7})`})
			if err != nil {
				t.Fatal(err)
			}
			w.is(out, "error", engine.ErrorCancelled, "the user has gone")
			wg.Wait()
			w.effectsAre()
			w.stop()
		})
	})
	t.Run("decided twice", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			it := newItems(1, 2)
			it.hook = slow
			w := newWorld(t, it, one)
			out := w.run(`return await Promise.all([items.remove({id: 1}), items.remove({id: 2})])`)
			var wg sync.WaitGroup
			wg.Go(func() { w.run(`await items.list()`) })
			time.Sleep(time.Second)
			for _, seq := range []string{"0", "1"} {
				wg.Go(func() { w.is(w.approve(out.ExecutionID, seq), "completed", `["removed 1","removed 2"]`) })
			}
			wg.Wait()
			w.stop()
		})
	})
	t.Run("rolled back", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			it := newItems(1)
			it.hook = slow
			w := newWorld(t, it, one)
			out := w.run(`await items.add({id: 5}); return await items.remove({id: 1})`)
			var wg sync.WaitGroup
			wg.Go(func() { w.run(`await items.list()`) })
			time.Sleep(time.Second)
			wg.Go(func() { w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`) })
			time.Sleep(time.Second)
			if r := w.rollback(out.ExecutionID); r.Changed || !strings.Contains(r.Message, "running") {
				t.Errorf("%+v", r)
			}
			wg.Wait()
			w.stop()
		})
	})
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			it := newItems(1)
			it.hook = func(ctx context.Context, method string, _ int) error {
				if method == "list" {
					<-ctx.Done()
				}
				return ctx.Err()
			}
			w := newWorld(t, it, one)
			out := w.run(`return await items.remove({id: 1})`)
			w.is(out, "paused", "0")
			var wg sync.WaitGroup
			host := w.host
			wg.Go(func() {
				_, err := host.Run(context.Background(), core.RunRequest{Code: `await items.list()`})
				if !errors.Is(err, engine.ErrStopped) {
					t.Errorf("the program that ran: %v", err)
				}
			})
			time.Sleep(time.Second)
			wg.Go(func() {
				_, err := host.Approve(context.Background(), core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
				if !errors.Is(err, engine.ErrStopped) {
					t.Errorf("the program that waited: %v", err)
				}
			})
			time.Sleep(time.Second)
			w.restart()
			wg.Wait()
			w.effectsAre()
			got, err := w.host.Resume(context.Background(), out.ExecutionID)
			if err != nil {
				t.Fatal(err)
			}
			w.is(got, "completed", `"removed 1"`)
			w.stop()
		})
	})
}

// A person's result is held to what a connector's would be.
func TestSettledResultsAreChecked(t *testing.T) {
	t.Parallel()
	write := rigWrite
	write.OutputSchema = []byte(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)
	r := newRig(write)
	r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, errLost }
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`return await rig.write({})`)
	w.is(out, "paused", "0")
	for name, result := range map[string]string{
		"no JSON": `{"n":`, "two values": `{"n":1} {"n":2}`, "another schema": `"text"`,
		"too large": fmt.Sprintf(`{"n":1,"t":%q}`, strings.Repeat("x", 1_000_000)),
	} {
		if got := w.settle(out.ExecutionID, "0", core.SettleDone, result); got.ErrorType != engine.ErrorState {
			t.Errorf("%s: %s %s", name, got.Status, got.Error)
		}
	}
	w.is(w.settle(out.ExecutionID, "0", core.SettleDone, `{"n":1}`), "completed", `{"n":1}`)
}

// While a connector cannot be used, an approval of its calls changes nothing: it is not spent on a failure.
func TestApprovalWhileAConnectorIsUnavailable(t *testing.T) {
	t.Parallel()
	r := newRig(rigGated)
	w := newWorld(t, newItems(1), r.rigged)
	out := w.run(`return await Promise.all([rig.gated({}), items.remove({id: 1})])`)
	w.is(out, "paused", "0", "1")
	r.lists(func() ([]*wire.Method, error) { return nil, errLost })
	w.restart()
	w.is(w.approve(out.ExecutionID, "0"), "error", engine.ErrorState, "not available")
	w.is(w.approve(out.ExecutionID, "1"), "paused", "0") // which hurts no other
	r.lists(nil)
	w.is(w.approve(out.ExecutionID, "0"), "completed", `["done","removed 1"]`)
}

// A program that calls a connector which is down is told so, and that a retry may help; not that there is no such method.
func TestCallOfAnUnavailableConnector(t *testing.T) {
	t.Parallel()
	r := newRig(rigRead, rigGated)
	w := newWorld(t, newItems(1), r.rigged)
	out := w.run(`await items.remove({id: 1}); try { await rig.read({}) } catch (e) { return [e.code, e.retryable] }`)
	w.is(out, "paused", "0")
	r.lists(func() ([]*wire.Method, error) { return nil, errLost })
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `["unavailable",true]`)
}

// What policy says at dispatch holds for pending, approved and queued calls alike.
func TestPolicyChangesBetweenPasses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after policy.Effect
		want          []string
		effects       []string
	}{
		"approved, then denied":   {policy.Approve, policy.Deny, []string{"completed", `"PolicyError"`}, nil},
		"approved, then allowed":  {policy.Approve, policy.Allow, []string{"completed", `"told"`}, []string{"notify 1"}},
		"approved and still so":   {policy.Approve, policy.Approve, []string{"completed", `"told"`}, []string{"notify 1"}},
		"allowed, then to ask":    {policy.Allow, policy.Approve, []string{"paused", "1"}, nil},
		"allowed, then denied":    {policy.Allow, policy.Deny, []string{"completed", `"PolicyError"`}, nil},
		"allowed and still so":    {policy.Allow, policy.Allow, []string{"completed", `"told"`}, []string{"notify 1"}},
		"denied stays as it was":  {policy.Deny, policy.Allow, []string{"completed", `"PolicyError"`}, nil},
		"denied and now to ask":   {policy.Deny, policy.Approve, []string{"completed", `"PolicyError"`}, nil},
		"denied and denied again": {policy.Deny, policy.Deny, []string{"completed", `"PolicyError"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it := newItems(1)
			effect := test.before
			w := newWorld(t, it, func(o *core.Options) {
				o.Limits.InFlight = 1 // so that a call is queued behind the slow one
				o.Connectors[0].Rules = []policy.Rule{{Methods: []string{"notify"}, Effect: effect}}
			})
			entered, first := make(chan struct{}), true
			it.hook = func(ctx context.Context, method string, _ int) error {
				if method == "list" && first && test.before != policy.Approve {
					first = false
					close(entered)
					<-ctx.Done() // until the host stops
					return ctx.Err()
				}
				return nil
			}
			code := `const l = items.list(); try { return await items.notify({id: 1}) } catch (e) { return e.name } finally { await l }`
			var got *core.Outcome
			if test.before == policy.Approve {
				out := w.run(code)
				w.is(out, "paused", "1")
				effect = test.after
				w.restart()
				got = w.approve(out.ExecutionID)
			} else {
				host, ended := w.host, make(chan error)
				go func() {
					_, err := host.Run(context.Background(), core.RunRequest{Code: code})
					ended <- err
				}()
				<-entered
				effect = test.after
				w.stop()
				if err := <-ended; !errors.Is(err, engine.ErrStopped) {
					t.Fatal(err)
				}
				w.start()
				outs, err := w.host.ResumeAll(context.Background())
				if err != nil || len(outs) != 1 {
					t.Fatalf("%v, %v", outs, err)
				}
				got = outs[0]
			}
			w.is(got, test.want...)
			if !slices.Equal(it.effects(), test.effects) {
				t.Errorf("effects %q, want %q", it.effects(), test.effects)
			}
		})
	}
}
