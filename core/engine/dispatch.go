package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// result is what came of preparing or executing a call.
type result struct {
	seq      string
	prepared bool       // by Prepare: value is what a revert will need
	found    *clarified // set: what was found out of a write in doubt
	value    json.RawMessage
	err      error
}

// grace is how long after its deadline a handler may still answer.
const grace = 250 * time.Millisecond

// startQueued starts what has a slot, in seq order. Writes are durable as started before any of them is sent.
func (p *pass) startQueued() error {
	cleared, err := p.clearQueued()
	if err != nil || p.ctx.Err() != nil || p.news && p.replay == nil {
		return err // what came while the lock was given up is looked at first; the calls stay queued
	}
	if len(cleared) == 0 {
		return nil
	}
	if err := p.e.Lease(); err != nil {
		return err
	}
	var ready launches
	for _, c := range cleared {
		if err := p.start(c, &ready); err != nil {
			return err
		}
	}
	return p.launch(ready)
}

// clearQueued lists the queued calls that may start now. It may give up the lock.
func (p *pass) clearQueued() ([]*call, error) {
	if p.full(0) {
		return nil, nil
	}
	var cleared []*call
	for _, c := range slices.Clone(p.open.at[stageQueued]) {
		if p.full(len(cleared)) {
			break
		}
		if p.replay != nil && c.replayed == nil {
			continue // it starts when the pass is live
		}
		ok, err := p.clear(c)
		if err != nil {
			return nil, err
		}
		if ok {
			cleared = append(cleared, c)
		}
	}
	return cleared, nil
}

// full reports whether no slot is left beside those that are in use and so many more.
func (p *pass) full(more int) bool {
	limit := p.e.Limits.InFlight
	return limit > 0 && p.busy+more >= limit
}

// launches are calls that are journaled as started and not yet sent.
type launches struct {
	list   []func()
	writes bool // one of them is not read-only
}

func (l *launches) add(send func(), write bool) {
	l.list = append(l.list, send)
	l.writes = l.writes || write
}

// launch sends calls, unless it took so long to journal their start that others take this host for dead.
func (p *pass) launch(l launches) error {
	if l.writes {
		if err := p.rec.flush(p.ctx); err != nil {
			return err
		}
	}
	if err := p.e.Lease(); err != nil {
		return err
	}
	for _, send := range l.list {
		send()
	}
	return nil
}

// clear finds what carries a queued call. It reports false where the call comes to an end or waits again instead.
func (p *pass) clear(c *call) (bool, error) {
	known := p.rec.state.Calls[c.seq]
	if known.Issued.Connector == sandbox.Platform {
		return true, nil
	}
	if ended, err := p.judgeAgain(c, known); ended || err != nil {
		return false, err
	}
	conn, err := p.connector(known.Issued.Connector)
	if err != nil {
		return false, p.refuse(c, journal.CallFailed, unavailable(err))
	}
	c.conn = conn
	return true, nil
}

// start takes a cleared call to its connector. What a revert will need is read once, before the first attempt: after
// that it may show the call's own effect.
func (p *pass) start(c *call, ready *launches) error {
	known := p.rec.state.Calls[c.seq]
	switch {
	case known.Issued.Connector == sandbox.Platform:
		ready.add(p.startPlatform(c, known), false)
	case c.method.Prepares && !known.Issued.ReadOnly && known.Started == nil && !c.prepared:
		ready.add(p.startPrepare(c, known), false)
	default:
		return p.startInvoke(c, known, ready)
	}
	return nil
}

// refuse ends a call that is not started, or not started again: then an earlier attempt may have taken effect.
func (p *pass) refuse(c *call, state journal.CallState, f *journal.Failure) error {
	known := p.rec.state.Calls[c.seq]
	f.EffectUnknown = known.Started != nil && !known.Issued.ReadOnly
	return p.outcome(c, &journal.Outcome{State: state, Failure: f})
}

// connector finds what carries a connector's calls. That may start it, so the lock is given up meanwhile.
func (p *pass) connector(label string) (wire.Connector, error) {
	p.mu.Unlock()
	defer p.mu.Lock()
	return p.e.Connectors.Connector(label)
}

// judgeAgain validates and judges, under the policy of this moment, a call whose verdict is of another moment.
// It reports whether the call is refused or waits for a person again.
func (p *pass) judgeAgain(c *call, known *journal.Call) (bool, error) {
	if !c.again && c.method != nil {
		return false, nil
	}
	c.again = false
	i := known.Issued
	m, failure := p.resolve(i.Connector, i.Method, known.Args())
	if failure == nil && i.ReadOnly && !m.ReadOnly {
		failure = changed(i) // what is run again as a read must be one
	}
	if failure != nil {
		return true, p.refuse(c, refusedAs(failure), failure)
	}
	c.method = m
	if c.replayed != nil {
		return false, nil
	}
	v := p.verdict(m, known.Args())
	switch {
	case v.Effect == policy.Deny:
		return true, p.refuse(c, journal.CallDenied, refusal(v))
	case v.Effect != policy.Approve:
		return false, nil
	}
	digest := p.approvalDigest(m, known.Args())
	if d := known.Decision; d != nil && slices.Equal(d.Approval, digest) {
		return false, nil
	}
	why := "a rule now wants a person's approval"
	if known.Decision != nil {
		why = "the method, its connector or its configuration has changed since"
	}
	p.mu.Unlock()
	preview := ""
	if m.Previews {
		preview = p.preview(m, c.seq, known.Args())
	}
	p.mu.Lock()
	_, err := p.rec.add(&journal.Reissued{
		Seq: c.seq, Verdict: journal.Verdict{Effect: string(v.Effect), Rule: v.Rule, Reason: v.Reason},
		Approval: digest, Preview: preview, Why: why,
	})
	p.open.move(c, stageWaiting)
	return true, err
}

// wireCall is a call as its connector gets it, but for attempt, key and deadline.
func (p *pass) wireCall(m *catalog.Method, seq string, args []byte) *wire.Call {
	b := p.rec.state.Begun
	return &wire.Call{
		ExecutionID: p.rec.state.ID, Seq: seq, IdempotencyKey: p.rec.state.ID + "/" + seq, Attempt: 1,
		Caller: b.Caller, Labels: b.Labels, Task: b.Task, Method: m.Raw, Args: args,
	}
}

// startPrepare has the connector read what a revert will need.
func (p *pass) startPrepare(c *call, known *journal.Call) func() {
	w := p.wireCall(c.method, c.seq, known.Args())
	w.Deadline = p.e.Now().Add(p.e.Connectors.Timeout(c.method.Connector, c.method.Name))
	p.open.move(c, stagePreparing)
	return func() {
		p.run(c, w.Deadline, func(ctx context.Context) result {
			v, err := c.conn.Prepare(ctx, w)
			return result{seq: c.seq, prepared: true, value: v, err: err}
		})
	}
}

// startInvoke journals the start of a call that is about to be sent.
func (p *pass) startInvoke(c *call, known *journal.Call, ready *launches) error {
	w := p.wireCall(c.method, c.seq, known.Args())
	w.Before = c.before
	w.Deadline = p.e.Now().Add(p.e.Connectors.Timeout(c.method.Connector, c.method.Name))
	if known.Started != nil {
		w.Attempt, w.Before = known.Started.Attempt+1, known.Started.Before
	}
	if c.replayed == nil {
		_, err := p.rec.add(&journal.Started{
			Seq: c.seq, Attempt: w.Attempt, Key: w.IdempotencyKey, Deadline: w.Deadline, Before: w.Before,
		})
		if err != nil {
			return err
		}
	}
	p.open.move(c, stageExecuting)
	ready.add(func() {
		p.run(c, w.Deadline, func(ctx context.Context) result {
			r, err := c.conn.Invoke(ctx, w, nil)
			if err != nil {
				return result{seq: c.seq, err: err}
			}
			return result{seq: c.seq, value: r.Value}
		})
	}, !known.Issued.ReadOnly)
	return nil
}

// startPlatform answers a call to the host itself.
func (p *pass) startPlatform(c *call, known *journal.Call) func() {
	p.open.move(c, stageExecuting)
	deadline := p.e.Now().Add(time.Minute)
	return func() {
		p.run(c, deadline, func(ctx context.Context) result {
			v, err := p.ask(ctx, known.Issued)
			return result{seq: c.seq, value: v, err: err}
		})
	}
}

// ask answers codemode.search, codemode.describe and codemode.run.
func (p *pass) ask(ctx context.Context, i *journal.Issued) (json.RawMessage, error) {
	switch i.Method {
	case sandbox.MethodSearch:
		return p.e.Catalog.Search(ctx, i.Args)
	case sandbox.MethodDescribe:
		return p.e.Catalog.Describe(ctx, i.Args)
	case sandbox.MethodRun:
		return p.e.Snippets.OpenSnippet(ctx, i.Args)
	}
	return nil, fmt.Errorf("codemode.%s is not known", i.Method)
}

// run carries f out on a goroutine of its own and hands its result to the pass. The context outlives the deadline
// by a grace, so that a handler that ran out of time can say so itself, which proves that it has returned. Without
// an answer by then the pass goes on; the engine still waits for f when it closes.
func (p *pass) run(c *call, deadline time.Time, f func(context.Context) result) {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(p.ctx), deadline.Add(grace))
	c.cancel = cancel
	p.busy++
	late := result{seq: c.seq, prepared: c.stage == stagePreparing}
	p.e.stragglers.Go(func() {
		defer cancel()
		r, err := within(ctx, p.e, func() (result, error) { return f(ctx), nil })
		if err != nil {
			r, r.err = late, err
		}
		select {
		case p.results <- r:
		case <-p.done:
		}
	})
}

// within returns what f comes to, or the cause of ctx's end where f goes on for longer than the grace after it. The
// engine waits for such an f when it closes.
func within[T any](ctx context.Context, e *Engine, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	e.stragglers.Go(func() {
		v, err := f()
		answers <- answer{v, err}
	})
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answers:
		return a.value, a.err
	case <-time.After(grace):
	}
	var none T
	return none, context.Cause(ctx)
}

// conclude works a result in.
func (p *pass) conclude(r result) error {
	if r.found == nil {
		p.busy--
	}
	c := p.open.get(r.seq)
	if c == nil {
		return nil // withdrawn meanwhile
	}
	c.cancel = nil
	known := p.rec.state.Calls[r.seq]
	if r.found != nil {
		return p.resolved(c, known, r)
	}
	if r.prepared {
		return p.prepared(c, known, r)
	}
	if r.err != nil {
		return p.failed(c, known, r.err)
	}
	if r.value != nil && !json.Valid(r.value) {
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: &journal.Failure{
			Name: nameCallError, Code: string(wire.CodeInternal), EffectUnknown: !known.Issued.ReadOnly,
			Message: fmt.Sprintf("%s.%s answered with something that is not JSON.", known.Issued.Connector, known.Issued.Method),
		}})
	}
	if isRun(known.Issued) {
		p.warnNotRun(known.Issued, r.value) // a snippet has its own bound, and is longer once compiled
	} else if limit := p.e.Limits.Value; limit > 0 && utf8.RuneCount(r.value) > limit && !known.Issued.Reexecute {
		return p.tooLarge(c, known)
	}
	return p.outcome(c, &journal.Outcome{State: journal.CallApplied, Value: r.value, Has: r.value != nil})
}

// prepared puts a call back to the queue, to be sent, whose connector has read what a revert will need.
func (p *pass) prepared(c *call, known *journal.Call, r result) error {
	f := &journal.Failure{Name: nameCallError, Code: "limit"}
	size := utf8.RuneCount(r.value)
	switch limit := p.e.Limits.Value; {
	case r.err != nil:
		f = failureFrom(r.err)
	case r.value != nil && !json.Valid(r.value):
		f.Code, f.Message = string(wire.CodeInternal), "What its connector would need to revert it is not JSON."
	case limit > 0 && size > limit:
		f.Message = fmt.Sprintf("What its connector would need to revert it is too large to record durably: %d characters, %d at most.", size, limit)
	default:
		c.prepared, c.before = true, r.value
		p.open.move(c, stageQueued)
		return nil
	}
	f.Message = "The call was not started: " + f.Message
	return p.refuse(c, journal.CallFailed, f)
}

// failed sorts a call's error: a read that lost its connector, and an idempotent write of which nothing is known, run
// again once; what became of any other write of which nothing is known is looked into; anything else is delivered to the program.
func (p *pass) failed(c *call, known *journal.Call, err error) error {
	lost, sent := lostOf(err)
	read := known.Issued.ReadOnly
	doubtful := !read && (lost && sent || timedOut(err))
	if read && lost && p.repeatable(c, known, err) {
		c.repeated = true
		p.open.move(c, stageQueued)
		return nil
	}
	f := failureFrom(err)
	if read {
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: f})
	}
	if doubtful {
		p.clarify(c, known, f.Message, known.Issued.Idempotent && p.repeatable(c, known, err), 0)
		return nil
	}
	f.EffectUnknown = effectUnknown(err, known.Started.Attempt)
	return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: f})
}

// repeatable reports whether a call may run once more by itself: no attempt has been such a repetition. A read whose time
// is used up is not repeated, which would double it; an idempotent write is, since the other way to go on is to ask a person.
func (p *pass) repeatable(c *call, known *journal.Call, err error) bool {
	switch {
	case known.Issued.ReadOnly && errors.Is(err, context.DeadlineExceeded), known.Issued.Connector == sandbox.Platform:
		return false
	case c.replayed != nil:
		return !c.repeated
	}
	return known.Started.Attempt == 1
}

// tooLarge ends the execution over a result that is too large to record. A write is recorded as applied all the
// same, so that a rollback knows it.
func (p *pass) tooLarge(c *call, known *journal.Call) error {
	end := p.oversize(known.Issued)
	o := &journal.Outcome{State: journal.CallApplied, Omitted: true}
	if known.Issued.ReadOnly {
		f := *end.failure
		f.Name, f.Code = nameCallError, "limit"
		o = &journal.Outcome{State: journal.CallFailed, Failure: &f}
	}
	if err := p.outcome(c, o); err != nil {
		return err
	}
	p.fatal = end
	return nil
}

const limitValue = "value"

// oversize is the end of an execution over the result of a call.
func (p *pass) oversize(i *journal.Issued) *ending {
	return fail(ErrorLimit, &journal.Failure{Limit: limitValue, Line: i.Line, Message: fmt.Sprintf(
		"The result of %s.%s is too large to record durably: it has more than %d characters. "+
			"Write large data to a file or workspace and pass a reference, or ask for less.", i.Connector, i.Method, p.e.Limits.Value)})
}

// oversized finishes what a former host could not: it died between recording that a result was too large and ending
// the execution. Without it the program would go on as if the call had no result. nil: there is nothing to finish.
func (p *pass) oversized() *ending {
	s := p.rec.state
	for _, seq := range s.Deliveries {
		c := s.Calls[seq]
		f := c.Outcome.Failure
		if c.Outcome.Omitted && !c.Issued.Reexecute || f != nil && f.Limit == limitValue {
			return p.oversize(c.Issued)
		}
	}
	return nil
}

// lostError is implemented by errors of a transport: the connector had no say.
type lostError interface {
	error
	NeverSent() bool // the request certainly did not leave the host
	Summary() string // for a program: without the host's paths and what the connector logged
}

// lostOf reports whether err says nothing of the call's outcome, and whether the request may have been sent.
func lostOf(err error) (lost, sent bool) {
	var told *wire.Error
	if errors.As(err, &told) {
		return false, true
	}
	var l lostError
	return true, !errors.As(err, &l) || !l.NeverSent()
}

// timedOut reports whether a connector's own error leaves a write in doubt: its time ran out while it worked.
func timedOut(err error) bool {
	var told *wire.Error
	return errors.As(err, &told) && told.Code == wire.CodeTimeout && told.Effect != wire.EffectNone
}

// effectUnknown reports whether a write that failed may have happened all the same. After the first attempt
// an error speaks of that attempt alone.
func effectUnknown(err error, attempt int) bool {
	var told *wire.Error
	if !errors.As(err, &told) {
		return attempt > 1
	}
	switch {
	case attempt > 1, told.Effect == wire.EffectUnknown:
		return true
	case told.Effect == wire.EffectNone:
		return false
	}
	return !told.Code.Harmless()
}
