// Package program turns the text that a model wrote into a [Program]: fences
// and prose are taken off, TypeScript is stripped, what goja lacks is lowered,
// and the entry point is found. Only this package and core/sandbox know goja
// and esbuild.
package program

import "fmt"

// Source is what a model wrote.
type Source struct {
	Text string `json:"text"`
	// Namespaces maps each connector to its methods, for checks before anything runs; nil skips them.
	Namespaces map[string][]string `json:"namespaces,omitempty"`
	// Modules are what the program can import. Those that it does import are compiled with it and become part of it.
	Modules []Module `json:"modules,omitempty"`
}

// Module is code that programs can import by its name. It can import other modules.
type Module struct {
	Name string `json:"name"`
	// Text is an ES module in JavaScript or TypeScript.
	Text string `json:"text"`
}

// Program is a compiled program. It is data: it is pinned in the journal and replays for ever.
type Program struct {
	// JS is an expression that evaluates to the entry: a function of (input, env). It is what runs.
	JS string `json:"js" cbor:"1,keyasint"`
	// Version is the compiler's; a replay under another one is tried all the same.
	Version string `json:"version" cbor:"2,keyasint"`
	// Modules are those in it, by name.
	Modules []Linked `json:"modules,omitempty" cbor:"3,keyasint,omitempty"`
}

// Linked is a module in a program.
type Linked struct {
	Name string `json:"name" cbor:"1,keyasint"`
	// Hash is the SHA-256 of its text.
	Hash []byte `json:"hash" cbor:"2,keyasint"`
	// Exports are the names that it exports, in order.
	Exports []string `json:"exports,omitempty" cbor:"3,keyasint,omitempty"`
}

// Error is a fault of the program's text, or of a module's.
type Error struct {
	Message string `json:"message"` // what is wrong and what to write instead
	// Module is the name of the module that the fault is in; empty: it is in the program.
	Module string `json:"module,omitempty"`
	Line   int    `json:"line,omitempty"`   // in the text as its author wrote it, from 1; 0: not known
	Column int    `json:"column,omitempty"` // from 1
	// Source is the line itself; empty where Line is 0.
	Source string `json:"source,omitempty"`
}

func (e *Error) Error() string {
	message := e.Message
	if e.Module != "" {
		message = fmt.Sprintf("in the module %q: %s", e.Module, message)
	}
	if e.Line == 0 {
		return message
	}
	return fmt.Sprintf("%s (line %d, column %d)", message, e.Line, e.Column)
}
