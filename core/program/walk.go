package program

import "github.com/dop251/goja/ast"

// children visits the nodes right below a node, in the order of the text. Names that are not references (property
// names, labels) are left out.
func children(n ast.Node, visit func(ast.Node)) {
	if !expressionChildren(n, visit) && !functionChildren(n, visit) {
		statementChildren(n, visit)
	}
}

func expressionChildren(n ast.Node, visit func(ast.Node)) bool {
	switch n := n.(type) {
	case *ast.ArrayLiteral:
		each(n.Value, visit)
	case *ast.AssignExpression:
		both(n.Left, n.Right, visit)
	case *ast.AwaitExpression:
		visit(n.Argument)
	case *ast.BinaryExpression:
		both(n.Left, n.Right, visit)
	case *ast.BracketExpression:
		both(n.Left, n.Member, visit)
	case *ast.CallExpression:
		visit(n.Callee)
		each(n.ArgumentList, visit)
	case *ast.ConditionalExpression:
		visit(n.Test)
		both(n.Consequent, n.Alternate, visit)
	case *ast.DotExpression:
		visit(n.Left)
	case *ast.PrivateDotExpression:
		visit(n.Left)
	case *ast.OptionalChain:
		visit(n.Expression)
	case *ast.Optional:
		visit(n.Expression)
	case *ast.NewExpression:
		visit(n.Callee)
		each(n.ArgumentList, visit)
	case *ast.ObjectLiteral:
		each(n.Value, visit)
	case *ast.PropertyKeyed:
		if n.Computed {
			visit(n.Key)
		}
		visit(n.Value)
	case *ast.PropertyShort:
		both(&n.Name, n.Initializer, visit)
	case *ast.SequenceExpression:
		each(n.Sequence, visit)
	case *ast.SpreadElement:
		visit(n.Expression)
	case *ast.TemplateLiteral:
		some(n.Tag, visit)
		each(n.Expressions, visit)
	case *ast.UnaryExpression:
		visit(n.Operand)
	case *ast.YieldExpression:
		some(n.Argument, visit)
	case *ast.ArrayPattern:
		each(n.Elements, visit)
		some(n.Rest, visit)
	case *ast.ObjectPattern:
		each(n.Properties, visit)
		some(n.Rest, visit)
	case *ast.Binding:
		both(n.Target, n.Initializer, visit)
	default:
		return false
	}
	return true
}

func functionChildren(n ast.Node, visit func(ast.Node)) bool {
	switch n := n.(type) {
	case *ast.FunctionLiteral:
		parameters(n.ParameterList, visit)
		visit(n.Body)
	case *ast.ArrowFunctionLiteral:
		parameters(n.ParameterList, visit)
		visit(n.Body)
	case *ast.ExpressionBody:
		visit(n.Expression)
	case *ast.ClassLiteral:
		some(n.SuperClass, visit)
		for _, e := range n.Body {
			visit(e)
		}
	case *ast.FieldDefinition:
		if n.Computed {
			visit(n.Key)
		}
		some(n.Initializer, visit)
	case *ast.MethodDefinition:
		if n.Computed {
			visit(n.Key)
		}
		visit(n.Body)
	case *ast.ClassStaticBlock:
		visit(n.Block)
	case *ast.FunctionDeclaration:
		visit(n.Function)
	case *ast.ClassDeclaration:
		visit(n.Class)
	default:
		return false
	}
	return true
}

func statementChildren(n ast.Node, visit func(ast.Node)) {
	switch n := n.(type) {
	case *ast.BlockStatement:
		each(n.List, visit)
	case *ast.CaseStatement:
		some(n.Test, visit)
		each(n.Consequent, visit)
	case *ast.CatchStatement:
		if n.Parameter != nil {
			visit(n.Parameter)
		}
		visit(n.Body)
	case *ast.DoWhileStatement:
		visit(n.Body)
		visit(n.Test)
	case *ast.ExpressionStatement:
		visit(n.Expression)
	case *ast.ForInStatement:
		forChildren(n.Into, n.Source, n.Body, visit)
	case *ast.ForOfStatement:
		forChildren(n.Into, n.Source, n.Body, visit)
	case *ast.ForStatement:
		if n.Initializer != nil {
			visit(n.Initializer)
		}
		some(n.Test, visit)
		some(n.Update, visit)
		visit(n.Body)
	case *ast.ForLoopInitializerExpression:
		visit(n.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		each(n.List, visit)
	case *ast.ForLoopInitializerLexicalDecl:
		each(n.LexicalDeclaration.List, visit)
	case *ast.ForIntoVar:
		visit(n.Binding)
	case *ast.ForDeclaration:
		visit(n.Target)
	case *ast.ForIntoExpression:
		visit(n.Expression)
	case *ast.IfStatement:
		visit(n.Test)
		visit(n.Consequent)
		if n.Alternate != nil {
			visit(n.Alternate)
		}
	case *ast.LabelledStatement:
		visit(n.Statement)
	case *ast.ReturnStatement:
		some(n.Argument, visit)
	case *ast.SwitchStatement:
		visit(n.Discriminant)
		each(n.Body, visit)
	case *ast.ThrowStatement:
		visit(n.Argument)
	case *ast.TryStatement:
		visit(n.Body)
		if n.Catch != nil {
			visit(n.Catch)
		}
		if n.Finally != nil {
			visit(n.Finally)
		}
	case *ast.VariableStatement:
		each(n.List, visit)
	case *ast.LexicalDeclaration:
		each(n.List, visit)
	case *ast.WhileStatement:
		visit(n.Test)
		visit(n.Body)
	}
}

func forChildren(into ast.ForInto, source ast.Expression, body ast.Statement, visit func(ast.Node)) {
	visit(source)
	visit(into)
	visit(body)
}

func parameters(list *ast.ParameterList, visit func(ast.Node)) {
	each(list.List, visit)
	some(list.Rest, visit)
}

func some(e ast.Expression, visit func(ast.Node)) {
	if e != nil {
		visit(e)
	}
}

func both(a, b ast.Expression, visit func(ast.Node)) {
	some(a, visit)
	some(b, visit)
}

// each visits a list, whose holes ([a, , b]) are nil.
func each[N ast.Node](list []N, visit func(ast.Node)) {
	for _, n := range list {
		if ast.Node(n) != nil {
			visit(n)
		}
	}
}
