package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/codemode-go/codemode/core/typescript"
)

// Module is helper code that programs can import by its name.
type Module struct {
	Name        string
	Description string // one line
	Exports     []string
}

// moduleName is what a module can be called: a path of letters, digits, "_", "-" and ".", perhaps of a scope.
var moduleName = regexp.MustCompile(`^(?:@[A-Za-z0-9_-]+/)?[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)

// longestModuleName is in characters.
const longestModuleName = 100

// ValidModuleName says why a module cannot have a name, for an operator: it must have an ending like ".js", so that it
// takes the place of nothing that models know by a plain name: codemode, a namespace, a module of Node's.
func ValidModuleName(name string) error {
	switch {
	case strings.HasPrefix(name, "node:"):
		return fmt.Errorf("the name %q is reserved: it is a module of Node's", name)
	case !moduleName.MatchString(name) || len(name) > longestModuleName:
		return fmt.Errorf("a module's name is like money.js or text/lines.ts: letters, digits, _, -, . and /, %d characters at most", longestModuleName)
	case !strings.Contains(name[strings.LastIndexByte(name, '/')+1:], "."):
		return errors.New("a module's name must have an ending, like money.js: plain names belong to the host, to namespaces and to what models know from elsewhere")
	}
	return nil
}

// example is how a program imports the module.
func (m Module) example() string {
	var names []string
	whole := ""
	for _, name := range m.Exports {
		switch {
		case name == "default":
			whole = typescript.Identifier(base(m.Name))
		case typescript.Identifier(name) == name:
			names = append(names, name)
		}
	}
	switch {
	case len(m.Exports) == 0:
		return fmt.Sprintf("import %q", m.Name)
	case len(names) == 0 && whole == "":
		return fmt.Sprintf("import * as %s from %q", typescript.Identifier(base(m.Name)), m.Name)
	case len(names) == 0:
		return fmt.Sprintf("import %s from %q", whole, m.Name)
	case whole == "":
		return fmt.Sprintf("import { %s } from %q", strings.Join(names, ", "), m.Name)
	}
	return fmt.Sprintf("import %s, { %s } from %q", whole, strings.Join(names, ", "), m.Name)
}

// base is the last part of a name, without its ending.
func base(name string) string {
	name, _, _ = strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return name
}

func (m Module) page() Description {
	return Description{
		Path: m.Name, Kind: KindModule, Description: bounded(m.Description), Types: m.example() + ";\n",
		Notes: []string{"Helper code of this host; its functions run in the program."},
	}
}

func (c *Catalog) moduleDocuments() []document {
	var docs []document
	for _, m := range c.modules {
		d := document{path: m.Name}
		d.fields[fieldName] = distinct(nameTokens(base(m.Name)))
		d.fields[fieldParameters] = tokens(strings.Join(m.Exports, " "))
		d.describe(m.Description)
		d.result = func() Result {
			return Result{
				Path: m.Name, Connector: platform, Method: "import", Kind: KindModule,
				Description: typescript.Sentence(m.Description, summaryWidth), Signature: clipped(m.example(), signatureWidth),
			}
		}
		docs = append(docs, d)
	}
	return docs
}

// clipped cuts a line that is too long.
func clipped(text string, width int) string {
	if r := []rune(text); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return text
}

// moduleList returns a line for each module, as many as have room.
func (c *Catalog) moduleList(size int) string {
	var b strings.Builder
	for i, m := range c.modules {
		line := "- " + clipped(m.example(), 200)
		if text := typescript.Sentence(m.Description, 200); text != "" {
			line += ": " + text
		}
		if b.Len()+len(line) > size {
			fmt.Fprintf(&b, "- and %d more\n", len(c.modules)-i)
			break
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
