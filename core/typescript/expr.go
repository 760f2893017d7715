package typescript

import "slices"

// op is a kind of type expression.
type op int

const (
	opWord         op = iota // a primitive, a literal
	opRef                    // a named type
	opArray                  // list[0][]
	opTuple                  // [list..., ...rest[]]
	opUnion                  // list[0] | ...
	opIntersection           // list[0] & ...
	opObject                 // { fields }, or a record of rest
)

// expr is a type expression.
type expr struct {
	op     op
	word   string
	ref    *named
	list   []*expr
	fields []field
	rest   *expr  // what a tuple goes on with; what an object's other keys hold
	note   string // a comment behind the expression
}

// field is one property of an object type.
type field struct {
	name     string // as it is written, quoted where need be
	optional bool
	typ      *expr
	doc      doc
}

var (
	unknown = word("unknown")
	never   = word("never")
	null    = word("null")
	bytesOf = word("Uint8Array")
)

// plain reports whether e is a type's mere name: a primitive, any object, any array.
func (e *expr) plain() bool {
	switch e.op {
	case opWord:
		return true
	case opObject:
		return len(e.fields) == 0 && e.rest == unknown && e.note == ""
	case opArray:
		return e.list[0] == unknown
	}
	return false
}

func word(w string) *expr { return &expr{op: opWord, word: w} }

func arrayOf(e *expr) *expr { return &expr{op: opArray, list: []*expr{e}} }

// union returns the type of values that are of one of the types. null goes last.
func union(members ...*expr) *expr {
	var list []*expr
	for _, m := range members {
		if m.op == opUnion && m.note == "" {
			list = append(list, m.list...)
		} else {
			list = append(list, m)
		}
	}
	list = distinct(list, never)
	if slices.ContainsFunc(list, isWord("unknown")) {
		return unknown
	}
	if i := slices.IndexFunc(list, isWord("null")); i >= 0 {
		list = append(slices.Delete(list, i, i+1), null)
	}
	return single(opUnion, list, never)
}

// intersection returns the type of values that are of all of the types.
func intersection(members ...*expr) *expr {
	list := distinct(members, unknown)
	if slices.ContainsFunc(list, isWord("never")) {
		return never
	}
	return single(opIntersection, list, unknown)
}

func single(o op, list []*expr, none *expr) *expr {
	switch len(list) {
	case 0:
		return none
	case 1:
		return list[0]
	}
	return &expr{op: o, list: list}
}

// distinct returns the expressions without repetitions and without neutral ones.
func distinct(list []*expr, neutral *expr) []*expr {
	var out []*expr
	seen := map[string]bool{}
	for _, e := range list {
		text := inline(e)
		if e.op == neutral.op && e.word == neutral.word || seen[text] {
			continue
		}
		seen[text] = true
		out = append(out, e)
	}
	return out
}

func isWord(w string) func(*expr) bool {
	return func(e *expr) bool { return e.op == opWord && e.word == w }
}
