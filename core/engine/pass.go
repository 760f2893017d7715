package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
)

// pass is one run of a program from its first line. Its goroutine holds the
// execution's lock except while the program runs and while it waits.
type pass struct {
	*Execution
	ctx     context.Context
	session sandbox.Session

	open    openCalls
	ready   []sandbox.Completion // journaled and not yet delivered, in this order
	results chan result
	done    chan struct{} // closed when nobody reads results any more
	busy    int           // calls being prepared or executed

	main      *sandbox.Result // how the main promise settled
	unhandled []*sandbox.Error
	logs      []string // the console of the live part
	logged    int      // its length in bytes
	dropped   int      // lines that went because there were too many
	usage     journal.Usage
	cpuBefore time.Duration // of former passes
	replay    *replay       // nil once the record is used up
	ending    bool          // what is outstanding is brought to an end
	fatal     *ending       // set: the pass ends before anything else is delivered
	// linesBefore is the delivery up to which a former pass has reported the console.
	linesBefore int
}

// Run drives the pass that Claim announced until it completes, fails or pauses
// for a person. When ctx ends because of ErrStopped the execution is left for a
// later host; when it ends otherwise the execution ends as cancelled. The error
// is set where the journal or the sandbox failed; then nothing is known but
// what the journal holds.
func (x *Execution) Run(ctx context.Context) (*Outcome, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer func() { x.running, x.closing = false, false }()
	p := &pass{
		Execution: x, ctx: ctx, open: newOpenCalls(), usage: x.rec.state.Usage,
		cpuBefore: x.rec.state.Usage.CPU, results: make(chan result), done: make(chan struct{}),
	}
	defer close(p.done)
	end, err := p.drive()
	if p.session != nil {
		if err := p.session.Close(); err != nil {
			x.e.Logger.Warn("a sandbox is not closed", "execution", x.ID(), "error", err)
		}
	}
	var out *Outcome
	if err == nil {
		out, err = p.finish(end)
	}
	if err == nil || errors.Is(err, ErrStopped) {
		return out, err
	}
	p.abandon()
	return nil, fmt.Errorf("execution %s: %w", x.ID(), err)
}

// drive runs the program to an end of the pass.
func (p *pass) drive() (*ending, error) {
	if err := p.recover(); err != nil {
		return nil, err
	}
	if _, err := p.rec.add(&journal.PassBegun{Pass: p.rec.state.Passes + 1}); err != nil {
		return nil, err
	}
	if end := p.oversized(); end != nil {
		return end, nil
	}
	turn, end, err := p.begin()
	for end == nil && err == nil {
		if end, err = p.take(turn); end != nil || err != nil {
			break
		}
		var next *sandbox.Completion
		if next, end, err = p.next(); end != nil || err != nil {
			break
		}
		turn, end, err = p.resume(*next)
	}
	return end, err
}

// recover says what is known of calls that a former host had started: a read
// runs again unharmed, an idempotent call runs again once, of any other call
// the effect is in doubt.
func (p *pass) recover() error {
	if p.e.Shared {
		return nil // their handlers may act still: see clarify
	}
	for _, seq := range p.rec.state.Order {
		c := p.rec.state.Calls[seq]
		if c.State != journal.CallExecuting || c.Issued.ReadOnly || (c.Issued.Idempotent && c.Started.Attempt == 1) {
			continue
		}
		if _, err := p.rec.add(&journal.Doubted{Seq: seq, Cause: hostDied}); err != nil {
			return err
		}
	}
	return nil
}

// resume delivers completions and runs the program. It gives up the lock while the program runs.
func (p *pass) resume(completions ...sandbox.Completion) (sandbox.Turn, *ending, error) {
	ctx, cancel, live := p.ctx, context.CancelFunc(func() {}), p.replay == nil || p.replay.empty()
	if limit := p.e.Limits.Wall; limit > 0 && live {
		ctx, cancel = context.WithTimeoutCause(p.ctx, limit-p.usage.Wall, errWall)
	}
	defer cancel()
	began := p.e.Now()
	p.mu.Unlock()
	turn, err := p.session.Resume(ctx, completions)
	p.mu.Lock()
	if live {
		p.charge(p.e.Now().Sub(began), true, p.waiting())
	}
	if err == nil {
		return turn, nil, nil
	}
	if end := p.interrupted(ctx); end != nil {
		return sandbox.Turn{}, end, nil
	}
	return sandbox.Turn{}, nil, err
}

var errWall = errors.New("the time limit of the execution is used up")

// interrupted says how the pass ends because ctx has ended; nil: it has not.
func (p *pass) interrupted(ctx context.Context) *ending {
	if ctx.Err() == nil {
		return nil
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errWall):
		return p.timedOut()
	case errors.Is(cause, ErrStopped):
		return &ending{stopped: true}
	default:
		text := "The execution was cancelled."
		if cause != nil && !errors.Is(cause, context.Canceled) {
			text = "The execution was cancelled: " + cause.Error()
		}
		return fail(ErrorCancelled, &journal.Failure{Message: text})
	}
}

func (p *pass) timedOut() *ending {
	return fail(ErrorTimeout, &journal.Failure{
		Limit: "timeout",
		Message: fmt.Sprintf("Execution timed out: it used more than %s of running time. "+
			"Do less in one program, or pass the rest on to a second one.", p.e.Limits.Wall),
	})
}

// take works through what the program did in a turn.
func (p *pass) take(t sandbox.Turn) (*ending, error) {
	p.console(t)
	p.usage.CPU = p.cpuBefore + t.Usage.CPU
	if t.Diverged != nil {
		return p.diverged(t.Diverged), nil
	}
	if err := p.issue(t.Calls); err != nil {
		var d *divergence
		if errors.As(err, &d) {
			return p.diverged(&d.Divergence), nil
		}
		return nil, err
	}
	if t.Exceeded != nil {
		return exceeded(t.Exceeded), nil
	}
	for _, seq := range t.Cleared {
		if err := p.withdraw(seq, ""); err != nil {
			return nil, err
		}
	}
	for _, s := range t.Steps {
		if err := p.stepSettled(s); err != nil {
			return nil, err
		}
	}
	if t.Result != nil {
		p.main = t.Result
	}
	p.unhandled = t.Unhandled
	if p.main != nil && p.main.Error != nil {
		return thrown(p.main.Error), nil
	}
	if t.Result != nil && !p.rec.state.Returned { // else a former pass has said so
		p.warnUnawaited()
	}
	return nil, nil
}

// next returns the completion to deliver next, or how the pass ends.
func (p *pass) next() (*sandbox.Completion, *ending, error) {
	for {
		if end := p.interrupted(p.ctx); end != nil {
			return nil, end, nil
		}
		if end, err := p.decided(); end != nil || err != nil {
			return nil, end, err
		}
		if p.replay == nil {
			p.clarifyFound()
		}
		if err := p.startQueued(); err != nil {
			return nil, nil, err
		}
		if came, err := p.poll(); err != nil {
			return nil, nil, err
		} else if came {
			continue // it may have put a call back to the queue
		}
		if err := p.fireTimer(); err != nil {
			return nil, nil, err
		}
		if p.fatal != nil || p.news {
			continue // what outranks a delivery, and a pause, has come meanwhile
		}
		if len(p.ready) > 0 {
			c := p.ready[0]
			p.ready = p.ready[1:]
			return &c, nil, nil
		}
		if end := p.settled(); end != nil {
			return nil, end, nil
		}
		if end, err := p.wait(); end != nil || err != nil {
			return nil, end, err
		}
	}
}

// poll works in a result that has arrived while the program ran: it comes before a timer that fires only now. It
// reports whether there was one.
func (p *pass) poll() (bool, error) {
	if len(p.ready) > 0 {
		return false, nil
	}
	select {
	case r := <-p.results:
		return true, p.conclude(r)
	default:
		return false, nil
	}
}

// settled says how the pass ends when nothing is left to wait for but timers and people; nil: it goes on.
func (p *pass) settled() *ending {
	switch {
	case p.open.count(stageQueued, stagePreparing, stageExecuting, stageDoubt) > 0:
		return nil
	case p.waiting():
		return &ending{status: journal.StatusPaused}
	case p.main != nil:
		return &ending{status: journal.StatusCompleted}
	case p.open.count(stageTimer) > 0:
		return nil
	}
	return fail(ErrorRuntime, &journal.Failure{
		Message: "The program waits for something that nobody can resolve: no call, step or timer of it is left. " +
			"Look for a promise that is never resolved, or for an await on itself.",
	})
}

// waiting reports whether a call waits for a person.
func (p *pass) waiting() bool { return p.open.count(stageWaiting) > 0 }

// flushSoon is how long events may stay unwritten while a pass waits, so that other processes see what runs.
const flushSoon = 100 * time.Millisecond

// charge counts time that has gone by: as the execution's own while it works, and for timers while none waits for a person.
func (p *pass) charge(took time.Duration, working, waiting bool) {
	if working {
		p.usage.Wall += took
	}
	if !waiting {
		p.usage.Clock += took
	}
}

// wait gives up the lock until something happens, and charges the time. In a replay time does not count and no timer
// fires: it waits for calls that are executed in every pass, each of which has its own deadline.
func (p *pass) wait() (*ending, error) {
	waiting, live := p.waiting(), p.replay == nil
	var timerDue, wallOver, flushDue <-chan time.Time
	if next := p.nextTimer(); next != nil && !waiting && live {
		timerDue = time.After(next.due - p.usage.Clock)
	}
	if p.busy > 0 && p.e.Limits.Wall > 0 && live {
		wallOver = time.After(p.e.Limits.Wall - p.usage.Wall)
	}
	if p.rec.dirty() {
		flushDue = time.After(flushSoon)
	}
	began, busy := p.e.Now(), p.busy > 0
	var arrived *result
	var over, flush bool
	p.mu.Unlock()
	select {
	case r := <-p.results:
		arrived = &r
	case <-p.wake:
	case <-p.ctx.Done():
	case <-timerDue:
	case <-wallOver:
		over = true
	case <-flushDue:
		flush = true
	}
	p.mu.Lock()
	if live {
		p.charge(p.e.Now().Sub(began), busy, waiting)
	}
	switch {
	case arrived != nil:
		return nil, p.conclude(*arrived)
	case over:
		return p.timedOut(), nil
	case flush:
		return nil, p.rec.flush(p.ctx)
	}
	return nil, nil
}
