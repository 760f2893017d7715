package program

import (
	"fmt"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/codemode-go/codemode/internal/nearest"
)

// platform is what codemode offers.
var platform = []string{"search", "describe", "step", "run"}

// method is a visible reference to a method of a namespace.
type method struct {
	namespace string
	name      string
	at        file.Idx // of the name
	left      file.Idx // of the namespace
}

// method reads an expression like namespace.method; nil: it is none.
func (u *unit) method(e ast.Expression) *method {
	left, name, at := member(e)
	if left == nil {
		return nil
	}
	namespace := u.namespace(left)
	if namespace == "" {
		return nil
	}
	return &method{namespace: namespace, name: name, at: at, left: left.Idx0()}
}

// member splits object.name, object["name"] and object?.name; left is nil for anything else.
func member(e ast.Expression) (left ast.Expression, name string, at file.Idx) {
	switch e := e.(type) {
	case *ast.DotExpression:
		left, name, at = e.Left, e.Identifier.Name.String(), e.Identifier.Idx
	case *ast.BracketExpression:
		s, ok := e.Member.(*ast.StringLiteral)
		if !ok {
			return nil, "", 0
		}
		left, name, at = e.Left, s.Value.String(), s.Idx
	case *ast.OptionalChain:
		return member(e.Expression)
	}
	if o, ok := left.(*ast.Optional); ok {
		left = o.Expression
	}
	return left, name, at
}

// namespace returns the name of the namespace that an expression is: a global, env.name, or a constant that is one of
// these. It returns "" for any other.
func (u *unit) namespace(e ast.Expression) string {
	if name := u.global(e); name != "" {
		return name
	}
	if id, ok := e.(*ast.Identifier); ok {
		return u.aliases()[u.names.of[id].variable]
	}
	if left, name, _ := member(e); left != nil && u.isEnv(left) {
		return name
	}
	return ""
}

// isEnv reports whether an expression is the program's env.
func (u *unit) isEnv(e ast.Expression) bool {
	id, ok := e.(*ast.Identifier)
	if !ok || id.Name != "env" || u.names.of[id] == nil {
		return false
	}
	v := u.names.of[id].variable
	return v != nil && v.scope == u.names.scopes[u.block].parent.parent // of the function, around its two blocks
}

// aliases returns the variables that are namespaces: const gh = github, const { github } = env. They are found in the
// order of the text, so that one can be another's.
func (u *unit) aliases() map[*variable]string {
	if u.aliased != nil {
		return u.aliased
	}
	u.aliased = map[*variable]string{}
	for _, b := range u.names.bindings {
		if b.Initializer == nil {
			continue
		}
		if id, ok := b.Target.(*ast.Identifier); ok {
			u.alias(id, u.namespace(b.Initializer))
			continue
		}
		if !u.isEnv(b.Initializer) {
			continue
		}
		for _, f := range fields(b.Target) {
			u.alias(f.to, f.name)
		}
	}
	return u.aliased
}

func (u *unit) alias(id *ast.Identifier, namespace string) {
	v := u.names.declared[id]
	_, known := u.namespaces[namespace]
	if v == nil || !known && namespace != "codemode" || slices.ContainsFunc(v.references, func(r *reference) bool { return r.write }) {
		return
	}
	u.aliased[v] = namespace
}

// field is a property that a pattern takes, and the variable that it goes to.
type field struct {
	name string
	to   *ast.Identifier
}

// fields returns what an object pattern takes by plain names: { a, b: c }.
func fields(pattern ast.Node) []field {
	p, ok := pattern.(*ast.ObjectPattern)
	if !ok {
		return nil
	}
	var found []field
	for _, f := range p.Properties {
		switch f := f.(type) {
		case *ast.PropertyShort:
			if f.Initializer == nil {
				found = append(found, field{f.Name.Name.String(), &f.Name})
			}
		case *ast.PropertyKeyed:
			key, _ := f.Key.(*ast.StringLiteral)
			id, _ := f.Value.(*ast.Identifier)
			if key != nil && id != nil && !f.Computed {
				found = append(found, field{key.Value.String(), id})
			}
		}
	}
	return found
}

// checkCalls refuses calls of methods that a namespace does not have, and calls with arguments that no method takes.
func (u *unit) checkCalls() error {
	for _, c := range u.names.calls {
		m := u.method(c.Callee)
		if m == nil {
			continue
		}
		if err := u.checkMethod(m); err != nil {
			return err
		}
		if err := u.checkArguments(m, c); err != nil {
			return err
		}
	}
	return nil
}

func (u *unit) checkMethod(m *method) error {
	methods, known := u.methodsOf(m.namespace)
	if known && !slices.Contains(methods, m.name) {
		return u.fault(m.at, fmt.Sprintf("%s has no method %q; %s", m.namespace, m.name, suggest(m.name, methods, "it has")))
	}
	if !known && len(u.namespaces) > 0 && !standard[m.namespace] && nearest.Name(m.namespace, u.labels()) != "" && !u.asks(m.namespace) {
		return u.fault(m.left, fmt.Sprintf("there is no namespace %q; %s", m.namespace, suggest(m.namespace, u.labels(), "there are")))
	}
	return nil
}

// methodsOf returns the methods of a namespace that is known.
func (u *unit) methodsOf(namespace string) ([]string, bool) {
	if namespace == "codemode" {
		return platform, true
	}
	methods, known := u.namespaces[namespace]
	return methods, known
}

// checkDestructuring refuses const { method } = namespace of methods that it does not have.
func (u *unit) checkDestructuring() error {
	for _, b := range u.names.bindings {
		if b.Initializer == nil {
			continue
		}
		namespace := u.namespace(b.Initializer)
		if _, known := u.methodsOf(namespace); !known {
			continue
		}
		for _, f := range fields(b.Target) {
			if err := u.checkMethod(&method{namespace: namespace, name: f.name, at: f.to.Idx, left: f.to.Idx}); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkArguments refuses arguments that are visibly of another kind than what is taken.
func (u *unit) checkArguments(m *method, c *ast.CallExpression) error {
	if _, known := u.methodsOf(m.namespace); !known || slices.ContainsFunc(c.ArgumentList, isSpread) {
		return nil
	}
	path := m.namespace + "." + m.name
	switch {
	case path == "codemode.step":
		if len(c.ArgumentList) < 2 || isFunction(c.ArgumentList[0]) {
			return u.fault(c.Idx0(), "codemode.step takes a name and a function: await codemode.step(\"name\", async () => { ... })")
		}
		return nil
	case path == "codemode.run" && (len(c.ArgumentList) == 0 || isObject(c.ArgumentList[0])):
		return u.fault(c.Idx0(), "codemode.run takes the name of a snippet and its input: await codemode.run(\"name\", { ... })")
	case m.namespace == "codemode":
		return nil
	}
	for i, a := range c.ArgumentList {
		if i > 0 || isScalar(a) {
			return u.fault(a.Idx0(), fmt.Sprintf("%s takes one object with named arguments: await %s({ name: value })", path, path))
		}
	}
	return nil
}

func isSpread(e ast.Expression) bool {
	_, ok := e.(*ast.SpreadElement)
	return ok
}

func isObject(e ast.Expression) bool {
	_, ok := e.(*ast.ObjectLiteral)
	return ok
}

// isScalar reports whether an expression is visibly no object of named arguments. An assignment is one as well: it is how
// other languages name arguments.
func isScalar(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.ArrayLiteral, *ast.RegExpLiteral:
		return true
	case *ast.TemplateLiteral:
		return e.Tag == nil
	case *ast.AssignExpression:
		_, plain := e.Left.(*ast.Identifier)
		return plain
	}
	return isFunction(e)
}
