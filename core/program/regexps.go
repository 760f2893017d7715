package program

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// regexps checks the regular expressions, and returns the edits for those that goja would match wrongly: it has
// two engines, and the one for expressions without lookarounds takes \p{L} for the letter p. An empty lookahead at
// the end chooses the other.
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
		pattern := r.Pattern
		if strings.Contains(r.Flags, "u") && property.MatchString(pattern) {
			pattern = property.ReplaceAllStringFunc(pattern, shortProperty) + "(?=)"
			splices = append(splices, splice{offset: u.index(r.Idx) + 1, remove: len(r.Pattern), insert: pattern})
		}
		if err := u.checkPattern(vm, pattern, r); err != nil {
			return nil, err
		}
	}
	return splices, nil
}

var (
	// property matches a Unicode property; an escaped backslash before it is matched first, and left alone.
	property  = regexp.MustCompile(`\\\\|\\[pP]\{(?:(\w+)=)?\w+\}`)
	modifiers = regexp.MustCompile(`\(\?[ims]*-?[ims]+:|\(\?[ims]+-:`)
	groupName = regexp.MustCompile(`\(\?<([^>=!]+)>`)
)

// shortProperty takes the name off \p{Script=Greek}, which goja knows as \p{Greek}.
func shortProperty(escape string) string {
	name, value, ok := strings.Cut(escape, "=")
	if !ok {
		return escape
	}
	switch name[3:] {
	case "Script", "sc", "Script_Extensions", "scx", "General_Category", "gc":
		return name[:3] + value
	}
	return escape
}

// checkConstructor refuses flags that goja lacks, in new RegExp("...", "v") and in what esbuild made of /.../v.
func (u *unit) checkConstructor(callee ast.Expression, arguments []ast.Expression, at file.Idx) error {
	if u.global(callee) != "RegExp" || len(arguments) < 2 {
		return nil
	}
	flags, ok := arguments[1].(*ast.StringLiteral)
	if !ok {
		return nil
	}
	switch f := flags.Value.String(); {
	case strings.Contains(f, "v"):
		return u.fault(at, "the regular expression flag v is not available; use the flag u, and write set operations as two expressions")
	case strings.Contains(f, "d"):
		return u.fault(at, "the regular expression flag d is not available; use match.index and the lengths of the groups")
	}
	return nil
}

func (u *unit) checkPattern(vm *goja.Runtime, pattern string, r *ast.RegExpLiteral) error {
	if modifiers.MatchString(pattern) {
		return u.fault(r.Idx, "regular expression modifiers such as (?i:...) are not available; use a flag for the whole expression, or a class such as [aA]")
	}
	seen := map[string]bool{}
	for _, m := range groupName.FindAllStringSubmatch(pattern, -1) {
		if seen[m[1]] {
			return u.fault(r.Idx, fmt.Sprintf("the regular expression has two groups named %q; give each its own name", m[1]))
		}
		seen[m[1]] = true
	}
	_, err := vm.New(vm.Get("RegExp"), vm.ToValue(pattern), vm.ToValue(r.Flags))
	if err == nil {
		return nil
	}
	if property.MatchString(pattern) {
		return u.fault(r.Idx, `the regular expression is not valid, or uses a Unicode property that is not available; general categories (\p{L}, \p{Lu}, \p{N}, \p{P}), scripts (\p{Greek}) and \p{Emoji} are`)
	}
	return u.fault(r.Idx, "the regular expression is not valid here: "+reason(err))
}

// reason returns the last part of goja's error, which says what is wrong.
func reason(err error) string {
	text := err.Error()
	text, _, _ = strings.Cut(text, " at ")
	return strings.ReplaceAll(text, "SyntaxError: ", "")
}
