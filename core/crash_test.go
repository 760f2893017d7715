package core_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/internal/randomprogram"
)

// TestCrashAtEveryRecord lets random programs live through everything that can happen to them, once for each change of
// their journal, at which the host dies: the change lost or kept, the connector dead with the host or not. People go on
// as they would: they approve, edit, refuse, reject, settle, roll back. After each death and at the end the journal is
// held against what the connector has really done. CODEMODE_TORTURE multiplies the programs, CODEMODE_SEED runs one.
func TestCrashAtEveryRecord(t *testing.T) {
	t.Parallel()
	programs := 150
	if testing.Short() {
		programs = 20
	}
	first := uint64(0)
	if n, err := strconv.Atoi(os.Getenv("CODEMODE_TORTURE")); err == nil {
		programs, first = programs*n, uint64(time.Now().UnixNano())
	}
	seed, err := strconv.ParseUint(os.Getenv("CODEMODE_SEED"), 10, 64)
	if err == nil {
		programs, first = 1, seed
	}
	start := storeWithSnippet(t)
	tally := map[string]int{}
	for i := range programs {
		for n := 0; ; n++ {
			var l *life
			synctest.Test(t, func(t *testing.T) {
				l = newLife(t, start, first+uint64(i), n)
				l.play()
			})
			l.count(tally)
			if t.Failed() {
				return
			}
			if l.crashes == 0 {
				break // it came through before the change that fails
			}
		}
	}
	t.Logf("%d programs from seed %d: %v", programs, first, tally)
	if programs < 20 {
		return
	}
	// A test that never meets what it is for proves nothing.
	for _, what := range []string{
		"lives", "crashes", "completed", "rejected", "rolled_back", "lost entirely", "in doubt", "reverts in doubt", "again",
		"edited", "told by the connector", "snippets", "steps", "timers", "cancelled",
	} {
		if tally[what] == 0 {
			t.Errorf("no life met %q", what)
		}
	}
}

// storeWithSnippet is the journal with which every life begins.
func storeWithSnippet(t *testing.T) *memory.Store {
	t.Helper()
	store := memory.New()
	l := &life{t: t, store: store, ledger: newLedger(1, 1), rng: rand.New(rand.NewPCG(1, 1)), fault: -1}
	l.start()
	ctx := context.Background()
	out, err := l.host.Run(ctx, core.RunRequest{Code: `return input && (await t.write({k: input.k, v: (await t.read({k: 1})).v}))`, Input: jsonOf(nil)})
	if err == nil {
		_, err = l.host.SaveSnippet(ctx, core.SaveRequest{Name: "saved", ExecutionID: out.ExecutionID, Force: true})
	}
	if err == nil {
		err = store.Delete(ctx, out.ExecutionID)
	}
	if err == nil {
		err = l.host.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// life is one program's life, with the death of its host at one change of the journal.
type life struct {
	t      *testing.T
	seed   uint64
	fault  int // the change at which the first host dies
	code   string
	rng    *rand.Rand // of people and of what dies
	ledger *ledger

	store *memory.Store
	host  *core.Host
	id    string

	told      int64           // events that were there when somebody was told something
	approved  map[string]bool // the seqs whose approval was acknowledged
	crashes   int
	rollbacks int // begun by somebody
	met       map[string]int
	end       string
}

func newLife(t *testing.T, start *memory.Store, seed uint64, fault int) *life {
	rng := rand.New(rand.NewPCG(seed, 1))
	code := randomprogram.New(rng, randomprogram.Options{
		Methods: []string{"read", "read", "write", "gated", "twice", "found", "fail"}, Snippet: "saved",
	})
	return &life{
		t: t, seed: seed, fault: fault, code: code, rng: rand.New(rand.NewPCG(seed, uint64(fault)+2)),
		ledger: newLedger(seed, uint64(fault)), store: start.Crash(nil), approved: map[string]bool{}, met: map[string]int{},
	}
}

func (l *life) fail(format string, args ...any) {
	l.t.Helper()
	shown := &round{store: l.store, id: l.id}
	l.t.Fatalf("seed %d, dead at change %d: %s\nprogram:\n%s\njournal:\n%s", l.seed, l.fault, fmt.Sprintf(format, args...), l.code, shown.journal())
}

func (l *life) count(tally map[string]int) {
	tally["lives"]++
	tally["crashes"] += l.crashes
	tally[l.end]++
	tally["told by the connector"] += l.ledger.told
	for what, n := range l.met {
		tally[what] += n
	}
}

// start makes a host over the journal as it is. The first dies where it is to, later ones now and then.
func (l *life) start() {
	c, err := l.ledger.connector()
	if err != nil {
		l.fail("%v", err)
	}
	switch {
	case l.crashes == 0:
		l.store.FailAfter(l.fault)
	case l.crashes < 3 && l.rng.IntN(3) == 0:
		l.store.FailAfter(l.rng.IntN(10))
	}
	l.host, err = core.New(context.Background(), core.Options{
		Store: l.store, Connectors: []core.Connector{{Label: "t", Connector: c}}, CallTimeout: time.Second,
	})
	if err != nil {
		l.fail("%v", err)
	}
}

// crash drops what was not durable, and of what was in flight a random part.
func (l *life) crash() {
	l.crashes++
	if l.rng.IntN(2) == 0 {
		l.ledger.die()
	}
	if err := l.host.Close(); err != nil {
		l.fail("close: %v", err)
	}
	l.store = l.store.Crash(func(journal.Batch) bool { return l.rng.IntN(2) == 0 })
	l.start()
	l.known()
	if s := l.state(); s != nil {
		l.checkStarts(s)
		if s.Next < l.told {
			l.fail("%d events are left of %d that were acknowledged", s.Next, l.told)
		}
	} else if len(l.ledger.deeds) > 0 || l.told > 0 {
		l.fail("nothing is left in the journal, and %d calls took effect", len(l.ledger.deeds))
	}
}

// known finds the execution in the journal.
func (l *life) known() {
	p, err := l.host.Executions(context.Background(), core.ListRequest{})
	if err != nil || len(p.Executions) > 1 {
		l.fail("list: %v, %v", p, err)
	}
	if len(p.Executions) == 1 {
		l.id = p.Executions[0].ID
	}
}

// state folds what is durable; nil: nothing is.
func (l *life) state() *journal.State {
	if l.id == "" {
		return nil
	}
	s, err := journal.Fold(l.id, l.store.Read(context.Background(), l.id, 0))
	if err != nil {
		l.fail("fold: %v", err)
	}
	return s
}

// play lives.
func (l *life) play() {
	l.start()
	defer func() {
		if err := l.host.Close(); err != nil {
			l.fail("close: %v", err)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	if l.rng.IntN(12) == 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(l.rng.IntN(200))*time.Millisecond)
	}
	out, err := l.host.Run(ctx, core.RunRequest{Code: l.code})
	cancel()
	l.after(out, err)
	for range 300 {
		s := l.state()
		if s == nil {
			l.end = "lost entirely"
			return
		}
		if l.step(s) {
			l.checkEnd(l.state())
			return
		}
	}
	l.fail("it does not end")
}

// after takes what an act came to: a death, or an answer that has to be true, and durable.
func (l *life) after(out *core.Outcome, err error) {
	switch {
	case errors.Is(err, memory.ErrCrashed):
		l.crash()
	case err != nil:
		l.fail("error: %v", err)
	case out != nil && out.ErrorType == engine.ErrorState && strings.HasSuffix(out.Error, "not in_doubt."):
		// A pass has begun since somebody looked, in which the connector has told what became of the call.
	case out != nil && out.ErrorType == engine.ErrorState:
		l.fail("refused: %s", out.Error)
	default:
		l.id = max(l.id, out.ExecutionID)
		l.checkAnswer(out)
	}
}

// step does the next thing that somebody would do, and reports whether nothing is left to do.
func (l *life) step(s *journal.State) (done bool) {
	ctx := context.Background()
	switch {
	case s.RollingBack: // its process died, or it waits for a word on a revert
		if !l.settleRevert(s) {
			l.rollBack()
		}
	case s.Status == journal.StatusRunning:
		l.after(l.host.Resume(ctx, l.id))
	case s.Status == journal.StatusPaused:
		l.meet(s)
	case l.rollbacks < 2 && l.rng.IntN(2) == 0:
		l.rollbacks++
		l.rollBack()
	case l.settleNext(s), l.settleRevert(s):
	default:
		l.rollbacks = 2
		return l.caughtUp()
	}
	return false
}

// caughtUp has a serving process do what the dead ones owe the connectors. It reports whether that is done.
func (l *life) caughtUp() bool {
	if _, err := l.host.ResumeAll(context.Background()); err != nil {
		l.fail("resume all: %v", err)
	}
	s := l.state()
	round := journal.HookRound{Hook: journal.HookDispose, Status: string(s.Status)}
	if slices.Contains(s.Hooks, round) {
		return true
	}
	l.crash() // the round itself met a death, which is logged and not returned
	return false
}

var ada = core.Decider{By: "ada", Via: "test", Note: "as it came"}

// meet does what people do with an execution that waits.
func (l *life) meet(s *journal.State) {
	ctx := context.Background()
	pending, err := l.host.Pending(ctx, l.id)
	if err != nil {
		l.fail("pending: %v", err)
	}
	switch n := l.rng.IntN(30); {
	case len(pending) == 0: // decided, and the host died before it was carried out
		l.after(l.host.Resume(ctx, l.id))
		return
	case n == 0:
		if _, err := l.host.ExpirePaused(ctx, -time.Hour); errors.Is(err, memory.ErrCrashed) {
			l.crash()
		} else if err != nil {
			l.fail("expire: %v", err)
		}
		return
	case n == 1 && l.rollbacks < 2:
		l.rollbacks++
		l.rollBack()
		return
	}
	p := pending[l.rng.IntN(len(pending))]
	if p.Kind == engine.PendingInDoubt {
		l.settle(s.Calls[p.Seq], true)
		return
	}
	rejection := core.RejectRequest{ExecutionID: l.id, Seq: p.Seq, Digest: p.Digest, Decider: ada}
	switch l.rng.IntN(12) {
	case 0:
		l.afterReply(l.host.Reject(ctx, rejection))
	case 1:
		l.after(l.host.Refuse(ctx, rejection))
	default:
		l.approve(p)
	}
}

func (l *life) approve(p core.Pending) {
	shown := core.Shown{Seq: p.Seq, Digest: p.Digest}
	if l.rng.IntN(6) == 0 {
		l.met["edited"]++
		shown.Args = jsonOf(arguments{K: 1000 + l.rng.IntN(1000)})
	}
	out, err := l.host.Approve(context.Background(), core.ApproveRequest{ExecutionID: l.id, Calls: []core.Shown{shown}, Decider: ada})
	if err == nil && out.ErrorType != engine.ErrorState {
		l.approved[p.Seq] = true
	}
	l.after(out, err)
}

func (l *life) afterReply(r *core.Reply, err error) {
	switch {
	case errors.Is(err, memory.ErrCrashed):
		l.crash()
	case err != nil || !r.Changed:
		l.fail("rejected: %+v, %v", r, err)
	default:
		if s := l.state(); s.Status != journal.StatusRejected {
			l.fail("it is said to be rejected, and is %s", s.Status)
		}
	}
}

// settleNext settles one call of an execution that has ended; false: none is in doubt.
func (l *life) settleNext(s *journal.State) bool {
	for _, seq := range s.Order {
		if c := s.Calls[seq]; c.Doubtful() {
			l.settle(c, false)
			return true
		}
	}
	return false
}

// settle says of a call, or of its revert, what the connector's own ledger tells.
func (l *life) settle(c *journal.Call, live bool) {
	l.met["in doubt"]++
	seq := c.Issued.Seq
	req := core.SettleRequest{ExecutionID: l.id, Seq: seq, How: core.SettleNotDone, Decider: ada}
	d := l.ledger.deed(l.id + "/" + seq)
	switch {
	case live && l.rng.IntN(12) == 0:
		req.How = core.SettleEnd
	case d != nil:
		req.How, req.Result = core.SettleDone, jsonOf(d.result)
	case live && l.rng.IntN(2) == 0:
		l.met["again"]++
		req.How = core.SettleAgain
	}
	l.after(l.host.Settle(context.Background(), req))
}

// settleRevert settles one revert as the connector's own ledger tells; false: none is in doubt.
func (l *life) settleRevert(s *journal.State) bool {
	for _, seq := range s.Order {
		c := s.Calls[seq]
		if !c.RevertInDoubt() || c.RevertEnded == nil { // without an end the next rollback notices it
			continue
		}
		l.met["reverts in doubt"]++
		req := core.SettleRequest{ExecutionID: l.id, Seq: seq, How: core.SettleNotDone, Decider: ada}
		switch d := l.ledger.deed(l.id + "/" + seq); {
		case d.undone > 0:
			req.How = core.SettleDone
		case l.rng.IntN(2) == 0:
			req.How = core.SettleAgain
		}
		l.after(l.host.Settle(context.Background(), req))
		return true
	}
	return false
}

func (l *life) rollBack() {
	r, err := l.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: l.id, Decider: ada})
	switch {
	case errors.Is(err, memory.ErrCrashed):
		l.crash()
		return
	case err != nil:
		l.fail("roll back: %v", err)
	}
	s := l.state()
	for _, rec := range r.Reverted {
		if s.Calls[rec.Seq].State != journal.CallReverted {
			l.fail("call %s is said to be reverted, and is %s", rec.Seq, s.Calls[rec.Seq].State)
		}
	}
	l.checkFold(s)
}

// checkAnswer: what somebody is told is durable when they are told, and nothing in doubt is kept from them.
func (l *life) checkAnswer(out *core.Outcome) {
	s := l.state()
	if s == nil {
		l.fail("%s is told of an execution that is not in the journal", out.Status)
	}
	l.told = s.Next
	if out.Message != "" { // a decision that ran no pass
		return
	}
	told := journal.Status(out.Status)
	if told == journal.StatusError && s.Status == journal.StatusRejected {
		told = s.Status
	}
	if told != s.Status {
		l.fail("it is told as %s and stands as %s", out.Status, s.Status)
	}
	if told == journal.StatusCompleted && !bytes.Equal(out.Result, s.End.Value) {
		l.fail("%s was told, %s is kept", out.Result, s.End.Value)
	}
	for _, seq := range s.Order {
		c := s.Calls[seq]
		if s.Status == journal.StatusPaused && c.Waiting() && !slices.ContainsFunc(out.Pending, func(p core.Pending) bool { return p.Seq == seq }) {
			l.fail("call %s is %s, and nobody is told", seq, c.State)
		}
	}
	l.checkFold(s)
}

// checkStarts: no effect without its start in the journal, whatever a death took.
func (l *life) checkStarts(s *journal.State) {
	for key, d := range l.ledger.deeds {
		i := slices.IndexFunc(s.Order, func(seq string) bool { return key == l.id+"/"+seq })
		switch {
		case i < 0:
			l.fail("the effect of %s stands in no journal", key)
		case s.Calls[s.Order[i]].Started == nil:
			l.fail("call %s took effect and never started", key)
		case d.undone > 0 && s.Calls[s.Order[i]].Revert == nil:
			l.fail("call %s was reverted, and no revert had started", key)
		case d.times > 1 || d.undone > 1:
			l.fail("call %s took effect %d times and was reverted %d times", key, d.times, d.undone)
		}
	}
}

// checkFold: while nothing runs, what the journal says of each call is what the connector has done, or that it is not known.
func (l *life) checkFold(s *journal.State) {
	l.checkStarts(s)
	for _, seq := range s.Order {
		c := s.Calls[seq]
		if c.Issued.Connector != "t" || c.Issued.ReadOnly {
			continue
		}
		d := l.ledger.deed(l.id + "/" + seq)
		switch done, undone := d != nil, d != nil && d.undone > 0; {
		case c.State == journal.CallExecuting:
			l.fail("call %s is executing, and nothing runs", seq)
		case c.State == journal.CallApplied && !done:
			l.fail("call %s is applied and had no effect", seq)
		case c.State == journal.CallReverted && !undone, c.State != journal.CallReverted && undone && !c.RevertInDoubt():
			l.fail("call %s is %s; it was reverted: %v", seq, c.State, undone)
		case done && !c.Doubtful() && c.State != journal.CallApplied && c.State != journal.CallReverted:
			l.fail("call %s is %s and took effect", seq, c.State)
		case done && !sameJSON(string(jsonOf(d.args)), string(c.Args())):
			l.fail("call %s was to be carried out with %s, and was with %s", seq, c.Args(), jsonOf(d.args))
		case done && c.Issued.Method == "gated" && !l.allowed(seq):
			l.fail("call %s took effect and nobody allowed it", seq)
		case done && d.attempts > c.Started.Attempt:
			l.fail("call %s was sent %d times, and %d attempts are recorded", seq, d.attempts, c.Started.Attempt)
		}
	}
}

// allowed reports whether a person has approved a call, whatever was decided of it since.
func (l *life) allowed(seq string) bool {
	for e, err := range l.store.Read(context.Background(), l.id, 0) {
		d, ok := e.Body.(*journal.Decided)
		if err == nil && ok && d.Seq == seq && d.Decision == journal.DecisionApprove && d.By == ada.By {
			return true
		}
	}
	return false
}

// checkEnd: at the end nothing is open, what was approved was not skipped in silence, and connectors know of the end.
func (l *life) checkEnd(s *journal.State) {
	l.end = string(s.Status)
	if s.End != nil && s.End.ErrorType != "" {
		l.met[s.End.ErrorType]++
		if !slices.Contains([]string{engine.ErrorRejected, engine.ErrorCancelled}, s.End.ErrorType) {
			l.fail("ended as %s: %s", s.End.ErrorType, s.End.Failure.Message)
		}
	}
	l.checkFold(s)
	for _, seq := range s.Order {
		c := s.Calls[seq]
		switch c.Issued.Method {
		case "step", "timer", "run":
			l.met[map[string]string{"step": "steps", "timer": "timers", "run": "snippets"}[c.Issued.Method]]++
		}
		open := c.Waiting() || c.State == journal.CallQueued || c.State == journal.CallExecuting
		if open || c.Doubtful() || c.RevertInDoubt() {
			l.fail("call %s is %s at the end", seq, c.State)
		}
		if !l.approved[seq] || l.ledger.deed(l.id+"/"+seq) != nil {
			continue
		}
		if o := c.Outcome; s.End != nil && s.End.ErrorType == "" && (o == nil || o.Failure == nil || o.Failure.Message == "") {
			l.fail("call %s was approved and is skipped in silence", seq)
		}
	}
	l.ledger.mu.Lock()
	defer l.ledger.mu.Unlock()
	if !slices.Contains(l.ledger.disposed, string(s.Status)) {
		l.fail("the connector was told %v, and not that it is %s", l.ledger.disposed, s.Status)
	}
}
