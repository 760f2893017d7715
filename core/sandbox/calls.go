package sandbox

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// pending is a call whose completion is outstanding.
type pending struct {
	call            Call
	frame           *frame
	resolve, reject func(any) error // of the promise that the program holds; nil for a timer
	step            *frame          // set: the call is this step, and its function runs
	timer           *timer

	turn, index int // where the call stands: the session's how manieth turn, and its place in there
}

const (
	lostAdvice = "this code runs in a then() of the program's own while a step is open, and it cannot be told whether it " +
		"belongs to the step; use async functions and await instead of an object with a then method"
	endedAdvice = "this call belongs to a step that has ended; await every call inside the step's function, or make the call outside of it"
)

// refusal says why the running code may issue nothing; empty: it may.
func (s *session) refusal(f *frame) string {
	switch {
	case f == s.frames.lost:
		return lostAdvice
	case f.ended():
		return endedAdvice
	}
	return ""
}

// callMethod is what a namespace's method does: it issues a call.
func (s *session) callMethod(namespace, method string, args []goja.Value) goja.Value {
	if s.stopped.Load() {
		return goja.Undefined()
	}
	name := namespace + "." + method
	if len(args) > 1 {
		return s.rejection(name + " takes one object with named arguments, not several arguments")
	}
	arg := at(args, 0)
	if goja.IsUndefined(arg) {
		arg = s.vm.NewObject()
	}
	if !isArguments(arg) {
		return s.rejection(name + " takes one plain object with named arguments, as in {name: value}" + mistaken(arg))
	}
	call := Call{Connector: namespace, Method: method}
	text, err := s.arguments().encode(arg)
	if err != nil {
		return s.refused(call, err)
	}
	if !bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte(`{"`+bytesTag+`"`)) {
		return s.rejection(name + " takes one plain object with named arguments; what it was given serializes to something else")
	}
	call.Args = text
	return s.issue(call, nil)
}

// arguments is the encoder of a call's arguments.
func (s *session) arguments() *encoder {
	return &encoder{realm: s.realm, vm: s.vm, root: "args", limit: s.spec.Limits.Value, stop: &s.stopped}
}

// mistaken names the usual mistake behind a wrong argument.
func mistaken(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok && o.ExportType() == typePromise {
		return "; it was given a promise, which must be awaited first"
	}
	return ""
}

// isArguments reports whether v is an object that can name arguments.
func isArguments(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Object" {
		return false
	}
	if _, ok := goja.AssertFunction(o); ok {
		return false
	}
	t := o.ExportType()
	return t == typePlain || t == typeProxy
}

// issue numbers the call and returns its promise.
func (s *session) issue(call Call, step *frame) goja.Value {
	f := s.frames.current()
	if why := s.refusal(f); why != "" {
		return s.rejection(why)
	}
	p := s.enqueue(f, call)
	if p == nil {
		return goja.Undefined()
	}
	promise, resolve, reject := s.vm.NewPromise()
	p.resolve, p.reject, p.step = resolve, reject, step
	f.opened()
	return s.vm.ToValue(promise)
}

// refused turns a failed serialization into what the program or the turn sees.
func (s *session) refused(call Call, err error) goja.Value {
	name := call.Connector + "." + call.Method
	if _, ok := errors.AsType[*tooLargeError](err); ok {
		s.exceed("value", fmt.Sprintf("the arguments of %s have more than %d characters; "+valueAdvice, name, s.spec.Limits.Value))
		return goja.Undefined()
	}
	if _, ok := errors.AsType[stoppedError](err); ok {
		return goja.Undefined()
	}
	return s.rejection(fmt.Sprintf("%s cannot be called: %s", name, err))
}

// rejection returns a promise rejected with a TypeError. Nothing was issued.
func (s *session) rejection(message string) goja.Value {
	return s.realm.reject.call(s.realm.typeError(s.vm, message))
}

// enqueue numbers a call and adds it to the turn, unless a limit ends the program.
func (s *session) enqueue(f *frame, call Call) *pending {
	if limit := s.spec.Limits.Calls; limit > 0 && s.issued >= limit {
		s.exceed("calls", fmt.Sprintf("the program made more than %d calls", limit))
		return nil
	}
	s.issued++
	call.Seq = f.next()
	call.Digest = Digest(call.Args)
	call.Line, call.Column = s.where()
	p := &pending{call: call, frame: f, turn: s.turns, index: len(s.turn.Calls)}
	s.pending[call.Seq] = p
	s.turn.Calls = append(s.turn.Calls, call)
	return p
}

// deliver hands the program one completion and lets every microtask run.
func (s *session) deliver(c Completion) error {
	p := s.pending[c.Seq]
	if d := s.divergence(p, c); d != nil {
		s.turn.Diverged = d
		s.stopped.Store(true)
		return nil
	}
	delete(s.pending, c.Seq)
	if p.turn == s.turns {
		s.turn.Calls[p.index].Args = nil // nobody needs the bytes of a call that has its outcome
	}
	s.delivered++
	s.console.after = s.delivered
	if c.At.After(s.now) {
		s.now = c.At.UTC()
	}
	if err := s.hand(p, c); err != nil {
		return err
	}
	return s.settle()
}

// hand settles the promise of a call, or fires a timer.
func (s *session) hand(p *pending, c Completion) error {
	if p.timer != nil {
		return s.fire(p.timer)
	}
	p.frame.closed()
	if p.call.Connector == Platform && p.call.Method == MethodStep {
		s.frames.steps--
	}
	s.frames.cur = nil
	if c.Error != nil {
		failure, err := s.failure(p.call, c.Error)
		if err != nil {
			return err
		}
		return p.reject(failure)
	}
	if body, ok := snippetOf(p.call, c.Value); ok {
		return s.runBody(p, body)
	}
	value, err := s.realm.decode(s.vm, c.Value)
	if err != nil {
		return fmt.Errorf("read the outcome of call %s: %w", c.Seq, err)
	}
	return p.resolve(value)
}

// divergence holds a completion against the call that it claims to complete.
func (s *session) divergence(p *pending, c Completion) *Divergence {
	d := &Divergence{Seq: c.Seq, Recorded: fmt.Sprintf("%s.%s", c.Connector, c.Method), Step: s.lastSkip}
	switch {
	case p == nil:
		d.Came = "no open call with this number"
	case p.call.Connector != c.Connector || p.call.Method != c.Method:
		d.Came = fmt.Sprintf("%s.%s", p.call.Connector, p.call.Method)
	case c.Digest != nil && !bytes.Equal(c.Digest, p.call.Digest):
		d.Recorded += fmt.Sprintf(" with arguments of digest %x", c.Digest)
		d.Came = fmt.Sprintf("the same method with other arguments, of digest %x", p.call.Digest)
	case p.step != nil && !p.step.reported:
		d.Came = "the step's function, which has not ended"
	default:
		return nil
	}
	return d
}
