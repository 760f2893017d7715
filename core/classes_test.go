package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/plugin"
	"github.com/codemode-go/codemode/plugin/wire"
)

// classOf says in a word what is known of a call that failed, and after how many attempts.
func classOf(c *journal.Call) string {
	attempts := 0
	if c.Started != nil {
		attempts = c.Started.Attempt
	}
	word := string(c.State)
	if c.State == journal.CallFailed && c.Doubtful() {
		word = "failed, perhaps in effect"
	}
	return fmt.Sprintf("%s, %d", word, attempts)
}

// TestFailureClasses: every way in which a call can fail, for a read, a write, and a write that may run twice. What
// certainly had no effect is failed; what may have had one is in doubt, or told to the program as such.
func TestFailureClasses(t *testing.T) {
	t.Parallel()
	type handler = func(ctx context.Context, call *wire.Call) (*wire.Result, error)
	fails := func(err error) handler {
		return func(context.Context, *wire.Call) (*wire.Result, error) { return nil, err }
	}
	answers := func(value string) handler {
		return func(context.Context, *wire.Call) (*wire.Result, error) {
			return &wire.Result{Value: json.RawMessage(value)}, nil
		}
	}
	listens := func(ctx context.Context, _ *wire.Call) (*wire.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	late := func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		time.Sleep(time.Until(call.Deadline) + 100*time.Millisecond)
		return &wire.Result{}, nil
	}
	deaf := func(ctx context.Context, _ *wire.Call) (*wire.Result, error) {
		time.Sleep(20 * time.Second)
		return &wire.Result{}, nil
	}
	lost := func(sent bool) error {
		return &plugin.LostError{Label: "rig", Cause: errors.New("its process (pid 7) ended"), NotSent: !sent}
	}
	for name, test := range map[string]struct {
		handler              handler
		pace                 core.Pace // of which another call uses all up
		read, write, idempot string
	}{
		"its time ran out":                    {listens, core.Pace{}, "failed, 1", "in_doubt, 1", "in_doubt, 2"},
		"its time ran out, and it goes on":    {deaf, core.Pace{}, "failed, 1", "in_doubt, 1", "in_doubt, 1"},
		"it answers a moment late":            {late, core.Pace{}, "applied, 1", "applied, 1", "applied, 1"},
		"it says that its time ran out":       {fails(&wire.Error{Code: wire.CodeTimeout}), core.Pace{}, "failed, 1", "in_doubt, 1", "in_doubt, 2"},
		"its time was up before it began":     {fails(&wire.Error{Code: wire.CodeTimeout, Effect: wire.EffectNone}), core.Pace{}, "failed, 1", "failed, 1", "failed, 1"},
		"the connector died during the call":  {fails(lost(true)), core.Pace{}, "failed, 2", "in_doubt, 1", "in_doubt, 2"},
		"the connector died before the call":  {fails(lost(false)), core.Pace{}, "failed, 2", "failed, 1", "failed, 1"},
		"the circuit is open":                 {fails(&plugin.LostError{Label: "rig", Cause: errors.New("held back"), NotSent: true}), core.Pace{}, "failed, 2", "failed, 1", "failed, 1"},
		"it was not ready in time":            {fails(&plugin.LostError{Label: "rig", Cause: context.DeadlineExceeded, NotSent: true}), core.Pace{}, "failed, 1", "failed, 1", "failed, 1"},
		"the transport failed":                {fails(errLost), core.Pace{}, "failed, 2", "in_doubt, 1", "in_doubt, 2"},
		"no slot came":                        {nil, core.Pace{Concurrency: 1}, "failed, 1", "failed, 1", "failed, 1"},
		"no permit came":                      {nil, core.Pace{PerSecond: 0.001, Burst: 1}, "failed, 1", "failed, 1", "failed, 1"},
		"the connector refuses":               {fails(&wire.Error{Code: wire.CodePermissionDenied}), core.Pace{}, "failed, 1", "failed, 1", "failed, 1"},
		"the connector has too many requests": {fails(&wire.Error{Code: wire.CodeRateLimited}), core.Pace{}, "failed, 1", "failed, 1", "failed, 1"},
		"the connector refuses, having acted": {fails(&wire.Error{Code: wire.CodeConflict, Effect: wire.EffectUnknown}), core.Pace{}, "failed, 1", "failed, perhaps in effect, 1", "failed, perhaps in effect, 1"},
		"the connector fails":                 {fails(&wire.Error{Code: wire.CodeInternal}), core.Pace{}, "failed, 1", "failed, perhaps in effect, 1", "failed, perhaps in effect, 1"},
		"the connector fails, having refused": {fails(&wire.Error{Code: wire.CodeInternal, Effect: wire.EffectNone}), core.Pace{}, "failed, 1", "failed, 1", "failed, 1"},
		"its service is not available":        {fails(&wire.Error{Code: wire.CodeUnavailable}), core.Pace{}, "failed, 1", "failed, perhaps in effect, 1", "failed, perhaps in effect, 1"},
		"its result is no JSON":               {answers("{"), core.Pace{}, "failed, 1", "failed, perhaps in effect, 1", "failed, perhaps in effect, 1"},
		"its result is too large":             {answers(`"` + strings.Repeat("x", 1_000_001) + `"`), core.Pace{}, "failed, 1", "applied, 1", "applied, 1"},
	} {
		for method, want := range map[string]string{"read": test.read, "write": test.write, "twice": test.idempot} {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newRig(rigRead, rigWrite, rigTwice)
					r.invoke = test.handler
					program := `try { await rig.` + method + `({}) } catch {}`
					if test.handler == nil { // another call uses up what there is of slots and permits
						r.invoke = deaf
						program = `rig.read({}).catch(() => {}); await new Promise(r => setTimeout(r, 1000)); ` + program
					}
					w := newWorld(t, newItems(), func(o *core.Options) {
						r.rigged(o)
						o.Connectors[1].Pace = test.pace
						o.CallTimeout, o.Limits.Wall = 10*time.Second, time.Hour
					})
					s := w.recorded(w.run(program).ExecutionID)
					if got := classOf(s.Calls[s.Order[len(s.Order)-1]]); got != want {
						t.Errorf("it is %s, want %s", got, want)
					}
					w.stop()
				})
			})
		}
	}
}

// TestCallsCutOff: what becomes of a call under way when its execution is cancelled, or its host stops. A write is
// awaited to its deadline; a read is given up.
func TestCallsCutOff(t *testing.T) {
	t.Parallel()
	cancel := func(w *world, id string) { w.host.Cancel(id, errors.New("no more")) }
	stop := func(w *world, _ string) { w.stop() }
	for name, test := range map[string]struct {
		end  func(w *world, id string)
		err  error // of the handler
		want map[string]string
	}{
		"cancelled, and it succeeds": {cancel, nil, map[string]string{"read": "withdrawn, 1", "write": "applied, 1", "twice": "applied, 1"}},
		"cancelled, and it is lost":  {cancel, errLost, map[string]string{"read": "withdrawn, 1", "write": "in_doubt, 1", "twice": "in_doubt, 1"}},
		"stopped, and it succeeds":   {stop, nil, map[string]string{"read": "executing, 1", "write": "applied, 1", "twice": "applied, 1"}},
		"stopped, and it is lost":    {stop, errLost, map[string]string{"read": "executing, 1", "write": "executing, 1", "twice": "executing, 1"}},
	} {
		for method, want := range test.want {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newRig(rigRead, rigWrite, rigTwice)
					r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
						time.Sleep(5 * time.Second)
						return &wire.Result{}, test.err
					}
					w := newWorld(t, newItems(), r.rigged)
					ended := w.starts(`await rig.` + method + `({})`)
					time.Sleep(time.Second)
					id := w.only()
					test.end(w, id)
					<-ended
					if got := classOf(w.recorded(id).Calls["0"]); got != want {
						t.Errorf("it is %s, want %s", got, want)
					}
					w.stop()
				})
			})
		}
	}
}
