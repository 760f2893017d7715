package core_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/plugin/wire"
)

// ticketBlocks are what a platform engineer writes for a tracker that only has methods.
const ticketBlocks = `
connector "rig" {
  plugin = "rig"
  prepare "update_ticket" {
    call = "tickets/get"
    args = { id = args.id }
  }
  revert "update_ticket" {
    call = "update_ticket"
    args = { id = args.id, title = before.title, file = try(args.file, null) }
  }
  revert "create_ticket" {
    call = "delete_ticket"
    args = { id = result.id }
  }
  reconcile "create_ticket" {
    call     = "list_tickets"
    args     = { q = args.title }
    happened = result.total == null ? null : result.total > 0
    result   = result.items[0]
  }
  preview "create_ticket" {
    text = "Opens ${upper(args.title)} for ${coalesce(args.team, "nobody")}."
  }
}`

var ticketMethods = []wire.Method{
	{Name: "tickets/get", ReadOnly: true, InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)},
	{Name: "list_tickets", ReadOnly: true},
	{
		Name: "create_ticket", RequiresApproval: true,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"team":{"type":"string"}}}`),
	},
	{Name: "update_ticket", Prepares: true, Reverts: true, Reconciles: true},
	{Name: "delete_ticket", InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)},
}

// declaredWorld is a world whose connector has the blocks and answers each method with a value; "lost" is no answer.
func declaredWorld(t *testing.T, answers map[string]string) (*world, *rig, func() []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "codemode.hcl")
	if err := os.WriteFile(path, []byte(ticketBlocks), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, config.Options{UserConfigDir: "/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(ticketMethods...)
	var calls []string
	keys := map[string]string{}
	r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		calls = append(calls, call.Method+" "+string(call.Args))
		if other, known := keys[call.IdempotencyKey]; known && other == call.Method+string(call.Args) {
			t.Errorf("%s was called twice with one key", call.Method)
		}
		keys[call.IdempotencyKey] = call.Method + string(call.Args)
		if call.ExecutionID == "" || call.Deadline.IsZero() {
			t.Errorf("%s: a call of nobody, or without a deadline: %+v", call.Method, call)
		}
		answer := answers[call.Method]
		switch answer {
		case "lost":
			return nil, errLost
		case "": // undefined
			return &wire.Result{}, nil
		}
		return &wire.Result{Value: json.RawMessage(answer)}, nil
	}
	w := newWorld(t, newItems(), func(o *core.Options) {
		o.Connectors = append(o.Connectors, core.Connector{Label: "rig", Connector: r, Declared: c.Connectors[0].Declared})
	})
	return w, r, func() []string {
		r.mu.Lock()
		defer r.mu.Unlock()
		return calls
	}
}

// TestDeclaredRevert: a rollback makes the calls that the configuration declares, with what was there before and what came of the call.
func TestDeclaredRevert(t *testing.T) {
	t.Parallel()
	w, r, calls := declaredWorld(t, map[string]string{
		"tickets/get": `{"title":"<old>"}`, "update_ticket": `{}`, "create_ticket": `{"id":7}`, "delete_ticket": ``,
	})
	out := w.run(`
		await rig.update_ticket({ id: 3, title: "new", file: new Uint8Array([1, 2]) });
		return (await rig.create_ticket({ title: "x" })).id`)
	w.is(out, "paused", "1")
	if got := out.Pending[0].Preview; got != "Opens X for nobody." || !out.Pending[0].Revertible {
		t.Errorf("the approver sees %q, revertible %v", got, out.Pending[0].Revertible)
	}
	w.is(w.approve(out.ExecutionID, "1"), "completed", "7")
	undone := w.rollback(out.ExecutionID)
	if undone.Status != "rolled_back" || len(undone.Reverted) != 2 {
		t.Errorf("got %+v", undone)
	}
	same(t, "calls", calls(), []string{
		`tickets/get {"id":3}`, `update_ticket {"id":3,"title":"new","file":{"$bytes":"AQI="}}`, `create_ticket {"title":"x"}`,
		`delete_ticket {"id":7}`, `update_ticket {"file":{"$bytes":"AQI="},"id":3,"title":"\u003cold\u003e"}`,
	})
	for _, line := range r.noted() {
		if strings.HasPrefix(line, "prepare") || strings.HasPrefix(line, "revert") {
			t.Errorf("the connector's own %s", line)
		}
	}
}

// TestDeclaredRevertThatCannotBe: what a block needs and does not have is told, and nothing is called.
func TestDeclaredRevertThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ result, reason string }{
		"nothing to name it by": {`{}`, "the revert block of create_ticket in the configuration cannot be used: evaluate the expression at codemode.hcl:14: unsupported attribute"},
		"another type":          {`{"id":"secret"}`, "delete_ticket cannot be called"},
		"undefined":             {``, "attempt to get attribute from null value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, calls := declaredWorld(t, map[string]string{"create_ticket": tc.result})
			out := w.run(`await rig.create_ticket({ title: "x" })`)
			w.approve(out.ExecutionID, "0")
			undone := w.rollback(out.ExecutionID)
			if len(undone.Failed) != 1 || !strings.Contains(undone.Failed[0].Reason, tc.reason) || strings.Contains(undone.Failed[0].Reason, "secret") {
				t.Errorf("got %+v", undone)
			}
			same(t, "calls", calls(), []string{`create_ticket {"title":"x"}`})
		})
	}
}

// TestDeclaredPrepareThatFails: a write whose read before it fails is not made.
func TestDeclaredPrepareThatFails(t *testing.T) {
	t.Parallel()
	w, _, calls := declaredWorld(t, nil)
	w.is(w.run(`try { await rig.update_ticket({ title: "new" }) } catch (e) { return e.message }`), "completed",
		`"The call was not started: the prepare block of update_ticket in the configuration cannot be used: evaluate the expression at codemode.hcl:6: unsupported attribute"`)
	same(t, "calls", calls(), nil)
}

// TestDeclaredReconciliation: a read says whether a write took effect whose answer was lost.
func TestDeclaredReconciliation(t *testing.T) {
	t.Parallel()
	const sent, asked = `create_ticket {"title":"x"}`, `list_tickets {"q":"x"}`
	for name, tc := range map[string]struct {
		list string
		want []string
		log  []string
	}{
		"it happened":      {`{"total":1,"items":[{"id":8}]}`, []string{"completed", "8"}, []string{sent, asked}},
		"it did not":       {`{"total":0,"items":[]}`, []string{"paused", "0"}, []string{sent, asked, sent, asked, sent}},
		"it cannot tell":   {`{"total":null}`, []string{"paused", "0"}, []string{sent, asked}},
		"no such property": {`{}`, []string{"paused", "0"}, []string{sent, asked}},
		"no result":        {`{"total":1,"items":[]}`, []string{"paused", "0"}, []string{sent, asked}},
		"the read is lost": {`lost`, []string{"paused", "0"}, []string{sent, asked}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, calls := declaredWorld(t, map[string]string{"create_ticket": "lost", "list_tickets": tc.list})
			out := w.run(`return (await rig.create_ticket({ title: "x" })).id`)
			w.is(w.approve(out.ExecutionID, "0"), tc.want...)
			same(t, "calls", calls(), tc.log)
		})
	}
}
