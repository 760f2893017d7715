package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var someSnippets = []Snippet{
	{Name: "greet", Description: "Greet somebody.", Source: "async (input) => `Hello ${input.name}`",
		InputSchema: schema(`{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`)},
	{Name: "clock", Description: "A snippet with the name of a method.", Source: "1"},
	{Name: "chat", Description: "A snippet with the name of a connector.", Source: "2"},
}

// Each golden file names a target and holds its page, for a model and for a terminal.
func TestDescribe(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/describe/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			target := strings.TrimSpace(string(archive.Files[0].Data))
			d := sample().Describe(target, someSnippets...)
			got := []txtar.File{archive.Files[0], {Name: "page", Data: marshal(t, d)}, {Name: "text", Data: []byte(d.Text())}}
			if *update {
				archive.Files = got
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(&txtar.Archive{Files: archive.Files})), string(txtar.Format(&txtar.Archive{Files: got}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// marshal returns a page as JSON that reads well, without its types, which the text has.
func marshal(t *testing.T, d Description) []byte {
	t.Helper()
	d.Types = fmt.Sprintf("(%d lines)", strings.Count(d.Types, "\n"))
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A connector with many methods has pages that stay small and say how to get at the rest.
func TestDescribeLargeConnector(t *testing.T) {
	t.Parallel()
	var methods []*Method
	for i := range 600 {
		methods = append(methods, &Method{
			Raw: fmt.Sprintf("method_%03d", i), Description: "Does a thing.", Tags: []string{fmt.Sprintf("tag%02d", i%40)}, Asks: true,
			InputSchema: schema(`{"properties": {"some_property": {"type": "string"}, "another_property": {"type": "string"}}}`),
		})
	}
	methods = append(methods, &Method{Raw: "lonely"})
	c := New([]Connector{{Label: "big", Methods: methods}})

	page := c.Describe("big")
	if n := utf8.RuneCountInString(page.Types); n > pageSize*5/4 {
		t.Errorf("the page has %d characters", n)
	}
	for _, want := range []string{
		"// tag00 (15): describe(\"big#tag00\")\nmethod_000, method_040", "// without a tag (1): describe(\"big#\")\nlonely",
	} {
		if !strings.Contains(page.Types, want) {
			t.Errorf("%q is missing in\n%s", want, page.Types)
		}
	}
	if !strings.Contains(strings.Join(page.Notes, " "), `codemode.search({ text, connector: "big" })`) {
		t.Errorf("does not say how to get more: %q", page.Notes)
	}

	tag := c.Describe("big#tag00")
	if tag.Kind != KindConnector || strings.Count(tag.Types, "function ") != 15 || !strings.Contains(tag.Types, "some_property") {
		t.Errorf("%+v", tag)
	}
	if rest := c.Describe("big#"); !strings.Contains(rest.Types, "function lonely(") {
		t.Errorf("%+v", rest)
	}
	if c.Describe("big#nothing").Kind != KindUnknown {
		t.Error("there is no such tag")
	}
}

// Between all in full and names only there is a line for each method.
func TestDescribeMiddlingConnector(t *testing.T) {
	t.Parallel()
	var methods []*Method
	for i := range 40 {
		methods = append(methods, &Method{
			Raw: fmt.Sprintf("method_%02d", i), Description: "Does a thing. At length.", Tags: []string{"things"},
			InputSchema: schema(`{"properties": {"a": {"type": "string", "description": "A comment that makes the declaration longer than a page wants it to be."}, "b": {"description": "And so does this one, which is as long as the other one."}}}`),
		})
	}
	page := New([]Connector{{Label: "mid", Methods: methods}}).Describe("mid")
	if want := "// things (40): describe(\"mid#things\")\nmid.method_00(input?: { a?: string, b?: unknown }): Promise<unknown> // Does a thing.\n"; !strings.HasPrefix(page.Types, want) {
		t.Errorf("got\n%s", page.Types)
	}
	if strings.Count(page.Types, "\n") != 41 || len(page.Notes) != 1 {
		t.Errorf("%d lines, notes %q", strings.Count(page.Types, "\n"), page.Notes)
	}
}

// Every target that a page names has a page.
func TestPagesLeadOn(t *testing.T) {
	t.Parallel()
	nested := schema(`{"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"b": {"$ref": "#/$defs/B"}}}, "B": {"properties": {"c": {"$ref": "#/$defs/C-c"}}}, "C-c": {"properties": {"id": {"readOnly": true}, "x": {}}}}}`)
	c := New([]Connector{{Label: "ns", Methods: []*Method{{Raw: "m", InputSchema: nested, OutputSchema: nested, Tags: []string{"t"}}}}})
	seen, queue := map[string]bool{}, []string{"ns"}
	for len(queue) > 0 {
		target := queue[0]
		queue = queue[1:]
		if seen[target] {
			continue
		}
		seen[target] = true
		page := c.Describe(target)
		if page.Kind == KindUnknown {
			t.Errorf("%s leads nowhere: %+v", target, page)
		}
		for _, part := range strings.Split(page.Types+strings.Join(page.Notes, ""), `describe("`)[1:] {
			next, _, _ := strings.Cut(part, `"`)
			queue = append(queue, next)
		}
	}
	if want := []string{"ns", "ns:C_c"}; !slices.Equal(sortedKeys(seen), want) {
		t.Errorf("saw %q, want %q", sortedKeys(seen), want)
	}
	if page := c.Describe("ns:C_cInput"); page.Kind != KindType {
		t.Errorf("a type that is split in two is found by either name: %+v", page)
	}
}

func TestDescribeUnavailable(t *testing.T) {
	t.Parallel()
	page := sample().Describe("mail.send")
	if page.Kind != KindUnknown || !strings.Contains(page.Description, "cannot be started: exit status 1") {
		t.Errorf("%+v", page)
	}
}

// A connector's text cannot command the terminal that shows it.
func TestTextIsPrintable(t *testing.T) {
	t.Parallel()
	c := New([]Connector{{Label: "x", Methods: []*Method{{Raw: "m\x1b[2J", Description: "a\x1b]0;title\ab\u202ec\r\nd"}}}})
	page := c.Describe("x.m_2J")
	if page.Kind != KindMethod {
		t.Fatalf("%+v", page)
	}
	if text := page.Text(); strings.ContainsAny(text, "\x1b\a\r\u202e") || !strings.Contains(text, "a]0;titlebc\nd") {
		t.Errorf("%q", text)
	}
}
