package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// divergence is a replay that does not follow its record, found by the engine itself.
type divergence struct{ sandbox.Divergence }

func (d *divergence) Error() string { return "replay divergence at call " + d.Seq }

// issue journals the calls of a turn: known ones are matched with their record, new ones are judged.
func (p *pass) issue(calls []sandbox.Call) error {
	fresh := make([]*judgement, 0, len(calls))
	subjects := p.subjects(calls)
	for _, c := range calls {
		if p.replay != nil {
			p.replay.saw(c.Seq)
		}
		known := p.rec.state.Calls[c.Seq]
		if known == nil {
			fresh = append(fresh, p.judge(c, subjects[c.Seq]))
			continue
		}
		if err := p.match(known, c); err != nil {
			return err
		}
		p.reopen(known)
	}
	p.previews(fresh)
	for _, j := range fresh {
		if err := p.admit(j); err != nil {
			return err
		}
	}
	return nil
}

// match holds an issued call against its record.
func (p *pass) match(known *journal.Call, c sandbox.Call) error {
	i := known.Issued
	recorded, came := i.Connector+"."+i.Method, c.Connector+"."+c.Method
	if recorded == came && bytes.Equal(sandbox.Digest(i.Args), c.Digest) {
		return nil
	}
	if recorded == came {
		came += " with other arguments"
	}
	return &divergence{sandbox.Divergence{Seq: c.Seq, Recorded: recorded, Came: came}}
}

// reopen puts a recorded call without a delivered outcome back where it stood.
func (p *pass) reopen(known *journal.Call) {
	i := known.Issued
	c := &call{seq: i.Seq, again: true}
	switch {
	case known.Outcome != nil && i.Reexecute && known.State == journal.CallApplied:
		c.stage, c.replayed = stageQueued, known
	case known.Outcome != nil || known.State == journal.CallWithdrawn:
		return
	case i.Connector == sandbox.Platform && i.Method == sandbox.MethodStep:
		c.stage = stageStep
	case i.Connector == sandbox.Platform && i.Method == sandbox.MethodTimer:
		c.stage, c.due = stageTimer, known.IssueClock+delayOf(i.Args)
	case p.toClarify(known):
		c.stage = stageDoubt
	case known.Waiting() || known.State != journal.CallQueued && known.State != journal.CallExecuting || refused(known):
		c.stage = stageWaiting // or for its outcome, where a person has decided and the program has not been told
	default:
		c.stage = stageQueued
	}
	p.open.add(c)
}

// toClarify reports whether it can be found out, without a person, what became of a write that a former pass has left.
func (p *pass) toClarify(c *journal.Call) bool {
	switch {
	case c.Issued.ReadOnly:
		return false
	case c.State == journal.CallExecuting: // what recover has left is to be repeated
		return true
	case c.State != journal.CallInDoubt || c.Decision != nil && c.Decision.Decision == journal.DecisionEnd:
		return false
	}
	m, err := p.e.Catalog.Lookup(c.Issued.Connector, c.Issued.Method)
	return err == nil && m.Reconciles
}

// refused reports whether a person has told the program no.
func refused(c *journal.Call) bool {
	return c.Decision != nil && c.Decision.Decision == journal.DecisionRefuse
}

// judgement is what becomes of a new call.
type judgement struct {
	issued  *journal.Issued
	method  *catalog.Method
	failure *journal.Failure // set: the call is refused
}

// judge resolves a new call, validates its arguments and asks policy.
func (p *pass) judge(c sandbox.Call, s subject) *judgement {
	j := &judgement{issued: &journal.Issued{
		Seq: c.Seq, Connector: c.Connector, Method: c.Method, Args: c.Args, Line: c.Line,
		Verdict: journal.Verdict{Effect: string(policy.Allow)},
	}}
	if c.Connector == sandbox.Platform {
		j.issued.ReadOnly = true
		p.judgeRun(j)
		return j
	}
	m, failure := p.resolve(c.Connector, c.Method, c.Args)
	if failure == nil {
		failure = s.failure
	}
	if failure != nil {
		j.issued.Verdict, j.failure = journal.Verdict{Effect: string(policy.Deny), Rule: failure.Code}, failure
		return j
	}
	j.method = m
	j.issued.ReadOnly, j.issued.Idempotent = m.ReadOnly, m.Idempotent
	j.issued.Reexecute, j.issued.Revertible = m.Reexecute, m.Reverts
	v := p.verdict(m, c.Args, s)
	j.issued.Verdict = journal.Verdict{Effect: string(v.Effect), Rule: v.Rule, Reason: v.Reason}
	switch v.Effect {
	case policy.Deny:
		j.failure = refusal(v)
	case policy.Approve:
		j.issued.Reexecute = false
		j.issued.Approval = p.approvalDigest(m, c.Args, s)
	}
	return j
}

// judgeRun holds the input of a run call against its snippet's schema.
func (p *pass) judgeRun(j *judgement) {
	if j.issued.Method != sandbox.MethodRun {
		return
	}
	if err := p.e.Snippets.CheckInput(p.ctx, j.issued.Args); err != nil {
		j.failure = &journal.Failure{
			Name: nameCallError, Code: string(wire.CodeInvalidArgument), Message: "The snippet was not run: its input does not fit: " + err.Error(),
		}
		j.issued.Verdict = journal.Verdict{Effect: string(policy.Deny), Rule: j.failure.Code}
	}
}

// resolve finds a method and validates arguments against its input schema.
func (x *Execution) resolve(connector, method string, args []byte) (*catalog.Method, *journal.Failure) {
	m, err := x.e.Catalog.Lookup(connector, method)
	var missing *catalog.NotFoundError
	switch {
	case errors.As(err, &missing) && missing.Unavailable != "":
		return nil, unavailable(err)
	case err != nil:
		return nil, &journal.Failure{Name: nameCallError, Code: "not_found", Message: err.Error()}
	}
	if err := x.e.Schemas.Validate(m, args); err != nil {
		return nil, &journal.Failure{
			Name: nameCallError, Code: "invalid_argument",
			Message: fmt.Sprintf("%s.%s was not called: %s", connector, method, err),
		}
	}
	return m, nil
}

// verdict asks policy about the arguments that will really be executed.
func (x *Execution) verdict(m *catalog.Method, args []byte, s subject) policy.Verdict {
	b := x.rec.state.Begun
	judge := func(m *catalog.Method, args []byte) policy.Verdict {
		return x.e.Policy.Judge(policy.Call{
			Connector: m.Connector, Method: m, Args: args, Caller: b.Caller, Labels: b.Labels, AskWrites: b.AskWrites,
		})
	}
	if s.method == nil {
		return judge(m, args)
	}
	own := *m // of which the rules speak; its declaration gives way to the other's
	own.RequiresApproval, own.ReadOnly = false, s.method.ReadOnly
	return stricter(judge(s.method, s.args), judge(&own, args))
}

// The names of errors that the host gives to programs.
const (
	nameCallError     = "CallError"
	namePolicyError   = "PolicyError"
	nameRejectedError = "RejectedError"
)

// unavailable is what the program is told of a call that nothing can carry now.
func unavailable(err error) *journal.Failure {
	return &journal.Failure{Name: nameCallError, Code: string(wire.CodeUnavailable), Retryable: true, Message: err.Error()}
}

// changed is what the program is told of a call that was a read when it was issued.
func changed(i *journal.Issued) *journal.Failure {
	return &journal.Failure{
		Name: nameCallError, Code: string(wire.CodeConflict),
		Message: fmt.Sprintf("%s.%s was not called: it was a read when this call was issued and is a write now.", i.Connector, i.Method),
	}
}

// refusedAs is the state of a call that its host does not carry out: failed where it might at another time.
func refusedAs(f *journal.Failure) journal.CallState {
	if f.Code == string(wire.CodeUnavailable) {
		return journal.CallFailed
	}
	return journal.CallDenied
}

// refusal is what the program is told of a denied call.
func refusal(v policy.Verdict) *journal.Failure {
	text := "This call is refused by policy."
	if v.Reason != "" {
		text = "This call is refused by policy: " + v.Reason
	}
	return &journal.Failure{
		Name: namePolicyError, Code: "permission_denied",
		Message: text + " It will be refused again; do without it, or tell the user.",
	}
}

// previewTime bounds how long a connector may take to say what a call will do.
const previewTime = 10 * time.Second

// previews asks connectors, as many at once as calls, what the calls that wait for a person will do.
func (p *pass) previews(list []*judgement) {
	list = slices.DeleteFunc(slices.Clone(list), func(j *judgement) bool {
		return j.failure != nil || len(j.issued.Approval) == 0 || !j.method.Previews
	})
	if len(list) == 0 {
		return
	}
	slots := make(chan struct{}, cmp.Or(p.e.Limits.InFlight, len(list)))
	var wg sync.WaitGroup
	p.mu.Unlock()
	for _, j := range list {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			j.issued.Preview = p.preview(j.method, j.issued.Seq, j.issued.Args)
		})
	}
	wg.Wait()
	p.mu.Lock()
}

// preview returns what a connector says that a call will do. A failure is told in place of it: the approver decides all the same.
func (p *pass) preview(m *catalog.Method, seq string, args []byte) string {
	c, err := p.e.Connectors.Connector(m.Connector)
	if err != nil || p.ctx.Err() != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(p.ctx, previewTime)
	defer cancel()
	text, err := within(ctx, p.e, func() (string, error) { return c.Preview(ctx, p.wireCall(m, seq, args)) })
	if err != nil {
		return "(no preview: " + err.Error() + ")"
	}
	return text
}

// admit journals a new call and puts it where its judgement leads.
func (p *pass) admit(j *judgement) error {
	if _, err := p.rec.add(j.issued); err != nil {
		return err
	}
	i := j.issued
	c := &call{seq: i.Seq, method: j.method, stage: stageQueued}
	switch {
	case j.failure != nil:
		return p.refuse(c, refusedAs(j.failure), j.failure)
	case len(i.Approval) > 0:
		c.stage = stageWaiting
	case i.Connector != sandbox.Platform:
	case i.Method == sandbox.MethodStep:
		c.stage = stageStep
	case i.Method == sandbox.MethodTimer:
		c.stage, c.due = stageTimer, p.rec.state.Calls[i.Seq].IssueClock+delayOf(i.Args)
	}
	p.open.add(c)
	return nil
}

// outcome journals a call's end and queues its delivery. What a write came to is durable before the program hears of it.
func (p *pass) outcome(c *call, o *journal.Outcome) error {
	o.Seq, o.Usage = c.seq, p.usage
	p.open.remove(c)
	known := p.rec.state.Calls[c.seq]
	if c.replayed != nil {
		p.ready = append(p.ready, completionOf(known, o, c.replayed.OutcomeAt, true))
		return nil
	}
	kept := *o
	if known.Issued.Reexecute && o.State == journal.CallApplied {
		kept.Value, kept.Has, kept.Omitted = nil, false, true
	}
	e, err := p.rec.add(&kept)
	if err != nil {
		return err
	}
	if !known.Issued.ReadOnly && known.Started != nil {
		if err := p.rec.flush(p.ctx); err != nil {
			return err
		}
	}
	p.ready = append(p.ready, completionOf(known, o, e.At, false))
	return nil
}

// completionOf is an outcome as it is delivered.
func completionOf(c *journal.Call, o *journal.Outcome, at time.Time, compare bool) sandbox.Completion {
	d := sandbox.Completion{Seq: c.Issued.Seq, Connector: c.Issued.Connector, Method: c.Issued.Method, At: at, Error: sandboxError(o.Failure)}
	if compare {
		d.Digest = sandbox.Digest(c.Issued.Args)
	}
	if o.Has {
		d.Value = o.Value
	}
	return d
}

// withdraw ends a call that never started.
func (p *pass) withdraw(seq, cause string) error {
	c := p.open.get(seq)
	if c == nil {
		return nil
	}
	p.forget(c)
	_, err := p.rec.add(&journal.Withdrawn{Seq: seq, Cause: cause})
	return err
}

// stepSettled journals a step's outcome; the program sees it when it is delivered.
func (p *pass) stepSettled(s sandbox.StepResult) error {
	c := p.open.get(s.Seq)
	if c == nil || c.stage != stageStep {
		return fmt.Errorf("the sandbox reported step %s, which is not open", s.Seq)
	}
	if s.Error != nil {
		return p.outcome(c, &journal.Outcome{State: journal.CallFailed, Failure: failureOf(s.Error)})
	}
	return p.outcome(c, &journal.Outcome{State: journal.CallApplied, Value: s.Value, Has: s.Value != nil})
}
