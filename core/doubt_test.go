package core_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

// waiting lists what waits for a person in all executions: "0 in_doubt again,done", "0 in_doubt revert again,done".
func (w *world) waiting() []string {
	w.t.Helper()
	list, err := w.host.Pending(context.Background(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	said := []string{}
	for _, p := range list {
		words := []string{p.Seq, p.Kind}
		if p.Revert {
			words = append(words, "revert")
		}
		said = append(said, strings.Join(append(words, strings.Join(p.Settle, ",")), " "))
	}
	return said
}

// TestInDoubtAfterTheEnd: a call in doubt outlives its execution. It is listed, shown and settled, and revives nothing.
func TestInDoubtAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		how   string
		state journal.CallState
	}{
		"it happened": {core.SettleDone, journal.CallApplied},
		"it did not":  {core.SettleNotDone, journal.CallFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigWrite)
			r.losing(1)
			w := newWorld(t, newItems(), r.rigged)
			id := w.run(`await rig.write({})`).ExecutionID
			same(t, "while it waits", w.waiting(), []string{"0 in_doubt again,done,not_done,end"})
			w.settle(id, "0", core.SettleEnd, "")
			same(t, "after the end", w.waiting(), []string{"0 in_doubt done,not_done"})
			d, err := w.host.Show(ctx, id)
			if err != nil || len(d.Outcome.Pending) != 1 || !strings.Contains(d.Outcome.Pending[0].Note, "has ended") {
				t.Errorf("shown: %+v, %v", d.Outcome.Pending, err)
			}
			for _, how := range []string{core.SettleAgain, core.SettleEnd} {
				w.is(w.settle(id, "0", how, ""), "error", engine.ErrorState, "whether it happened")
			}
			passes := w.recorded(id).Passes
			if out := w.settle(id, "0", test.how, ""); !out.Changed || out.Status != "error" {
				t.Errorf("settled: %+v", out)
			}
			same(t, "settled", w.waiting(), []string{})
			s := w.recorded(id)
			if s.Calls["0"].State != test.state || s.Status != journal.StatusError || s.Passes != passes {
				t.Errorf("the call is %s, the execution %s after %d passes", s.Calls["0"].State, s.Status, s.Passes)
			}
			same(t, "calls", r.noted(), []string{"invoke write 1"})
		})
	}
}

// TestRevertInDoubtIsListed: a revert of which nothing is known waits for a person, with the words that fit it.
func TestRevertInDoubtIsListed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		how     string
		reverts int
		state   journal.CallState
		status  string
	}{
		"it happened":  {core.SettleDone, 1, journal.CallReverted, "rolled_back"},
		"it did not":   {core.SettleNotDone, 2, journal.CallReverted, "rolled_back"},
		"try it again": {core.SettleAgain, 2, journal.CallReverted, "rolled_back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigFound)
			r.revert = func(_ context.Context, req *wire.RevertRequest) error {
				if req.Call.Attempt == 1 {
					return errLost
				}
				return nil
			}
			w := newWorld(t, newItems(), r.rigged)
			id := w.run(`return await rig.found({})`).ExecutionID
			if got := w.rollback(id); got.Changed || len(got.InDoubt) != 1 {
				t.Fatalf("%+v", got)
			}
			same(t, "waiting", w.waiting(), []string{"0 in_doubt revert again,done,not_done"})
			if out := w.settle(id, "0", core.SettleEnd, ""); out.ErrorType != engine.ErrorState {
				t.Errorf("ended: %+v", out)
			}
			if out := w.settle(id, "0", test.how, ""); !out.Changed {
				t.Fatalf("settled: %+v", out)
			}
			same(t, "settled", w.waiting(), []string{})
			if got := w.rollback(id); got.Status != test.status || len(r.reverts) != test.reverts {
				t.Errorf("%+v, %d reverts", got, len(r.reverts))
			}
			if s := w.recorded(id); s.Calls["0"].State != test.state {
				t.Errorf("the call is %s", s.Calls["0"].State)
			}
			keys := map[string]bool{}
			for _, req := range r.reverts {
				keys[req.Call.IdempotencyKey] = true
			}
			if len(keys) != 1 || !keys[id+"/0/revert"] {
				t.Errorf("keys %v", keys)
			}
		})
	}
}

// TestEditsOutliveTheirDecision: what was sent with an approver's arguments is run again with them, and an approval that
// has become void asks about them.
func TestEditsOutliveTheirDecision(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version string // of the connector, when it is run again
		told    wire.Happened
		asks    bool
	}{
		"a person says again":           {"1", wire.HappenedUnknown, false},
		"its connector says it did not": {"1", wire.HappenedNo, false},
		"the connector has changed":     {"2", wire.HappenedUnknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := rigFound
			method.RequiresApproval = true
			r := newRig(method)
			r.told = telling(test.told, "")
			var sent []string
			r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
				if sent = append(sent, string(call.Args)); call.Attempt == 1 {
					return nil, errLost
				}
				return &wire.Result{}, nil
			}
			w := newWorld(t, newItems(), r.rigged)
			id := w.run(`await rig.found({ n: 1 }); return 1`).ExecutionID
			out, err := w.host.Approve(context.Background(), core.ApproveRequest{
				ExecutionID: id, Calls: []core.Shown{{Seq: "0", Args: json.RawMessage(`{"n":2}`)}}, Decider: person,
			})
			if err != nil {
				t.Fatal(err)
			}
			if test.told == wire.HappenedUnknown {
				w.is(out, "paused", "0")
				r.version = test.version
				w.restart()
				out = w.settle(id, "0", core.SettleAgain, "")
			}
			if test.asks {
				w.is(out, "paused", "0")
				if got := string(out.Pending[0].Args); got != `{"n":2}` {
					t.Errorf("a person is asked about %s", got)
				}
				out = w.approve(id)
			}
			w.is(out, "completed", "1")
			same(t, "sent", sent, slices.Repeat([]string{`{"n":2}`}, 2))
		})
	}
}
