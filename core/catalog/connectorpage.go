package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/core/typescript"
)

// untagged is the heading of the methods that have no tag; as a tag it is empty.
const untagged = "without a tag"

// connectorPage describes a connector: all its methods in full if they fit,
// else in a line each, else by name, grouped by tag.
func (e *entry) connectorPage() Description {
	d := Description{Path: e.Label, Kind: KindConnector, Description: bounded(e.Instructions)}
	d.Types, d.Notes = e.methodsText(e.groups(), e.Methods)
	if e.Unavailable != "" {
		d.Notes = append(d.Notes, e.notAvailable())
	}
	return d
}

// tagPage describes the methods that have a tag.
func (e *entry) tagPage(tag string) (Description, bool) {
	methods := e.tagged(tag)
	if len(methods) == 0 {
		return Description{}, false
	}
	d := Description{Path: e.Label + "#" + tag, Kind: KindConnector}
	d.Description = fmt.Sprintf("The methods of %s with the tag %s.", e.Label, tag)
	if tag == "" {
		d.Description = fmt.Sprintf("The methods of %s %s.", e.Label, untagged)
	}
	d.Types, d.Notes = e.methodsText([]group{{tag, methods}}, methods)
	return d, true
}

// methodsText writes methods as fully as a page allows, and says how to get more.
func (e *entry) methodsText(groups []group, methods []*Method) (text string, notes []string) {
	if len(methods) == 0 {
		return "", nil
	}
	if text, ok := typescript.Declare(e.Label, declarations(methods), pageSize); ok {
		return text, verdicts(methods)
	}
	more := fmt.Sprintf("codemode.describe(%q) shows a method in full.", e.Label+"."+methods[0].Name)
	if text := e.signatures(groups); len([]rune(text)) <= pageSize {
		return text, append(verdicts(methods), more)
	}
	return e.names(groups), []string{more, fmt.Sprintf("codemode.search({ text, connector: %q }) finds methods.", e.Label)}
}

func declarations(methods []*Method) []typescript.Method {
	list := make([]typescript.Method, len(methods))
	for i, m := range methods {
		list[i] = m.declaration()
	}
	return list
}

// verdicts says which of the methods wait for a person, and which a rule refuses.
func verdicts(methods []*Method) []string {
	var waiting, denied, notes []string
	for _, m := range methods {
		switch {
		case m.Denied:
			denied = append(denied, m.Name)
		case m.Asks:
			waiting = append(waiting, m.Name)
		}
	}
	if len(waiting) > 0 {
		notes = append(notes, "A person decides on calls of "+enumerate(waiting, "and")+".")
	}
	if len(denied) > 0 {
		notes = append(notes, "A rule refuses every call of "+enumerate(denied, "and")+".")
	}
	return notes
}

// signatures writes a line for each method.
func (e *entry) signatures(groups []group) string {
	var b strings.Builder
	for i, g := range groups {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "// %s\n", g.heading(e.Label))
		for _, m := range g.methods {
			fmt.Fprintf(&b, "%s // %s\n", m.declaration().Signature(e.Label, signatureWidth/2), typescript.Sentence(m.Description, 80))
		}
		if b.Len() > 4*pageSize {
			break // it is too long already
		}
	}
	return b.String()
}

// names writes the methods' names, as many of each group as have room.
func (e *entry) names(groups []group) string {
	room := pageSize
	for _, g := range groups {
		room -= len(g.heading(e.Label)) + len("// \n, and 1000 more\n")
	}
	var b strings.Builder
	for i, g := range groups {
		if b.Len() > pageSize {
			fmt.Fprintf(&b, "// and %d more tags\n", len(groups)-i)
			break
		}
		fmt.Fprintf(&b, "// %s\n", g.heading(e.Label))
		b.WriteString(namesWithin(g.methods, room/len(groups)) + "\n")
	}
	return b.String()
}

func namesWithin(methods []*Method, room int) string {
	var b strings.Builder
	for i, m := range methods {
		if i > 0 && b.Len()+len(m.Name) > room {
			fmt.Fprintf(&b, ", and %d more", len(methods)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(m.Name)
	}
	return b.String()
}

// group is the methods under one tag.
type group struct {
	tag     string
	methods []*Method
}

func (g group) heading(label string) string {
	tag := typescript.Sentence(g.tag, 80)
	if tag == "" {
		tag = untagged
	}
	return fmt.Sprintf("%s (%d): describe(%q)", tag, len(g.methods), label+"#"+g.tag)
}

// groups returns the methods by their first tag, those without a tag last.
func (e *entry) groups() []group {
	byTag := map[string][]*Method{}
	for _, m := range e.Methods {
		tag := ""
		if len(m.Tags) > 0 {
			tag = m.Tags[0]
		}
		byTag[tag] = append(byTag[tag], m)
	}
	var list []group
	for _, tag := range sortedKeys(byTag) {
		if tag != "" {
			list = append(list, group{tag, byTag[tag]})
		}
	}
	if rest := byTag[""]; len(rest) > 0 {
		list = append(list, group{"", rest})
	}
	return list
}

// tagged returns the methods that have a tag, or that have none if it is empty.
func (e *entry) tagged(tag string) []*Method {
	var list []*Method
	for _, m := range e.Methods {
		if slices.Contains(m.Tags, tag) || tag == "" && len(m.Tags) == 0 {
			list = append(list, m)
		}
	}
	return list
}

// tags returns the tags of the connector's methods, sorted.
func (e *entry) tags() []string {
	tags := map[string]bool{}
	for _, m := range e.Methods {
		for _, t := range m.Tags {
			tags[t] = true
		}
	}
	return slices.Sorted(maps.Keys(tags))
}
