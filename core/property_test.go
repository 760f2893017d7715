package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker"
	"github.com/codemode-go/codemode/internal/randomprogram"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// TestPropertyReplay runs random programs under random latencies, crashes, restarts and decisions, and holds
// what came of each against what its journal says. CODEMODE_TORTURE multiplies the rounds, CODEMODE_SEED runs one.
func TestPropertyReplay(t *testing.T) {
	t.Parallel()
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	if n, err := strconv.Atoi(os.Getenv("CODEMODE_TORTURE")); err == nil {
		rounds *= n
	}
	if seed, err := strconv.ParseUint(os.Getenv("CODEMODE_SEED"), 10, 64); err == nil {
		synctest.Test(t, func(t *testing.T) { newRound(t, seed).play(); t.Log("played") })
		return
	}
	tally := map[string]int{}
	for i := range rounds {
		seed := uint64(i)
		if os.Getenv("CODEMODE_TORTURE") != "" {
			seed += uint64(time.Now().UnixNano())
		}
		synctest.Test(t, func(t *testing.T) {
			r := newRound(t, seed)
			r.play()
			tally[r.end]++
			tally["crashes"] += r.crashes
			tally["decisions"] += r.decisions
			tally["doubts"] += r.doubts
		})
		if t.Failed() {
			return
		}
	}
	t.Log(tally)
	// A property test that never meets what it is for proves nothing.
	for _, what := range []string{"completed", "crashes", "decisions", "doubts"} {
		if tally[what] == 0 && rounds >= 200 {
			t.Errorf("no round met %s", what)
		}
	}
}

// TestPropertyReplayInChildren is the same with programs in child processes.
func TestPropertyReplayInChildren(t *testing.T) {
	t.Parallel()
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := worker.New(worker.Options{Binary: binary, Limits: core.DefaultLimits.Sandbox, Reuse: 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	tally := map[string]int{}
	for i := range rounds {
		r := newRound(t, uint64(i))
		r.sandbox, r.tick = pool, 50*time.Microsecond
		r.play()
		tally[r.end]++
		tally["crashes"] += r.crashes
	}
	t.Log(tally)
	if tally["completed"] == 0 || tally["crashes"] == 0 {
		t.Error("the rounds met nothing")
	}
}

// round is one program's life.
type round struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand // of the driver
	code string
	// dirty programs break the rules of steps: they may end in a divergence, but never in anything silent.
	dirty bool

	store   *memory.Store
	sandbox sandbox.Sandbox // nil: the host's own, in process
	host    *core.Host
	id      string

	mu      sync.Mutex // guards all below, which the connector's handlers use
	latency *rand.Rand
	tick    time.Duration
	effects map[string][]string // idempotency key -> the arguments it was carried out with
	results map[string]string   // idempotency key -> result

	crashes, decisions, doubts int
	end                        string
}

func newRound(t *testing.T, seed uint64) *round {
	rng := rand.New(rand.NewPCG(seed, 1))
	dirty := rng.IntN(4) == 0
	return &round{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 2)), latency: rand.New(rand.NewPCG(seed, 3)),
		code: randomprogram.New(rng, randomprogram.Options{Dirty: dirty}), dirty: dirty, store: memory.New(), tick: time.Millisecond,
		effects: map[string][]string{}, results: map[string]string{},
	}
}

func (r *round) fail(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("seed %d: %s\nprogram:\n%s\njournal:\n%s", r.seed, fmt.Sprintf(format, args...), r.code, r.journal())
}

func (r *round) journal() string {
	var b strings.Builder
	for e, err := range r.store.Read(context.Background(), r.id, 0) {
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			break
		}
		body, _ := json.Marshal(e.Body)
		if _, begun := e.Body.(*journal.Begun); begun {
			body = nil
		}
		fmt.Fprintf(&b, "%3d %T %s\n", e.Index, e.Body, body)
	}
	return b.String()
}

type arguments struct {
	K int `json:"k"`
	V any `json:"v,omitempty"`
}

type value struct {
	K int `json:"k"`
	V int `json:"v"`
}

// linger waits as long as a connector might, and draws a value.
func (r *round) linger(ctx context.Context) (int, error) {
	r.mu.Lock()
	wait, v := time.Duration(r.latency.IntN(30))*r.tick, r.latency.IntN(1000)
	r.mu.Unlock()
	if wait == 0 {
		return v, nil
	}
	select {
	case <-time.After(wait):
		return v, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (r *round) read(ctx context.Context, in arguments) (value, error) {
	v, err := r.linger(ctx)
	return value{in.K, v}, err
}

func (r *round) write(ctx context.Context, in arguments) (value, error) {
	v, err := r.linger(ctx)
	if err != nil {
		return value{}, err
	}
	r.mu.Lock()
	key := sdk.IdempotencyKey(ctx)
	args, _ := json.Marshal(in)
	r.effects[key] = append(r.effects[key], string(args))
	result, _ := json.Marshal(value{in.K, v})
	r.results[key] = string(result)
	r.mu.Unlock()
	_, err = r.linger(context.WithoutCancel(ctx)) // the effect is there, the answer is on its way
	return value{in.K, v}, err
}

func (r *round) failing(ctx context.Context, in arguments) (value, error) {
	if _, err := r.linger(ctx); err != nil {
		return value{}, err
	}
	return value{}, sdk.Errorf(sdk.Conflict, "no %d", in.K)
}

func (r *round) connector() *sdk.Connector {
	return &sdk.Connector{Name: "t", Version: "1", Methods: []sdk.Method{
		sdk.Func[arguments, value]{Name: "read", Description: "Read.", ReadOnly: true, Call: r.read},
		sdk.Func[arguments, value]{Name: "write", Description: "Write.", Approval: sdk.NotRequired, Call: r.write},
		sdk.Func[arguments, value]{Name: "gated", Description: "Write what a person allows.", Approval: sdk.Required, Call: r.write},
		sdk.Func[arguments, value]{Name: "fail", Description: "Fail.", ReadOnly: true, Call: r.failing},
	}}
}

// start makes a host over the journal as it is, which may die at a random append.
func (r *round) start() {
	c, err := r.connector().InProcess()
	if err != nil {
		r.fail("%v", err)
	}
	if r.crashes < 4 && r.rng.IntN(3) > 0 {
		r.store.FailAfter(r.rng.IntN(12))
	}
	r.host, err = core.New(context.Background(), core.Options{Store: r.store, Sandbox: r.sandbox, Connectors: []core.Connector{{Label: "t", Connector: c}}})
	if err != nil {
		r.fail("%v", err)
	}
}

// crash drops what was not durable, and of what was in flight a random part. The connector outlives the host.
func (r *round) crash() {
	r.crashes++
	if err := r.host.Close(); err != nil {
		r.fail("close: %v", err)
	}
	r.store = r.store.Crash(func(journal.Batch) bool { return r.rng.IntN(2) == 0 })
	r.start()
}

// restart drops the session and all else that the host holds in memory, without losing anything durable.
func (r *round) restart() {
	if err := r.host.Close(); err != nil {
		r.fail("close: %v", err)
	}
	r.store = r.store.Crash(nil)
	r.start()
}

// play runs the program to its end.
func (r *round) play() {
	r.start()
	defer func() {
		if err := r.host.Close(); err != nil {
			r.fail("close: %v", err)
		}
	}()
	meddle := r.meddle()
	out, err := r.host.Run(context.Background(), core.RunRequest{Code: r.code})
	meddle()
	for step := 0; ; step++ {
		if step > 200 {
			r.fail("it does not end")
		}
		if err != nil && !errors.Is(err, memory.ErrCrashed) {
			r.fail("error: %v", err)
		}
		if err != nil {
			r.crash()
			if !r.known() {
				r.lostEntirely()
				return
			}
			out, err = r.carryOn()
			continue
		}
		r.id = out.ExecutionID
		if out.Status != string(journal.StatusPaused) && out.ErrorType != engine.ErrorState {
			break
		}
		if r.rng.IntN(3) == 0 {
			r.restart()
		}
		out, err = r.carryOn()
	}
	r.check(out)
}

// known finds the execution in the journal.
func (r *round) known() bool {
	p, err := r.host.Executions(context.Background(), core.ListRequest{})
	if err != nil {
		r.fail("list: %v", err)
	}
	if len(p.Executions) == 1 {
		r.id = p.Executions[0].ID
	}
	return len(p.Executions) == 1
}

// lostEntirely checks an execution of which nothing had become durable.
func (r *round) lostEntirely() {
	r.end = "lost entirely"
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.effects) > 0 {
		r.fail("effects without a journal: %v", r.effects)
	}
}

// carryOn does what people and serving processes do with an execution that has not ended.
func (r *round) carryOn() (*core.Outcome, error) {
	ctx := context.Background()
	d, err := r.host.Show(ctx, r.id)
	if err != nil {
		r.fail("show: %v", err)
	}
	if journal.Status(d.Status).Terminal() {
		return d.Outcome, nil
	}
	out, err := r.host.Resume(ctx, r.id)
	if err != nil || out.ErrorType != engine.ErrorState {
		return out, err
	}
	pending, err := r.host.Pending(ctx, r.id)
	if err != nil {
		r.fail("pending: %v", err)
	}
	if len(pending) == 0 {
		r.fail("it is %s and nothing waits: %+v", d.Status, out)
	}
	r.decisions++
	meddle := r.meddle()
	defer meddle()
	return r.decide(r.host, r.rng, pending)
}

// decide decides on a random part of what waits.
func (r *round) decide(h *core.Host, rng *rand.Rand, pending []core.Pending) (*core.Outcome, error) {
	ctx := context.Background()
	by := core.Decider{By: "ada", Via: "test", Note: "as it came"}
	p := pending[rng.IntN(len(pending))]
	if p.Kind == engine.PendingInDoubt {
		r.mu.Lock()
		r.doubts++
		key := r.id + "/" + p.Seq
		done := len(r.effects[key]) > 0
		result := r.results[key]
		r.mu.Unlock()
		req := core.SettleRequest{ExecutionID: r.id, Seq: p.Seq, How: core.SettleNotDone, Decider: by}
		switch {
		case done:
			req.How, req.Result = core.SettleDone, json.RawMessage(result)
		case rng.IntN(2) == 0:
			req.How = core.SettleAgain
		}
		return h.Settle(ctx, req)
	}
	if rng.IntN(8) == 0 {
		return h.Refuse(ctx, core.RejectRequest{ExecutionID: r.id, Seq: p.Seq, Digest: p.Digest, Decider: by})
	}
	req := core.ApproveRequest{ExecutionID: r.id, Decider: by}
	for _, p := range pending {
		if p.Kind == engine.PendingApproval && (rng.IntN(2) == 0 || len(req.Calls) == 0) {
			req.Calls = append(req.Calls, core.Shown{Seq: p.Seq, Digest: p.Digest})
		}
	}
	rng.Shuffle(len(req.Calls), func(i, j int) { req.Calls[i], req.Calls[j] = req.Calls[j], req.Calls[i] })
	return h.Approve(ctx, req)
}

// meddle approves, now and then, while a pass runs. The function that it returns waits until that is over.
func (r *round) meddle() func() {
	if r.rng.IntN(2) == 0 {
		return func() {}
	}
	h, rng := r.host, rand.New(rand.NewPCG(r.seed, r.rng.Uint64()))
	var wg sync.WaitGroup
	wg.Go(func() {
		ctx := context.Background()
		for range 3 {
			time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
			pending, err := h.Pending(ctx, "")
			if err != nil || len(pending) == 0 || pending[0].Kind != engine.PendingApproval {
				continue
			}
			req := core.ApproveRequest{ExecutionID: pending[0].ExecutionID, Calls: []core.Shown{{Seq: pending[0].Seq, Digest: pending[0].Digest}}}
			if _, err := h.Approve(ctx, req); err != nil && !errors.Is(err, memory.ErrCrashed) {
				r.t.Errorf("seed %d: approve meanwhile: %v", r.seed, err)
			}
		}
	})
	return wg.Wait
}

// check holds the end against the journal and the effects.
func (r *round) check(out *core.Outcome) {
	r.end = out.Status
	if out.Status == "error" {
		r.end = out.ErrorType
		if !r.dirty || out.ErrorType != engine.ErrorDivergence && out.ErrorType != engine.ErrorRuntime {
			r.fail("ended as %s: %s", out.ErrorType, out.Error)
		}
	}
	s, err := journal.Fold(r.id, r.store.Read(context.Background(), r.id, 0))
	if err != nil {
		r.fail("fold: %v", err)
	}
	r.checkEffects(s)
	if out.Status == "completed" {
		if !bytes.Equal(s.End.Value, out.Result) {
			r.fail("the journal keeps %s, the caller got %s", s.End.Value, out.Result)
		}
		if !r.dirty { // a dirty program would diverge, and rightly
			r.checkReplay(s, true)
			r.checkReplay(s, false)
		}
	}
}

// checkEffects: no effect twice, none that was not allowed, none missing, none with other arguments.
func (r *round) checkEffects(s *journal.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for _, seq := range s.Order {
		c := s.Calls[seq]
		key := r.id + "/" + seq
		got := r.effects[key]
		seen[key] = true
		writes := c.Issued.Connector == "t" && (c.Issued.Method == "write" || c.Issued.Method == "gated")
		applied := writes && c.State == journal.CallApplied
		switch {
		case len(got) > 1:
			r.fail("call %s took effect %d times", seq, len(got))
		case applied && len(got) == 0:
			r.fail("call %s is applied and had no effect", seq)
		case !applied && len(got) > 0 && !c.Doubtful():
			r.fail("call %s is %s and took effect", seq, c.State)
		case len(got) == 1 && c.Started == nil:
			r.fail("call %s took effect and never started", seq)
		case len(got) == 1 && c.Issued.Method == "gated" && (c.Decision == nil || c.Decision.By == "" && c.Decision.Decision != journal.DecisionApprove):
			r.fail("call %s took effect and nobody allowed it", seq)
		case len(got) == 1 && !sameJSON(got[0], string(c.Issued.Args)):
			r.fail("call %s was issued with %s and carried out with %s", seq, c.Issued.Args, got[0])
		}
	}
	for key := range r.effects {
		if !seen[key] {
			r.fail("effect %s stands in no journal", key)
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

// checkReplay runs the program once more, in one go, from the journal's deliveries: it must issue the same calls with
// the same arguments and come to the same result, whether the functions of its steps are skipped or run again.
func (r *round) checkReplay(s *journal.State, skip bool) {
	var steps []string
	for _, seq := range s.Deliveries {
		i := s.Calls[seq].Issued
		if skip && i.Connector == sandbox.Platform && i.Method == sandbox.MethodStep {
			steps = append(steps, seq)
		}
	}
	under := func(seq string) bool {
		return slices.ContainsFunc(steps, func(step string) bool { return journal.Under(seq, step) })
	}
	var deliveries []sandbox.Completion
	for _, seq := range s.Deliveries {
		if under(seq) {
			continue
		}
		c := s.Calls[seq]
		d := sandbox.Completion{Seq: seq, Connector: c.Issued.Connector, Method: c.Issued.Method, Digest: sandbox.Digest(c.Issued.Args), At: c.OutcomeAt}
		if c.Outcome.Has {
			d.Value = c.Outcome.Value
		}
		if f := c.Outcome.Failure; f != nil {
			d.Error = &sandbox.Error{Name: f.Name, Message: f.Message, Code: f.Code, Retryable: f.Retryable, Details: f.Details, Line: f.Line, Column: f.Column}
		}
		deliveries = append(deliveries, d)
	}
	session, err := sandbox.New().Start(context.Background(), sandbox.Spec{
		Program: &program.Program{JS: s.Begun.JS, Version: s.Begun.Compiler}, Seed: s.Begun.Seed, Start: s.Created,
		Namespaces: []sandbox.Namespace{{Name: "t", Methods: []string{"fail", "gated", "read", "write"}}},
		Steps:      steps, Limits: core.DefaultLimits.Sandbox, Replayed: len(deliveries),
	})
	if err != nil {
		r.fail("start: %v", err)
	}
	defer session.Close()
	issued := map[string]bool{}
	var result *sandbox.Result
	for len(deliveries) > 0 || result == nil {
		n := min(len(deliveries), 1+r.rng.IntN(5))
		turn, err := session.Resume(context.Background(), deliveries[:n])
		deliveries = deliveries[n:]
		if err != nil || turn.Diverged != nil || turn.Exceeded != nil {
			r.fail("replay (steps skipped: %v): %v, %+v, %+v", skip, err, turn.Diverged, turn.Exceeded)
		}
		for _, c := range turn.Calls {
			known := s.Calls[c.Seq]
			if known == nil || known.Issued.Method != c.Method || !bytes.Equal(sandbox.Digest(known.Issued.Args), c.Digest) {
				r.fail("replay (steps skipped: %v) issued call %s %s.%s %s, which is not in the journal", skip, c.Seq, c.Connector, c.Method, c.Args)
			}
			issued[c.Seq] = true
		}
		if turn.Result != nil {
			result = turn.Result
		}
		if n == 0 && result == nil {
			r.fail("replay (steps skipped: %v) does not come to a result", skip)
		}
	}
	for _, seq := range s.Order {
		if !issued[seq] && !under(seq) {
			r.fail("replay (steps skipped: %v) did not issue call %s", skip, seq)
		}
	}
	if result.Error != nil || !bytes.Equal(result.Value, s.End.Value) {
		r.fail("replay (steps skipped: %v) came to %s %v, not %s", skip, result.Value, result.Error, s.End.Value)
	}
}
