package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/codemode-go/codemode/internal/nearest"
)

// namespace makes the global that stands for one connector: an object that cannot
// be changed, without a prototype, of the connector's methods and nothing else.
// Its method objects are made when they are first asked for; a connector may have
// ten thousand of them and a program uses three.
func (s *session) namespace(of Namespace, call caller) *goja.Object {
	n := &namespace{s: s, name: of.Name, raw: of.Raw, open: of.Open, call: call, known: make(map[string]bool, len(of.Methods))}
	for _, m := range of.Methods {
		if m == "then" || n.known[m] {
			continue // with a then, every await of the namespace would call it
		}
		n.known[m] = true
		n.methods = append(n.methods, m)
	}
	o := s.vm.ToValue(s.vm.NewProxy(s.vm.CreateObject(nil), n.traps())).(*goja.Object)
	s.realm.namespaces[o] = of.Name
	return o
}

// caller is what a namespace's methods do.
type caller func(method string, args []goja.Value) goja.Value

type namespace struct {
	s        *session
	name     string
	call     caller
	methods  []string // in their order, without those that are withheld
	known    map[string]bool
	raw      []string // callable and not listed
	open     bool     // unknown methods are called all the same
	complete bool
}

func (n *namespace) traps() *goja.ProxyTrapConfig {
	return &goja.ProxyTrapConfig{
		Get:                      n.get,
		GetSym:                   n.symbol,
		Has:                      func(_ *goja.Object, name string) bool { return n.known[name] },
		OwnKeys:                  func(*goja.Object) *goja.Object { return n.s.list(n.methods) },
		GetOwnPropertyDescriptor: n.describe,
		IsExtensible: func(target *goja.Object) bool {
			n.close(target)
			return false
		},
		PreventExtensions: func(target *goja.Object) bool {
			n.close(target)
			return true
		},
		Set:               func(*goja.Object, string, goja.Value, goja.Value) bool { return false },
		SetSym:            func(*goja.Object, *goja.Symbol, goja.Value, goja.Value) bool { return false },
		DefineProperty:    n.define,
		DefinePropertySym: func(*goja.Object, *goja.Symbol, goja.PropertyDescriptor) bool { return false },
		DeleteProperty:    func(*goja.Object, string) bool { return false },
		SetPrototypeOf:    func(*goja.Object, *goja.Object) bool { return false },
	}
}

func (s *session) list(names []string) *goja.Object {
	items := make([]any, len(names))
	for i, name := range names {
		items[i] = name
	}
	return s.vm.NewArray(items...)
}

// get answers an unknown name with a function that throws, so that the error comes
// where the call is. Names that the language itself asks for are simply not there.
func (n *namespace) get(target *goja.Object, name string, _ goja.Value) goja.Value {
	if n.known[name] {
		return n.method(target, name)
	}
	if slices.Contains(silent, name) {
		return goja.Undefined()
	}
	return n.s.function(name, func(call goja.FunctionCall) goja.Value {
		if n.open || slices.Contains(n.raw, name) {
			return n.call(name, call.Arguments)
		}
		panic(n.s.realm.typeError(n.s.vm, n.unknown(name)))
	})
}

// symbol has the namespace refuse to be a text or a number: the engine's own refusal shows addresses of memory, which
// differ from pass to pass.
func (n *namespace) symbol(_ *goja.Object, name *goja.Symbol, _ goja.Value) goja.Value {
	if name != goja.SymToPrimitive {
		return goja.Undefined()
	}
	return n.s.function("toPrimitive", func(goja.FunctionCall) goja.Value {
		panic(n.s.realm.typeError(n.s.vm, fmt.Sprintf("%s is no text and no number; Object.keys(%[1]s) lists its methods", n.name)))
	})
}

var silent = []string{
	"then", "toJSON", "constructor", "__proto__", "prototype", "toString", "toLocaleString", "valueOf", "hasOwnProperty",
	"isPrototypeOf", "propertyIsEnumerable", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
	"length", "name", "message", "code", "cause", "stack",
}

func (n *namespace) describe(target *goja.Object, name string) goja.PropertyDescriptor {
	if !n.known[name] {
		return goja.PropertyDescriptor{}
	}
	return goja.PropertyDescriptor{
		Value:        n.method(target, name),
		Writable:     goja.FLAG_FALSE,
		Configurable: goja.FLAG_FALSE,
		Enumerable:   goja.FLAG_TRUE,
	}
}

// define changes nothing; it only lets Object.freeze find that all is as it wants it.
func (n *namespace) define(_ *goja.Object, name string, to goja.PropertyDescriptor) bool {
	return n.complete && n.known[name] && to.Value == nil && to.Getter == nil && to.Setter == nil
}

func (n *namespace) method(target *goja.Object, name string) goja.Value {
	if v := target.Get(name); v != nil {
		return v
	}
	f := n.s.function(name, func(call goja.FunctionCall) goja.Value {
		return n.call(name, call.Arguments)
	})
	_ = n.s.fix(target, name, f)
	return f
}

// close makes the methods that nobody has asked for yet and freezes the object,
// which is what a question whether it is frozen must find.
func (n *namespace) close(target *goja.Object) {
	if n.complete {
		return
	}
	n.complete = true
	for _, name := range n.methods {
		n.method(target, name)
	}
	n.s.realm.freeze.call(target)
}

// unknown says that a method does not exist, and which ones might have been meant.
func (n *namespace) unknown(name string) string {
	text := fmt.Sprintf("%s has no method %q", n.name, name)
	near := nearest.Names(name, n.methods, 3)
	if len(near) == 0 {
		return text + fmt.Sprintf("; Object.keys(%s) lists its methods", n.name)
	}
	for i := range near {
		near[i] = n.name + "." + near[i]
	}
	return text + "; did you mean " + strings.Join(near, " or ") + "?"
}
