package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

// ViaReconcile is how a decision came about that a connector's reconciliation stands for: Decided.By is its label.
const ViaReconcile = "reconcile"

// mostAttempts is how often a call is sent whose connector says each time that nothing has happened. Then a person looks.
const mostAttempts = 3

// clarified is what was found out of a write of which nothing was known.
type clarified struct {
	before *journal.Decided     // what was decided when the search began
	repeat bool                 // it is to run once more by itself
	told   *wire.Reconciliation // by its connector; nil: it was not asked, or the answer is lost
}

// errNotQuiet is the error of a call whose handler may still act.
var errNotQuiet = errors.New("its handler may still act")

// says reports whether the connector has given this answer.
func (c *clarified) says(h wire.Happened) bool { return c.told != nil && c.told.Happened == h }

// clarify finds out what became of a write that was started and of whose effect nothing is known. First its handler has
// to be past acting. Then a call that is to be repeated is; any other, where its connector can tell, is asked about.
// Only what is not known even then waits for a person. No time of this is the program's. late is how long the handler
// may go on.
func (p *pass) clarify(c *call, known *journal.Call, cause string, repeat bool, late time.Duration) {
	c.cause, c.asked = cause, true
	p.open.move(c, stageDoubt)
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.ctx))
	c.cancel = cancel
	ask := !repeat && known.Started.Attempt < mostAttempts
	w, before := p.sentCall(known), known.Decision
	p.e.stragglers.Go(func() {
		defer cancel()
		r := result{seq: c.seq, found: &clarified{before: before, repeat: repeat}}
		if err := p.e.quiet(ctx, known.Issued.Connector, late); err != nil {
			r.err = fmt.Errorf("%w: %w", errNotQuiet, err)
		} else if ask {
			r.found.told, r.err = p.e.reconcile(ctx, known.Issued, w)
		}
		select {
		case p.results <- r:
		case <-p.done:
		}
	})
}

// hostDied is why a call is in doubt whose host has died.
const hostDied = "The host stopped after the call had started and before its outcome was recorded."

// sentCall is a call as it was sent last. Its method is named when it is known which carries it now.
func (x *Execution) sentCall(c *journal.Call) *wire.Call {
	s := x.rec.state
	return &wire.Call{
		ExecutionID: s.ID, Seq: c.Issued.Seq, IdempotencyKey: c.Started.Key, Attempt: c.Started.Attempt,
		Caller: s.Begun.Caller, Labels: s.Begun.Labels, Task: s.Begun.Task, Args: c.Args(), Before: c.Started.Before,
	}
}

// lateness is how long a handler of another host may go on: its process cannot be ended from here, so its deadline is
// awaited. A host that has its store to itself is the heir of a host whose connectors have ended with it.
func (e *Engine) lateness(deadline time.Time) time.Duration {
	if !e.Shared {
		return 0
	}
	return deadline.Add(2 * grace).Sub(e.Now())
}

// quiet waits until no handler of a connector acts any longer that its host has given up.
func (e *Engine) quiet(ctx context.Context, connector string, late time.Duration) error {
	if late > 0 {
		timer := time.NewTimer(late)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return e.Connectors.Quiet(ctx, connector)
}

var happened = []wire.Happened{wire.HappenedYes, wire.HappenedNo, wire.HappenedUnknown}

// reconcile asks a connector whether a call took effect; nil: it has no answer to that.
func (e *Engine) reconcile(ctx context.Context, i *journal.Issued, w *wire.Call) (*wire.Reconciliation, error) {
	m, err := e.Catalog.Lookup(i.Connector, i.Method)
	if err != nil || !m.Reconciles {
		return nil, err
	}
	conn, err := e.Connectors.Connector(i.Connector)
	if err != nil {
		return nil, err
	}
	w.Method, w.Deadline = m.Raw, e.Now().Add(e.Connectors.Timeout(i.Connector, i.Method))
	ctx, cancel := context.WithDeadline(ctx, w.Deadline.Add(grace)) // as for the call itself
	defer cancel()
	told, err := within(ctx, e, func() (*wire.Reconciliation, error) { return conn.Reconcile(ctx, w) })
	switch {
	case err != nil:
		return nil, err
	case told == nil || !slices.Contains(happened, told.Happened):
		return nil, errors.New("its answer is none")
	case told.Result != nil && !json.Valid(told.Result):
		return nil, errors.New("the result that it tells is not JSON")
	case told.Result != nil && e.Limits.Value > 0 && utf8.RuneCount(told.Result) > e.Limits.Value:
		return nil, errors.New("the result that it tells is too large to record")
	}
	return told, nil
}

// answerOf is a connector's word as the decision that it stands for. What it says that did not happen is decided by no.
func answerOf(i *journal.Issued, told *wire.Reconciliation, no string) *journal.Decided {
	d := &journal.Decided{Seq: i.Seq, Decision: no, By: i.Connector, Via: ViaReconcile, Approval: i.Approval}
	if told.Happened == wire.HappenedYes {
		d.Decision, d.Result, d.HasValue = journal.DecisionDone, told.Result, told.Result != nil
	}
	return d
}

// resolved works in what was found out.
func (p *pass) resolved(c *call, known *journal.Call, r result) error {
	if known.Decision != r.found.before { // a person was faster
		p.open.move(c, stageWaiting)
		p.news = true
		return nil
	}
	if r.err != nil && !errors.Is(r.err, context.Canceled) {
		p.e.Logger.Warn("a connector cannot tell whether a call took effect", "execution", p.ID(), "call", c.seq, "error", r.err)
	}
	if r.found.repeat && r.err == nil && !p.ending {
		c.repeated = true
		p.open.move(c, stageQueued)
		return nil
	}
	note := ""
	switch {
	case r.found.says(wire.HappenedUnknown):
		note = " Its connector has looked, and cannot tell."
	case errors.Is(r.err, errNotQuiet):
		note = " Its handler has not returned yet and may still act: wait for it before you decide."
	}
	p.open.move(c, stageWaiting)
	if err := p.doubt(c, known, note); err != nil {
		return err
	}
	if !r.found.says(wire.HappenedYes) && (p.ending || !r.found.says(wire.HappenedNo)) {
		return p.rec.flush(p.ctx)
	}
	if _, err := p.rec.add(answerOf(known.Issued, r.found.told, journal.DecisionAgain)); err != nil {
		return err
	}
	return p.apply(c, known)
}

// doubt journals that the effect of a call is not known, unless that is recorded.
func (p *pass) doubt(c *call, known *journal.Call, note string) error {
	if known.State != journal.CallExecuting {
		return nil
	}
	_, err := p.rec.add(&journal.Doubted{Seq: c.seq, Cause: c.cause + note})
	return err
}

// clarifyFound finds out what became of the writes that a former pass has left so.
func (p *pass) clarifyFound() {
	for _, c := range slices.Clone(p.open.at[stageDoubt]) {
		if c.asked {
			continue
		}
		known := p.rec.state.Calls[c.seq]
		if known.State == journal.CallInDoubt {
			p.clarify(c, known, known.Doubt, false, 0)
			continue
		}
		p.clarify(c, known, hostDied, known.Issued.Idempotent && known.Started.Attempt == 1, p.e.lateness(known.Started.Deadline))
	}
}
