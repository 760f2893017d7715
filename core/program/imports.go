package program

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
)

// binding is a name and another one for it, as in {name as other}.
type binding struct{ name, as string }

// bindings reads what esbuild prints between the braces of an import or export.
func bindings(clause string) []binding {
	var list []binding
	for part := range strings.SplitSeq(clause, ",") {
		name, as, renamed := cutAs(strings.TrimSpace(part))
		if !renamed {
			as = name
		}
		if name != "" {
			list = append(list, binding{unquoted(name), unquoted(as)})
		}
	}
	return list
}

func cutAs(part string) (name, as string, ok bool) {
	if i := strings.Index(part, ` as"`); i >= 0 {
		return part[:i], part[i+len(" as"):], true
	}
	return cut(part, `"as `, " as ")
}

// cut cuts a part at one of two separators; a quote that the first begins with belongs to the name.
func cut(part, quoted, plain string) (name, as string, ok bool) {
	if i := strings.Index(part, quoted); i >= 0 {
		return part[:i+1], part[i+len(quoted):], true
	}
	return strings.Cut(part, plain)
}

func unquoted(name string) string {
	if s, err := strconv.Unquote(name); err == nil {
		return s
	}
	return name
}

// imported is an import statement.
type imported struct {
	from  string
	at    position  // of the statement
	whole string    // the name of the whole module; "": none
	names []binding // what the module exports, as the names here
	star  bool      // it is export * from
}

var (
	// importForm matches an import statement as esbuild prints it: a default, a whole, names, the module.
	importForm = regexp.MustCompile(`^import\s*(?:([^\s,{}*"';().]+)\s*,?\s*)?(?:\*\s*as ([^\s,{}*"';()]+)\s*|\{([^{}]*)\}\s*)?(?:from\s*)?"([^"\\]*)"(?:with\{[^{}]*\})?;?`)
	exportStar = regexp.MustCompile(`^export\*from"([^"\\]*)"(?:with\{[^{}]*\})?;?`)
)

// maxImports bounds the places with imports: the text is parsed again for each.
const maxImports = 50

// takeImports takes the imports at an offset, where goja's parser has met one, out of the text: it does not know them.
// Of an import() only the word is replaced, by the loader's name. It reports whether there was anything to take.
func (u *unit) takeImports(offset int) bool {
	u.taken++
	if u.taken > maxImports {
		return false
	}
	if strings.HasPrefix(u.text[offset:], "import(") {
		u.edit(splice{offset: offset, remove: len("import"), insert: u.library.loader})
		return true
	}
	end := offset
	for {
		i, length := readImport(u.text[end:])
		if length == 0 {
			break
		}
		i.at = u.origin(end)
		u.imports = append(u.imports, i)
		end += length
	}
	u.edit(splice{offset: offset, remove: end - offset})
	return end > offset
}

func (u *unit) edit(s splice) { u.text, u.mappings = apply(u.text, u.mappings, []splice{s}) }

// readImport reads the import statement that a text begins with; its length is 0 if there is none.
func readImport(text string) (imported, int) {
	if m := exportStar.FindStringSubmatch(text); m != nil {
		return imported{from: m[1], star: true}, len(m[0])
	}
	m := importForm.FindStringSubmatch(text)
	if m == nil {
		return imported{}, 0
	}
	i := imported{from: m[4], whole: m[2], names: bindings(m[3])}
	if m[1] != "" {
		i.names = append(i.names, binding{"default", m[1]})
	}
	return i, len(m[0])
}

// linkImports compiles the modules that are imported, and returns the edits that bring in what they export.
func (u *unit) linkImports() ([]splice, error) {
	var text strings.Builder
	for _, i := range u.imports {
		m, err := u.module(i.from, i.at)
		if err != nil {
			return nil, err
		}
		if err := u.checkExports(i, m); err != nil {
			return nil, err
		}
		text.WriteString(m.bind(i))
	}
	begin := splice{offset: len(preamble+u.shell) - 1, insert: text.String()}
	calls, err := u.linkCalls()
	return append(calls, begin), err
}

// bind declares the names of an import statement. They are constants: no module changes what it has exported after
// it was loaded, as far as its importers see.
func (m *module) bind(i imported) string {
	var names strings.Builder
	for n, b := range i.names {
		if n > 0 {
			names.WriteByte(',')
		}
		names.WriteString(key(b.name) + ":" + b.as)
	}
	text := ""
	if i.whole != "" {
		text = "const " + i.whole + "=" + m.load + ";"
	}
	if len(i.names) > 0 {
		return text + "const{" + names.String() + "}=" + m.load + ";"
	}
	if text == "" {
		return m.load + ";"
	}
	return text
}

// key writes a property's name.
func key(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)

// linkCalls gives import() and require() of a configured module what they ask for.
func (u *unit) linkCalls() ([]splice, error) {
	var splices []splice
	for _, c := range u.names.calls {
		name := u.global(c.Callee)
		if name != "require" && name != u.library.loader {
			continue
		}
		at := u.origin(u.index(c.Idx0()))
		from, ok := constantText(c)
		if !ok {
			return nil, u.code.fault(at, "import() and require() take the name of a module as a plain string; "+u.library.available(u.labels()))
		}
		m, err := u.module(from, at)
		if err != nil {
			return nil, err
		}
		function := "(()=>" + m.load + ")"
		if name != "require" {
			function = "(async()=>" + m.load + ")"
		}
		splices = append(splices, splice{offset: u.index(c.Callee.Idx0()), remove: len(name), insert: function})
	}
	return splices, nil
}

// constantText returns the text that is a call's only argument, or its first beside options.
func constantText(c *ast.CallExpression) (string, bool) {
	if len(c.ArgumentList) == 0 {
		return "", false
	}
	switch a := c.ArgumentList[0].(type) {
	case *ast.StringLiteral:
		return a.Value.String(), true
	case *ast.TemplateLiteral:
		if a.Tag == nil && len(a.Expressions) == 0 {
			return a.Elements[0].Parsed.String(), true
		}
	}
	return "", false
}

// module compiles a module, or says at the place of the import why there is none.
func (u *unit) module(from string, at position) (*module, error) {
	name := strings.TrimPrefix(from, "./")
	if !u.library.has(name) {
		return nil, u.code.fault(at, u.library.unknown(from, u.labels()))
	}
	if circle := u.library.circle(name); circle != "" {
		return nil, u.code.fault(at, "these modules import each other in a circle: "+circle)
	}
	return u.library.compile(name)
}

// checkExports refuses names that a module does not export.
func (u *unit) checkExports(i imported, m *module) error {
	for _, b := range i.names {
		if slices.Contains(m.exports, b.name) {
			continue
		}
		if b.name == "default" {
			return u.code.fault(i.at, fmt.Sprintf("the module %q has no default export; import what you need by name: import { %s } from %q",
				m.name, strings.Join(m.exports, ", "), m.name))
		}
		return u.code.fault(i.at, fmt.Sprintf("the module %q does not export %s; %s", m.name, b.name, suggest(b.name, m.exports, "it exports")))
	}
	return nil
}
