package catalog

import (
	"fmt"

	"github.com/codemode-go/codemode/core/typescript"
)

// Identifier returns the JavaScript identifier for a raw name: each run of
// characters that no identifier has becomes "_", a leading digit gets "_"
// before it, a reserved word "_" behind it. Case is kept; the empty name
// becomes "_".
func Identifier(raw string) string { return typescript.Identifier(raw) }

// ValidLabel says why a connector cannot have a label, for an operator: it must
// be an identifier, and no name that a program knows already.
func ValidLabel(label string) error {
	if id := Identifier(label); id != label {
		return fmt.Errorf("the label %q is no JavaScript identifier; %q is one", label, id)
	}
	if ReservedLabel(label) {
		return fmt.Errorf("the label %q is reserved: programs know it as a global of their own", label)
	}
	return nil
}

// ReservedLabel reports whether a label is a global that programs have anyway.
func ReservedLabel(label string) bool { return globals[label] }

// globals are codemode's own and those of JavaScript and of its common hosts:
// a connector of such a name would hide what a model takes for granted.
var globals = plainSet(`
	codemode input env console
	globalThis undefined NaN Infinity eval isFinite isNaN parseFloat parseInt
	decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape
	Object Function Boolean Symbol Error AggregateError EvalError RangeError ReferenceError
	SuppressedError SyntaxError TypeError URIError InternalError Number BigInt Math Date
	Temporal String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array
	Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array
	Float32Array Float64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry
	ArrayBuffer SharedArrayBuffer DataView Atomics JSON Iterator AsyncIterator Promise
	GeneratorFunction AsyncFunction AsyncGeneratorFunction DisposableStack
	AsyncDisposableStack Reflect Proxy Intl WebAssembly
	arguments async self window global process require
	setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate
	queueMicrotask structuredClone performance crypto atob btoa fetch
	URL URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event
	EventTarget Headers Request Response FormData Blob File Buffer
	ReadableStream WritableStream TransformStream WebSocket XMLHttpRequest`)

// Collision is a method that could not have the name that its raw name alone gives.
type Collision struct {
	Connector string
	Raw       string
	// Wanted is the identifier for the raw name, and Name the listed name; empty:
	// the connector lists the raw name twice, and the first one is used.
	Wanted, Name string
}

// String says it in a line, for an operator.
func (c Collision) String() string {
	if c.Name == "" {
		return fmt.Sprintf("connector %s lists method %q more than once; the first one is used", c.Connector, c.Raw)
	}
	return fmt.Sprintf("connector %s: method %q is listed as %s, because %s is not its alone", c.Connector, c.Raw, c.Name, c.Wanted)
}

// named returns copies of a connector's methods with their listed names.
func named(label string, methods []*Method) ([]*Method, []Collision) {
	var list []*Method
	var raws []string
	var collisions []Collision
	seen := map[string]bool{}
	for _, m := range methods {
		own := *m
		own.Connector = label
		raw := own.Raw
		if own.Name != "" {
			raw = own.Name // named already: an identifier, which keeps its name
		}
		if seen[raw] {
			collisions = append(collisions, Collision{Connector: label, Raw: own.Raw})
			continue
		}
		seen[raw] = true
		list, raws = append(list, &own), append(raws, raw)
	}
	for i, name := range typescript.Identifiers(raws) {
		m := list[i]
		if wanted := Identifier(m.Raw); m.Name == "" && name != wanted {
			collisions = append(collisions, Collision{Connector: label, Raw: m.Raw, Wanted: wanted, Name: name})
		}
		m.Name = name
	}
	return list, collisions
}
