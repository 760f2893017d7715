package codetool_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/codetool"
	"github.com/codemode-go/codemode/plugin/sdk"
)

type delay struct {
	Seconds int `json:"seconds"`
}

// clock is a namespace whose functions take their time.
type clock struct {
	running, most atomic.Int32
	cut           atomic.Int32 // calls whose context ended first
	done          atomic.Int32
}

func (c *clock) wait(ctx context.Context, d delay) (int, error) {
	n := c.running.Add(1)
	defer c.running.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	select {
	case <-time.After(time.Duration(d.Seconds) * time.Second):
		c.done.Add(1)
		return d.Seconds, nil
	case <-ctx.Done():
		c.cut.Add(1)
		return 0, ctx.Err()
	}
}

func (c *clock) namespaces() []codetool.Namespace {
	return []codetool.Namespace{{Name: "clock", Functions: []sdk.Method{
		read("wait", c.wait),
		sdk.Func[delay, int]{Name: "write", Approval: sdk.NotRequired, Call: c.wait},
	}}}
}

// timed is a test in a bubble whose clock moves when all wait.
func timed(t *testing.T, limits codetool.Limits, test func(t *testing.T, c *clock, tool *codetool.Tool)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{}
		test(t, c, newTool(t, codetool.Options{Namespaces: c.namespaces(), Limits: limits}))
		if n := c.running.Load(); n != 0 {
			t.Errorf("%d functions run on", n)
		}
	})
}

// took fails unless it is about so many seconds since a time.
func took(t *testing.T, began time.Time, seconds int) {
	t.Helper()
	want := time.Duration(seconds) * time.Second
	if d := time.Since(began); d < want || d >= want+time.Second {
		t.Errorf("it took %s, not %s", d, want)
	}
}

func TestTimers(t *testing.T) {
	timed(t, codetool.Limits{}, func(t *testing.T, _ *clock, tool *codetool.Tool) {
		began := time.Now()
		got, err := tool.Run(t.Context(), `
			const seen = [], sleep = (ms, v) => new Promise(r => setTimeout(() => { seen.push(v); r() }, ms));
			const gone = setTimeout(() => seen.push("cleared"), 500), t0 = Date.now();
			clearTimeout(gone);
			let n = 0;
			const ticks = setInterval(() => { if (++n === 2) clearInterval(ticks) }, 1000);
			await Promise.all([sleep(3000, "c"), sleep(1000, "a"), sleep(1000, "b")]);
			const racing = await Promise.race([clock.wait({seconds: 50}), sleep(1000, "d")]);
			[...seen, n, Math.round((Date.now() - t0) / 1000)]`)
		if err != nil {
			t.Fatal(err)
		}
		if want := `["a","b","c","d",2,4]`; string(got.Value) != want {
			t.Errorf("got %s, want %s", got.Value, want)
		}
		took(t, began, 53) // the call that lost the race is carried out
	})
}

// TestTimeout: neither a program that waits for a function nor one that catches everything goes on after its time.
func TestTimeout(t *testing.T) {
	timed(t, codetool.Limits{}, func(t *testing.T, c *clock, tool *codetool.Tool) {
		began := time.Now()
		_, err := tool.Run(t.Context(), `console.log("x"); try { while (true) await clock.wait({seconds: 25}) } catch (e) { console.log("caught") }`)
		want := &codetool.Error{
			Type: codetool.ErrorTimeout, Limit: "timeout", Logs: []string{"x"},
			Message: "the program timed out: it used more than 1m0s of running time; do less in one program, or pass the rest on to a second one",
		}
		if diff := cmp.Diff(want, failure(t, err), cmp.AllowUnexported(codetool.Error{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		took(t, began, 60)
		if c.done.Load() != 2 || c.cut.Load() != 1 {
			t.Errorf("%d calls were done and %d cut", c.done.Load(), c.cut.Load())
		}
	})
}

// TestSleepIsNoRunningTime, but has a limit of its own, over all timers.
func TestSleepIsNoRunningTime(t *testing.T) {
	const sleeps = `const sleep = s => new Promise(r => setTimeout(r, s * 1000)); `
	timed(t, codetool.Limits{}, func(t *testing.T, _ *clock, tool *codetool.Tool) {
		began := time.Now()
		if _, err := tool.Run(t.Context(), sleeps+`await sleep(300); await clock.wait({seconds: 40}); await sleep(300)`); err != nil {
			t.Error(err)
		}
		took(t, began, 640)

		began = time.Now()
		_, err := tool.Run(t.Context(), sleeps+`await sleep(300); await sleep(301)`)
		if failed := failure(t, err); failed.Limit != "sleep" || failed.Message != "the program waits for timers longer than 10m0s in all" {
			t.Errorf("got %v", err)
		}
		took(t, began, 300) // it is not slept through first
	})
}

func TestCallDeadline(t *testing.T) {
	timed(t, codetool.Limits{Call: 5 * time.Second}, func(t *testing.T, c *clock, tool *codetool.Tool) {
		began := time.Now()
		got, err := tool.Run(t.Context(), `try { await clock.write({seconds: 9}) } catch (e) { [e.code, e.retryable, e.message] }`)
		if err != nil {
			t.Fatal(err)
		}
		if want := `["timeout",false,"the deadline passed before the call was done"]`; string(got.Value) != want {
			t.Errorf("got %s, want %s", got.Value, want)
		}
		took(t, began, 5)
	})
}

func TestInFlight(t *testing.T) {
	timed(t, codetool.Limits{InFlight: 3}, func(t *testing.T, c *clock, tool *codetool.Tool) {
		began := time.Now()
		got, err := tool.Run(t.Context(), `await Promise.all([1, 1, 1, 1, 1, 1, 1, 1].map(seconds => clock.wait({seconds})))`)
		if err != nil {
			t.Fatal(err)
		}
		if want := `[1,1,1,1,1,1,1,1]`; string(got.Value) != want || c.most.Load() != 3 {
			t.Errorf("got %s with %d at once", got.Value, c.most.Load())
		}
		took(t, began, 3)
	})
}

// TestFailureLeavesNothingBehind: reads are cancelled, writes are carried out, and what has not begun does not begin.
func TestFailureLeavesNothingBehind(t *testing.T) {
	timed(t, codetool.Limits{InFlight: 3}, func(t *testing.T, c *clock, tool *codetool.Tool) {
		began := time.Now()
		_, err := tool.Run(t.Context(), `
			const all = [clock.wait({seconds: 50}), clock.write({seconds: 20}), clock.wait({seconds: 1}), clock.write({seconds: 9}), clock.write({seconds: 9})];
			await all[2]; throw new Error("enough")`)
		if failed := failure(t, err); failed.Message != "enough" {
			t.Errorf("got %v", err)
		}
		took(t, began, 20)
		if c.done.Load() != 3 || c.cut.Load() != 1 {
			t.Errorf("%d calls were done and %d cut", c.done.Load(), c.cut.Load())
		}
	})
}

// TestCancel: the caller's context ends everything, whether the program waits or computes.
func TestCancel(t *testing.T) {
	for name, code := range map[string]string{
		"while it waits":    `await Promise.all([clock.wait({seconds: 50}), clock.write({seconds: 50})])`,
		"while it sleeps":   `await new Promise(r => setTimeout(r, 50000))`,
		"before it begins":  `1`,
		"while it catches ": `for (;;) try { await clock.wait({seconds: 50}) } catch {}`,
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, codetool.Limits{}, func(t *testing.T, _ *clock, tool *codetool.Tool) {
				reason := errors.New("the user has left")
				ctx, cancel := context.WithCancelCause(t.Context())
				if code == "1" {
					cancel(reason)
				} else {
					time.AfterFunc(7*time.Second, func() { cancel(reason) })
				}
				began := time.Now()
				_, err := tool.Run(ctx, code)
				if failed := failure(t, err); failed.Type != codetool.ErrorCancelled || !errors.Is(err, reason) {
					t.Errorf("got %v", err)
				}
				if code != "1" {
					took(t, began, 7)
				}
			})
		})
	}
}

// TestComputingIsBounded by limits that no program can catch. It runs in real time.
func TestComputingIsBounded(t *testing.T) {
	t.Parallel()
	limits := codetool.Limits{}
	limits.Sandbox.CPU = 50 * time.Millisecond
	tool := newTool(t, codetool.Options{Limits: limits})
	_, err := tool.Run(t.Context(), `try { for (;;); } finally { console.log("never") }`)
	failed := failure(t, err)
	if failed.Type != codetool.ErrorLimit || failed.Limit != "cpu" || len(failed.Logs) > 0 {
		t.Errorf("got %+v", failed)
	}

	tool = newTool(t, codetool.Options{Limits: codetool.Limits{Wall: 50 * time.Millisecond}})
	_, err = tool.Run(t.Context(), `for (;;);`)
	if failed := failure(t, err); failed.Type != codetool.ErrorTimeout {
		t.Errorf("got %+v", failed)
	}

	limits = codetool.Limits{Wall: 50 * time.Millisecond}
	limits.Sandbox.Sleep = 10 * time.Second
	tool = newTool(t, codetool.Options{Limits: limits})
	_, err = tool.Run(t.Context(), `for (;;) { await new Promise(r => setTimeout(r, 1)); for (let i = 0; i < 1e5; i++); }`)
	if failed := failure(t, err); failed.Type != codetool.ErrorTimeout {
		t.Errorf("a little at a time, it is %+v", failed)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = newTool(t, codetool.Options{}).Run(ctx, `for (;;);`)
	if failed := failure(t, err); failed.Type != codetool.ErrorCancelled || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %+v", failed)
	}
}

type tenantKey struct{}

// TestFunctionsKnowTheirCall, and find what the caller's context has.
func TestFunctionsKnowTheirCall(t *testing.T) {
	t.Parallel()
	var calls []sdk.Call
	tool := newTool(t, codetool.Options{Namespaces: []codetool.Namespace{{Name: "me", Functions: []sdk.Method{
		read("who-am-i", func(ctx context.Context, _ struct{}) (string, error) {
			calls = append(calls, sdk.CallFrom(ctx))
			return sdk.Label(ctx) + " of " + ctx.Value(tenantKey{}).(string), nil
		}),
	}}}})
	ctx := context.WithValue(t.Context(), tenantKey{}, "acme")
	for range 2 {
		got, err := tool.Run(ctx, `await me.who_am_i(); await me.who_am_i()`)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Value) != `"me of acme"` {
			t.Errorf("got %s", got.Value)
		}
	}
	keys := map[string]bool{}
	for _, c := range calls {
		keys[c.IdempotencyKey] = true
		if c.Method != "who-am-i" || c.Attempt != 1 || c.Deadline.IsZero() || c.IdempotencyKey != c.ExecutionID+"/"+c.Seq {
			t.Errorf("a call is %+v", c)
		}
	}
	if len(calls) != 4 || len(keys) != 4 || strings.Contains(calls[0].ExecutionID, "/") {
		t.Errorf("%d calls have %d keys", len(calls), len(keys))
	}
}
