package typescript

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// descriptionWidth is the length of a method's comment.
const descriptionWidth = 160

// Declare returns the declarations of methods of one namespace, with the types
// that they use, in at most about size characters. It first leaves out nested
// types and comments; if that does not help either, it gives signatures and
// says how many methods it left out. whole reports whether nothing was left out
// but types more than one level deep.
func Declare(namespace string, methods []Method, size int) (text string, whole bool) {
	for i, d := range levels {
		if text := declare(namespace, methods, d); utf8.RuneCountInString(text) <= size {
			return text, i == 0
		}
	}
	return signatures(namespace, methods, size), false
}

// DeclareAll returns the declarations of methods of one namespace with all the types that they use, for people and
// their tools, however long that is.
func DeclareAll(namespace string, methods []Method) string {
	return declare(namespace, methods, everything)
}

// signatures returns one line for each method, as many as fit.
func signatures(namespace string, methods []Method, size int) string {
	var b strings.Builder
	for i, m := range methods {
		text := m.Signature(namespace, max(size/len(methods), 200))
		if i > 0 && b.Len()+len(text) > size {
			fmt.Fprintf(&b, "// and %d more methods\n", len(methods)-i)
			break
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func declare(namespace string, methods []Method, d detail) string {
	p := &page{namespace: namespace, detail: d}
	functions := make([]function, len(methods))
	for i, m := range methods {
		functions[i] = p.function(m)
	}
	types := p.expand()

	var b strings.Builder
	fmt.Fprintf(&b, "declare namespace %s {\n", namespace)
	for i, f := range functions {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(f.text(d))
	}
	for _, t := range types {
		b.WriteString("\n" + t.text())
	}
	b.WriteString(p.remainder() + "}\n")
	return b.String()
}

// function is one method, read.
type function struct {
	method        Method
	in, out       *expr
	inputOptional bool
}

// function reads a method's schemas.
func (p *page) function(m Method) function {
	f := function{method: m, in: &expr{op: opObject, rest: unknown}, out: unknown, inputOptional: true}
	if m.Input != nil {
		b := p.builder(m, input)
		f.in = b.inlined(b.doc.root)
		f.inputOptional = !b.doc.requiresAny(b.doc.root)
	}
	if m.Output != nil {
		b := p.builder(m, output)
		f.out = b.schema(b.doc.root, 0)
	}
	return f
}

// inlined returns a schema's type, of a mere reference what it leads to.
func (b *builder) inlined(n node) *expr {
	s := n.object()
	if target, ok := b.doc.target(s); ok && !structural(s) {
		return b.schema(target, 0)
	}
	return b.schema(n, 0)
}

func (f function) text(d detail) string {
	comment := ""
	if text := enclosed(Sentence(f.method.Description, descriptionWidth)); text != "" {
		comment = "  /** " + text + " */\n"
	}
	mark := ""
	if f.inputOptional {
		mark = "?"
	}
	in := inputPrinter(d).expr(f.in, "  ")
	out := resultPrinter(d).expr(f.out, "  ")
	return fmt.Sprintf("%s  function %s(input%s: %s): Promise<%s>;\n", comment, f.method.Name, mark, in, out)
}

func inputPrinter(d detail) printer { return printer{comment: d.comment, packed: !d.people} }

func resultPrinter(d detail) printer {
	p := inputPrinter(d)
	if !d.results {
		p.comment = 0
	}
	return p
}

// selfName returns the name of a method's input or output type.
func selfName(method string, dir direction) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(method, func(r rune) bool { return r == '_' || r == '$' }) {
		r, size := utf8.DecodeRuneInString(part)
		b.WriteString(string(unicode.ToUpper(r)) + part[size:])
	}
	if dir == input {
		return Identifier(b.String() + "Input")
	}
	return Identifier(b.String() + "Output")
}
