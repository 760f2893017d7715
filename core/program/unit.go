package program

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// The text around a program's statements. The inner braces let a program declare an input or env of its own.
const (
	opening  = `async function(input,env){{`
	closing  = `}}`
	preamble = `(()=>{"use strict";return `
	ending   = `})()`
)

// unit is a program in the middle of its compilation: the generated text, its syntax tree and its names.
type unit struct {
	code       *code
	namespaces map[string][]string
	exported   string
	text       string
	mappings   mappings
	names      *names
	block      *ast.BlockStatement // the program's statements
}

// parse reads generated statements as goja will.
func parse(c *code, s *script, namespaces map[string][]string) (*unit, error) {
	u := &unit{code: c, namespaces: namespaces, exported: s.exported}
	u.text, u.mappings = apply(s.text+closing, s.mappings, []splice{{insert: preamble + opening}})
	u.text += ending
	program, err := u.parse()
	if err != nil {
		return nil, err
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
			err = u.code.fault(u.code.start(), "the program cannot be read; write it in simpler JavaScript")
		}
	}()
	program, err = parser.ParseFile(nil, "", u.text, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, u.engineError(err)
	}
	return program, nil
}

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
	from, ok := u.mappings.find(u.index(at))
	if !ok {
		from = u.code.start()
	}
	return u.code.fault(from, message)
}

// link carries out the edits and adds the source map. It compiles the result once, so that what goja's compiler
// refuses is refused now.
func (u *unit) link(splices []splice) (string, error) {
	js, m := apply(u.text, u.mappings, splices)
	u.text, u.mappings = js, m
	program, err := u.parse()
	if err != nil {
		return "", err
	}
	if _, err := goja.CompileAST(program, false); err != nil {
		return "", u.engineError(err)
	}
	if len(m) > 0 { // goja takes a place behind the last mapping for a place in the generated text
		m = append(m, mapping{len(js), m[len(m)-1].from})
	}
	return js + "\n" + m.encode(js), nil
}

// engineError places an error of goja's parser or compiler in the model's text.
func (u *unit) engineError(err error) error {
	offset, message := 0, err.Error()
	var list parser.ErrorList
	var compile *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		offset, message = offsetOf(u.text, list[0].Position), list[0].Message
	case errors.As(err, &compile) && compile.File != nil:
		offset, message = compile.Offset, compile.Message
	}
	from, ok := u.mappings.find(offset)
	if !ok {
		from = u.code.start()
	}
	rest := u.text[min(offset, len(u.text)):]
	switch {
	case strings.HasPrefix(rest, "import.meta"):
		message = "import.meta is not available in a program"
	case strings.HasPrefix(rest, "import"), strings.HasPrefix(rest, "export"):
		message = u.noModules()
	default:
		message = "syntax error: " + message
	}
	return u.code.fault(from, message)
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

// noModules says what there is instead of modules.
func (u *unit) noModules() string {
	return fmt.Sprintf("a program cannot import or require modules; everything it can use is already there as globals: %s and the standard JavaScript built-ins",
		strings.Join(append(u.labels(), "codemode", "input", "env", "console"), ", "))
}
