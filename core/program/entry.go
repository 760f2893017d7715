package program

import (
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// entry finds what the program's result comes from, and returns the edits that make it so. In this order: the
// default export; a function that stands alone as a statement; main or run, declared and not called; the only
// function that nothing calls, when nothing else runs; else the trailing expression.
func (u *unit) entry() ([]splice, error) {
	if u.exported != "" {
		return u.exportEntry()
	}
	statements := u.statements()
	if i := tail(statements); i >= 0 {
		if f := u.functionOf(statements[i]); f != nil {
			return u.call(statements, i), nil
		}
	}
	uncalled := u.uncalled()
	for _, name := range []string{"main", "run"} {
		for _, v := range uncalled {
			if v.name == name {
				return u.append(v.name + given), nil
			}
		}
	}
	if len(u.functions()) > 0 && !u.anythingRuns(statements) {
		if len(uncalled) == 1 {
			return u.append(uncalled[0].name + given), nil
		}
		return nil, u.noEntry()
	}
	return u.results(statements), nil
}

// given hands an entry what the program was given, even where the program has declared an input or env of its own.
const given = "(...arguments)"

// exportEntry calls a default export that is a function or has a method run, and returns any other.
func (u *unit) exportEntry() ([]splice, error) {
	d := u.exported
	if class, ok := u.declared(d).(*ast.ClassLiteral); ok {
		return nil, u.fault(class.Class, "a class is no entry point; export default a function (input, env), or an object with a method run(input, env)")
	}
	return u.append(fmt.Sprintf(`typeof %[1]s==="function"?%[1]s%[2]s:%[1]s!==null&&typeof %[1]s==="object"&&typeof %[1]s.run==="function"?%[1]s.run%[2]s:%[1]s`, d, given)), nil
}

// declared returns what a name of the top level is declared as, through one other name.
func (u *unit) declared(name string) ast.Expression {
	top := u.names.scopes[u.block]
	v := top.lookup(name)
	if v == nil {
		return nil
	}
	if id, ok := v.value.(*ast.Identifier); ok {
		if other := top.lookup(id.Name.String()); other != nil {
			return other.value
		}
	}
	return v.value
}

// noEntry is the error of a program that only declares functions.
func (u *unit) noEntry() error {
	functions := u.functions()
	var names []string
	for _, v := range functions {
		names = append(names, v.name)
	}
	return u.fault(functions[len(functions)-1].at, fmt.Sprintf(
		"nothing runs: the program only declares functions (%s); call one at the end (return await %s(input)), or name the one to run main",
		strings.Join(names, ", "), names[len(names)-1]))
}

// statements returns the program's statements without esbuild's helpers at the head.
func (u *unit) statements() []ast.Statement {
	list := u.block.List
	for len(list) > 0 {
		s, ok := list[0].(*ast.VariableStatement)
		if !ok {
			break
		}
		name, ok := s.List[0].Target.(*ast.Identifier)
		if !ok || !u.isHelper(name.Name.String(), name.Idx) {
			break
		}
		list = list[1:]
	}
	return list
}

// isHelper reports whether a name is one of esbuild's helpers: they come from nowhere in the model's text.
func (u *unit) isHelper(name string, at file.Idx) bool {
	_, mapped := u.mappings.find(u.index(at))
	return !mapped && strings.HasPrefix(name, "__")
}

// functions returns the functions that the program declares at its top level.
func (u *unit) functions() []*variable {
	var found []*variable
	inner := u.names.scopes[u.block]
	for s := inner; s != nil; s = s.parent { // var declarations belong to the function around the block
		for _, v := range s.order {
			if v.function() && !u.isHelper(v.name, v.at) {
				found = append(found, v)
			}
		}
	}
	return found
}

// uncalled returns the functions that only they themselves refer to.
func (u *unit) uncalled() []*variable {
	var found []*variable
	for _, v := range u.functions() {
		used := false
		for _, r := range v.references {
			used = used || !r.scope.within(v.value)
		}
		if !used {
			found = append(found, v)
		}
	}
	return found
}

// tail returns the index of the last statement that is more than a function declaration, or -1.
func tail(list []ast.Statement) int {
	for i := len(list) - 1; i >= 0; i-- {
		switch list[i].(type) {
		case *ast.EmptyStatement, *ast.FunctionDeclaration:
		default:
			return i
		}
	}
	return -1
}

// functionOf returns the function that a statement consists of: a literal, or the name of a declared one.
func (u *unit) functionOf(s ast.Statement) ast.Expression {
	var e ast.Expression
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		e = s.Expression
	case *ast.ReturnStatement:
		e = s.Argument
	}
	if id, ok := e.(*ast.Identifier); ok {
		if v := u.names.of[id].variable; v != nil && v.function() {
			return v.value
		}
	}
	if isFunction(e) {
		return e
	}
	return nil
}

// call returns and calls the function that a statement consists of.
func (u *unit) call(list []ast.Statement, i int) []splice {
	var begin splice
	switch s := list[i].(type) {
	case *ast.ExpressionStatement:
		begin = u.returns(s)
		begin.insert += "("
	case *ast.ReturnStatement:
		begin = splice{offset: u.index(s.Return) + len("return"), insert: "("}
	}
	end := u.index(u.block.RightBrace)
	if i+1 < len(list) {
		end = u.start(list[i+1])
	}
	end = len(strings.TrimRight(u.text[:end], "; \n"))
	return []splice{begin, {offset: end, insert: ")" + given}}
}

// append returns an expression at the end of the program.
func (u *unit) append(expression string) []splice {
	return []splice{{offset: u.index(u.block.RightBrace), insert: ";return " + expression}}
}

// results makes the trailing expression of a list of statements the result, on every branch.
func (u *unit) results(list []ast.Statement) []splice {
	i := tail(list)
	if i < 0 {
		return nil
	}
	return u.result(list[i])
}

func (u *unit) result(s ast.Statement) []splice {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		return []splice{u.returns(s)}
	case *ast.BlockStatement:
		return u.results(s.List)
	case *ast.LabelledStatement:
		return u.result(s.Statement)
	case *ast.IfStatement:
		splices := u.result(s.Consequent)
		if s.Alternate != nil {
			splices = append(splices, u.result(s.Alternate)...)
		}
		return splices
	case *ast.TryStatement:
		splices := u.results(s.Body.List)
		if s.Catch != nil {
			splices = append(splices, u.results(s.Catch.Body.List)...)
		}
		return splices
	}
	return nil
}

// returns puts return before an expression.
func (u *unit) returns(s *ast.ExpressionStatement) splice {
	insert := "return "
	start := u.start(s)
	if start > 0 && isWordByte(u.text[start-1]) {
		insert = " " + insert
	}
	return splice{offset: start, insert: insert}
}

// start returns the offset at which a statement begins. The syntax tree knows no parentheses, so the start of an
// expression is sought backwards: no statement has an open parenthesis right before it.
func (u *unit) start(s ast.Statement) int {
	at := s.Idx0()
	if e, ok := s.(*ast.ExpressionStatement); ok {
		at = leftmost(e.Expression)
	}
	return len(strings.TrimRight(u.text[:u.index(at)], "("))
}

// leftmost returns the place of an expression's first token.
func leftmost(e ast.Expression) file.Idx {
	switch e := e.(type) {
	case *ast.TemplateLiteral:
		if e.Tag != nil {
			return leftmost(e.Tag)
		}
	case *ast.AssignExpression:
		return leftmost(e.Left)
	case *ast.BinaryExpression:
		return leftmost(e.Left)
	case *ast.BracketExpression:
		return leftmost(e.Left)
	case *ast.CallExpression:
		return leftmost(e.Callee)
	case *ast.ConditionalExpression:
		return leftmost(e.Test)
	case *ast.DotExpression:
		return leftmost(e.Left)
	case *ast.PrivateDotExpression:
		return leftmost(e.Left)
	case *ast.OptionalChain:
		return leftmost(e.Expression)
	case *ast.Optional:
		return leftmost(e.Expression)
	case *ast.SequenceExpression:
		return leftmost(e.Sequence[0])
	case *ast.UnaryExpression:
		if e.Postfix {
			return leftmost(e.Operand)
		}
	}
	return e.Idx0()
}

// anythingRuns reports whether the statements do more than declare.
func (u *unit) anythingRuns(list []ast.Statement) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.EmptyStatement, *ast.FunctionDeclaration, *ast.ClassDeclaration:
		case *ast.VariableStatement:
			if u.anyInitializerRuns(s.List) {
				return true
			}
		case *ast.LexicalDeclaration:
			if u.anyInitializerRuns(s.List) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func (u *unit) anyInitializerRuns(list []*ast.Binding) bool {
	for _, b := range list {
		if b.Initializer != nil && !isEnum(b) && runs(b.Initializer) {
			return true
		}
	}
	return false
}

// runs reports whether evaluating an expression does more than build a value.
func runs(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		return false
	case *ast.CallExpression, *ast.NewExpression, *ast.AwaitExpression, *ast.AssignExpression:
		return true
	case *ast.TemplateLiteral:
		if n.Tag != nil {
			return true
		}
	case *ast.UnaryExpression:
		if n.Operator == token.INCREMENT || n.Operator == token.DECREMENT {
			return true
		}
	}
	found := false
	children(n, func(c ast.Node) { found = found || runs(c) })
	return found
}

// isEnum recognizes what esbuild makes of an enum: var E=(E=>{...})(E||{}).
func isEnum(b *ast.Binding) bool {
	name, _ := b.Target.(*ast.Identifier)
	call, _ := b.Initializer.(*ast.CallExpression)
	if name == nil || call == nil || len(call.ArgumentList) != 1 {
		return false
	}
	or, _ := call.ArgumentList[0].(*ast.BinaryExpression)
	if or == nil || or.Operator != token.LOGICAL_OR || !isFunction(call.Callee) {
		return false
	}
	left, _ := or.Left.(*ast.Identifier)
	return left != nil && left.Name == name.Name
}
