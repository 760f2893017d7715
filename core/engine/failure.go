package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// failureFrom records a connector's or a transport's error.
func failureFrom(err error) *journal.Failure {
	var told *wire.Error
	var lost lostError
	sent := !errors.As(err, &lost) || !lost.NeverSent()
	switch {
	case errors.As(err, &told):
		return &journal.Failure{
			Name: nameCallError, Code: string(told.Code), Message: messageOr(told.Message, string(told.Code)),
			Retryable: told.Retryable, RetryAfter: told.RetryAfter.Milliseconds(), Details: told.Details,
		}
	case errors.Is(err, context.DeadlineExceeded) && sent:
		return &journal.Failure{Name: nameCallError, Code: string(wire.CodeTimeout), Retryable: true, Message: "The call did not answer before its deadline."}
	case errors.Is(err, context.Canceled) && sent:
		return &journal.Failure{Name: nameCallError, Code: string(wire.CodeUnavailable), Message: "The call was cancelled."}
	}
	text := err.Error()
	if lost != nil {
		text = lost.Summary()
	}
	return &journal.Failure{Name: nameCallError, Code: string(wire.CodeUnavailable), Retryable: true, Message: text}
}

func messageOr(message, fallback string) string {
	if message == "" {
		return fallback
	}
	return message
}

// failureOf records a program's error.
func failureOf(e *sandbox.Error) *journal.Failure {
	if e == nil {
		return nil
	}
	return &journal.Failure{
		Name: e.Name, Message: e.Message, Code: e.Code, Retryable: e.Retryable,
		Details: e.Details, Line: e.Line, Column: e.Column, Cause: failureOf(e.Cause),
	}
}

// sandboxError is a recorded error on its way into a program.
func sandboxError(f *journal.Failure) *sandbox.Error {
	if f == nil {
		return nil
	}
	return &sandbox.Error{
		Name: f.Name, Message: f.Message, Code: f.Code, Retryable: f.Retryable,
		Details: f.Details, Line: f.Line, Column: f.Column, Cause: sandboxError(f.Cause),
	}
}

// ending is how a pass ends.
type ending struct {
	status  journal.Status // completed, paused, error or rejected
	errType string
	failure *journal.Failure
	stopped bool   // the host stops: the execution stays running
	kept    string // why the execution waits, as it is, for a later host; set with paused
}

// fail is the end of an execution in an error.
func fail(errType string, f *journal.Failure) *ending {
	return &ending{status: journal.StatusError, errType: errType, failure: f}
}

// thrown is the end of a program that threw.
func thrown(e *sandbox.Error) *ending {
	errType := ErrorRuntime
	if e.Name == namePolicyError {
		errType = ErrorPolicy
	}
	return fail(errType, failureOf(e))
}

// exceeded is the end of a program that broke a limit of the sandbox.
func exceeded(x *sandbox.Exceeded) *ending {
	return fail(ErrorLimit, &journal.Failure{Message: x.Message, Limit: x.Limit, Line: x.Line, Column: x.Column})
}

// diverged is the end of an execution whose replay does not follow its record.
func (p *pass) diverged(d *sandbox.Divergence) *ending {
	step := d.Step
	if step == "" {
		step = suspect(p.rec.state, d.Seq)
	}
	text := fmt.Sprintf("Replay divergence at call %s: recorded is %s, the program came with %s. "+
		"It was stopped before anything more was executed. A program must do the same in every pass: put work that depends on anything but "+
		"its input, its calls and its steps into codemode.step.", d.Seq, d.Recorded, d.Came)
	if step != "" {
		text += fmt.Sprintf(" The likely cause is step %s, which was not run again: it must return what it finds out instead of assigning outer variables.", step)
	}
	if began := p.rec.state.Begun.Engine; began != sandbox.Version {
		return &ending{status: journal.StatusPaused, kept: fmt.Sprintf(
			"%s Nothing has changed, and what was decided still stands: the execution began under the engine %q, and this one is %q, "+
				"which is the likely cause. Resume it with a version of codemode that has the first.", text, began, sandbox.Version)}
	}
	return fail(ErrorDivergence, &journal.Failure{Message: text})
}
