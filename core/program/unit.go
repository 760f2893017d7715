package program

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// The text around a program's statements, or a module's. The inner braces let a program declare an input or env of
// its own, and between the braces is the place for what is imported.
const (
	programShell = `async function(input,env){{`
	moduleShell  = `function(){{`
	closing      = `}}`
	preamble     = `(()=>{"use strict";return `
	ending       = `})()`
)

// unit is a program, or a module, in the middle of its compilation: the generated text, its syntax tree and its names.
type unit struct {
	code       *code
	shell      string
	library    *library
	namespaces map[string][]string
	exported   string
	text       string
	mappings   mappings
	imports    []imported
	taken      int // places with imports
	names      *names
	aliased    map[*variable]string
	block      *ast.BlockStatement // the program's statements
}

// parse reads generated statements as goja will.
func parse(c *code, s *script, shell string, l *library) (*unit, error) {
	u := &unit{code: c, shell: shell, library: l, exported: s.exported}
	u.text, u.mappings = apply(s.text+closing, s.mappings, []splice{{insert: preamble + shell}})
	u.text += ending
	program, err := u.parse()
	for err != nil {
		offset, _ := u.engineFault(err)
		if !u.takeImports(offset) {
			return nil, u.engineError(err)
		}
		program, err = u.parse()
	}
	if u.block = body(program); u.block == nil || u.index(u.block.RightBrace) != len(u.text)-len(closing+ending) {
		return nil, c.fault(c.start(), `syntax error: the braces do not match; there is a "}" too many`)
	}
	u.names = resolve(program)
	return u, nil
}

func (u *unit) parse() (program *ast.Program, err error) {
	defer func() {
		if r := recover(); r != nil { // goja's parser panics on some malformed text
			err = errUnreadable
		}
	}()
	return parser.ParseFile(nil, "", u.text, 0, parser.WithDisableSourceMaps)
}

var errUnreadable = errors.New("the program cannot be read; write it in simpler JavaScript")

// body returns the block in (()=>{"use strict";return async function(input,env){{...}}})(), and nil for anything else.
func body(program *ast.Program) *ast.BlockStatement {
	if len(program.Body) != 1 {
		return nil
	}
	statement, _ := program.Body[0].(*ast.ExpressionStatement)
	if statement == nil {
		return nil
	}
	call, _ := statement.Expression.(*ast.CallExpression)
	if call == nil {
		return nil
	}
	arrow, _ := call.Callee.(*ast.ArrowFunctionLiteral)
	if arrow == nil {
		return nil
	}
	outer, _ := arrow.Body.(*ast.BlockStatement)
	if outer == nil || len(outer.List) != 2 {
		return nil
	}
	ret, _ := outer.List[1].(*ast.ReturnStatement)
	if ret == nil {
		return nil
	}
	function, _ := ret.Argument.(*ast.FunctionLiteral)
	if function == nil || len(function.Body.List) != 1 {
		return nil
	}
	block, _ := function.Body.List[0].(*ast.BlockStatement)
	return block
}

// index turns goja's place, which counts from 1, into an offset of the text.
func (u *unit) index(at file.Idx) int { return int(at) - 1 }

// fault returns an error that points to what a piece of the generated text comes from.
func (u *unit) fault(at file.Idx, message string) *Error {
	return u.code.fault(u.origin(u.index(at)), message)
}

// origin returns the place in the model's text that an offset of the generated text comes from.
func (u *unit) origin(offset int) position {
	from, ok := u.mappings.find(offset)
	if !ok {
		return u.code.start()
	}
	return from
}

// finish carries out the edits. It compiles the result once, so that what goja's compiler refuses is refused now.
func (u *unit) finish(splices []splice) error {
	u.text, u.mappings = apply(u.text, u.mappings, splices)
	program, err := u.parse()
	if err != nil {
		return u.engineError(err)
	}
	if _, err := goja.CompileAST(program, false); err != nil {
		return u.engineError(err)
	}
	return nil
}

// link carries out the edits of a program, puts its modules before it and adds the source map.
func (u *unit) link(splices []splice) (string, error) {
	if err := u.finish(splices); err != nil {
		return "", err
	}
	js, m := u.library.link(u.text, u.mappings)
	if len(m) > 0 { // goja takes a place behind the last mapping for a place in the generated text
		last := m[len(m)-1]
		m = append(m, mapping{len(js), last.from, last.source})
	}
	var names []string
	for _, mod := range u.library.linked {
		names = append(names, mod.name)
	}
	return js + "\n" + m.encode(js, names...), nil
}

// engineFault returns the place and the words of an error of goja's parser or compiler.
func (u *unit) engineFault(err error) (offset int, message string) {
	message = err.Error()
	var list parser.ErrorList
	var compile *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		offset, message = offsetOf(u.text, list[0].Position), list[0].Message
	case errors.As(err, &compile) && compile.File != nil:
		offset, message = compile.Offset, compile.Message
	}
	return min(offset, len(u.text)), message
}

// engineError places an error of goja's parser or compiler in the model's text.
func (u *unit) engineError(err error) error {
	if err == errUnreadable {
		return u.code.fault(u.code.start(), err.Error())
	}
	offset, message := u.engineFault(err)
	rest := u.text[offset:]
	switch {
	case strings.HasPrefix(rest, "import.meta"):
		message = "import.meta is not available in a program"
	case strings.HasPrefix(rest, "import"), strings.HasPrefix(rest, "export"):
		message = u.library.available(u.labels())
	case u.code.module != "" && (strings.HasPrefix(rest, "for await") || strings.HasSuffix(strings.TrimRight(u.text[:offset], " "), "await")):
		message = "a module cannot await at its top level; export an async function"
	default:
		message = "syntax error: " + message
	}
	return u.code.fault(u.origin(offset), message)
}

func offsetOf(text string, at file.Position) int {
	offset := 0
	for range at.Line - 1 {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	return min(offset+max(at.Column-1, 0), len(text))
}
