package program

import (
	"fmt"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// promiseMethods are what a promise has.
var promiseMethods = []string{"then", "catch", "finally"}

// checkPromises refuses calls on what a method of a namespace returns, as in files.list({}).map(...): that is a promise,
// whose other properties are silently undefined.
func (u *unit) checkPromises() error {
	for _, c := range u.names.calls {
		m, name, at := u.promiseMember(c.Callee)
		if m == nil || slices.Contains(promiseMethods, name) {
			continue
		}
		if _, known := u.methodsOf(m.namespace); !known {
			continue
		}
		path := m.namespace + "." + m.name
		return u.fault(at, fmt.Sprintf("%s returns a promise, which has no %s; write (await %s(...)).%s", path, name, path, name))
	}
	return nil
}

// promiseMember goes from the end of a chain like files.list({}).items[0].trim to the call of a method at its beginning,
// and returns that and the property next to it; nil: no such call is there.
func (u *unit) promiseMember(e ast.Expression) (m *method, name string, at file.Idx) {
	left, name, at := member(e)
	if b, ok := e.(*ast.BracketExpression); ok && left == nil {
		return u.promiseMember(b.Left)
	}
	if left == nil {
		return nil, "", 0
	}
	if call, ok := left.(*ast.CallExpression); ok {
		return u.method(call.Callee), name, at
	}
	return u.promiseMember(left)
}

// checkNested refuses tools.files.read(...): namespaces are globals, and in nothing but env.
func (u *unit) checkNested() error {
	for _, c := range u.names.calls {
		left, name, _ := member(c.Callee)
		if left == nil {
			continue
		}
		around, namespace, _ := member(left)
		if around == nil {
			continue
		}
		outer := u.global(around)
		if _, known := u.namespaces[namespace]; !known || outer == "" || standard[outer] || u.namespaces[outer] != nil || u.asks(outer) {
			continue
		}
		return u.fault(around.Idx0(), fmt.Sprintf("there is no %s; write %s.%s(...), %s is a global", outer, namespace, name, namespace))
	}
	return nil
}
