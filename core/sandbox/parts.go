package sandbox

import (
	"embed"
	"fmt"
	"maps"
	"slices"
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

var globalNames = slices.Sorted(maps.Keys(partGlobals))

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
	return s.completeLater(behind{on: global, names: globalNames, listed: true, make: func(name string) goja.Value {
		return s.part(partGlobals[name]).Get(name)
	}})
}

func (s *session) completeMethods(global *goja.Object) error {
	symbols := global.Get("Symbol").(*goja.Object)
	for _, name := range []string{"asyncIterator", "dispose", "asyncDispose"} {
		if err := symbols.DefineDataProperty(name, goja.NewSymbol("Symbol."+name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
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
	values, _ := callable(s.vm.NewArray().GetSymbol(goja.SymIterator))
	iterator := values(goja.FunctionCall{This: s.vm.NewArray()}).(*goja.Object)
	return s.completeLater(behind{on: iterator.Prototype().Prototype(), names: iteratorMethods, make: func(name string) goja.Value {
		return s.part("iterators").Get("methods").(*goja.Object).Get(name)
	}})
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

// completeLater puts an object behind another one, that makes properties when they are first asked for.
func (s *session) completeLater(b behind) error {
	o := s.vm.NewDynamicObject(b)
	if err := o.SetPrototype(b.on.Prototype()); err != nil {
		return err
	}
	return b.on.SetPrototype(o)
}

// behind is the prototype of an object. It is asked for what the object does not have, and makes it an own property
// of the object.
type behind struct {
	on     *goja.Object
	names  []string
	listed bool // by for-in, and as names of the prototype
	make   func(name string) goja.Value
}

var _ goja.DynamicObject = behind{}

func (b behind) Get(name string) goja.Value {
	if !slices.Contains(b.names, name) {
		return nil
	}
	v := b.make(name)
	if err := b.on.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	return v
}

// Keys lets a program find out what else there is.
func (b behind) Keys() []string {
	if !b.listed {
		return nil
	}
	return slices.Clone(b.names)
}

// Has makes the property as well: an assignment asks first whether there is one.
func (b behind) Has(name string) bool      { return b.Get(name) != nil }
func (behind) Set(string, goja.Value) bool { return false }
func (behind) Delete(string) bool          { return false }
