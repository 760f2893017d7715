package typescript

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// elided stands for what a signature has no room for.
const elided = "..."

// Signature returns a method in one line of about limit characters, to be read
// rather than compiled: "tracker.close_issue({ number: number }): Promise<{ state: string, ... }>".
func (m Method) Signature(namespace string, limit int) string {
	p := &page{detail: detail{enum: 6, nesting: maxNesting}}
	f := p.function(m)
	head := namespace + "." + m.Name
	mark := ""
	if f.inputOptional {
		mark = "input?: "
	}
	in := brief(f.in, max(limit*3/5-len(head), 30))
	out := brief(p.opened(f.out), max(limit-len(head)-utf8.RuneCountInString(in)-len("(): Promise<>"), 30))
	return fmt.Sprintf("%s(%s%s): Promise<%s>", head, mark, in, out)
}

// opened replaces a named type, alone or as an array's element, by what it stands for.
func (p *page) opened(e *expr) *expr {
	switch {
	case e.op == opArray && e.list[0].op == opRef:
		return arrayOf(p.opened(e.list[0]))
	case e.op == opRef:
		b := p.met[len(p.met)-1] // the output's, which was read last
		return b.schema(e.ref.node, 0)
	}
	return e
}

// brief returns a type in one line, cut down to about budget characters.
func brief(e *expr, budget int) string {
	if text := inline(e); utf8.RuneCountInString(text) <= budget {
		return text
	}
	switch e.op {
	case opArray:
		item := brief(e.list[0], budget-2)
		if op := e.list[0].op; op == opUnion || op == opIntersection {
			item = "(" + item + ")"
		}
		return item + "[]"
	case opUnion:
		return briefList(e.list, " | ", budget)
	case opIntersection:
		return briefList(e.list, " & ", budget)
	case opObject:
		if len(e.fields) > 0 {
			return briefObject(e, budget)
		}
		return "Record<string, " + elided + ">"
	}
	return elided
}

func briefList(list []*expr, separator string, budget int) string {
	var parts []string
	budget -= len(separator) + len(elided)
	for _, e := range list {
		text := brief(e, min(budget, 60))
		budget -= utf8.RuneCountInString(text) + len(separator)
		if budget < 0 {
			break
		}
		parts = append(parts, text)
	}
	return strings.Join(append(parts, elided), separator)
}

// briefObject writes required properties first: they are what a call cannot do without.
func briefObject(e *expr, budget int) string {
	const widest = 40 // of one property's type
	fields := slices.Clone(e.fields)
	slices.SortStableFunc(fields, func(a, b field) int {
		switch {
		case a.optional == b.optional:
			return 0
		case a.optional:
			return 1
		}
		return -1
	})
	var parts []string
	budget -= len("{ , ... }")
	for _, f := range fields {
		text := f.label() + ": " + brief(f.typ, min(budget-len(f.label())-2, widest))
		budget -= utf8.RuneCountInString(text) + 2
		if budget < 0 {
			break
		}
		parts = append(parts, text)
	}
	if len(parts) < len(fields) {
		parts = append(parts, elided)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// Brief returns the type of a value that comes in, in one line of about limit characters.
func Brief(schema []byte, limit int) string {
	if schema == nil {
		return inline(unknown)
	}
	p := &page{detail: detail{enum: 6, nesting: maxNesting}}
	b := p.builder(Method{Input: schema}, input)
	return brief(b.inlined(b.doc.root), limit)
}
