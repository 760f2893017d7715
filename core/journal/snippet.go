package journal

import (
	"context"
	"time"
)

// Snippet is one version of a saved program.
type Snippet struct {
	Name        string    `cbor:"1,keyasint" json:"name"`    // ASCII letters, digits, "_" and "-"
	Version     int       `cbor:"2,keyasint" json:"version"` // from 1; the newest runs
	Description string    `cbor:"3,keyasint,omitempty" json:"description,omitempty"`
	InputSchema []byte    `cbor:"4,keyasint,omitempty" json:"-"` // JSON Schema of the input; nil: anything
	Source      string    `cbor:"5,keyasint" json:"source"`
	JS          string    `cbor:"6,keyasint" json:"-"` // the compiled text that runs
	Compiler    string    `cbor:"7,keyasint" json:"-"`
	Connectors  []string  `cbor:"8,keyasint,omitempty" json:"connectors,omitempty"` // the labels that its execution had
	ExecutionID string    `cbor:"9,keyasint" json:"executionId"`                    // the execution that it was saved from
	By          string    `cbor:"10,keyasint,omitempty" json:"by,omitempty"`
	Saved       time.Time `cbor:"11,keyasint" json:"saved"`
}

// Snippets keeps saved programs. A change is durable when it returns nil. All methods may be called concurrently.
//
// A version that cannot be read is a *DamagedError, or ErrNewer, that names it; it is never replaced by an older one.
type Snippets interface {
	// SaveSnippet adds a version and returns its number; the one in s is not read. It fails with ErrSnippetName, or
	// with a *TooLargeError. After DeleteSnippet the numbers begin anew.
	SaveSnippet(ctx context.Context, s Snippet) (version int, err error)
	// Snippet returns a version, the newest if version is 0, or ErrNotFound.
	Snippet(ctx context.Context, name string, version int) (Snippet, error)
	// Snippets returns the newest version of each, by name. Those that cannot be read are left out, and the error
	// joins what is wrong with each: the list is good beside it.
	Snippets(ctx context.Context) ([]Snippet, error)
	// DeleteSnippet removes all versions, also those that cannot be read, and reports whether there were any.
	DeleteSnippet(ctx context.Context, name string) (bool, error)
}
