package typescript

import (
	"fmt"
	"slices"
)

// page is one text with declarations: it knows which named types are met and
// which of them are written out.
type page struct {
	namespace string
	detail    detail
	met       []*builder // in the order in which their types are written
	written   []*typeDeclaration
}

// typeDeclaration is a named type, written out.
type typeDeclaration struct {
	ref     *named
	expr    *expr
	printer printer
}

func (t *typeDeclaration) text() string {
	return fmt.Sprintf("  type %s = %s;\n", t.ref.name, t.printer.expr(t.expr, "  "))
}

// builder returns a builder for one schema of a method, whose types the page is going to name.
func (p *page) builder(m Method, dir direction) *builder {
	doc := m.document(dir)
	b := &builder{
		doc: doc, dir: dir, method: m.Name, namespace: p.namespace, detail: p.detail,
		at: doc.self, refs: map[string]*named{},
	}
	p.met = append(p.met, b)
	return b
}

// expand writes out the named types met, as deep as the detail says.
func (p *page) expand() []*typeDeclaration {
	for range p.detail.depth {
		ends := make([]int, len(p.met))
		for i, b := range p.met {
			ends[i] = len(b.order)
		}
		wrote := len(p.written)
		for i, b := range p.met {
			for b.written < ends[i] {
				p.write(b)
			}
		}
		if len(p.written) == wrote {
			break
		}
	}
	return p.merged()
}

// write writes out the next named type that a builder has met.
func (p *page) write(b *builder) *typeDeclaration {
	ref := b.order[b.written]
	b.written++
	t := &typeDeclaration{ref: ref, printer: inputPrinter(p.detail)}
	if ref.dir == output {
		t.printer = resultPrinter(p.detail)
	}
	b.at = ref.origin
	t.expr = b.schema(ref.node, 0)
	p.written = append(p.written, t)
	return t
}

// merged returns the types to write: one for those that are the same under one
// name, and under names of their own those that only share it. Since a type's
// text has the names of others in it, this is repeated until nothing changes.
func (p *page) merged() []*typeDeclaration {
	for {
		byName := map[string][]*typeDeclaration{}
		for _, t := range p.written {
			byName[t.ref.name] = append(byName[t.ref.name], t)
		}
		var list []*typeDeclaration
		renamed := false
		for _, t := range p.written {
			group := byName[t.ref.name]
			if len(group) == 0 {
				continue // its name is dealt with
			}
			list = append(list, group[0])
			renamed = separate(group) || renamed
			delete(byName, t.ref.name)
		}
		if !renamed {
			return list
		}
	}
}

// separate gives those of a name that are not the same as the first result, or
// else the first of all, names of their own. It reports whether there were any.
func separate(group []*typeDeclaration) bool {
	keeper := group[0]
	if i := slices.IndexFunc(group, func(t *typeDeclaration) bool { return t.ref.dir == output }); i >= 0 {
		keeper = group[i]
	}
	name, text := keeper.ref.name, inline(keeper.expr)
	var others []*typeDeclaration
	for _, t := range group {
		if inline(t.expr) != text {
			others = append(others, t)
		}
	}
	for _, t := range others {
		if t.ref.dir == input && keeper.ref.dir == output {
			t.ref.name = name + inputSuffix
		} else {
			t.ref.name = name + "_" + t.ref.method
		}
	}
	return len(others) > 0
}

// inputSuffix ends the name of a type as an input where it differs from the type of that name in results.
const inputSuffix = "Input"

// remainder says how the named types can be had that are not written out.
func (p *page) remainder() string {
	written := map[string]bool{}
	for _, t := range p.written {
		written[t.ref.name] = true
	}
	first, more := "", false
	for _, b := range p.met {
		for _, ref := range b.order {
			switch {
			case written[ref.name] || ref.name == first:
			case first == "":
				first = ref.name
			default:
				more = true
			}
		}
	}
	switch {
	case first == "":
		return ""
	case more:
		return fmt.Sprintf("\n  // not expanded: describe(\"%s:%s\") and the like\n", p.namespace, first)
	}
	return fmt.Sprintf("\n  // not expanded: describe(\"%s:%s\")\n", p.namespace, first)
}
