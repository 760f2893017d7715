package typescript

import (
	"fmt"
	"slices"
	"strings"
)

// object returns the type of a schema's objects.
func (b *builder) object(s object, depth int) *expr {
	properties := s.get("properties").object()
	e := &expr{op: opObject}
	e.rest = b.others(s, depth)
	if depth >= b.detail.nesting && !small(properties) {
		return &expr{op: opObject, rest: unknown, note: fmt.Sprintf("not expanded: describe(%q)", b.namespace+":"+b.at)}
	}
	required, named := requiredOf(s), b.wordsOf(properties)
	for _, p := range properties {
		ps := p.value.object()
		if b.hidden(ps) {
			continue
		}
		e.fields = append(e.fields, field{
			name:     key(p.key),
			optional: !slices.Contains(required, p.key),
			typ:      b.property(p, depth+1),
			doc:      b.told(ps, named),
		})
	}
	for _, name := range required {
		if properties.get(name) == nil && !e.has(key(name)) {
			e.fields = append(e.fields, field{name: key(name), typ: orUnknown(e.rest)})
		}
	}
	return e.tidy(s)
}

// told is what a declaration tells about a property. A model is spared what the names say already, and limits that nobody comes near.
func (b *builder) told(s object, named []string) doc {
	d := b.doc.doc(s)
	if b.detail.people {
		return d
	}
	d.tags = slices.DeleteFunc(d.tags, idle)
	if !tells(Sentence(d.text, b.detail.comment), named) {
		d.text = ""
	}
	return d
}

// wordsOf returns the words of the method's name, and of the properties beside each other.
func (b *builder) wordsOf(properties object) []string {
	words := nameWords(b.method)
	for _, p := range properties {
		words = append(words, nameWords(p.key)...)
	}
	return words
}

// idle reports whether a tag tells a model nothing.
func idle(tag string) bool {
	switch tag {
	case "@format int32", "@format int64", "@format float", "@format double", "@minLength 1":
		return true
	}
	limit, ok := strings.CutPrefix(tag, "@maxLength ")
	return ok && len(limit) > 3
}

// small reports whether an object type is no longer than a note that it is left out.
func small(properties object) bool {
	const few = 3
	return len(properties) <= few && !slices.ContainsFunc(properties, func(p member) bool { return !scalar(p.value) })
}

func (b *builder) property(p member, depth int) *expr {
	outer := b.at
	defer func() { b.at = outer }()
	b.at += "." + p.key
	return b.schema(p.value, depth)
}

// hidden reports whether a property does not travel in the builder's direction.
func (b *builder) hidden(s object) bool {
	if b.dir == input {
		return s.get("readOnly").is("true")
	}
	return s.get("writeOnly").is("true")
}

// others returns the type of the properties that a schema does not name; nil
// where it does not speak of them.
func (b *builder) others(s object, depth int) *expr {
	var list []*expr
	for _, p := range s.get("patternProperties").object() {
		list = append(list, b.schema(p.value, depth+1))
	}
	switch more := s.get("additionalProperties"); {
	case more.is("true"):
		list = append(list, unknown)
	case more.isObject():
		list = append(list, b.schema(more, depth+1))
	}
	if len(list) == 0 {
		return nil
	}
	return union(list...)
}

// tidy gives an object type the form that TypeScript accepts: an object without
// any named property is a record, and other keys of a narrower type stand
// beside the named ones, for TypeScript wants every named property to fit them.
func (e *expr) tidy(s object) *expr {
	closed := s.get("additionalProperties").is("false")
	if len(e.fields) == 0 && e.rest == nil && !closed {
		e.rest = unknown
	}
	if len(e.fields) > 0 && e.rest != nil && e.rest != unknown {
		rest := &expr{op: opObject, rest: e.rest}
		e.rest = nil
		return intersection(e, rest)
	}
	return e
}

func (e *expr) has(name string) bool {
	return slices.ContainsFunc(e.fields, func(f field) bool { return f.name == name })
}

func orUnknown(e *expr) *expr {
	if e == nil {
		return unknown
	}
	return e
}

// requiredOf returns the properties that a schema requires, itself or by a
// member of allOf that does nothing else.
func requiredOf(s object) []string {
	required := s.strings("required")
	for _, member := range s.get("allOf").items() {
		if requiredOnly(member) {
			required = append(required, member.object().strings("required")...)
		}
	}
	return required
}

// requiresAny reports whether an object of the schema must have some property.
func (d *document) requiresAny(n node) bool {
	found := false
	d.walk(n, visited{}, func(s object) {
		for _, name := range s.strings("required") {
			found = found || !s.get("properties").object().get(name).object().get("readOnly").is("true")
		}
		found = found || s.hasAny("anyOf", "oneOf")
	})
	return found
}

// walk visits a schema and those that it extends.
func (d *document) walk(n node, seen visited, visit func(object)) {
	s := n.object()
	if s == nil || !seen.first(n) {
		return
	}
	visit(s)
	for _, base := range d.bases(s) {
		d.walk(base, seen, visit)
	}
}
