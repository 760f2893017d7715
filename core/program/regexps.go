package program

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// regexps checks the regular expressions, and returns the edits for those that goja would match wrongly.
func (u *unit) regexps() ([]splice, error) {
	for _, n := range u.names.news {
		if err := u.checkConstructor(n.Callee, n.ArgumentList, n.New); err != nil {
			return nil, err
		}
	}
	for _, c := range u.names.calls {
		if err := u.checkConstructor(c.Callee, c.ArgumentList, c.Idx0()); err != nil {
			return nil, err
		}
	}
	var splices []splice
	vm := goja.New()
	for _, r := range u.names.regexps {
		pattern, err := Pattern(r.Pattern, r.Flags)
		if err != nil {
			return nil, u.fault(r.Idx, err.Error())
		}
		if _, err := vm.New(vm.Get("RegExp"), vm.ToValue(pattern), vm.ToValue(r.Flags)); err != nil {
			return nil, u.fault(r.Idx, PatternFault(pattern, err.Error()))
		}
		if pattern != r.Pattern {
			splices = append(splices, splice{offset: u.index(r.Idx) + 1, remove: len(r.Pattern), insert: pattern})
		}
	}
	return splices, nil
}

// checkConstructor refuses, in new RegExp("...", "v") and in what esbuild made of /.../v, what the sandbox would refuse.
func (u *unit) checkConstructor(callee ast.Expression, arguments []ast.Expression, at file.Idx) error {
	if u.global(callee) != "RegExp" || len(arguments) < 2 {
		return nil
	}
	flags, ok := arguments[1].(*ast.StringLiteral)
	if !ok {
		return nil
	}
	pattern := ""
	if literal, ok := arguments[0].(*ast.StringLiteral); ok {
		pattern = literal.Value.String()
	}
	if _, err := Pattern(pattern, flags.Value.String()); err != nil {
		return u.fault(at, err.Error())
	}
	return nil
}

// PatternFault says what is wrong with a pattern, of which goja's error says it in the words of its two engines.
func PatternFault(pattern, message string) string {
	message, _, _ = strings.Cut(message, " at ")
	message = strings.ReplaceAll(message, "SyntaxError: ", "")
	if strings.Contains(message, "unknown unicode") && strings.HasSuffix(pattern, "(?=)") {
		return `the regular expression uses a Unicode property that is not available; general categories (\p{L}, \p{Lu}, \p{N}, \p{P}), scripts (\p{Script=Greek}), \p{Alphabetic}, \p{White_Space} and \p{Emoji} are`
	}
	return "the regular expression is not valid here: " + message
}
