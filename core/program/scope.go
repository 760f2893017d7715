package program

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// variable is a declared name.
type variable struct {
	name       string
	at         file.Idx
	scope      *scope
	value      ast.Expression // what it is declared as: a function, a class, an initializer; nil: nothing
	references []*reference
}

// function reports whether the variable is declared as a function.
func (v *variable) function() bool { return isFunction(v.value) }

// reference is a place where a name is used.
type reference struct {
	name     string
	at       file.Idx
	scope    *scope
	variable *variable // nil: nothing in the program declares the name
	write    bool
	typeOf   bool // it is the operand of typeof
}

// scope is a stretch of the program with its own names.
type scope struct {
	parent *scope
	owner  ast.Node
	names  map[string]*variable
	order  []*variable // as declared
}

// within reports whether the scope is a function's, or inside of it.
func (s *scope) within(function ast.Node) bool {
	for ; s != nil; s = s.parent {
		if s.owner == function {
			return true
		}
	}
	return false
}

func (s *scope) lookup(name string) *variable {
	for ; s != nil; s = s.parent {
		if v := s.names[name]; v != nil {
			return v
		}
	}
	return nil
}

// names is who declares and who uses the names of a program.
type names struct {
	scope      *scope // during the walk
	scopes     map[ast.Node]*scope
	references []*reference
	of         map[*ast.Identifier]*reference
	declared   map[*ast.Identifier]*variable
	bindings   []*ast.Binding
	calls      []*ast.CallExpression
	news       []*ast.NewExpression
	regexps    []*ast.RegExpLiteral
}

func resolve(program *ast.Program) *names {
	n := &names{scopes: map[ast.Node]*scope{}, of: map[*ast.Identifier]*reference{}, declared: map[*ast.Identifier]*variable{}}
	n.enter(program, func() {
		n.declareVars(program.DeclarationList)
		n.declareLexical(program.Body)
		each(program.Body, n.visit)
	})
	return n
}

// enter walks over what stands in a new scope.
func (n *names) enter(owner ast.Node, walk func()) {
	n.scope = &scope{parent: n.scope, owner: owner, names: map[string]*variable{}}
	n.scopes[owner] = n.scope
	walk()
	n.scope = n.scope.parent
}

func (n *names) visit(node ast.Node) {
	switch node := node.(type) {
	case *ast.Identifier:
		n.refer(node, false)
	case *ast.AssignExpression:
		n.assign(node.Left)
		n.visit(node.Right)
	case *ast.UnaryExpression:
		if node.Operator == token.INCREMENT || node.Operator == token.DECREMENT {
			n.assign(node.Operand)
			return
		}
		n.visit(node.Operand)
		if id, ok := node.Operand.(*ast.Identifier); ok {
			n.of[id].typeOf = node.Operator == token.TYPEOF
		}
	case *ast.ForIntoExpression:
		n.assign(node.Expression)
	case *ast.CallExpression:
		n.calls = append(n.calls, node)
		children(node, n.visit)
	case *ast.NewExpression:
		n.news = append(n.news, node)
		children(node, n.visit)
	case *ast.RegExpLiteral:
		n.regexps = append(n.regexps, node)
	case *ast.Binding:
		n.bindings = append(n.bindings, node)
		n.bind(node.Target)
		some(node.Initializer, n.visit)
	case *ast.ForDeclaration:
		n.bind(node.Target)
	default:
		if !n.visitScope(node) {
			children(node, n.visit)
		}
	}
}

// visitScope visits a node that has a scope of its own.
func (n *names) visitScope(node ast.Node) bool {
	inside := func() { children(node, n.visit) }
	switch node := node.(type) {
	case *ast.FunctionLiteral:
		n.function(node, node.Name, node.ParameterList, node.DeclarationList, node.Body)
	case *ast.ArrowFunctionLiteral:
		n.function(node, nil, node.ParameterList, node.DeclarationList, node.Body)
	case *ast.ClassLiteral:
		n.enter(node, func() {
			n.declareName(node.Name, node)
			inside()
		})
	case *ast.ClassStaticBlock:
		n.enter(node, func() {
			n.declareVars(node.DeclarationList)
			inside()
		})
	case *ast.BlockStatement:
		n.enter(node, func() {
			n.declareLexical(node.List)
			inside()
		})
	case *ast.CatchStatement:
		n.enter(node, func() {
			if node.Parameter != nil {
				n.declare(node.Parameter, nil)
				n.bind(node.Parameter)
			}
			n.visit(node.Body)
		})
	case *ast.SwitchStatement:
		n.enter(node, func() {
			for _, c := range node.Body {
				n.declareLexical(c.Consequent)
			}
			inside()
		})
	case *ast.ForStatement:
		n.enter(node, func() {
			if init, ok := node.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
				n.declareBindings(init.LexicalDeclaration.List)
			}
			inside()
		})
	case *ast.ForInStatement:
		n.forInto(node, node.Into)
	case *ast.ForOfStatement:
		n.forInto(node, node.Into)
	default:
		return false
	}
	return true
}

func (n *names) forInto(node ast.Node, into ast.ForInto) {
	n.enter(node, func() {
		if d, ok := into.(*ast.ForDeclaration); ok {
			n.declare(d.Target, nil)
		}
		children(node, n.visit)
	})
}

func (n *names) function(node ast.Node, name *ast.Identifier, list *ast.ParameterList, vars []*ast.VariableDeclaration, body ast.Node) {
	n.enter(node, func() {
		n.declareName(name, node)
		n.declareBindings(list.List)
		if list.Rest != nil {
			n.declare(list.Rest, nil)
		}
		n.declareVars(vars)
		for _, p := range list.List {
			n.visit(p)
		}
		if list.Rest != nil {
			n.bind(list.Rest)
		}
		n.visit(body)
	})
}

// declareName declares the name that a function or class has inside itself.
func (n *names) declareName(name *ast.Identifier, value ast.Node) {
	if name != nil {
		n.declare(name, value.(ast.Expression))
	}
}

func (n *names) declareVars(list []*ast.VariableDeclaration) {
	for _, d := range list {
		n.declareBindings(d.List)
	}
}

func (n *names) declareBindings(list []*ast.Binding) {
	for _, b := range list {
		n.declare(b.Target, b.Initializer)
	}
}

// declareLexical declares what a list of statements declares for its own block.
func (n *names) declareLexical(list []ast.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			n.declareBindings(s.List)
		case *ast.FunctionDeclaration:
			n.declareName(s.Function.Name, s.Function)
		case *ast.ClassDeclaration:
			n.declareName(s.Class.Name, s.Class)
		}
	}
}

// declare enters the names of a binding target.
func (n *names) declare(target ast.Node, value ast.Expression) {
	switch target := target.(type) {
	case *ast.Identifier:
		v := &variable{name: target.Name.String(), at: target.Idx, scope: n.scope, value: value}
		if n.scope.names[v.name] == nil {
			n.scope.order = append(n.scope.order, v)
		}
		n.declared[target] = v
		n.scope.names[v.name] = v
	case *ast.AssignExpression:
		n.declare(target.Left, nil)
	case *ast.PropertyShort:
		n.declare(&target.Name, nil)
	case *ast.PropertyKeyed:
		n.declare(target.Value, nil)
	default:
		children(target, func(c ast.Node) { n.declare(c, nil) })
	}
}

// bind visits what a declaration evaluates: defaults and computed names, but not the names that it declares.
func (n *names) bind(target ast.Node) {
	switch target := target.(type) {
	case *ast.Identifier:
	case *ast.AssignExpression:
		n.bind(target.Left)
		n.visit(target.Right)
	case *ast.PropertyShort:
		some(target.Initializer, n.visit)
	case *ast.PropertyKeyed:
		if target.Computed {
			n.visit(target.Key)
		}
		n.bind(target.Value)
	case *ast.Binding:
		n.bind(target.Target)
		some(target.Initializer, n.visit)
	default:
		children(target, n.bind)
	}
}

// assign visits the target of an assignment.
func (n *names) assign(target ast.Node) {
	switch target := target.(type) {
	case *ast.Identifier:
		n.refer(target, true)
	case *ast.AssignExpression:
		n.assign(target.Left)
		n.visit(target.Right)
	case *ast.PropertyShort:
		n.refer(&target.Name, true)
		some(target.Initializer, n.visit)
	case *ast.PropertyKeyed:
		if target.Computed {
			n.visit(target.Key)
		}
		n.assign(target.Value)
	case *ast.ArrayPattern, *ast.ObjectPattern, *ast.SpreadElement:
		children(target, n.assign)
	default:
		n.visit(target)
	}
}

func (n *names) refer(id *ast.Identifier, write bool) {
	name := id.Name.String()
	r := &reference{name: name, at: id.Idx, scope: n.scope, variable: n.scope.lookup(name), write: write}
	if r.variable != nil {
		r.variable.references = append(r.variable.references, r)
	}
	n.of[id] = r
	n.references = append(n.references, r)
}

func isFunction(e ast.Node) bool {
	switch e.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}
