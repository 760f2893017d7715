package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/codemode-go/codemode/core/program"
)

// Sizes of what an error may carry out of a program.
const (
	maxMessage = 8 << 10
	maxName    = 256
	maxDetails = 64 << 10
)

// explain renders anything thrown, within the runtime and under its time limit.
func (s *session) explain(thrown goja.Value) (failure *Error, err error) {
	err = s.try(func() {
		if o, ok := s.realm.explain.call(thrown).(*goja.Object); ok {
			failure = s.readError(o)
		}
	})
	return failure, err
}

// readError reads what the prelude made of a thrown value.
func (s *session) readError(o *goja.Object) *Error {
	e := &Error{
		Name:      cut(text(o.Get("name")), maxName),
		Message:   cut(text(o.Get("message")), maxMessage),
		Code:      cut(text(o.Get("code")), maxName),
		Retryable: o.Get("retryable") != nil && o.Get("retryable").ToBoolean(),
		Details:   s.details(o.Get("details")),
	}
	e.Line, e.Column = place(text(o.Get("stack")))
	if cause, ok := o.Get("cause").(*goja.Object); ok {
		e.Cause = s.readError(cause)
	}
	e.Message = s.reword(e) + inModule(text(o.Get("stack")))
	return e
}

// inModule says where in a module an error was made; empty: it was not made in one.
func inModule(stack string) string {
	m := modulePlace.FindStringSubmatchIndex(stack)
	if m == nil {
		return ""
	}
	if own := stackPlace.FindStringIndex(stack); own != nil && own[0] < m[0] {
		return ""
	}
	return fmt.Sprintf(" (in the module %q, line %s, column %s)", stack[m[2]:m[3]], stack[m[4]:m[5]], stack[m[6]:m[7]])
}

func text(v goja.Value) string {
	if v == nil || goja.IsUndefined(v) {
		return ""
	}
	return v.String()
}

// details serializes an error's details; what cannot be serialized is left out.
func (s *session) details(v goja.Value) []byte {
	e := &encoder{realm: s.realm, vm: s.vm, root: "details", lossy: true, limit: maxDetails, stop: &s.stopped}
	out, err := e.encode(v)
	if err != nil {
		return nil
	}
	return out
}

var (
	undeclared  = regexp.MustCompile(`^([\p{L}_$][\p{L}\p{N}_$]*) is not defined$`)
	stackPlace  = regexp.MustCompile(`[\s(]` + sourceName + `:(\d+):(\d+)`)
	modulePlace = regexp.MustCompile(`[\s(]` + program.ModuleSource + `([^\s:()]+):(\d+):(\d+)`)
)

// rewordings say what the engine says in its own words as the language usually does. The verb is the expression that
// the error is about, or what stands for it where it cannot be read.
var rewordings = []struct {
	engine  *regexp.Regexp
	unknown string
	say     func(expression string, m []string) string
}{
	{regexp.MustCompile(`^Object has no member '(.*)'$`), ".$1", func(e string, m []string) string {
		return fmt.Sprintf("%s is not a function: the object has no member %q", e, m[1])
	}},
	{regexp.MustCompile(`^Value is not an object: (.*)$`), "", func(e string, m []string) string {
		if e == "" {
			return m[1] + " is not a function, or not an object"
		}
		return fmt.Sprintf("%s is not a function, or not an object: it is %s", e, m[1])
	}},
	{regexp.MustCompile(`^Cannot read property '(.*)' of (undefined or null|undefined)$`), "", func(e string, m []string) string {
		message := fmt.Sprintf("Cannot read properties of undefined or null (reading '%s')", m[1])
		// The place is the property's, or the object's where the property is called.
		if object := strings.TrimRight(strings.TrimSuffix(e, m[1]), ".?"); object != "" {
			message += ": " + object + " has no value"
		}
		return message
	}},
	{regexp.MustCompile(`^object is not iterable$`), "the value", func(e string, _ []string) string {
		return e + " is not iterable; for the properties of an object use Object.keys, Object.values or Object.entries; a promise must be awaited first"
	}},
	{regexp.MustCompile(`^'set' on proxy: trap returned falsish for property '(.*)'$`), "", func(_ string, m []string) string {
		return fmt.Sprintf("Cannot assign to read only property '%s'", m[1])
	}},
	{regexp.MustCompile(`(?s)^Could not convert .* to primitive$`), "", func(string, []string) string {
		return "Cannot convert an object to a primitive value: it has no toString, like what Object.groupBy returns; use JSON.stringify"
	}},
	{regexp.MustCompile(`^(Value is not object coercible|Cannot convert undefined or null to object)$`), "", func(string, []string) string {
		return "Cannot use undefined or null as an object: what is taken apart, or written to, has no value"
	}},
	{regexp.MustCompile(`^Class constructor cannot be invoked without 'new'$`), "the class", func(e string, _ []string) string {
		return fmt.Sprintf("Class constructor %s cannot be invoked without 'new'", e)
	}},
}

// reword says in the language's usual words what the engine says in its own, and names what the error is about.
func (s *session) reword(e *Error) string {
	if m := undeclared.FindStringSubmatch(e.Message); m != nil && e.Name == "ReferenceError" {
		if advice, ok := program.Absent(m[1]); ok {
			return e.Message + ": " + advice
		}
		return fmt.Sprintf("%s; in scope are %s; arguments are named, as in {%s: value}", e.Message, s.inScope(), m[1])
	}
	if e.Name != "TypeError" {
		return e.Message
	}
	for _, r := range rewordings {
		if m := r.engine.FindStringSubmatch(e.Message); m != nil {
			expression := s.spec.Program.Expression(e.Line, e.Column)
			if expression == "" {
				expression = r.engine.ReplaceAllString(e.Message, r.unknown)
			}
			return r.say(expression, m)
		}
	}
	return e.Message
}

// place finds the first line of a stack that is the program's own.
func place(stack string) (line, column int) {
	m := stackPlace.FindStringSubmatch(stack)
	if m == nil {
		return 0, 0
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	return line, column
}

// where is the place in the model's text of the call that is being made.
func (s *session) where() (line, column int) {
	return placeOf(s.vm.CaptureCallStack(5, nil))
}

func placeOf(stack []goja.StackFrame) (line, column int) {
	for i := range stack {
		if at := stack[i].Position(); at.Filename == sourceName {
			return at.Line, at.Column
		}
	}
	return 0, 0
}

// failure makes the error object that a failed call's promise is rejected with. Its stack names the call.
func (s *session) failure(call Call, e *Error) (failure goja.Value, err error) {
	stack := ""
	if e.Line > 0 { // a step failed there
		stack = fmt.Sprintf("\n\tat %s:%d:%d", sourceName, e.Line, e.Column)
	}
	if call.Line > 0 {
		stack += fmt.Sprintf("\n\tat %s.%s (%s:%d:%d)", call.Connector, call.Method, sourceName, call.Line, call.Column)
	}
	tried := s.try(func() { failure, err = s.makeError(e, stack) })
	return failure, errors.Join(tried, err)
}

func (s *session) makeError(e *Error, stack string) (goja.Value, error) {
	properties := s.vm.NewObject()
	if e.Code != "" {
		_ = define(properties, "code", s.vm.ToValue(e.Code))
	}
	_ = define(properties, "retryable", s.vm.ToValue(e.Retryable))
	details, err := s.realm.decode(s.vm, e.Details)
	if err != nil {
		return nil, fmt.Errorf("read the details of an error: %w", err)
	}
	if e.Details != nil {
		_ = define(properties, "details", details)
	}
	if e.Cause != nil {
		cause, err := s.makeError(e.Cause, "")
		if err != nil {
			return nil, err
		}
		_ = define(properties, "cause", cause)
	}
	return s.realm.newError.call(s.vm.ToValue(e.Name), s.vm.ToValue(e.Message), properties, s.vm.ToValue(stack)), nil
}

// serialize encodes a value from outside of any program's code. What the program
// itself did wrong, in the value or in a getter, is a failure of the program.
func (s *session) serialize(e *encoder, v goja.Value) (value []byte, failure *Error, err error) {
	var refused error
	err = s.try(func() { value, refused = e.encode(v) })
	if thrown, ok := errors.AsType[*goja.Exception](err); ok {
		failure, err = s.explain(thrown.Value())
		return nil, failure, err
	}
	if bad, ok := errors.AsType[*valueError](refused); ok {
		return nil, &Error{Name: "TypeError", Message: bad.Error()}, nil
	}
	return value, nil, errors.Join(err, refused)
}

// try runs host code that enters the program; an exception of the program's comes
// back as a *goja.Exception.
func (s *session) try(f func()) error {
	if ex := s.vm.Try(f); ex != nil {
		return ex
	}
	return nil
}

// rejection is a rejected promise that nothing has handled.
type rejection struct {
	promise *goja.Promise
	failure *Error // nil: not rendered yet
}

func (s *session) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		s.rejected = append(s.rejected, &rejection{promise: p})
		return
	}
	s.forget(p)
}

// forget takes a promise off the list, because the program handles it or because it is the session's own.
func (s *session) forget(p *goja.Promise) {
	s.rejected = slices.DeleteFunc(s.rejected, func(r *rejection) bool { return r.promise == p })
}

// explainRejections renders the rejections that are new in this turn.
func (s *session) explainRejections() error {
	for _, r := range s.rejected {
		if r.failure != nil {
			continue
		}
		failure, err := s.explain(r.promise.Result())
		if err != nil {
			return err
		}
		r.failure = failure
	}
	return nil
}

func (s *session) unhandled() []*Error {
	var list []*Error
	for _, r := range s.rejected {
		if r.failure != nil {
			list = append(list, r.failure)
		}
	}
	return list
}
