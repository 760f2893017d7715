package typescript

import (
	"fmt"
	"slices"
)

// named is a schema with a name.
type named struct {
	node   node
	origin string // its name in its document, or the path to it
	dir    direction
	method string // whose schema it is in
	name   string // as it is written
}

// builder turns the schemas of one document into type expressions.
type builder struct {
	doc       *document
	dir       direction
	method    string
	namespace string
	detail    detail
	at        string // where it is: a type's name, or a path of properties in it
	// refs are the named types met, by name, and in the order in which they were met.
	refs    map[string]*named
	order   []*named
	written int // how many of them are written out
}

// schema returns the type of a schema that lies depth levels deep.
func (b *builder) schema(n node, depth int) *expr {
	switch {
	case n.is("false"):
		return never
	case !n.isObject():
		return unknown
	case depth > maxNesting:
		return unknown
	}
	s := n.object()
	bases, alternatives := b.bases(s, depth), b.alternatives(s, depth)
	parts := slices.Concat(bases, alternatives)
	if own, weak := b.own(s, depth); own != nil && (!weak || intersection(parts...) == unknown) {
		parts = slices.Concat(bases, []*expr{own}, alternatives)
	}
	e := intersection(parts...)
	if s.get("nullable").is("true") || s.get("x-nullable").is("true") {
		return union(e, null)
	}
	return e
}

// bases returns what a schema extends.
func (b *builder) bases(s object, depth int) []*expr {
	var list []*expr
	if ref := s.get("$ref"); ref != nil {
		list = append(list, b.reference(ref.text(), depth))
	}
	for _, member := range s.get("allOf").items() {
		if !requiredOnly(member) {
			list = append(list, b.schema(member, depth+1))
		}
	}
	return list
}

// alternatives returns the unions that a schema chooses from.
func (b *builder) alternatives(s object, depth int) []*expr {
	var list []*expr
	for _, key := range []string{"anyOf", "oneOf"} {
		var members []*expr
		for _, m := range s.get(key).items() {
			members = append(members, b.schema(m, depth+1))
		}
		if len(members) > 0 {
			list = append(list, union(members...))
		}
	}
	return list
}

// own returns the type that a schema's own keywords describe; nil if they
// describe none. It is weak if it says no more than a type's name, which
// alternatives beside it say better.
func (b *builder) own(s object, depth int) (own *expr, weak bool) {
	if c := s.get("const"); c != nil {
		return literal(c), false
	}
	if e := s.get("enum"); e.isArray() {
		return b.enum(e.items()), false
	}
	types := typesOf(s)
	if len(types) == 0 {
		return nil, false
	}
	weak = true
	list := make([]*expr, len(types))
	for i, t := range types {
		list[i] = b.typed(t, s, depth)
		weak = weak && list[i].plain()
	}
	return union(list...), weak
}

// typesOf returns the types that a schema names or, by its keywords, means.
func typesOf(s object) []string {
	t := s.get("type")
	switch {
	case t.isString():
		return []string{t.text()}
	case t.isArray():
		return s.strings("type")
	case s.hasAny("properties", "required", "additionalProperties", "patternProperties"):
		return []string{"object"}
	case s.hasAny("items", "prefixItems"):
		return []string{"array"}
	case binary(s):
		return []string{"string"}
	}
	return nil
}

// typed returns the type of a schema's values of one JSON type.
func (b *builder) typed(t string, s object, depth int) *expr {
	switch t {
	case "string":
		if binary(s) {
			return bytesOf
		}
		return word("string")
	case "integer", "number":
		return word("number")
	case "boolean", "null":
		return word(t)
	case "file":
		return bytesOf
	case "array":
		return b.array(s, depth)
	case "object":
		return b.object(s, depth)
	}
	return unknown
}

// binary reports whether a string holds bytes.
func binary(s object) bool {
	return s.get("contentEncoding").text() == "base64" || s.get("format").text() == "binary"
}

func (b *builder) array(s object, depth int) *expr {
	items := s.get("items")
	first, rest := s.get("prefixItems").items(), items
	if items.isArray() { // before 2020-12
		first, rest = items.items(), s.get("additionalItems")
	}
	if len(first) == 0 {
		if items.isArray() || items == nil {
			return arrayOf(unknown)
		}
		return arrayOf(b.schema(items, depth+1))
	}
	tuple := &expr{op: opTuple}
	for _, item := range first {
		tuple.list = append(tuple.list, b.schema(item, depth+1))
	}
	if rest.isObject() {
		tuple.rest = b.schema(rest, depth+1)
	}
	return tuple
}

// enum returns the union of the values, of which there may be too many to write.
func (b *builder) enum(values []node) *expr {
	shown := values
	if len(values) > b.detail.enum {
		shown = values[:b.detail.enum]
	}
	list := make([]*expr, len(shown))
	for i, v := range shown {
		list[i] = literal(v)
	}
	if len(shown) == len(values) {
		return union(list...)
	}
	for _, v := range values[len(shown):] {
		list = append(list, widened(v))
	}
	e := *union(list...)
	e.note = fmt.Sprintf("and %d more values", len(values)-len(shown))
	return &e
}

// reference returns the type that a reference leads to: by name, unless it is
// as short as a name.
func (b *builder) reference(ref string, depth int) *expr {
	pointer, ok := local(ref)
	if !ok {
		return unknown
	}
	target, pointer, ok := b.doc.resolve(pointer)
	if !ok {
		return unknown
	}
	if scalar(target) {
		return b.schema(target, depth)
	}
	return &expr{op: opRef, ref: b.named(b.doc.name(pointer), target)}
}

// named returns the named type for a schema, the same one each time.
func (b *builder) named(name string, n node) *named {
	if known := b.refs[name]; known != nil {
		return known
	}
	ref := &named{node: n, origin: name, dir: b.dir, method: b.method, name: Identifier(name)}
	b.refs[name] = ref
	b.order = append(b.order, ref)
	return ref
}

// scalar reports whether a schema's type is as short as a name.
func scalar(n node) bool {
	const short = 12
	s := n.object()
	if s == nil {
		return true
	}
	if s.hasAny("allOf", "anyOf", "oneOf", "$ref") {
		return false
	}
	if e := s.get("enum"); e != nil {
		return len(e.items()) <= short
	}
	return !slices.ContainsFunc(typesOf(s), func(t string) bool { return t == "object" || t == "array" })
}

// structural reports whether a schema says more than an annotation or a primitive's name.
func structural(s object) bool {
	return s.hasAny("properties", "required", "additionalProperties", "patternProperties", "items", "prefixItems",
		"enum", "const", "allOf", "anyOf", "oneOf")
}

// requiredOnly reports whether a schema does nothing but to require properties.
func requiredOnly(n node) bool {
	s := n.object()
	return len(s) == 1 && s[0].key == "required"
}
