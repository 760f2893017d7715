package typescript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// document is one schema with the named types in it.
type document struct {
	root node
	// self is the name of the root, for a schema that refers to itself.
	self string
	// names are the type names by JSON pointer, of everything that can be referred to.
	names map[string]string
}

// newDocument reads a schema; one that is not valid JSON reads as true: anything.
func newDocument(raw json.RawMessage, self string) *document {
	root, ok := parse(raw)
	if !ok {
		root = node("true")
	}
	return &document{root: root, self: self}
}

// name returns the type name of what a pointer points to.
func (d *document) name(pointer string) string { return d.types()[pointer] }

// types returns the type names by pointer.
func (d *document) types() map[string]string {
	if d.names == nil {
		d.names = d.assign()
	}
	return d.names
}

// assign names every pointer that the document refers to or defines.
func (d *document) assign() map[string]string {
	pointers := d.referred()
	for _, place := range [][]string{{"$defs"}, {"definitions"}, {"components", "schemas"}} {
		for _, m := range d.at(place).object() {
			pointers = append(pointers, join(append(slices.Clone(place), m.key)))
		}
	}
	slices.Sort(pointers)
	pointers = slices.Compact(pointers)

	raws := make([]string, len(pointers))
	taken := map[string]bool{}
	for i, p := range pointers {
		raws[i] = d.typeName(p)
		if taken[raws[i]] {
			raws[i] = p // its identifier meets the other's, or is longer
		}
		taken[raws[i]] = true
	}
	names := make(map[string]string, len(pointers))
	for i, name := range Identifiers(raws) {
		names[pointers[i]] = name
	}
	return names
}

// referred returns the pointers of all local references. It looks for the key
// itself in the text, which is faster than to decode everything; a hit that is
// no reference names a type that nobody asks for.
func (d *document) referred() []string {
	key := []byte(`"$ref"`)
	var pointers []string
	for rest := []byte(d.root); ; {
		i := bytes.Index(rest, key)
		if i < 0 {
			return pointers
		}
		rest = rest[i+len(key):]
		i = space(rest, 0)
		if i == len(rest) || rest[i] != ':' {
			continue
		}
		i = space(rest, i+1)
		if p, ok := local(node(rest[i:skip(rest, i)]).text()); ok {
			pointers = append(pointers, p)
		}
	}
}

// target returns what a schema's reference leads to; false if it has none.
func (d *document) target(s object) (node, bool) {
	ref := s.get("$ref")
	if ref == nil {
		return nil, false
	}
	pointer, ok := local(ref.text())
	if !ok {
		return nil, false
	}
	n, _, ok := d.resolve(pointer)
	return n, ok
}

// bases returns the schemas that a schema extends.
func (d *document) bases(s object) []node {
	var list []node
	if n, ok := d.target(s); ok {
		list = append(list, n)
	}
	return append(list, s.get("allOf").items()...)
}

// resolve follows references from a schema to the first that is more than a
// reference. It returns that schema's pointer; false if it leads nowhere: out
// of the document, to nothing, or in a circle.
func (d *document) resolve(pointer string) (node, string, bool) {
	for seen := map[string]bool{}; !seen[pointer]; {
		seen[pointer] = true
		n := d.at(split(pointer))
		if n == nil {
			return nil, "", false
		}
		s := n.object()
		ref := s.get("$ref")
		if ref == nil || structural(s) {
			return n, pointer, true
		}
		next, ok := local(ref.text())
		if !ok {
			return nil, "", false
		}
		pointer = next
	}
	return nil, "", false
}

// at returns what is at a path; nil if there is nothing.
func (d *document) at(path []string) node {
	n := d.root
	for _, token := range path {
		if n.isArray() {
			n = element(n.items(), token)
		} else {
			n = n.object().get(token)
		}
		if n == nil {
			return nil
		}
	}
	return n
}

func element(items []node, token string) node {
	for i, item := range items {
		if strconv.Itoa(i) == token {
			return item
		}
	}
	return nil
}

// typeName returns the raw name of a type: the last token where the pointer
// leads to a definition, else all of them.
func (d *document) typeName(pointer string) string {
	if pointer == "" {
		return d.self
	}
	tokens := split(pointer)
	last := len(tokens) - 1
	name := strings.Join(tokens, "_")
	if last > 0 && slices.Contains([]string{"$defs", "definitions", "schemas"}, tokens[last-1]) {
		name = tokens[last]
	}
	if builtin[name] {
		name += "_"
	}
	return name
}

// builtin are the type names that a declaration uses itself or cannot give.
var builtin = set(`any bigint boolean never null number object string symbol undefined unknown void
	Array Promise Record Uint8Array`)
