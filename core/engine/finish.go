package engine

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/program"
)

// finish journals how the pass ended and returns the outcome.
func (p *pass) finish(end *ending) (*Outcome, error) {
	result, omitted := p.value(end)
	switch {
	case end.kept != "":
		return p.keep(end.kept)
	case end.status == journal.StatusPaused:
		return p.pause()
	}
	if err := p.abort(end); err != nil {
		return nil, err
	}
	if end.stopped {
		if err := p.rec.flush(p.ctx); err != nil {
			return nil, err
		}
		return nil, ErrStopped
	}
	p.report()
	status := string(journal.StatusCompleted)
	if end.failure != nil {
		status = string(journal.StatusError)
	}
	_, err := p.rec.add(&journal.PassEnded{Status: status, Logs: p.lines(), Usage: p.usage})
	if err == nil {
		ended := &journal.Ended{Status: end.status, ErrorType: end.errType, Failure: end.failure, Omitted: omitted}
		if !omitted {
			ended.Value, ended.Has = result, result != nil
		}
		_, err = p.rec.add(ended)
	}
	if err == nil {
		err = p.rec.flush(p.ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("record the end: %w", err)
	}
	o := OutcomeOf(p.rec.state)
	o.Logs = p.lines()
	if end.failure == nil {
		o.Result = result
	}
	return o, nil
}

// value is the program's, and whether it is too large to keep. It still reaches the caller.
func (p *pass) value(end *ending) ([]byte, bool) {
	if end.status != journal.StatusCompleted || p.main == nil {
		return nil, false
	}
	v := p.main.Value
	if limit := p.e.Limits.Value; limit > 0 && utf8.RuneCount(v) > limit {
		p.warn("result omitted from the audit trail: it is longer than %d characters", limit)
		return v, true
	}
	return v, false
}

// pause journals a pass that waits for people.
func (p *pass) pause() (*Outcome, error) {
	returned := p.main != nil
	_, err := p.rec.add(&journal.PassEnded{Status: string(journal.StatusPaused), Logs: p.lines(), Usage: p.usage, Returned: returned})
	if err == nil {
		err = p.rec.flush(p.ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("record the pause: %w", err)
	}
	o := OutcomeOf(p.rec.state)
	o.Logs = p.lines()
	return o, nil
}

// keep journals a pass that came to nothing: the execution waits as it is.
func (p *pass) keep(why string) (*Outcome, error) {
	for _, c := range p.open.all() {
		p.forget(c)
	}
	_, err := p.rec.add(&journal.PassEnded{Status: string(journal.StatusPaused), Usage: p.rec.state.Usage, Returned: p.rec.state.Returned})
	if err == nil {
		err = p.rec.flush(p.ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("record the pause: %w", err)
	}
	return StateError(p.ID(), why), nil
}

// abort ends what is outstanding: what had not started is withdrawn, reads are cancelled, started writes are
// awaited to their deadline and recorded, or in doubt. What is withdrawn is recorded last, with the end itself: a host
// that dies meanwhile leaves no execution that has lost its calls and goes on.
func (p *pass) abort(end *ending) error {
	cause := "the execution had ended"
	if end.failure != nil {
		cause = end.failure.Message
	}
	p.ending, p.closing = true, !end.stopped
	var withdrawn []string
	for _, c := range p.open.all() {
		switch known := p.rec.state.Calls[c.seq]; {
		case c.stage == stageDoubt && c.asked && !end.stopped:
		case c.stage == stageExecuting && !known.Issued.ReadOnly:
		case end.stopped || c.replayed != nil || !withdrawable(known):
			p.forget(c)
		default:
			withdrawn = append(withdrawn, c.seq)
			p.forget(c)
		}
	}
	for p.open.count(stageExecuting, stageDoubt) > 0 {
		if err := p.conclude(p.result()); err != nil {
			return err
		}
		if end.stopped {
			p.leaveDoubts()
		}
	}
	for _, seq := range withdrawn {
		if _, err := p.rec.add(&journal.Withdrawn{Seq: seq, Cause: cause}); err != nil {
			return err
		}
	}
	return nil
}

// leaveDoubts leaves what is not known to a later host.
func (p *pass) leaveDoubts() {
	for _, c := range slices.Clone(p.open.at[stageDoubt]) {
		p.forget(c)
	}
}

// withdrawable reports whether a call is still to be carried out. Of any other it is known, or in doubt, what became of it.
func withdrawable(c *journal.Call) bool {
	switch c.State {
	case journal.CallQueued, journal.CallPending, journal.CallExecuting:
		return true
	}
	return false
}

// abandon ends a pass that cannot record anything any more. The writes that have been sent are awaited, so that none
// acts any more when a later pass, or a person, looks at it.
func (p *pass) abandon() {
	for _, c := range p.open.all() {
		if c.cancel == nil || c.stage != stageExecuting || p.rec.state.Calls[c.seq].Issued.ReadOnly {
			p.forget(c)
		}
	}
	for p.open.count(stageExecuting) > 0 {
		if c := p.open.get(p.result().seq); c != nil {
			p.open.remove(c)
		}
	}
}

// result gives up the lock until a call has come to something.
func (p *pass) result() result {
	p.mu.Unlock()
	defer p.mu.Lock()
	return <-p.results
}

// forget drops an open call without a word in the journal: a later pass starts it.
func (p *pass) forget(c *call) {
	if c.cancel != nil {
		c.cancel()
	}
	p.open.remove(c)
}

// report adds what the model should know of a program that ended: rejections that nobody handled.
func (p *pass) report() {
	const most = 20
	for i, e := range p.unhandled {
		if i == most {
			p.warn("%d more unhandled rejections", len(p.unhandled)-most)
			return
		}
		p.log("[error] unhandled rejection: " + cmp.Or(e.Name, "Error") + ": " + e.Message)
	}
}

// program is the pinned program.
func (p *pass) program() *program.Program {
	b := p.rec.state.Begun
	return &program.Program{JS: b.JS, Version: b.Compiler}
}

// input is the pinned input.
func (p *pass) input() []byte {
	if b := p.rec.state.Begun; b.HasInput {
		return b.Input
	}
	return nil
}
