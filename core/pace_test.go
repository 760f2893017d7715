package core_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// withPace sets the pace of a world's connector.
func withPace(p core.Pace) func(*core.Options) {
	return func(o *core.Options) { o.Connectors[0].Pace = p }
}

func TestConcurrencyOfAConnector(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		now, most := 0, 0
		it.hook = func(context.Context, string, int) error {
			it.mu.Lock()
			now++
			most = max(most, now)
			it.mu.Unlock()
			time.Sleep(time.Second)
			it.mu.Lock()
			now--
			it.mu.Unlock()
			return nil
		}
		w := newWorld(t, it, withPace(core.Pace{Concurrency: 3}))
		out := w.run(`return (await Promise.all(Array.from({length: 10}, () => items.list()))).length`)
		w.is(out, "completed", "10")
		if most != 3 {
			t.Errorf("%d at once", most)
		}
		w.stop()
	})
}

func TestRateOfAConnector(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems(), withPace(core.Pace{PerSecond: 2, Burst: 2}))
		began := time.Now()
		out := w.run(`return (await Promise.all(Array.from({length: 6}, () => items.list()))).length`)
		w.is(out, "completed", "6")
		if took := time.Since(began); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("six calls, two at once and two a second, took %s", took)
		}
		w.stop()
	})
}

// A write whose rate permit never came was not sent: it failed, and is not in doubt.
func TestRatePermitThatNeverComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newItems(), withPace(core.Pace{PerSecond: 0.001, Burst: 1}))
		out := w.run(`await items.add({id: 1}); try { await items.add({id: 2}) } catch (e) { return e.code }`)
		w.is(out, "completed", `"unavailable"`)
		w.effectsAre("add 1")
		w.stop()
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code  string
		err   *sdk.Error
		calls int
		want  string
	}{
		"a read":                           {`return await items.list()`, &sdk.Error{Code: sdk.Unavailable, Retryable: true}, 3, "[]"},
		"a read that cannot succeed later": {`return await items.list()`, &sdk.Error{Code: sdk.NotFound}, 1, ""},
		"a write without effect":           {`return await items.add({id: 1})`, &sdk.Error{Code: sdk.RateLimited, Retryable: true, Effect: sdk.EffectNone, RetryAfter: time.Second}, 3, `"added 1"`},
		"a write of unknown effect":        {`return await items.add({id: 1})`, &sdk.Error{Code: sdk.Unavailable, Retryable: true}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				it := newItems()
				it.hook = func(_ context.Context, method string, _ int) error {
					if it.called(method) < 3 {
						return test.err
					}
					return nil
				}
				w := newWorld(t, it, withPace(core.Pace{Retries: 2, Backoff: 100 * time.Millisecond, MaxBackoff: time.Second}))
				out := w.run(test.code)
				if string(out.Result) != test.want || (out.Status == "completed") != (test.want != "") {
					t.Errorf("%s %s %s", out.Status, out.Result, out.Error)
				}
				if n := it.called("list") + it.called("add"); n != test.calls {
					t.Errorf("%d calls, not %d", n, test.calls)
				}
				w.stop()
			})
		})
	}
}

func TestMaxAgeAndPausedTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, newItems(1), func(o *core.Options) { o.MaxAge, o.PausedTTL = time.Hour, 2*time.Hour })
		old := w.run(`return 1`)
		waiting := w.run(`await items.remove({id: 1})`)
		time.Sleep(90 * time.Minute)
		w.run(`return 2`)
		synctest.Wait()
		var missing *core.NotFoundError
		if _, err := w.host.Show(ctx, old.ExecutionID); !errors.As(err, &missing) {
			t.Errorf("the old one is still there: %v", err)
		}
		if s := w.status(waiting.ExecutionID); s != "paused" {
			t.Errorf("status %s", s)
		}
		time.Sleep(time.Hour)
		if _, err := w.host.ResumeAll(ctx); err != nil {
			t.Fatal(err)
		}
		if s := w.status(waiting.ExecutionID); s != "rejected" {
			t.Errorf("status %s", s)
		}
		w.stop()
	})
}
