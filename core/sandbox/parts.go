package sandbox

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// The prelude is in parts. One runs in every session; the others run when a program
// first needs them, so that a program pays for what it uses.
//
//go:embed prelude/*.js
var preludeTexts embed.FS

// preludePrograms are compiled once in a process, when first needed; they serve all runtimes.
var preludePrograms = compilers("main", "console", "dates", "completions", "iterators", "text", "clone", "events", "urls", "intl", "regexps")

func compilers(parts ...string) map[string]func() (*goja.Program, error) {
	programs := map[string]func() (*goja.Program, error){}
	for _, part := range parts {
		programs[part] = sync.OnceValues(func() (*goja.Program, error) { return compilePart(part) })
	}
	return programs
}

func compilePart(name string) (*goja.Program, error) {
	text, err := preludeTexts.ReadFile("prelude/" + name + ".js")
	if err != nil {
		return nil, err
	}
	ast, err := goja.Parse("prelude/"+name, string(text), parser.WithDisableSourceMaps)
	if err != nil {
		return nil, fmt.Errorf("parse prelude: %w", err)
	}
	return goja.CompileAST(ast, true)
}

// partGlobals are the globals that each part makes.
var partGlobals = map[string]string{
	"Date": "dates", "RegExp": "regexps", "Intl": "intl", "Iterator": "iterators", "console": "console",
	"URL": "urls", "URLSearchParams": "urls", "structuredClone": "clone",
	"TextEncoder": "text", "TextDecoder": "text", "queueMicrotask": "text", "crypto": "text", "performance": "text",
	"DOMException": "events", "Event": "events", "CustomEvent": "events", "EventTarget": "events",
	"AbortSignal": "events", "AbortController": "events",
}

// partMethods are the properties of built-ins that each part makes.
var partMethods = []struct {
	on, part string
	names    []string
}{
	{"Object", "completions", []string{"groupBy"}},
	{"Map", "completions", []string{"groupBy"}},
	{"Map.prototype", "completions", []string{"getOrInsert", "getOrInsertComputed"}},
	{"Promise", "completions", []string{"withResolvers", "try"}},
	{"Array", "completions", []string{"fromAsync"}},
	{"Array.prototype", "completions", []string{"toLocaleString"}},
	{"Error", "completions", []string{"captureStackTrace"}},
	{"JSON", "completions", []string{"parse"}},
	{"String.prototype", "completions", []string{"isWellFormed", "toWellFormed"}},
	{"Number.prototype", "intl", []string{"toLocaleString"}},
	{"BigInt.prototype", "intl", []string{"toLocaleString"}},
	{"String.prototype", "intl", []string{"localeCompare"}},
}

var iteratorMethods = []string{"map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find"}

// part returns what a part of the prelude makes. It runs the part the first time.
func (s *session) part(name string) *goja.Object {
	if made := s.parts[name]; made != nil {
		return made
	}
	program, err := preludePrograms[name]()
	if err != nil {
		panic(err)
	}
	v, err := s.vm.RunProgram(program)
	if err != nil {
		panic(err) // the program is being ended
	}
	start, _ := callable(v)
	made := start.call(s.realm.host, s.realm.captured).(*goja.Object)
	s.parts[name] = made
	return made
}

// complete prepares a runtime for the parts that may come.
func (s *session) complete() error {
	global := s.vm.GlobalObject()
	native := s.vm.NewObject()
	for _, name := range []string{"Date", "RegExp"} { // the engine's own are handed to the parts that make better ones
		if err := define(native, name, global.Get(name)); err != nil {
			return err
		}
		if err := global.Delete(name); err != nil {
			return err
		}
	}
	if err := define(s.realm.host, "native", native); err != nil {
		return err
	}
	if err := s.completeMethods(global); err != nil {
		return err
	}
	scope := s.vm.NewDynamicObject(scope{s})
	if err := scope.SetPrototype(global.Prototype()); err != nil {
		return err
	}
	return global.SetPrototype(scope)
}

func (s *session) completeMethods(global *goja.Object) error {
	for _, m := range partMethods {
		on := global
		for step := range strings.SplitSeq(m.on, ".") {
			on = on.Get(step).(*goja.Object)
		}
		for _, name := range m.names {
			if err := s.later(on, name, func() goja.Value { return s.part(m.part).Get(m.on + "." + name) }); err != nil {
				return err
			}
		}
	}
	symbols := global.Get("Symbol").(*goja.Object)
	for _, name := range []string{"asyncIterator", "dispose", "asyncDispose"} {
		if err := symbols.DefineDataProperty(name, goja.NewSymbol("Symbol."+name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	values, _ := callable(s.vm.NewArray().GetSymbol(goja.SymIterator))
	iterator := values(goja.FunctionCall{This: s.vm.NewArray()}).(*goja.Object)
	on := iterator.Prototype().Prototype()
	for _, name := range iteratorMethods {
		if err := s.later(on, name, func() goja.Value { return s.part("iterators").Get("methods").(*goja.Object).Get(name) }); err != nil {
			return err
		}
	}
	return nil
}

// later defines a method that is made when it is first called.
func (s *session) later(on *goja.Object, name string, make func() goja.Value) error {
	var method native
	f := s.function(name, func(call goja.FunctionCall) goja.Value {
		if method == nil {
			method, _ = callable(make())
		}
		return method(call)
	})
	return on.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// scope stands behind the global object. It is asked for a global that is not there
// yet, and makes it an own property of the global object.
type scope struct{ s *session }

var _ goja.DynamicObject = scope{}

func (sc scope) Get(name string) goja.Value {
	part, ok := partGlobals[name]
	if !ok || sc.s.vm == nil {
		return nil
	}
	v := sc.s.part(part).Get(name)
	if err := sc.s.vm.GlobalObject().DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	return v
}

// Has makes the global as well: an assignment asks first whether there is one.
func (sc scope) Has(name string) bool     { return sc.Get(name) != nil }
func (scope) Set(string, goja.Value) bool { return false }
func (scope) Delete(string) bool          { return false }
func (scope) Keys() []string              { return nil }
