// Package typescript writes TypeScript declarations for JSON Schemas, for a
// model to read. A declaration is bounded: named types are written once and one
// level deep, the rest is named with a pointer to where it can be asked for.
//
//	text, _ := typescript.Declare("tracker", []typescript.Method{{
//		Name:  "close_issue",
//		Input: json.RawMessage(`{"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}`),
//	}}, 6000)
//
// A schema that cannot be read, and any part of one, becomes unknown; nothing
// here fails or fetches. The package also holds the rule by which any text
// becomes a JavaScript identifier, see [Identifier].
package typescript

import (
	"encoding/json"
	"math"
)

// Method is one method to declare.
type Method struct {
	Name        string // an identifier
	Description string
	Input       json.RawMessage // JSON Schema of the one argument; nil: any object
	Output      json.RawMessage // JSON Schema of the result; nil: unknown
}

// direction says which way a value travels: properties marked readOnly are
// left out on the way in, those marked writeOnly on the way out.
type direction int

const (
	input direction = iota
	output
)

// detail says how much of a declaration is written out.
type detail struct {
	depth   int  // levels of named types below the signature
	comment int  // characters of a comment on a property; 0: no comments
	results bool // comments also on what comes out
	enum    int  // members of an enum
	nesting int  // levels of nested anonymous objects
	people  bool // for people and their tools; a model pays for each line and each word
}

// maxNesting is the depth at which a schema is taken for endless.
const maxNesting = 20

// levels are the details that a method's declaration is tried with, until it fits.
var levels = []detail{
	{depth: 1, comment: 80, enum: 12, nesting: maxNesting},
	{depth: 0, comment: 80, enum: 12, nesting: maxNesting},
	{depth: 0, enum: 6, nesting: maxNesting},
	{depth: 0, enum: 6, nesting: 2},
	{depth: 0, enum: 6, nesting: 1},
}

// everything is the detail of declarations for people, which nothing bounds but the schemas.
var everything = detail{depth: math.MaxInt, comment: 200, results: true, enum: math.MaxInt, nesting: maxNesting, people: true}

// typeLevels are the same for a page about one type.
var typeLevels = []detail{
	{depth: 1, comment: 200, results: true, enum: 200, nesting: maxNesting},
	{depth: 0, comment: 200, results: true, enum: 200, nesting: maxNesting},
	{depth: 0, comment: 80, results: true, enum: 50, nesting: maxNesting},
	{depth: 0, enum: 12, nesting: maxNesting},
	{depth: 0, enum: 6, nesting: 2},
	{depth: 0, enum: 6, nesting: 1},
}
