package typescript

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// TypeNames returns the names of the types that a method's schemas define or
// refer to, and of its input and output themselves, sorted.
func (m Method) TypeNames() []string {
	names := map[string]bool{}
	for _, dir := range []direction{input, output} {
		doc := m.document(dir)
		names[doc.self] = true
		for _, name := range doc.types() {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (m Method) document(dir direction) *document {
	schema := m.Input
	if dir == output {
		schema = m.Output
	}
	return newDocument(schema, selfName(m.Name, dir))
}

// DeclareType returns the declaration of a named type of the methods' schemas
// in about size characters. A name can be followed by properties, to get at
// what a declaration left out: "Order.customer.address". Where methods, or the two directions, give
// different types that name, each is shown with those that use it. found is
// false if no method knows the name.
func DeclareType(namespace, name string, methods []Method, size int) (text string, found bool) {
	for _, d := range typeLevels {
		text, found = declareType(namespace, name, methods, d)
		if !found || utf8.RuneCountInString(text) <= size {
			return text, found
		}
	}
	return cut(text, size) + "\n", true
}

// variant is one meaning of a type's name.
type variant struct {
	page *page
	decl *typeDeclaration
	uses []string
}

func declareType(namespace, name string, methods []Method, d detail) (string, bool) {
	const most = 4
	variants := variantsOf(namespace, name, methods, d)
	if len(variants) == 0 {
		return "", false
	}
	var b strings.Builder
	for i, v := range variants[:min(most, len(variants))] {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(variants) > 1 {
			fmt.Fprintf(&b, "// in %s\n", listed(v.uses))
		}
		b.WriteString(v.text())
	}
	if len(variants) > most {
		fmt.Fprintf(&b, "\n// and %d more types of that name\n", len(variants)-most)
	}
	return b.String(), true
}

func (v *variant) text() string {
	text := "declare namespace " + v.page.namespace + " {\n"
	for i, t := range v.page.expand() {
		if i > 0 {
			text += "\n"
		}
		text += t.text()
	}
	return text + v.page.remainder() + "}\n"
}

// variantsOf returns the different types that the methods know under a name.
func variantsOf(namespace, name string, methods []Method, d detail) []*variant {
	var list []*variant
	known := map[string]*variant{}
	for _, m := range methods {
		for _, dir := range []direction{output, input} {
			p := &page{namespace: namespace, detail: d}
			b := p.builder(m, dir)
			n, ok := b.doc.find(name)
			if !ok {
				continue
			}
			b.named(name, n)
			decl := p.write(b)
			v := known[inline(decl.expr)]
			if v == nil {
				v = &variant{page: p, decl: decl}
				known[inline(decl.expr)] = v
				list = append(list, v)
			}
			v.uses = append(v.uses, use(m.Name, dir))
		}
	}
	return list
}

func use(method string, dir direction) string {
	if dir == input {
		return "arguments of " + method
	}
	return "results of " + method
}

func listed(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}
