// Package codetool makes one tool for a model out of sets of Go functions. The model
// writes a program that calls them; the program runs here and now, and its result is
// the tool's answer. There is no journal, no approval and no undo: for those there is
// package core.
//
//	tool, err := codetool.New(codetool.Options{Namespaces: []codetool.Namespace{{
//		Name: "math",
//		Functions: []sdk.Method{
//			sdk.Func[Pair, int]{Name: "add", Description: "Add two numbers.", ReadOnly: true, Call: add},
//		},
//	}}})
//	...
//	tool.Definition()                                // for the model
//	result, err := tool.Call(ctx, argumentsOfTheCall) // {"code": "return await math.add({a: 1, b: 2})"}
//
// Functions are those of package sdk, with their schemas made from Go types. Their
// declarations are in the tool's description, and arguments are checked before a
// function sees them. A function that needs a person's approval has nobody to give
// it here: it is left out, of the description and of what programs can call.
//
// # Programs
//
// A program is any that codemode accepts, JavaScript or TypeScript, with one global
// for each namespace and with codemode: search and describe know the same functions,
// step runs its function at once, and run finds no snippets. Timers are real. It has
// no network and no files, and no more than [Limits].
//
// Programs run in this process unless Options say otherwise. The limits end what
// programs usually do wrong; hostile programs need a sandbox in another process:
//
//	func main() {
//		core.SandboxMain() // or worker.Main: at the top
//		pool, err := worker.New(worker.Options{Limits: sandbox.Limits{CPU: 10 * time.Second, Memory: 256 << 20}})
//		...
//		defer pool.Close() // when no program runs any more
//		tool, err := codetool.New(codetool.Options{Sandbox: pool, ...})
//
// # The end of a program
//
// A program that has returned is carried on until the calls it did not await are
// done. One that fails, or exceeds a limit, leaves calls behind: those of read-only
// functions are cancelled through their context, those of others go on to their end
// or deadline. When the caller's context ends, so do the contexts of all functions.
// In each case a tool answers when all its functions have returned, so a function
// must heed its context.
//
// # Large results
//
// Results are whole. Shorten them for a model with truncate.JSON.
package codetool

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Options make a [Tool]. The zero value makes one whose programs only compute.
type Options struct {
	// Namespaces are the sets of functions; their names differ.
	Namespaces []Namespace
	// Description replaces the tool's description. Each {{types}} in it becomes the
	// declarations of all functions.
	Description string
	// Limits replace the defaults where a field is set.
	Limits Limits
	// Sandbox runs the programs; nil: in this process. A worker.Pool runs them in child processes.
	Sandbox sandbox.Sandbox
	// DynamicCode lets programs make code from text, with eval and Function.
	DynamicCode bool
	// Logger receives what functions log with sdk.Logger, and their panics; nil: nobody does.
	Logger hclog.Logger
}

// DefaultNamespace is the name of a namespace that has none.
const DefaultNamespace = "tools"

// Namespace is one set of functions: a global of the programs.
type Namespace struct {
	// Name is an identifier that programs do not know already; empty: DefaultNamespace.
	Name string
	// Instructions tell a model how to use the functions; it reads the first sentence in
	// the tool's description.
	Instructions string
	// Functions are of different names. A name that is no identifier gets one, as in a
	// connector: list-issues becomes list_issues.
	Functions []sdk.Method
}

// Limits bound one program. A field that is not positive has its default.
type Limits struct {
	// Wall bounds the time in which the program runs or waits for functions; waiting for
	// timers is not counted. 60 s.
	Wall time.Duration
	// Call is the deadline of one call of a function. 60 s.
	Call time.Duration
	// InFlight is how many functions run at once; further calls wait. 16.
	InFlight int
	// Source is the most bytes that a program may have. 256 KiB.
	Source int
	// Sandbox bounds the program itself: CPU 10 s, Memory 256 MiB, Calls 10,000, Console
	// 256 KiB, Stack 5,000 frames, Timers 1,000, Value 1,000,000 characters of one call's
	// arguments, and Sleep, in which no function runs and the program waits for timers,
	// ten minutes in all. ReplayCPU means nothing here.
	Sandbox sandbox.Limits
}

// orDefaults returns the limits with defaults for what is not set.
func (l Limits) orDefaults() Limits {
	s := l.Sandbox
	return Limits{
		Wall:     or(l.Wall, 60*time.Second),
		Call:     or(l.Call, 60*time.Second),
		InFlight: or(l.InFlight, 16),
		Source:   or(l.Source, 256<<10),
		Sandbox: sandbox.Limits{
			CPU:     or(s.CPU, 10*time.Second),
			Memory:  or(s.Memory, 256<<20),
			Calls:   or(s.Calls, 10_000),
			Console: or(s.Console, 256<<10),
			Stack:   or(s.Stack, 5_000),
			Timers:  or(s.Timers, 1_000),
			Sleep:   or(s.Sleep, 10*time.Minute),
			Value:   or(s.Value, 1_000_000),
		},
	}
}

func or[T cmp.Ordered](value, fallback T) T {
	var zero T
	if value > zero {
		return value
	}
	return fallback
}

// Tool is a code tool. It is safe for concurrent use; programs that run at once have
// nothing in common but the functions.
type Tool struct {
	definition Definition
	limits     Limits
	dynamic    bool // code may be made from text
	sandbox    sandbox.Sandbox
	catalog    *catalog.Catalog
	inputs     map[*catalog.Method]*schema.Schema
	carriers   map[string]wire.Connector // by namespace
	// namespaces are the globals of the programs.
	namespaces []sandbox.Namespace
}

// New makes a tool. An error names every namespace and function that is wrong.
func New(o Options) (*Tool, error) {
	if o.Sandbox == nil {
		o.Sandbox = sandbox.New()
	}
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	t := &Tool{
		limits: o.Limits.orDefaults(), sandbox: o.Sandbox, dynamic: o.DynamicCode,
		inputs: map[*catalog.Method]*schema.Schema{}, carriers: map[string]wire.Connector{},
	}
	if err := t.mount(o.Namespaces, o.Logger); err != nil {
		return nil, err
	}
	for _, n := range t.catalog.Namespaces() {
		t.namespaces = append(t.namespaces, sandbox.Namespace{Name: n.Name, Methods: n.Methods})
	}
	t.definition = define(t.catalog, o.Description)
	return t, nil
}

// mount fills the catalog with what programs can call.
func (t *Tool) mount(namespaces []Namespace, logger hclog.Logger) error {
	var list []catalog.Connector
	var faults []error
	for _, n := range namespaces {
		n.Name = cmp.Or(n.Name, DefaultNamespace)
		if t.carriers[n.Name] != nil {
			faults = append(faults, fmt.Errorf("there are two namespaces %q", n.Name))
			continue
		}
		carrier, methods, err := n.mount(logger)
		if err != nil {
			faults = append(faults, fmt.Errorf("namespace %q: %w", n.Name, err))
			continue
		}
		t.carriers[n.Name] = carrier
		if len(methods) > 0 {
			list = append(list, catalog.Connector{Label: n.Name, Instructions: n.Instructions, Methods: methods})
		}
	}
	t.catalog = catalog.New(list)
	return errors.Join(append(faults, t.compileInputs())...)
}

// compileInputs makes the checks of the functions' arguments.
func (t *Tool) compileInputs() error {
	var faults []error
	for _, n := range t.catalog.Connectors() {
		for _, m := range n.Methods {
			input, err := schema.Compile(m.InputSchema)
			if err != nil {
				faults = append(faults, fmt.Errorf("namespace %q: method %s: its input: %w", n.Label, m.Raw, err))
			}
			t.inputs[m] = input
		}
	}
	return errors.Join(faults...)
}
