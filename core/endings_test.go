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
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// A pass that ends before it has told the program what a person said of a call in doubt still ends.
func TestEndWithASettledCallOpen(t *testing.T) {
	t.Parallel()
	for how, state := range map[string]string{core.SettleDone: "applied", core.SettleNotDone: "failed", core.SettleAgain: "in_doubt"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigWrite)
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) { return nil, errLost }
			w := newWorld(t, newItems(1), r.rigged)
			out := w.run(`
				const lost = rig.write({}), box = {};
				await codemode.step("first", async () => { box.first = true; return 1 });
				await items.remove({id: box.first ? 1 : 2});
				return await lost`)
			w.is(out, "paused", "0", "2")
			w.restart()
			w.is(w.settle(out.ExecutionID, "0", how, `"by hand"`), "error", engine.ErrorDivergence, "other arguments")
			s := w.recorded(out.ExecutionID)
			if s.Status != journal.StatusError || string(s.Calls["0"].State) != state {
				t.Errorf("%s, and the call is %s", s.Status, s.Calls["0"].State)
			}
		})
	}
}

// A result that is too large ends the execution before the program hears of it, also where it comes while the program runs.
func TestTooLargeResultIsNotDelivered(t *testing.T) {
	t.Parallel()
	r := newRig(rigRead, rigWrite)
	large := make(chan struct{})
	r.invoke = func(_ context.Context, call *wire.Call) (*wire.Result, error) {
		if strings.Contains(string(call.Args), "large") {
			<-large
			return &wire.Result{Value: json.RawMessage(`"` + strings.Repeat("x", 1_000_000) + `"`)}, nil
		}
		close(large) // it is there when the program has worked on this one
		return &wire.Result{}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`
		const large = rig.read({large: true}).catch(() => console.log("caught"));
		await rig.read({});
		for (let i = 0, x = 0; i < 1_000_000; i++) x += i;
		await large;
		await rig.write({})`)
	w.is(out, "error", engine.ErrorLimit, "too large to record durably")
	if len(out.Logs) != 0 || len(out.Calls) != 2 {
		t.Errorf("the program went on: %q, %q", out.Logs, calls(out))
	}
}

// The host dies between recording that a result is too large and ending the execution: the program never goes on with
// nothing in its place.
func TestTooLargeResultAndACrash(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"read", "write"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			r := newRig(rigRead, rigWrite)
			r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
				return &wire.Result{Value: json.RawMessage(`"` + strings.Repeat("x", 1_000_000) + `"`)}, nil
			}
			w := newWorld(t, newItems(), r.rigged)
			var after *memory.Store // what a process finds that comes when the outcome is durable and the end is not
			w.memory().OnAppend = func(_ memory.Stage, b journal.Batch) error {
				for _, e := range b.Events {
					if _, ended := e.Body.(*journal.Ended); ended && after == nil {
						after = w.memory().Crash(func(b journal.Batch) bool { return false })
						if method == "read" { // which is not flushed by itself
							after = withoutEnd(t, w.memory(), b)
						}
					}
				}
				return nil
			}
			_, err := w.host.Run(context.Background(), core.RunRequest{Code: `
				let x = "never called"; try { x = await rig.` + method + `({}) } catch (e) { x = e.message } return typeof x`})
			if !errors.Is(err, memory.ErrCrashed) {
				t.Fatal(err)
			}
			w.stop()
			w.store = after
			w.start()
			outs, err := w.host.ResumeAll(context.Background())
			if err != nil || len(outs) != 1 {
				t.Fatalf("%v, %v", outs, err)
			}
			w.is(outs[0], "error", engine.ErrorLimit, "too large to record durably")
			if len(r.noted()) != 1 {
				t.Errorf("calls %q", r.noted())
			}
		})
	}
}

// withoutEnd is a store that holds a batch but for the end of its pass and its execution.
func withoutEnd(t *testing.T, old *memory.Store, b journal.Batch) *memory.Store {
	t.Helper()
	next := old.Crash(nil)
	b.Events = b.Events[:len(b.Events)-2]
	b.Head.Status = journal.StatusRunning
	if err := next.Append(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	return next
}

// A pass whose journal fails waits for the writes that it has sent: none acts any more when the next pass looks at it.
func TestWritesAreAwaitedWhenTheJournalFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1)
		acting, cancelled := false, false
		it.hook = func(ctx context.Context, method string, _ int) error {
			switch method {
			case "add":
				acting = true
				time.Sleep(10 * time.Second)
				acting = false
			case "list":
				<-ctx.Done()
				cancelled = true
				return ctx.Err()
			case "notify":
				time.Sleep(time.Second)
			}
			return nil
		}
		w := newWorld(t, it)
		broken := errors.New("the disk is broken")
		w.memory().OnAppend = func(stage memory.Stage, b journal.Batch) error {
			for _, e := range b.Events {
				if o, ok := e.Body.(*journal.Outcome); ok && o.Seq == "2" {
					return broken
				}
			}
			return nil
		}
		began := time.Now()
		_, err := w.host.Run(context.Background(), core.RunRequest{Code: `await Promise.all([items.add({id: 5}), items.list(), items.notify({id: 1})])`})
		if !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began).Round(time.Second); acting || !cancelled || took != 10*time.Second {
			t.Errorf("after %s: the write acts %v, the read is cancelled %v", took, acting, cancelled)
		}
		w.stop()
	})
}

// Every append may fail, and every caller is told; none hangs, and what comes next goes on from what is durable.
func TestEveryAppendFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is broken")
	code := `
		const kept = items.remove({id: 2}).catch(e => e.code);
		const late = new Promise(r => setTimeout(() => r("late"), 50));
		const step = await codemode.step("s", async () => (await items.list()).length);
		await Promise.all([items.add({id: 5}), items.remove({id: 1})]);
		return [step, await late, await kept]`
	for n := 1; ; n++ {
		it := newItems(1, 2)
		w := newWorld(t, it)
		left := n
		failing := true
		w.memory().OnAppend = func(stage memory.Stage, _ journal.Batch) error {
			if stage == memory.BeforeDurable && failing {
				if left--; left == 0 {
					return broken
				}
			}
			return nil
		}
		ctx := context.Background()
		failed := 0
		check := func(err error) {
			if err != nil && !errors.Is(err, broken) && !errors.Is(err, memory.ErrCrashed) {
				t.Fatal(err)
			}
			if err != nil {
				failed++
			}
		}
		out, err := w.host.Run(ctx, core.RunRequest{Code: code})
		check(err)
		if err == nil {
			id := out.ExecutionID
			out, err = w.host.Approve(ctx, core.ApproveRequest{ExecutionID: id, Calls: []core.Shown{{Seq: "4"}}})
			check(err)
			if err == nil {
				w.is(out, "paused", "0")
			}
			_, err = w.host.Refuse(ctx, core.RejectRequest{ExecutionID: id, Seq: "0", Decider: core.Decider{Note: "no"}})
			check(err)
			_, err = w.host.Rollback(ctx, core.RollbackRequest{ExecutionID: id})
			check(err)
		}
		failing = false
		w.die(nil)
		for _, effect := range it.effects() {
			if strings.HasPrefix(effect, "remove 2") {
				t.Fatalf("after %d appends: %q", n, it.effects())
			}
		}
		p, err := w.host.Executions(ctx, core.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range p.Executions {
			w.recorded(head.ID) // it folds
		}
		if failed == 0 {
			if n < 8 {
				t.Fatalf("only %d appends", n)
			}
			return
		}
	}
}

// counting is a sandbox whose programs take time as it is told, and which notes what it is asked for.
type counting struct {
	sandbox.Sandbox
	mu    sync.Mutex
	specs []sandbox.Spec
	// resume stands in for a session's Resume; nil: the session's own.
	resume func(ctx context.Context, n int, turn func() (sandbox.Turn, error)) (sandbox.Turn, error)
}

func (c *counting) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	c.mu.Lock()
	c.specs = append(c.specs, spec)
	c.mu.Unlock()
	s, err := c.Sandbox.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &counted{Session: s, of: c}, nil
}

type counted struct {
	sandbox.Session
	of *counting
	n  int
}

func (s *counted) Resume(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	s.n++
	turn := func() (sandbox.Turn, error) { return s.Session.Resume(ctx, completions) }
	if s.of.resume == nil {
		return turn()
	}
	return s.of.resume(ctx, s.n, turn)
}

// The time limit counts from the program's first line.
func TestTimeLimitOfTheFirstTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &counting{Sandbox: sandbox.New()}
		box.resume = func(ctx context.Context, _ int, _ func() (sandbox.Turn, error)) (sandbox.Turn, error) {
			<-ctx.Done() // a program that runs and runs
			return sandbox.Turn{}, ctx.Err()
		}
		w := newWorld(t, newItems(), func(o *core.Options) { o.Sandbox, o.Limits.Wall = box, 5*time.Second })
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		out, err := w.host.Run(ctx, core.RunRequest{Code: `return 1`})
		if err != nil {
			t.Fatal(err)
		}
		w.is(out, "error", engine.ErrorTimeout, "timed out")
		w.stop()
	})
}

// What a program costs before its first call is answered is charged once, however often it starts from there.
func TestFirstTurnIsChargedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &counting{Sandbox: sandbox.New()}
		box.resume = func(_ context.Context, n int, turn func() (sandbox.Turn, error)) (sandbox.Turn, error) {
			if n == 1 {
				time.Sleep(4 * time.Second)
			}
			got, err := turn()
			got.Usage.CPU = 6 * time.Second
			return got, err
		}
		w := newWorld(t, newItems(1, 2), func(o *core.Options) { o.Sandbox, o.Limits.Wall = box, 5*time.Second })
		out := w.run(`return await Promise.all([items.remove({id: 1}), items.remove({id: 2})])`)
		w.is(out, "paused", "0", "1")
		w.restart()
		w.is(w.approve(out.ExecutionID, "0"), "paused", "1")
		w.restart()
		w.is(w.approve(out.ExecutionID), "completed", `["removed 1","removed 2"]`)
		var spent []time.Duration
		for _, s := range box.specs {
			spent = append(spent, s.Spent)
		}
		if len(spent) != 3 || spent[0] != 0 || spent[1] != 0 || spent[2] != 6*time.Second {
			t.Errorf("spent before each pass: %v", spent)
		}
		w.stop()
	})
}

// A replay that a limit cuts short is a limit, and no divergence.
func TestLimitDuringAReplay(t *testing.T) {
	t.Parallel()
	box := &counting{Sandbox: sandbox.New()}
	w := newWorld(t, newItems(1), func(o *core.Options) { o.Sandbox = box })
	out := w.run(`await items.list(); await items.remove({id: 1})`)
	w.is(out, "paused", "1")
	box.resume = func(context.Context, int, func() (sandbox.Turn, error)) (sandbox.Turn, error) {
		return sandbox.Turn{Exceeded: &sandbox.Exceeded{Limit: "cpu", Message: "the replay took too long"}}, nil
	}
	w.is(w.approve(out.ExecutionID), "error", engine.ErrorLimit, "the replay took too long")
}

// A sandbox that does not close does not lose what the pass came to.
func TestSandboxThatDoesNotClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), func(o *core.Options) { o.Sandbox = unclosed{sandbox.New()} })
	out := w.run(`await items.add({id: 2}); return await items.remove({id: 1})`)
	w.is(out, "paused", "1")
	w.is(w.approve(out.ExecutionID), "completed", `"removed 1"`)
}

type unclosed struct{ sandbox.Sandbox }

type unclosedSession struct{ sandbox.Session }

func (u unclosed) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	s, err := u.Sandbox.Start(ctx, spec)
	return unclosedSession{s}, err
}

func (u unclosedSession) Close() error {
	return errors.Join(u.Session.Close(), errors.New("it does not close"))
}

// Cancellation and stop at every turn of a program, live and in replay: a cancelled execution has ended, a stopped one
// goes on later, and nothing runs twice.
func TestEndAtEveryTurn(t *testing.T) {
	t.Parallel()
	code := `
		const fresh = await items.fresh();
		const [a] = await Promise.all([items.add({id: 5}), items.list(), new Promise(r => setTimeout(r, 20))]);
		const s = await codemode.step("s", async () => await items.list());
		const r = await items.remove({id: 1});
		await items.add({id: 6});
		return [a, s.length, r]`
	for _, kind := range []string{"cancel", "stop"} {
		for _, pass := range []int{1, 2} {
			for at := 1; at < 12; at++ {
				synctest.Test(t, func(t *testing.T) {
					it := newItems(1)
					box := &counting{Sandbox: sandbox.New()}
					w := newWorld(t, it, func(o *core.Options) { o.Sandbox = box })
					host := w.host
					var id string
					stopped := make(chan struct{})
					run, cancelRun := context.WithCancelCause(context.Background())
					defer cancelRun(nil)
					var once sync.Once
					end := func(ctx context.Context) {
						once.Do(func() {
							if kind == "cancel" {
								close(stopped)
								cancelRun(errors.New("enough"))
								host.Cancel(id, errors.New("enough"))
								<-ctx.Done()
								return
							}
							go func() { defer close(stopped); _ = host.Close() }()
							<-ctx.Done()
						})
					}
					box.resume = func(ctx context.Context, n int, turn func() (sandbox.Turn, error)) (sandbox.Turn, error) {
						if len(box.specs) == pass && n == at {
							end(ctx)
						}
						return turn()
					}
					ctx := context.Background()
					out, err := host.Run(run, core.RunRequest{Code: code})
					if err == nil && out.Status == "paused" {
						id = out.ExecutionID
						out, err = host.Approve(ctx, core.ApproveRequest{ExecutionID: id, All: true})
					}
					ended := false
					select {
					case <-stopped:
						ended = true
					default:
						once.Do(func() {})
					}
					what := kind + " in pass " + string(rune('0'+pass))
					switch {
					case errors.Is(err, engine.ErrStopped):
						<-stopped
						w.start()
						for range 5 {
							outs, err := w.host.ResumeAll(ctx)
							if err != nil {
								t.Fatal(err)
							}
							if len(outs) == 1 {
								out = outs[0]
							}
							if out == nil || out.Status != "paused" {
								break
							}
							out = w.approve(out.ExecutionID)
						}
						if out == nil { // nothing had become durable
							w.effectsAre()
							break
						}
						w.is(out, "completed", `["added 5",2,"removed 1"]`)
						same(t, what, it.effects(), []string{"add 5", "remove 1", "add 6"})
					case err != nil:
						t.Errorf("%s, turn %d: %v", what, at, err)
					case ended && kind == "cancel" && out.Status == "error":
						w.is(out, "error", engine.ErrorCancelled, "enough")
					default:
						w.is(out, "completed", `["added 5",2,"removed 1"]`)
					}
					w.stop()
				})
			}
		}
	}
}
