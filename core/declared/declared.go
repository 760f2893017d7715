// Package declared gives the methods of a connector what their configuration
// declares of them and the connector itself does not have: the read before a
// write, its revert, its reconciliation and its preview. All of them are calls
// of the connector's other methods, which the host makes by itself.
package declared

import "encoding/json"

// Blocks are what is declared, each under the method that it is for: by the
// name that programs see, or the connector's own. They replace what the
// connector has of the kind. A method with a read before it of its own here
// has only the revert and the reconciliation that are declared here: those of
// the connector would be given what they do not know.
type Blocks struct {
	// Prepare reads, before the method is called, what Revert and Reconcile will know as before.
	Prepare map[string]Call
	// Revert compensates for a call.
	Revert map[string]Call
	// Reconcile finds out whether a call took effect.
	Reconcile map[string]Question
	// Preview says, for who decides, what a call will do. It is a text.
	Preview map[string]Expression
}

// Call is a call of one of the connector's methods.
type Call struct {
	// Method is the method that is called, by either name.
	Method string
	// Args are its arguments, one object; nil: none.
	Args Expression
}

// Question is a read and what its result means.
type Question struct {
	Call
	// Happened says of the read's result whether the call took effect; null is that this cannot be told.
	Happened Expression
	// Result is what the call would have returned; nil: undefined.
	Result Expression
}

// The names that expressions are evaluated over.
const (
	Args   = "args"   // of the call; what its input schema names and the call lacks has its default, or is null
	Before = "before" // the result of Prepare
	Result = "result" // of the call, or in Happened and Result that of the read
)

// Expression is evaluated over names whose values are JSON, and has a JSON
// value. Its errors quote none. It must be safe for concurrent use.
type Expression interface {
	Value(names map[string]json.RawMessage) (json.RawMessage, error)
}
