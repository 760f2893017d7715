package codetool

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

// run is one program's whole life. Everything but the functions runs on the goroutine
// of the caller.
type run struct {
	*Tool
	id      string
	session sandbox.Session

	queued  []*call              // in the order of their issue
	running []*call              // likewise
	timers  []timer              // in the order in which they fire
	ready   []sandbox.Completion // to deliver, in order
	main    *sandbox.Result      // how the main promise settled

	results   chan result
	done      chan struct{} // closed when nobody reads results any more
	functions sync.WaitGroup

	worked, slept time.Duration // charged against Wall and Sleep
	console       console
	unhandled     []*sandbox.Error
}

// run runs a program to its end.
func (t *Tool) run(ctx context.Context, p *program.Program) (*Result, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("start program: %w", err)
	}
	session, err := t.sandbox.Start(ctx, sandbox.Spec{
		Program: p, Seed: []byte(rand.Text()), Start: time.Now(), Namespaces: t.namespaces, Limits: t.limits.Sandbox,
		DynamicCode: t.dynamic,
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, cancelled(ctx)
		}
		return nil, fmt.Errorf("start program: %w", err)
	}
	r := &run{
		Tool: t, id: id.String(), session: session,
		results: make(chan result), done: make(chan struct{}), console: console{limit: t.limits.Sandbox.Console},
	}
	err = errors.Join(r.drive(ctx), session.Close())
	r.leave()
	return r.finish(err)
}

// finish tells how the program ended.
func (r *run) finish(err error) (*Result, error) {
	r.report()
	var failed *Error
	switch {
	case errors.As(err, &failed):
		failed.Logs = r.console.all()
		return nil, failed
	case err != nil:
		return nil, fmt.Errorf("run program: %w", err)
	}
	return &Result{Value: r.main.Value, Logs: r.console.all()}, nil
}

// report adds what the model should know of a program that ended: rejections that nobody handled.
func (r *run) report() {
	const most = 20
	for i, e := range r.unhandled {
		if i == most {
			r.console.warn("%d more unhandled rejections", len(r.unhandled)-most)
			return
		}
		r.console.add("[error] unhandled rejection: " + cmp.Or(e.Name, "Error") + ": " + e.Message)
	}
}

// drive delivers one completion at a time until the program has ended.
func (r *run) drive(ctx context.Context) error {
	var completions []sandbox.Completion
	for {
		turn, err := r.resume(ctx, completions)
		if err != nil {
			return err
		}
		if err := r.take(turn); err != nil {
			return err
		}
		next, err := r.next(ctx)
		if next == nil || err != nil {
			return err
		}
		completions = []sandbox.Completion{*next}
	}
}

var errWall = errors.New("the time limit of the program is used up")

// resume runs the program until it waits.
func (r *run) resume(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.limits.Wall-r.worked, errWall)
	defer cancel()
	began := time.Now()
	turn, err := r.session.Resume(ctx, completions)
	r.worked += time.Since(began)
	if err != nil && ctx.Err() != nil {
		return turn, r.interrupted(ctx)
	}
	return turn, err
}

// interrupted says how the program fails because ctx has ended.
func (r *run) interrupted(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errWall) {
		return r.timedOut()
	}
	return cancelled(ctx)
}

func (r *run) timedOut() *Error {
	return &Error{Type: ErrorTimeout, Limit: "timeout", Message: fmt.Sprintf(
		"the program timed out: it used more than %s of running time; do less in one program, or pass the rest on to a second one", r.limits.Wall)}
}

// take works through what the program did in a turn.
func (r *run) take(t sandbox.Turn) error {
	for _, l := range t.Console {
		r.console.line(l)
	}
	r.unhandled = t.Unhandled
	if x := t.Exceeded; x != nil {
		return &Error{Type: ErrorLimit, Limit: x.Limit, Message: x.Message, Line: x.Line, Column: x.Column}
	}
	now := time.Now()
	for _, c := range t.Calls {
		r.issue(c, now)
	}
	for _, seq := range t.Cleared {
		r.clear(seq)
	}
	for _, s := range t.Steps {
		r.deliver(sandbox.Call{Seq: s.Seq, Connector: sandbox.Platform, Method: sandbox.MethodStep}, s.Value, s.Error)
	}
	if t.Result == nil {
		return nil
	}
	if r.main = t.Result; r.main.Error != nil {
		return thrown(r.main.Error)
	}
	r.warnUnawaited()
	return nil
}

func thrown(e *sandbox.Error) *Error {
	return &Error{
		Type: ErrorRuntime, Message: e.Message, Name: e.Name, Code: e.Code, Retryable: e.Retryable, Line: e.Line, Column: e.Column,
	}
}

// deliver queues the outcome of a call for the program.
func (r *run) deliver(c sandbox.Call, value []byte, failure *sandbox.Error) {
	r.ready = append(r.ready, sandbox.Completion{
		Seq: c.Seq, Connector: c.Connector, Method: c.Method, At: time.Now(), Value: value, Error: failure,
	})
}

// next returns what to deliver next; nil: the program has ended.
func (r *run) next(ctx context.Context) (*sandbox.Completion, error) {
	for {
		if ctx.Err() != nil {
			return nil, cancelled(ctx)
		}
		r.startQueued(ctx)
		r.poll()
		r.fire()
		if len(r.ready) > 0 {
			c := r.ready[0]
			r.ready = r.ready[1:]
			return &c, nil
		}
		if ended, err := r.ended(); ended || err != nil {
			return nil, err
		}
		if err := r.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// poll works in a result that has arrived while the program ran: it comes before a timer that fires only now.
func (r *run) poll() {
	select {
	case res := <-r.results:
		r.conclude(res)
	default:
	}
}

// ended reports whether nothing is left to do.
func (r *run) ended() (bool, error) {
	switch {
	case len(r.running) > 0:
		return false, nil
	case r.main != nil:
		if n := len(r.timers); n > 0 {
			r.console.warn("%d timer(s) dropped: the program returned without awaiting them", n)
		}
		return true, nil
	case len(r.timers) > 0:
		return false, nil
	}
	return false, &Error{Type: ErrorRuntime, Message: "the program waits for something that nobody can resolve: no call, step or timer of it is left; " +
		"look for a promise that is never resolved, or for an await on itself"}
}

// wait waits until something happens, and charges the time.
func (r *run) wait(ctx context.Context) error {
	var due, over <-chan time.Time
	busy := len(r.running) > 0
	if len(r.timers) > 0 {
		left := time.Until(r.timers[0].due)
		if !busy && left > r.limits.Sandbox.Sleep-r.slept {
			return &Error{Type: ErrorLimit, Limit: "sleep", Message: fmt.Sprintf(
				"the program waits for timers longer than %s in all", r.limits.Sandbox.Sleep)}
		}
		due = time.After(left)
	}
	if busy {
		over = time.After(r.limits.Wall - r.worked)
	}
	began := time.Now()
	var timedOut error
	select {
	case res := <-r.results:
		r.conclude(res)
	case <-due:
	case <-over:
		timedOut = r.timedOut()
	case <-ctx.Done():
	}
	if took := time.Since(began); busy {
		r.worked += took
	} else {
		r.slept += took
	}
	return timedOut
}
