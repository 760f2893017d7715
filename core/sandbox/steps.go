package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// codemode makes the global of the host's own methods.
func (s *session) codemode() *goja.Object {
	methods := map[string]func([]goja.Value) goja.Value{
		MethodSearch: s.search, MethodDescribe: s.describe, MethodStep: s.step, MethodRun: s.runSnippet,
	}
	names := []string{MethodSearch, MethodDescribe, MethodStep, MethodRun}
	return s.namespace(Namespace{Name: Platform, Methods: names}, func(method string, args []goja.Value) goja.Value {
		if s.stopped.Load() {
			return goja.Undefined()
		}
		return methods[method](args)
	})
}

// platform issues a call of one of the host's own methods. The object of its
// arguments is written here and not serialized, for it is none of the program's.
func (s *session) platform(method string, step *frame, args ...namedValue) goja.Value {
	call := Call{Connector: Platform, Method: method}
	e := s.arguments()
	m := e.begin()
	for _, arg := range args {
		if err := m.add(arg.name, arg.value); err != nil {
			return s.refused(call, err)
		}
	}
	if err := m.end(); err != nil {
		return s.refused(call, err)
	}
	call.Args = e.buf
	return s.issue(call, step)
}

type namedValue struct {
	name  string
	value goja.Value
}

// at returns the argument at i, or undefined.
func at(args []goja.Value, i int) goja.Value {
	return goja.FunctionCall{Arguments: args}.Argument(i)
}

func (s *session) search(args []goja.Value) goja.Value {
	query := at(args, 0)
	if !goja.IsString(query) && !isArguments(query) {
		return s.rejection("codemode.search takes a text, or an object {text, connector, limit, cursor}")
	}
	return s.platform(MethodSearch, nil, namedValue{"query", query})
}

func (s *session) describe(args []goja.Value) goja.Value {
	target := at(args, 0)
	if !goja.IsString(target) {
		return s.rejection(`codemode.describe takes a text, as in "namespace" or "namespace.method"`)
	}
	return s.platform(MethodDescribe, nil, namedValue{"target", target})
}

// step issues a step and runs its function at once, unless its outcome is
// recorded. In either case the program sees the outcome when it is delivered.
func (s *session) step(args []goja.Value) goja.Value {
	name, fn := at(args, 0), at(args, 1)
	if !goja.IsString(name) || name.String() == "" {
		return s.rejection("codemode.step takes a name and a function: codemode.step(\"name\", async () => value)")
	}
	if _, ok := goja.AssertFunction(fn); !ok {
		return s.rejection(fmt.Sprintf("codemode.step(%s) was given no function to run", strconv.Quote(name.String())))
	}
	inner := &frame{parent: s.frames.current(), name: name.String()}
	issued := len(s.turn.Calls)
	promise := s.platform(MethodStep, inner, namedValue{"name", name})
	if len(s.turn.Calls) == issued {
		return promise // refused
	}
	inner.seq = s.turn.Calls[issued].Seq
	s.frames.steps++
	if s.skipped[inner.seq] {
		s.pending[inner.seq].step = nil
		s.lastSkip = fmt.Sprintf("%s (step %s)", strconv.Quote(inner.name), inner.seq)
		return promise
	}
	s.runStep(inner, fn)
	return promise
}

func (s *session) runStep(f *frame, fn goja.Value) {
	s.frames.enter(f)
	v := s.realm.enter.call(s.leaving(), fn, s.vm.NewArray())
	f.promise = v.Export().(*goja.Promise)
	s.running = append(s.running, f)
}

// settleStep records the outcome of a step's function once it has settled, drops
// the step's timers, and ends the step once nothing under it is open.
func (s *session) settleStep(f *frame) error {
	if f.outcome == nil {
		if f.promise.State() == goja.PromiseStatePending {
			return nil
		}
		if err := s.takeOutcome(f); err != nil || !s.alive() {
			return err
		}
		s.dropTimers(f)
	}
	if f.open > 0 {
		return nil
	}
	f.reported = true
	s.turn.Steps = append(s.turn.Steps, *f.outcome)
	return nil
}

func (s *session) takeOutcome(f *frame) error {
	s.forget(f.promise)
	if f.promise.State() == goja.PromiseStateRejected {
		failure, err := s.explain(f.promise.Result())
		if err != nil {
			return err
		}
		f.outcome = &StepResult{Seq: f.seq, Error: failure}
		return nil
	}
	e := &encoder{realm: s.realm, vm: s.vm, root: "value", limit: s.spec.Limits.Value, stop: &s.stopped}
	value, failure, err := s.serialize(e, f.promise.Result())
	if _, ok := errors.AsType[*tooLargeError](err); ok {
		s.exceed("value", fmt.Sprintf("the value of step %s has more than %d characters; "+valueAdvice,
			strconv.Quote(f.name), s.spec.Limits.Value))
		return nil
	}
	if err != nil {
		return err
	}
	f.outcome = &StepResult{Seq: f.seq, Value: value, Error: failure}
	return nil
}

func stillRunning(steps []*frame) []*frame {
	return slices.DeleteFunc(steps, func(f *frame) bool { return f.reported })
}
