package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"

	"github.com/codemode-go/codemode/core/policy"
)

// page is the one table of all attributes. These tests hold it against the decoder.
const page = "../../docs/configuration.md"

// everyBlock is a configuration in which every kind of block stands once, with what it requires.
const everyBlock = `
runtime {
}
sandbox {
}
approvals {
}
connector "x" {
  plugin = "x"
  config {
  }
  retries {
  }
  rate_limit {
    per_second = 1
  }
  rule {
    effect = "deny"
  }
  method "*" {
  }
  prepare "m" {
    call = "n"
  }
  revert "m" {
    call = "n"
  }
  reconcile "m" {
    call = "n"
    happened = true
  }
  preview "m" {
    text = "m"
  }
}
module "x.js" {
  source = ""
}
variable "x" {
  default = 1
}
locals {
}
`

// entry is a row of the table: a block, or an attribute of one.
type entry struct {
	block, label, attribute, kind, standard string
}

var (
	cells     = regexp.MustCompile("^\\| `([a-z_.]+)(?: \"([A-Z]+)\")?` \\| (?:`([a-z_*]+)`)? ?\\| ([a-z ]+) \\| (.*?) ?\\| .*\\. \\|$")
	codeWords = regexp.MustCompile("`([a-z]+)(?:\\([^`]*\\))?`")
)

// table reads the page's rows.
func table(t *testing.T) []entry {
	t.Helper()
	var list []entry
	for line := range strings.Lines(readPage(t)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		m := cells.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("this row is none: %s", line)
		}
		list = append(list, entry{block: m[1], label: strings.ToLower(m[2]), attribute: m[3], kind: m[4], standard: strings.Trim(m[5], "`")})
	}
	return list
}

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// known is what the decoder asks the parser for: "block" with the name of its label, and "block#attribute" with
// "required" where it is.
type known map[string]string

// observed is a body that notes what the decoder asks of it.
type observed struct {
	hcl.Body
	path  string
	known known
}

func (o observed) Content(schema *hcl.BodySchema) (*hcl.BodyContent, hcl.Diagnostics) {
	for _, a := range schema.Attributes {
		o.known[o.path+"#"+a.Name] = ""
		if a.Required {
			o.known[o.path+"#"+a.Name] = "required"
		}
	}
	for _, b := range schema.Blocks {
		o.known[o.below(b.Type)] = strings.Join(b.LabelNames, " ")
	}
	content, diags := o.Body.Content(schema)
	for _, b := range content.Blocks {
		b.Body = observed{b.Body, o.below(b.Type), o.known}
	}
	return content, diags
}

func (o observed) JustAttributes() (hcl.Attributes, hcl.Diagnostics) {
	o.known[o.path+"#*"] = ""
	return o.Body.JustAttributes()
}

func (o observed) below(block string) string {
	if o.path == "" {
		return block
	}
	return o.path + "." + block
}

// decoded loads everyBlock and returns what the decoder knows.
func decoded(t *testing.T) known {
	t.Helper()
	path := filepath.Join(t.TempDir(), "codemode.hcl")
	if err := os.WriteFile(path, []byte(everyBlock), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	all := known{}
	for _, f := range src.files {
		f.Body = observed{Body: f.Body, known: all}
	}
	l := &loader{options: Options{UserConfigDir: "/nowhere"}.withDefaults(), source: src}
	l.load()
	if l.diags.HasErrors() {
		t.Fatal(l.diags)
	}
	return all
}

func TestReferenceIsComplete(t *testing.T) {
	t.Parallel()
	written := known{}
	for _, e := range table(t) {
		name, says := e.block, e.label
		if e.kind != "block" {
			name += "#" + e.attribute
			if says = ""; e.standard == "required" {
				says = "required"
			}
		}
		if _, twice := written[name]; twice {
			t.Errorf("%s has two rows", name)
		}
		written[name] = says
	}
	all := decoded(t)
	if diff := cmp.Diff(all, written); diff != "" {
		t.Errorf("the decoder (-) and %s (+) differ:\n%s", page, diff)
	}
	for name := range all {
		block, _, isAttribute := strings.Cut(name, "#")
		hasAttribute := func(other string) bool { return strings.HasPrefix(other, block+"#") }
		if !isAttribute && !slices.ContainsFunc(slices.Collect(maps.Keys(all)), hasAttribute) {
			t.Errorf("everyBlock has no block %s", name)
		}
	}
}

// samples are values of each type: two that fit, so that one is not the default, and one that does not.
var samples = map[string]struct{ one, other, wrong string }{
	"string":            {`"text"`, `"other"`, `["x"]`},
	"duration":          {`"7s"`, `"8s"`, `"7MiB"`},
	"size":              {`"7KiB"`, `"8KiB"`, `"7s"`},
	"count":             {`7`, `8`, `7.5`},
	"number":            {`7.5`, `8`, `"x"`},
	"bool":              {`true`, `false`, `"x"`},
	"list of strings":   {`["x"]`, `["y"]`, `"x"`},
	"object of strings": {`{ A = "x" }`, `{ B = "x" }`, `"x"`},
	"condition":         {`caller == "x"`, `true`, `"x"`},
	"expression":        {`{ a = args.a }`, `{}`, `args.a.b.`},
	"type":              {`number`, `any`, `7`},
	"any":               {`7`, `8`, ``},
}

// particular are samples of attributes with a form of their own.
var particular = map[string][2]string{
	"connector#checksum":           {`"sha256:` + strings.Repeat("a", 64) + `"`, `"sha256:` + strings.Repeat("b", 64) + `"`},
	"connector.rule#effect":        {`"allow"`, `"approve"`},
	"connector.preview#text":       {`"m ${args.a}"`, `upper("m")`},
	"connector.reconcile#happened": {`length(result) > 0`, `false`},
	"sandbox#require":              {`"full"`, `"available"`},
}

// A value of the type in the table is taken and changes the configuration, one of another type is refused, and the
// default in the table, given, is the same as nothing given.
func TestReferenceSaysTypesAndDefaults(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "codemode.hcl")
	base := mustLoadText(t, path, everyBlock)
	for _, e := range table(t) {
		if e.kind == "block" {
			continue
		}
		name := e.block + "#" + e.attribute
		sample, ok := samples[e.kind]
		if !ok {
			t.Errorf("%s: there is no type %q", name, e.kind)
			continue
		}
		if p, ok := particular[name]; ok {
			sample.one, sample.other = p[0], p[1]
		}
		one, other := mustLoadText(t, path, with(t, e, sample.one)), mustLoadText(t, path, with(t, e, sample.other))
		if hidden := e.block == "variable" || e.block == "locals"; !hidden && same(base, one)+same(base, other) == "" {
			t.Errorf("%s: it makes no difference", name)
		}
		if sample.wrong != "" {
			if _, err := loadText(t, path, with(t, e, sample.wrong)); err == nil {
				t.Errorf("%s: it takes %s, which is no %s", name, sample.wrong, e.kind)
			}
		}
		if e.standard == "required" || e.kind == "expression" {
			continue
		}
		standard := strings.Replace(e.standard, "none", "null", 1)
		got, err := loadText(t, path, with(t, e, standard))
		if noNull := e.kind == "condition" || e.kind == "type"; noNull || err != nil {
			if !noNull || err == nil {
				t.Errorf("%s: %s gives the error %v", name, standard, err)
			}
			continue
		}
		if diff := same(base, got); diff != "" {
			t.Errorf("%s: %s is not the default: %s", name, standard, diff)
		}
	}
}

// with is everyBlock with one attribute set.
func with(t *testing.T, e entry, value string) string {
	t.Helper()
	var blocks []string
	var out strings.Builder
	set := false
	for line := range strings.Lines(everyBlock) {
		words := strings.Fields(line)
		here := strings.Join(blocks, ".") == e.block
		switch {
		case strings.HasSuffix(line, "{\n"):
			blocks = append(blocks, words[0])
		case len(words) > 0 && words[0] == "}":
			blocks = blocks[:len(blocks)-1]
		case here && words[0] == e.attribute:
			continue
		}
		out.WriteString(line)
		if !here && strings.Join(blocks, ".") == e.block && !set {
			out.WriteString(strings.Replace(e.attribute, "*", "any", 1) + " = " + value + "\n")
			set = true
		}
	}
	if !set {
		t.Fatalf("everyBlock has no block %s", e.block)
	}
	return out.String()
}

func loadText(t *testing.T, path, text string) (*Config, error) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path, Options{UserConfigDir: "/nowhere"})
}

func mustLoadText(t *testing.T, path, text string) *Config {
	t.Helper()
	c, err := loadText(t, path, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// same says how two configurations differ.
func same(a, b *Config) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(Config{}, Connector{}, Module{}), cmpopts.IgnoreFields(policy.Rule{}, "Place"),
		cmp.Comparer(func(a, b *condition) bool { return (a == nil) == (b == nil) }),
		cmp.Comparer(func(a, b *expression) bool { return written(a) == written(b) }))
}

// written is what an expression comes to without knowing anything of a call.
func written(e *expression) string {
	if e == nil {
		return ""
	}
	v, _ := e.Value(map[string]json.RawMessage{})
	return fmt.Sprintf("%v %s", v == nil, v)
}

func TestReferenceNamesEveryFunction(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(readPage(t), "### Functions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var written []string
	for _, m := range codeWords.FindAllStringSubmatch(section, -1) {
		written = append(written, m[1])
	}
	slices.Sort(written)
	l := &loader{}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(l.functions())), written); diff != "" {
		t.Errorf("the functions (-) and %s (+) differ:\n%s", page, diff)
	}
}
