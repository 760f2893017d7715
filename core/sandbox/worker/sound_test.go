package worker

import (
	"errors"
	"testing"

	"github.com/codemode-go/codemode/core/sandbox"
)

// TestSound: what no program can have said is not passed on.
func TestSound(t *testing.T) {
	t.Parallel()
	args := []byte(`{"a":1}`)
	bad := &sandbox.Error{Message: "x", Cause: &sandbox.Error{Message: "y", Details: []byte(`{`)}}
	for name, tt := range map[string]struct {
		turn sandbox.Turn
		ok   bool
	}{
		"nothing":            {sandbox.Turn{}, true},
		"a call":             {sandbox.Turn{Calls: []sandbox.Call{{Seq: "0", Args: args, Digest: sandbox.Digest(args)}}}, true},
		"a replayed call":    {sandbox.Turn{Calls: []sandbox.Call{{Seq: "0", Digest: sandbox.Digest(args)}}}, true},
		"another digest":     {sandbox.Turn{Calls: []sandbox.Call{{Seq: "0", Args: args, Digest: sandbox.Digest([]byte(`{}`))}}}, false},
		"no JSON to call":    {sandbox.Turn{Calls: []sandbox.Call{{Seq: "0", Args: args[1:], Digest: sandbox.Digest(args[1:])}}}, false},
		"a result":           {sandbox.Turn{Result: &sandbox.Result{Value: args}}, true},
		"no JSON returned":   {sandbox.Turn{Result: &sandbox.Result{Value: args[1:]}}, false},
		"bad details thrown": {sandbox.Turn{Result: &sandbox.Result{Error: bad}}, false},
		"a step":             {sandbox.Turn{Steps: []sandbox.StepResult{{Seq: "0", Value: args}}}, true},
		"no JSON of a step":  {sandbox.Turn{Steps: []sandbox.StepResult{{Seq: "0", Value: args[1:]}}}, false},
		"bad details unseen": {sandbox.Turn{Unhandled: []*sandbox.Error{bad}}, false},
	} {
		if err := sound(&tt.turn); (err == nil) != tt.ok || err != nil && !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
