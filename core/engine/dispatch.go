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
	prepared bool // by Prepare: value is what a revert will need
	value    json.RawMessage
	err      error
}

// grace is how long after its deadline a handler may still answer.
const grace = 250 * time.Millisecond

// startQueued starts what has a slot, in seq order. Writes are durable as started before any of them is sent.
func (p *pass) startQueued() error {
	var ready launches
	for _, c := range slices.Clone(p.open.at[stageQueued]) {
		if limit := p.e.Limits.InFlight; limit > 0 && p.busy+len(ready.list) >= limit {
			break
		}
		if p.replay != nil && c.replayed == nil {
			continue // it starts when the pass is live
		}
		if err := p.start(c, &ready); err != nil {
			return err
		}
	}
	return p.launch(ready)
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

// launch sends calls.
func (p *pass) launch(l launches) error {
	if l.writes {
		if err := p.rec.flush(p.ctx); err != nil {
			return err
		}
	}
	for _, send := range l.list {
		send()
	}
	return nil
}

// start takes a queued call to its connector, unless it comes to an end or waits again.
func (p *pass) start(c *call, ready *launches) error {
	known := p.rec.state.Calls[c.seq]
	if known.Issued.Connector == sandbox.Platform {
		ready.add(p.startPlatform(c, known), false)
		return nil
	}
	if ended, err := p.judgeAgain(c, known); ended || err != nil {
		return err
	}
	conn, err := p.connector(known.Issued.Connector)
	if err != nil {
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: &journal.Failure{
			Name: nameCallError, Code: string(wire.CodeUnavailable), Retryable: true, Message: err.Error(),
		}})
	}
	if c.method.Prepares && !known.Issued.ReadOnly {
		ready.add(p.startPrepare(c, known, conn), false)
		return nil
	}
	return p.startInvoke(c, known, conn, nil, ready)
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
	if failure != nil {
		return true, p.outcome(c, &journal.Outcome{State: journal.CallDenied, Failure: failure})
	}
	c.method = m
	if c.replayed != nil {
		return false, nil
	}
	v := p.verdict(m, known.Args())
	switch {
	case v.Effect == policy.Deny:
		return true, p.outcome(c, &journal.Outcome{State: journal.CallDenied, Failure: refusal(v)})
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
func (p *pass) startPrepare(c *call, known *journal.Call, conn wire.Connector) func() {
	w := p.wireCall(c.method, c.seq, known.Args())
	w.Deadline = p.e.Now().Add(p.e.Connectors.Timeout(c.method.Connector, c.method.Name))
	p.open.move(c, stagePreparing)
	return func() {
		p.run(c, w.Deadline, func(ctx context.Context) result {
			v, err := conn.Prepare(ctx, w)
			return result{seq: c.seq, prepared: true, value: v, err: err}
		})
	}
}

// startInvoke journals the start of a call that is about to be sent.
func (p *pass) startInvoke(c *call, known *journal.Call, conn wire.Connector, before []byte, ready *launches) error {
	w := p.wireCall(c.method, c.seq, known.Args())
	w.Before = before
	w.Deadline = p.e.Now().Add(p.e.Connectors.Timeout(c.method.Connector, c.method.Name))
	if known.Started != nil {
		w.Attempt = known.Started.Attempt + 1
		if before == nil {
			w.Before = known.Started.Before
		}
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
			r, err := conn.Invoke(ctx, w, nil)
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
		var a struct{ Name string }
		if err := json.Unmarshal(i.Args, &a); err != nil {
			return nil, fmt.Errorf("codemode.run: %w", err)
		}
		return json.Marshal(map[string]string{"error": fmt.Sprintf("There is no snippet named %q.", a.Name)})
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
	answer := make(chan result, 1)
	p.e.stragglers.Go(func() { answer <- f(ctx) })
	p.e.stragglers.Go(func() {
		defer cancel()
		var r result
		select {
		case r = <-answer:
		case <-ctx.Done():
			select {
			case r = <-answer:
			case <-time.After(grace):
				r = late
				r.err = context.Cause(ctx)
			}
		}
		select {
		case p.results <- r:
		case <-p.done:
		}
	})
}

// conclude works a result in.
func (p *pass) conclude(r result) error {
	p.busy--
	c := p.open.get(r.seq)
	if c == nil {
		return nil // withdrawn meanwhile
	}
	known := p.rec.state.Calls[r.seq]
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
	if size := utf8.RuneCount(r.value); p.e.Limits.Value > 0 && size > p.e.Limits.Value && !known.Issued.Reexecute {
		return p.tooLarge(c, known, size)
	}
	return p.outcome(c, &journal.Outcome{State: journal.CallApplied, Value: r.value, Has: r.value != nil})
}

// prepared starts a call whose connector has read what a revert will need.
func (p *pass) prepared(c *call, known *journal.Call, r result) error {
	if r.err != nil {
		f := failureFrom(r.err)
		f.Message = "The call was not started: " + f.Message
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: f})
	}
	conn, err := p.connector(known.Issued.Connector)
	if err != nil {
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: failureFrom(err)})
	}
	var ready launches
	if err := p.startInvoke(c, known, conn, r.value, &ready); err != nil {
		return err
	}
	return p.launch(ready)
}

// failed sorts a call's error: a read that lost its connector runs again once, a write of which nothing is
// known is in doubt, anything else is delivered to the program.
func (p *pass) failed(c *call, known *journal.Call, err error) error {
	lost, sent := lostOf(err)
	read := known.Issued.ReadOnly
	late := errors.Is(err, context.DeadlineExceeded) // its time is used up: a second attempt would double it
	if lost && read && !late && c.replayed == nil && known.Issued.Connector != sandbox.Platform && known.Started.Attempt == 1 {
		p.open.move(c, stageQueued)
		return nil
	}
	f := failureFrom(err)
	if read {
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: f})
	}
	if lost && sent || timedOut(err) {
		p.open.move(c, stageWaiting)
		if _, err := p.rec.add(&journal.Doubted{Seq: c.seq, Cause: f.Message}); err != nil {
			return err
		}
		return p.rec.flush(p.ctx)
	}
	f.EffectUnknown = effectUnknown(err, known.Started.Attempt)
	return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: f})
}

// tooLarge ends the execution over a result that is too large to record. A write is recorded as applied all the
// same, so that a rollback knows it.
func (p *pass) tooLarge(c *call, known *journal.Call, size int) error {
	text := fmt.Sprintf("The result of %s.%s is too large to record durably: %d characters, %d at most. "+
		"Write large data to a file or workspace and pass a reference, or ask for less.",
		known.Issued.Connector, known.Issued.Method, size, p.e.Limits.Value)
	o := &journal.Outcome{State: journal.CallApplied, Omitted: true}
	if known.Issued.ReadOnly {
		o = &journal.Outcome{State: journal.CallFailed, Failure: &journal.Failure{Name: nameCallError, Code: "limit", Message: text}}
	}
	if err := p.outcome(c, o); err != nil {
		return err
	}
	p.fatal = fail(ErrorLimit, &journal.Failure{Message: text, Limit: "value", Line: known.Issued.Line})
	return nil
}

// lostError is implemented by errors of a transport: the connector had no say.
type lostError interface {
	error
	NeverSent() bool // the request certainly did not leave the host
	Summary() string // for a program: without what the connector logged
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
