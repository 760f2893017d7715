package typescript

import (
	"slices"
	"strings"
)

// lineWidth is the length up to which an object type stays in one line.
const lineWidth = 72

// printer writes type expressions.
type printer struct {
	comment int  // characters of a comment; 0: none
	packed  bool // properties without comments share lines
	flat    bool // all in one line
}

// inline returns a type in one line.
func inline(e *expr) string { return printer{flat: true}.expr(e, "") }

// expr returns a type; lines after the first are indented.
func (p printer) expr(e *expr, indent string) string {
	text := e.word
	switch e.op {
	case opRef:
		text = e.ref.name
	case opArray:
		text = p.tight(e.list[0], indent) + "[]"
	case opTuple:
		text = "[" + strings.Join(p.elements(e, indent), ", ") + "]"
	case opUnion:
		text = p.joined(e.list, " | ", p.expr, indent)
	case opIntersection:
		text = p.joined(e.list, " & ", p.tight, indent)
	case opObject:
		text = p.object(e, indent)
	}
	if e.note != "" {
		text += " /* " + enclosed(e.note) + " */"
	}
	return text
}

// tight returns a type where a union or an intersection needs parentheses.
func (p printer) tight(e *expr, indent string) string {
	text := p.expr(e, indent)
	if e.op == opUnion || e.op == opIntersection {
		return "(" + text + ")"
	}
	return text
}

func (p printer) joined(list []*expr, separator string, write func(*expr, string) string, indent string) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = write(e, indent)
	}
	return strings.Join(parts, separator)
}

func (p printer) elements(e *expr, indent string) []string {
	var parts []string
	for _, item := range e.list {
		parts = append(parts, p.expr(item, indent))
	}
	if e.rest != nil {
		parts = append(parts, "..."+p.tight(e.rest, indent)+"[]")
	}
	return parts
}

func (p printer) object(e *expr, indent string) string {
	switch {
	case len(e.fields) == 0 && e.rest == nil:
		return "{}"
	case len(e.fields) == 0:
		return "Record<string, " + p.expr(e.rest, indent) + ">"
	case p.flat:
		var parts []string
		for _, m := range p.members(e, "") {
			parts = append(parts, m.text)
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case !p.commented(e):
		if short := inline(e); len(short) <= lineWidth {
			return short
		}
	}
	inner := indent + "  "
	var lines []string
	for _, m := range p.members(e, inner) {
		lines = m.appendTo(lines, p.packed)
	}
	return "{\n" + inner + strings.Join(lines, "\n"+inner) + "\n" + indent + "}"
}

// property is one member of an object type, in writing.
type property struct{ text, comment string }

// packedWidth is the length of a line of several properties.
const packedWidth = 90

// appendTo adds the lines of a property. Packed ones share a line where they can, and have their comment behind them.
func (m property) appendTo(lines []string, packed bool) []string {
	single := !strings.Contains(m.text, "\n")
	switch last := len(lines) - 1; {
	case m.comment == "" && packed && single && last >= 0 && open(lines[last]) && len(lines[last])+len(m.text) < packedWidth:
		lines[last] += " " + m.text + ";"
		return lines
	case m.comment == "":
		return append(lines, m.text+";")
	case packed && single:
		return append(lines, m.text+"; // "+m.comment)
	case packed:
		return append(lines, "// "+m.comment, m.text+";")
	}
	return append(lines, "/** "+m.comment+" */", m.text+";")
}

// open reports whether a line of properties can take another one.
func open(line string) bool { return !strings.Contains(line, "//") && !strings.Contains(line, "\n") }

// members returns the properties of an object type, each with its comment.
func (p printer) members(e *expr, indent string) []property {
	var list []property
	for _, f := range e.fields {
		list = append(list, property{f.label() + ": " + p.expr(f.typ, indent), f.doc.comment(p.comment)})
	}
	if e.rest != nil {
		list = append(list, property{text: "[key: string]: " + p.expr(e.rest, indent)})
	}
	return list
}

// commented reports whether a comment stands anywhere inside a type.
func (p printer) commented(e *expr) bool {
	for _, f := range e.fields {
		if f.doc.comment(p.comment) != "" || p.commented(f.typ) {
			return true
		}
	}
	return e.rest != nil && p.commented(e.rest) || slices.ContainsFunc(e.list, p.commented)
}

func (f field) label() string {
	if f.optional {
		return f.name + "?"
	}
	return f.name
}
