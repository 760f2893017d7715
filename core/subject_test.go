package core_test

import (
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/plugin/wire"
)

// TestStandIn: a call that stands for one of another method is judged as that one, by its rules and its declaration, and
// by rules on its own method where they are stricter.
func TestStandIn(t *testing.T) {
	t.Parallel()
	deny := policy.Rule{Methods: []string{"write"}, Effect: policy.Deny, Reason: "frozen"}
	allow := policy.Rule{Methods: []string{"gated"}, Effect: policy.Allow}
	standIn := wire.Method{Name: "any", RequiresApproval: true, StandsIn: true}
	for name, tc := range map[string]struct {
		to    string
		err   error
		rules []policy.Rule
		want  []string
	}{
		"a read":               {to: "read", want: []string{"completed", `"done"`}},
		"a write":              {to: "write", want: []string{"completed", `"done"`}},
		"a gated one":          {to: "gated", want: []string{"paused", "0"}},
		"a denied one":         {to: "write", rules: []policy.Rule{deny}, want: []string{"completed", `"permission_denied"`}},
		"an allowed one":       {to: "gated", rules: []policy.Rule{allow}, want: []string{"completed", `"done"`}},
		"denied by itself":     {to: "read", rules: []policy.Rule{{Methods: []string{"any"}, Effect: policy.Deny}}, want: []string{"completed", `"permission_denied"`}},
		"asked for by itself":  {to: "read", rules: []policy.Rule{{Methods: []string{"any"}, Effect: policy.Approve}}, want: []string{"paused", "0"}},
		"allowed by itself":    {to: "gated", rules: []policy.Rule{{Methods: []string{"any"}, Effect: policy.Allow}}, want: []string{"paused", "0"}},
		"none":                 {err: &wire.Error{Code: wire.CodeNotFound, Message: "no such"}, want: []string{"completed", `"not_found"`}},
		"none that is there":   {to: "nosuch", want: []string{"completed", `"not_found"`}},
		"itself":               {to: "any", want: []string{"completed", `"internal"`}},
		"a connection is lost": {err: errLost, want: []string{"completed", `"unavailable"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigRead, rigWrite, rigGated, standIn)
			r.resolve = func(*wire.Call) (*wire.Resolution, error) {
				return &wire.Resolution{Method: tc.to, Args: json.RawMessage(`{"n":1}`)}, tc.err
			}
			w := newWorld(t, newItems(), func(o *core.Options) {
				o.Connectors = append(o.Connectors, core.Connector{Label: "rig", Connector: r, Rules: tc.rules})
			})
			out := w.run(`try { return await rig.any({ n: 1 }) } catch (e) { return e.code }`)
			w.is(out, tc.want...)
			if out.Status == "paused" {
				w.is(w.approve(out.ExecutionID, "0"), "completed", `"done"`)
			}
		})
	}
}

// TestStandInForAnother: an approval is bound to what the call stands for.
func TestStandInForAnother(t *testing.T) {
	t.Parallel()
	r := newRig(rigRead, rigGated, wire.Method{Name: "any", RequiresApproval: true, StandsIn: true})
	id := `1`
	r.resolve = func(*wire.Call) (*wire.Resolution, error) {
		return &wire.Resolution{Method: "gated", Args: json.RawMessage(`{"n":` + id + `}`)}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`return await rig.any({ n: 1 })`)
	w.is(out, "paused", "0")
	id = `2` // the connector has changed its mind
	w.is(w.approve(out.ExecutionID, "0"), "paused", "0")
	w.is(w.approve(out.ExecutionID, "0"), "completed", `"done"`)
	same(t, "calls", r.noted(), []string{"invoke any 1"})
}
