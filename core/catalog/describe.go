package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/codemode-go/codemode/core/typescript"
	"github.com/codemode-go/codemode/internal/nearest"
)

// Description is a page about a connector, one of its tags, a method, a type or a snippet.
type Description struct {
	Path        string `json:"path"`
	Kind        Kind   `json:"kind"`
	Description string `json:"description"`
	// RequiresApproval says that, after policy, a call of this method waits for a person, or may wait.
	RequiresApproval bool `json:"requiresApproval,omitempty"`
	// Denied says that a rule refuses every call.
	Denied bool `json:"denied,omitempty"`
	// Types is TypeScript; of a snippet it is its source.
	Types string   `json:"types"`
	Notes []string `json:"notes,omitempty"`
	// Matches are the targets that an unknown or ambiguous one may have meant.
	Matches []string `json:"matches,omitempty"`
}

const (
	pageSize         = 6000 // characters of a page's types
	descriptionWidth = 2000 // characters of a page's description
)

// Text returns the page for a person at a terminal.
func (d Description) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s", cmp.Or(d.Path, "nothing"), d.Kind)
	if d.RequiresApproval {
		b.WriteString(", needs approval")
	}
	if d.Denied {
		b.WriteString(", refused by a rule")
	}
	b.WriteString(")\n")
	for _, part := range []string{d.Description, strings.TrimRight(d.Types, "\n")} {
		if part != "" {
			b.WriteString("\n" + part + "\n")
		}
	}
	writeList(&b, "", d.Notes)
	writeList(&b, "Perhaps one of these was meant:", d.Matches)
	return strings.Map(printable, b.String())
}

// printable drops what could command a terminal: the texts are a connector's.
func printable(r rune) rune {
	if r == '\n' || r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return -1
}

func writeList(b *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n")
	if heading != "" {
		b.WriteString(heading + "\n")
	}
	for _, l := range lines {
		b.WriteString("- " + l + "\n")
	}
}

// Describe returns the page about a target: "ns", "ns#tag", "ns.method",
// "ns:Type", the name of a snippet, or a method's name alone. Methods also go by
// their raw names. A target that does not exist, or that means several things,
// has a page that says so.
func (c *Catalog) Describe(target string, snippets ...Snippet) Description {
	target = strings.TrimSpace(target)
	if target == "" {
		return c.overview()
	}
	pages := c.pages(target, snippets)
	switch len(pages) {
	case 0:
		return c.unknown(target, snippets)
	case 1:
		return pages[0]
	}
	return ambiguous(target, pages)
}

// overview answers for no target at all.
func (c *Catalog) overview() Description {
	d := Description{Kind: KindUnknown, Description: "Name a connector, a method, a type or a snippet."}
	for _, conn := range c.connectors {
		d.Matches = append(d.Matches, conn.Label)
	}
	d.Matches = append(d.Matches, platform)
	return d
}

// pages returns all that a target can mean.
func (c *Catalog) pages(target string, snippets []Snippet) []Description {
	snippet, isSnippet := find(target, snippets)
	if page, ok := c.qualified(target); ok {
		if isSnippet {
			page.Notes = append(page.Notes, fmt.Sprintf("There is also a snippet of that name: codemode.describe(%q).", snippet.qualified()))
		}
		return []Description{page}
	}
	var pages []Description
	if isSnippet {
		pages = append(pages, snippet.page())
	}
	if strings.HasPrefix(target, platform+".") {
		return pages
	}
	for _, m := range c.modules {
		if m.Name == target {
			pages = append(pages, m.page())
		}
	}
	for _, conn := range c.connectors {
		e := c.byLabel[conn.Label]
		if m := e.method(target); m != nil {
			pages = append(pages, e.methodPage(m))
		}
	}
	return pages
}

// find returns the snippet of a name, plain or qualified.
func find(target string, snippets []Snippet) (Snippet, bool) {
	for _, s := range snippets {
		if s.Name == target || s.qualified() == target {
			return s, true
		}
	}
	return Snippet{}, false
}

// qualified is the snippet's name as a target that can mean nothing else.
func (s Snippet) qualified() string { return platform + ".run:" + s.Name }

// qualified returns the page of a target that begins with a label.
func (c *Catalog) qualified(target string) (Description, bool) {
	label, separator, rest := split(target)
	if label == platform {
		known := separator == "" || slices.Contains([]string{".search", ".describe", ".step", ".run"}, separator+rest)
		return Description{Path: platform, Kind: KindConnector, Description: platformDescription, Types: platformTypes}, known
	}
	e := c.byLabel[label]
	if e == nil {
		return Description{}, false
	}
	switch separator {
	case "":
		return e.connectorPage(), true
	case "#":
		return e.tagPage(rest)
	case ":":
		return e.typePage(rest)
	}
	m := e.method(rest)
	if m == nil {
		return Description{}, false
	}
	return e.methodPage(m), true
}

// split divides a target after its label.
func split(target string) (label, separator, rest string) {
	i := strings.IndexAny(target, "#:.")
	if i < 0 {
		return target, "", ""
	}
	return target[:i], target[i : i+1], target[i+1:]
}

func ambiguous(target string, pages []Description) Description {
	d := Description{Path: target, Kind: KindUnknown, Description: fmt.Sprintf("%q can mean several things; ask for one of them.", target)}
	for _, p := range pages {
		if p.Kind == KindSnippet {
			d.Matches = append(d.Matches, Snippet{Name: p.Path}.qualified())
			continue
		}
		d.Matches = append(d.Matches, p.Path)
	}
	return d
}

// unknown says that there is no such thing, and what may have been meant.
func (c *Catalog) unknown(target string, snippets []Snippet) Description {
	d := Description{Path: target, Kind: KindUnknown}
	label, separator, rest := split(target)
	e := c.byLabel[label]
	switch {
	case e != nil && separator == "#":
		d.Description = fmt.Sprintf("%s has no tag %q.", label, rest)
		d.Matches = prefixed(label+"#", nearest.Names(rest, e.tags(), maxNearest))
	case e != nil && separator == ":":
		d.Description = fmt.Sprintf("%s has no type %q.", label, rest)
		d.Matches = prefixed(label+":", nearest.Names(rest, sortedKeys(e.types()), maxNearest))
	case e != nil:
		d.Description = fmt.Sprintf("%s has no method %q.", label, rest)
		d.Matches = prefixed(label+".", e.nearest(rest))
	default:
		d.Description = fmt.Sprintf("There is no %q.", target)
		d.Matches = c.similar(target, snippets)
	}
	if e != nil && e.Unavailable != "" {
		d.Description += " " + e.notAvailable()
	}
	d.Notes = []string{"codemode.search finds methods by what they do."}
	return d
}

// similar returns the connectors, snippets and methods with a name like the target's.
func (c *Catalog) similar(target string, snippets []Snippet) []string {
	var names []string
	for _, conn := range c.connectors {
		names = append(names, conn.Label)
	}
	for _, s := range snippets {
		names = append(names, s.Name)
	}
	for _, m := range c.modules {
		names = append(names, m.Name)
	}
	list := nearest.Names(target, names, maxNearest)
	_, _, last := split(target)
	if last == "" {
		last = target
	}
	for _, conn := range c.connectors {
		list = append(list, prefixed(conn.Label+".", c.byLabel[conn.Label].nearest(last))...)
	}
	return list[:min(2*maxNearest, len(list))]
}

func prefixed(prefix string, names []string) []string {
	out := slices.Clone(names)
	for i := range out {
		out[i] = prefix + out[i]
	}
	return out
}

func (e *entry) notAvailable() string {
	return fmt.Sprintf("The connector is not available: %s", e.Unavailable)
}

// methodPage describes one method.
func (e *entry) methodPage(m *Method) Description {
	types, _ := typescript.Declare(e.Label, []typescript.Method{m.declaration()}, pageSize)
	d := Description{
		Path: m.path(), Kind: KindMethod, Description: bounded(m.Description), RequiresApproval: m.waits(), Denied: m.Denied,
		Types: types, Notes: m.notes(),
	}
	if e.Unavailable != "" {
		d.Notes = append(d.Notes, e.notAvailable())
	}
	return d
}

// waits reports whether a call waits for a person, or may wait.
func (m *Method) waits() bool { return m.Asks && !m.Denied }

// notes say what a declaration cannot.
func (m *Method) notes() []string {
	var notes []string
	note := func(when bool, text string) {
		if when {
			notes = append(notes, text)
		}
	}
	note(m.Name != m.Raw, fmt.Sprintf("The connector's own name for it is %q.", m.Raw))
	if m.Denied {
		return append(notes, "A rule refuses every call.")
	}
	note(m.waits() && m.RequiresApproval, "A person decides on each call; the execution pauses until then.")
	note(m.waits() && !m.RequiresApproval, "A person decides on calls, or on some of them; the execution pauses until then.")
	note(m.ReadOnly, "It changes nothing.")
	note(m.Destructive, "It may destroy what cannot be had back.")
	note(m.Idempotent && !m.ReadOnly, "Doing it twice is doing it once.")
	note(m.Reexecute, "Its result is not recorded: when the execution is continued, it is called again and may answer otherwise.")
	note(!m.ReadOnly && m.Reverts, "A rollback undoes it.")
	note(!m.ReadOnly && !m.Reverts, "A rollback cannot undo it.")
	note(m.Previews, "The approver is shown a preview of what it will do.")
	return notes
}

// typePage describes a named type of the connector's schemas, or a property in it ("Type.property").
func (e *entry) typePage(name string) (Description, bool) {
	target := e.Label + ":" + name
	name, path, _ := strings.Cut(name, ".")
	for _, candidate := range e.typeNames(name) {
		methods := declarations(e.types()[candidate])
		if path != "" {
			candidate += "." + path
		}
		if text, ok := typescript.DeclareType(e.Label, candidate, methods, pageSize); ok {
			return Description{Path: target, Kind: KindType, Types: text, Description: usedBy(methods)}, true
		}
	}
	return Description{}, false
}

// typeNames returns the names that a type's name may stand for: declarations
// give a type another name where two would share one.
func (e *entry) typeNames(name string) []string {
	names := []string{name, strings.TrimSuffix(name, "Input")}
	for _, m := range e.Methods {
		if base, ok := strings.CutSuffix(name, "_"+m.Name); ok {
			names = append(names, base)
		}
	}
	return names
}

func usedBy(methods []typescript.Method) string {
	const most = 8
	var names []string
	for _, m := range methods[:min(most, len(methods))] {
		names = append(names, m.Name)
	}
	text := "Used by " + strings.Join(names, ", ")
	if len(methods) > most {
		text += fmt.Sprintf(" and %d more methods", len(methods)-most)
	}
	return text + "."
}

// typesOf returns the methods by the names of the types that their schemas know.
func typesOf(methods []*Method) map[string][]*Method {
	byName := map[string][]*Method{}
	for _, m := range methods {
		for _, name := range m.declaration().TypeNames() {
			byName[name] = append(byName[name], m)
		}
	}
	return byName
}

func (s Snippet) page() Description {
	return Description{
		Path: s.Name, Kind: KindSnippet, Description: bounded(s.Description), Types: s.Source,
		Notes: []string{"A program runs it with " + s.signature() + "."},
	}
}

// bounded cuts a description that is longer than a page wants.
func bounded(text string) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > descriptionWidth {
		return string(r[:descriptionWidth]) + "…"
	}
	return text
}
