package sandbox

import (
	"github.com/dop251/goja"

	"github.com/codemode-go/codemode/core/program"
)

// pattern turns the text of a regular expression into one that the engine matches rightly, or throws.
func (s *session) pattern(call goja.FunctionCall) goja.Value {
	pattern, err := program.Pattern(call.Argument(0).String(), call.Argument(1).String())
	if err != nil {
		panic(s.realm.newError.call(s.vm.ToValue("SyntaxError"), s.vm.ToValue("Invalid regular expression: "+err.Error()), s.vm.NewObject(), s.vm.ToValue("")))
	}
	if pattern == call.Argument(0).String() {
		return call.Argument(0) // a text with surrogates stays as it is
	}
	return s.vm.ToValue(pattern)
}

func (s *session) patternFault(call goja.FunctionCall) goja.Value {
	return s.vm.ToValue(program.PatternFault(call.Argument(0).String(), call.Argument(1).String()))
}
