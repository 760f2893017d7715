package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/plugin/wire"
)

// unsent is an error of a transport that never sent the request.
type unsent struct{ error }

func (unsent) NeverSent() bool   { return true }
func (e unsent) Summary() string { return e.Error() }

// What an error of a write says of its effect, on the first attempt.
func TestErrorsOfWrites(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err    error
		doubt  bool // it waits for a person
		unsure bool // the program is told, and nobody knows
	}{
		"lost in the middle":      {errLost, true, false},
		"never sent":              {unsent{errors.New("the circuit is open")}, false, false},
		"deadline":                {context.DeadlineExceeded, true, false},
		"cancelled by itself":     {context.Canceled, true, false},
		"timeout":                 {&wire.Error{Code: wire.CodeTimeout}, true, false},
		"timeout, effect unknown": {&wire.Error{Code: wire.CodeTimeout, Effect: wire.EffectUnknown}, true, false},
		"timeout before it began": {&wire.Error{Code: wire.CodeTimeout, Effect: wire.EffectNone}, false, false},
		"not found":               {&wire.Error{Code: wire.CodeNotFound}, false, false},
		"conflict":                {&wire.Error{Code: wire.CodeConflict}, false, false},
		"rate limited":            {&wire.Error{Code: wire.CodeRateLimited}, false, false},
		"conflict that acted":     {&wire.Error{Code: wire.CodeConflict, Effect: wire.EffectUnknown}, false, true},
		"internal":                {&wire.Error{Code: wire.CodeInternal}, false, true},
		"internal before it did":  {&wire.Error{Code: wire.CodeInternal, Effect: wire.EffectNone}, false, false},
		"unavailable":             {&wire.Error{Code: wire.CodeUnavailable}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigWrite)
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, test.err }
			w := newWorld(t, newItems(), r.rigged)
			out := w.run(`try { await rig.write({}) } catch (e) { return "told" }`)
			if test.doubt {
				w.is(out, "paused", "0")
				if out.Pending[0].Kind != engine.PendingInDoubt {
					t.Errorf("%+v", out.Pending[0])
				}
				return
			}
			w.is(out, "completed", `"told"`)
			if got := w.recorded(out.ExecutionID).Calls["0"].Doubtful(); got != test.unsure {
				t.Errorf("doubtful: %v", got)
			}
			if got := w.rollback(out.ExecutionID); (len(got.InDoubt) == 1) != test.unsure {
				t.Errorf("rollback %+v", got)
			}
		})
	}
}

// The error of a second attempt speaks of that attempt alone, whatever it says of its effect.
func TestErrorOfASecondAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(rigTwice)
	var keys []string
	r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		keys = append(keys, call.IdempotencyKey)
		if call.Attempt == 1 {
			return nil, errLost
		}
		return nil, &wire.Error{Code: wire.CodeConflict, Effect: wire.EffectNone}
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`try { await rig.twice({}) } catch (e) { return e.code }`)
	w.is(out, "completed", `"conflict"`)
	same(t, "keys", keys, []string{out.ExecutionID + "/0", out.ExecutionID + "/0"})
	if c := w.recorded(out.ExecutionID).Calls["0"]; c.State != journal.CallFailed || !c.Doubtful() {
		t.Errorf("it is %s, doubtful %v", c.State, c.Doubtful())
	}
	if got := w.rollback(out.ExecutionID); len(got.InDoubt) != 1 {
		t.Errorf("rollback %+v", got)
	}
}

// Whatever keeps a second attempt from being made, of the first it is still not known what it did.
func TestSecondAttemptThatIsNotMade(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(r *rig, o *core.Options) // what the second host meets
		decide func(w *world, id string) *core.Outcome
		state  journal.CallState
	}{
		"denied by a new rule": {
			change: func(_ *rig, o *core.Options) {
				o.Connectors[1].Rules = []policy.Rule{{Methods: []string{"*"}, Effect: policy.Deny}}
			},
			state: journal.CallDenied,
		},
		"its method is gone": {
			change: func(r *rig, _ *core.Options) { r.methods = r.methods[1:] },
			state:  journal.CallDenied,
		},
		"an argument is missing now": {
			change: func(r *rig, _ *core.Options) {
				r.methods[0].InputSchema = json.RawMessage(`{"type":"object","required":["id"]}`)
			},
			state: journal.CallDenied,
		},
		"refused by a person": {
			change: func(_ *rig, o *core.Options) {
				o.Connectors[1].Rules = []policy.Rule{{Methods: []string{"*"}, Effect: policy.Approve}}
			},
			decide: func(w *world, id string) *core.Outcome {
				out, err := w.host.Refuse(context.Background(), core.RejectRequest{ExecutionID: id, Seq: "0", Decider: core.Decider{Note: "no"}})
				if err != nil {
					w.t.Fatal(err)
				}
				return out
			},
			state: journal.CallRejected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigWrite, rigRead)
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, errLost }
			changed := false
			w := newWorld(t, newItems(), func(o *core.Options) {
				r.rigged(o)
				if changed {
					test.change(r, o)
				}
			})
			out := w.run(`try { await rig.write({}) } catch (e) { return "told" }`)
			w.is(out, "paused", "0")
			changed = true
			w.restart()
			out = w.settle(out.ExecutionID, "0", core.SettleAgain, "")
			if test.decide != nil {
				w.is(out, "paused", "0")
				out = test.decide(w, out.ExecutionID)
			}
			w.is(out, "completed", `"told"`)
			same(t, "calls", r.noted(), []string{"invoke write 1"})
			c := w.recorded(out.ExecutionID).Calls["0"]
			if c.State != test.state || !c.Doubtful() {
				t.Errorf("it is %s, doubtful %v", c.State, c.Doubtful())
			}
			if got := w.rollback(out.ExecutionID); len(got.InDoubt) != 1 {
				t.Errorf("rollback %+v", got)
			}
		})
	}
}

// What a revert needs is read before the first attempt. A second one would read what the first has done.
func TestPrepareRunsBeforeTheFirstAttemptOnly(t *testing.T) {
	t.Parallel()
	write := rigWrite
	write.Prepares, write.Reverts = true, true
	r := newRig(write)
	title := `"old"`
	r.prepare = func(context.Context, *wire.Call) (json.RawMessage, error) { return json.RawMessage(title), nil }
	r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		title = `"new"`
		if call.Attempt == 1 {
			return nil, errLost // after the effect
		}
		return &wire.Result{}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`await rig.write({}); return 1`)
	w.is(out, "paused", "0")
	w.restart()
	w.is(w.settle(out.ExecutionID, "0", core.SettleAgain, ""), "completed", "1")
	if got := w.rollback(out.ExecutionID); len(got.Reverted) != 1 {
		t.Fatalf("%+v", got)
	}
	same(t, "calls", r.noted(), []string{"prepare write 1", "invoke write 1", "invoke write 2", "revert write 1"})
	if before := string(r.reverts[0].Call.Before); before != `"old"` {
		t.Errorf("the revert is to restore %s", before)
	}
}

// A call is not started where its connector wants to keep too much for a revert, or what is no value.
func TestPreparedValueIsChecked(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"too large": `"` + strings.Repeat("x", 1_000_000) + `"`, "no JSON": `{`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			write := rigWrite
			write.Prepares = true
			r := newRig(write)
			r.prepare = func(context.Context, *wire.Call) (json.RawMessage, error) { return json.RawMessage(value), nil }
			w := newWorld(t, newItems(), r.rigged)
			w.is(w.run(`await rig.write({})`), "error", engine.ErrorRuntime, "The call was not started")
			same(t, "calls", r.noted(), []string{"prepare write 1"})
		})
	}
}

// A call whose connector has answered its preparation is not started when a person has rejected the execution meanwhile.
func TestNothingStartsAfterARejection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		write, gated := rigWrite, rigGated
		write.Prepares, gated.Previews = true, true
		r := newRig(write, gated)
		w := newWorld(t, newItems(1), r.rigged)
		out := w.run(`return await Promise.all([rig.gated({n: 0}), items.remove({id: 1}).then(() => rig.write({})), rig.gated({n: 2})])`)
		w.is(out, "paused", "0", "1", "2")
		r.version = "2" // so that the approval of a gated call is asked for again, with a preview
		r.prepare = func(context.Context, *wire.Call) (json.RawMessage, error) {
			time.Sleep(3 * time.Second)
			return nil, nil
		}
		r.preview = func(context.Context, *wire.Call) (string, error) { time.Sleep(5 * time.Second); return "", nil }
		w.restart()
		var wg sync.WaitGroup
		wg.Go(func() { w.is(w.approve(out.ExecutionID, "1"), "error", engine.ErrorRejected, "no") })
		time.Sleep(time.Second)
		wg.Go(func() { w.is(w.approve(out.ExecutionID, "0"), "error", engine.ErrorRejected, "no") })
		time.Sleep(3 * time.Second) // it has been prepared, and the other's preview is awaited
		got, err := w.host.Reject(context.Background(), core.RejectRequest{ExecutionID: out.ExecutionID, Seq: "2", Decider: core.Decider{Note: "no"}})
		if err != nil || !got.Changed {
			t.Errorf("%+v, %v", got, err)
		}
		wg.Wait()
		same(t, "calls", r.noted(), []string{"prepare write 1"})
		w.stop()
	})
}

// An idempotent call of which nothing is known runs again once by itself, then a person is asked. A read runs again
// once where its connection broke. Nothing else does.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		err    error
		calls  []string
		want   []string
	}{
		"an idempotent write, lost":         {"twice", errLost, []string{"invoke twice 1", "invoke twice 2"}, []string{"paused", "0"}},
		"an idempotent write, timed out":    {"twice", &wire.Error{Code: wire.CodeTimeout}, []string{"invoke twice 1", "invoke twice 2"}, []string{"paused", "0"}},
		"an idempotent write, no answer":    {"twice", context.DeadlineExceeded, []string{"invoke twice 1", "invoke twice 2"}, []string{"paused", "0"}},
		"an idempotent write that failed":   {"twice", &wire.Error{Code: wire.CodeInternal}, []string{"invoke twice 1"}, []string{"completed", `"internal"`}},
		"an idempotent write, never sent":   {"twice", unsent{errLost}, []string{"invoke twice 1"}, []string{"completed", `"unavailable"`}},
		"a write, lost":                     {"write", errLost, []string{"invoke write 1"}, []string{"paused", "0"}},
		"a read, lost":                      {"read", errLost, []string{"invoke read 1", "invoke read 2"}, []string{"completed", `"unavailable"`}},
		"a read, never sent":                {"read", unsent{errLost}, []string{"invoke read 1", "invoke read 2"}, []string{"completed", `"unavailable"`}},
		"a read, no answer":                 {"read", context.DeadlineExceeded, []string{"invoke read 1"}, []string{"completed", `"timeout"`}},
		"a read that failed":                {"read", &wire.Error{Code: wire.CodeUnavailable}, []string{"invoke read 1"}, []string{"completed", `"unavailable"`}},
		"a read whose handler ran too long": {"read", &wire.Error{Code: wire.CodeTimeout}, []string{"invoke read 1"}, []string{"completed", `"timeout"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigRead, rigWrite, rigTwice)
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, test.err }
			w := newWorld(t, newItems(), r.rigged)
			out := w.run(`try { await rig.` + test.method + `({}) } catch (e) { return e.code }`)
			w.is(out, test.want...)
			same(t, "calls", r.noted(), test.calls)
		})
	}
}

// What was under way when the host died is judged again before it runs again.
func TestJudgedAgainAfterACrash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		effect policy.Effect
		want   []string
		calls  int
	}{
		"a read that now needs approval":                {"read", policy.Approve, []string{"paused", "0"}, 1},
		"a read that is now denied":                     {"read", policy.Deny, []string{"completed", `"permission_denied"`}, 1},
		"a read":                                        {"read", policy.Allow, []string{"completed", `"done"`}, 2},
		"an idempotent write that now needs approval":   {"twice", policy.Approve, []string{"paused", "0"}, 1},
		"an idempotent write that is now denied":        {"twice", policy.Deny, []string{"completed", `"permission_denied"`}, 1},
		"an idempotent write":                           {"twice", policy.Allow, []string{"completed", `"done"`}, 2},
		"a write is never run again, whatever is ruled": {"write", policy.Allow, []string{"paused", "0"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(rigRead, rigWrite, rigTwice)
				effect := policy.Allow
				w := newWorld(t, newItems(), func(o *core.Options) {
					r.rigged(o)
					o.Connectors[1].Rules = []policy.Rule{{Methods: []string{"*"}, Effect: effect}}
				})
				died := make(chan struct{})
				r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
					<-died
					return &wire.Result{Value: json.RawMessage(`"done"`)}, nil
				}
				host, ended := w.host, make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = host.Run(context.Background(), core.RunRequest{Code: `try { return await rig.` + test.method + `({}) } catch (e) { return e.code }`})
				}()
				time.Sleep(time.Second) // until its start is durable, which a read's is by and by
				effect = test.effect
				go func() { time.Sleep(time.Second); close(died) }()
				w.die(nil)
				<-ended
				outs, err := w.host.ResumeAll(context.Background())
				if err != nil || len(outs) != 1 {
					t.Fatalf("%v, %v", outs, err)
				}
				w.is(outs[0], test.want...)
				if n := len(r.noted()); n != test.calls {
					t.Errorf("calls %q", r.noted())
				}
				if test.effect == policy.Approve {
					w.is(w.approve(outs[0].ExecutionID), "completed", `"done"`)
				}
				if test.effect == policy.Deny && test.method == "twice" && !w.recorded(outs[0].ExecutionID).Calls["0"].Doubtful() {
					t.Error("what the first attempt did is taken as known")
				}
				w.stop()
			})
		})
	}
}

// A call that was issued as a read does not run as a write, in whatever pass.
func TestReadThatHasBecomeAWrite(t *testing.T) {
	t.Parallel()
	again := rigRead
	again.Name, again.Replay = "again", wire.ReplayReexecute
	r := newRig(again, rigRead)
	w := newWorld(t, newItems(1), r.rigged)
	out := w.run(`let seen = "done"; try { await rig.again({}) } catch (e) { seen = e.code } await items.remove({id: 1}); return seen`)
	w.is(out, "paused", "1")
	r.methods[0] = &wire.Method{Name: "again", Description: "Write."}
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `"conflict"`)
	same(t, "calls", r.noted(), []string{"invoke again 1"})
}

// A call that a person has approved is carried out once, though its method declares that it runs in every pass.
func TestApprovedCallsAreNeverReexecuted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), func(o *core.Options) {
		o.Connectors[0].Rules = []policy.Rule{{Methods: []string{"fresh"}, Effect: policy.Approve}}
	})
	out := w.run(`const n = await items.fresh(); await items.remove({id: 1}); return n`)
	w.is(out, "paused", "0")
	w.is(w.approve(out.ExecutionID), "paused", "1")
	w.is(w.approve(out.ExecutionID), "completed", "1")
	if n := w.items.called("fresh"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// A write cannot be declared to run in every pass, by a connector of any language.
func TestWritesAreNeverReexecuted(t *testing.T) {
	t.Parallel()
	write := rigWrite
	write.Replay = wire.ReplayReexecute
	r := newRig(write)
	w := newWorld(t, newItems(), r.rigged)
	d, err := w.host.Describe(context.Background(), "rig")
	if err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "is a write") {
		t.Errorf("%+v, %v", d, err)
	}
}
