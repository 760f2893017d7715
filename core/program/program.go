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
}

// Program is a compiled program. It is data: it is pinned in the journal and replays for ever.
type Program struct {
	// JS is an expression that evaluates to the entry: a function of (input, env). It is what runs.
	JS string `json:"js" cbor:"1,keyasint"`
	// Version is the compiler's; a replay under another one is tried all the same.
	Version string `json:"version" cbor:"2,keyasint"`
}

// Error is a fault of the program's text.
type Error struct {
	Message string `json:"message"`          // what is wrong and what to write instead
	Line    int    `json:"line,omitempty"`   // in the text as the model wrote it, from 1; 0: not known
	Column  int    `json:"column,omitempty"` // from 1
	// Source is the line itself; empty where Line is 0.
	Source string `json:"source,omitempty"`
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (line %d, column %d)", e.Message, e.Line, e.Column)
}
