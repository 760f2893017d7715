package program

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/internal/nearest"
)

// library is the modules that can be imported. They are compiled when they are needed.
type library struct {
	texts map[string]string
	// loader is a name that no text has. Followed by a module's number it is the function that loads the module.
	loader   string
	compiled map[string]*module
	linked   []*module // in the order of their numbers
	open     []string  // being compiled, each imported by the one before
}

// module is a compiled module.
type module struct {
	name     string
	text     string // a function that runs it and returns what it exports
	mappings mappings
	exports  []string
	load     string // the expression that loads it
}

func newLibrary(src Source) *library {
	l := &library{texts: map[string]string{}, compiled: map[string]*module{}}
	all := []string{src.Text}
	for _, m := range src.Modules {
		l.texts[m.Name] = m.Text
		all = append(all, m.Text)
	}
	l.loader = freeName("modules", all...)
	return l
}

func (l *library) has(name string) bool {
	_, ok := l.texts[name]
	return ok
}

func (l *library) names() []string { return slices.Sorted(maps.Keys(l.texts)) }

// circle returns the imports that lead from a module back to it, or "".
func (l *library) circle(name string) string {
	i := slices.Index(l.open, name)
	if i < 0 {
		return ""
	}
	return strings.Join(append(slices.Clone(l.open[i:]), name), " -> ")
}

// compile compiles a module, unless that is done, and those that it imports.
func (l *library) compile(name string) (*module, error) {
	if m := l.compiled[name]; m != nil {
		return m, nil
	}
	l.open = append(l.open, name)
	defer func() { l.open = l.open[:len(l.open)-1] }()
	c := newCode(l.texts[name])
	c.module = name
	u, s, err := l.parse(c)
	if err != nil {
		return nil, err
	}
	imports, err := u.linkImports()
	if err != nil {
		return nil, err
	}
	expressions, err := u.regexps()
	if err != nil {
		return nil, err
	}
	m := &module{name: name}
	object, err := l.exportsOf(u, s, m)
	if err != nil {
		return nil, err
	}
	if err := u.finish(slices.Concat(imports, expressions, u.append(object))); err != nil {
		return nil, err
	}
	begin, end := len(preamble), len(u.text)-len(ending)
	m.text = u.text[begin:end]
	number := len(l.linked)
	for _, mp := range u.mappings {
		m.mappings = append(m.mappings, mapping{mp.offset - begin, mp.from, firstModule + number})
	}
	m.load = fmt.Sprintf("%s%d()", l.loader, number)
	l.compiled[name], l.linked = m, append(l.linked, m)
	return m, nil
}

// parse reads a module's text.
func (l *library) parse(c *code) (*unit, *script, error) {
	if err := c.checkNesting(); err != nil {
		return nil, nil, err
	}
	s, f := build(c, moduleOf(c))
	if s == nil {
		if f.isReturn() {
			return nil, nil, c.fault(f.at, "a module cannot return at its top level; export what it has")
		}
		return nil, nil, c.fault(f.at, "syntax error: "+f.words())
	}
	u, err := parse(c, s, moduleShell, l)
	if err != nil {
		return nil, nil, err
	}
	for _, check := range []func() error{u.checkCommonJS, u.checkGiven, u.checkSteps} {
		if err := check(); err != nil {
			return nil, nil, err
		}
	}
	return u, s, nil
}

// checkGiven refuses what only a program is given.
func (u *unit) checkGiven() error {
	for _, r := range u.names.references {
		if r.variable == nil && !r.typeOf && (r.name == "input" || r.name == "env") {
			return u.fault(r.at, r.name+" belongs to the program; let the program hand it to the module's functions")
		}
	}
	return nil
}

// exportsOf returns an object of all that a module exports, whose properties follow the module's variables.
func (l *library) exportsOf(u *unit, s *script, m *module) (string, error) {
	values := map[string]string{}
	for _, b := range s.exports {
		values[b.as] = b.name
	}
	for _, i := range u.imports {
		if !i.star {
			continue
		}
		other, err := u.module(i.from, i.at)
		if err != nil {
			return "", err
		}
		for _, name := range other.exports {
			if _, own := values[name]; !own && name != "default" {
				values[name] = other.load + "[" + fmt.Sprintf("%q", name) + "]"
			}
		}
	}
	m.exports = slices.Sorted(maps.Keys(values))
	var b strings.Builder
	b.WriteString("Object.freeze({__proto__:null")
	for _, name := range m.exports {
		fmt.Fprintf(&b, ",get %s(){return %s}", key(name), values[name])
	}
	b.WriteString("})")
	return b.String(), nil
}

// link puts the modules that a program imports before it.
func (l *library) link(js string, m mappings) (string, mappings) {
	at := strings.Index(js, `return `)
	var text strings.Builder
	var all mappings
	for i, mod := range l.linked {
		fmt.Fprintf(&text, "let %[1]s%[2]d=()=>{const %[1]s=(", l.loader, i)
		for _, mp := range mod.mappings {
			all = append(all, mapping{at + text.Len() + mp.offset, mp.from, mp.source})
		}
		text.WriteString(mod.text)
		all = append(all, mapping{at + text.Len(), nowhere, ours})
		fmt.Fprintf(&text, ")();%[1]s%[2]d=()=>%[1]s;return %[1]s};", l.loader, i)
	}
	for _, mp := range m {
		all = append(all, mapping{mp.offset + text.Len(), mp.from, mp.source})
	}
	return js[:at] + text.String() + js[at:], all
}

// list describes the modules in the program, by name.
func (l *library) list() []Linked {
	var list []Linked
	for _, m := range l.linked {
		hash := sha256.Sum256([]byte(l.texts[m.name]))
		list = append(list, Linked{Name: m.name, Hash: hash[:], Exports: m.exports})
	}
	slices.SortFunc(list, func(a, b Linked) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// unknown says that there is no such module, and what to do without it.
func (l *library) unknown(from string, labels []string) string {
	if slices.Contains(append(labels, "codemode"), from) {
		return fmt.Sprintf("%q is no module: %s are there as globals; leave the import out", from, strings.Join(append(labels, "codemode"), ", "))
	}
	text := fmt.Sprintf("there is no module %q; ", from)
	if instead := instead(from); instead != "" {
		text = fmt.Sprintf("there is no module %q: %s; ", from, instead)
	} else if near := nearest.Name(strings.TrimPrefix(from, "./"), l.names()); near != "" {
		text = fmt.Sprintf("there is no module %q; did you mean %q? ", from, near)
	}
	return text + l.available(labels)
}

// available says what there is to import, and what there is without.
func (l *library) available(labels []string) string {
	globals := strings.Join(append(labels, "codemode", "input", "env", "console"), ", ") + " and the standard JavaScript built-ins"
	if len(l.texts) == 0 {
		return "a program cannot import or require modules; everything it can use is already there as globals: " + globals
	}
	var quoted []string
	for _, name := range l.names() {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return "the only modules that a program can import are " + strings.Join(quoted, ", ") + "; everything else is already there as globals: " + globals
}
