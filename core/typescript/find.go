package typescript

import "strings"

// find returns the schema with a type name, or of a property in it: "Name.property.property".
func (d *document) find(path string) (node, bool) {
	name, rest, _ := strings.Cut(path, ".")
	n, ok := d.definition(name)
	if !ok || rest == "" {
		return n, ok
	}
	for _, key := range strings.Split(rest, ".") {
		if n = d.property(n, key, visited{}); n == nil {
			return nil, false
		}
	}
	return n, true
}

func (d *document) definition(name string) (node, bool) {
	for pointer, known := range d.types() {
		if known == name {
			n := d.at(split(pointer))
			return n, n != nil
		}
	}
	return d.root, name == d.self
}

// visited are the schemas that a walk has been to, by their place in the document.
type visited map[*byte]bool

// first reports whether the walk comes to a schema for the first time.
func (v visited) first(n node) bool {
	if len(n) == 0 || v[&n[0]] {
		return false
	}
	v[&n[0]] = true
	return true
}

// property returns a property's schema, also of an array's elements, of an
// alternative, and of what a reference leads to; nil if there is none.
func (d *document) property(n node, key string, seen visited) node {
	s := n.object()
	if s == nil || !seen.first(n) {
		return nil
	}
	if p := s.get("properties").object().get(key); p != nil {
		return p
	}
	for _, inner := range d.parts(s) {
		if p := d.property(inner, key, seen); p != nil {
			return p
		}
	}
	return nil
}

// parts returns the schemas that a schema's values, or their elements, are described by as well.
func (d *document) parts(s object) []node {
	list := d.bases(s)
	for _, key := range []string{"anyOf", "oneOf", "prefixItems"} {
		list = append(list, s.get(key).items()...)
	}
	return append(list, s.get("items"), s.get("additionalProperties"))
}
