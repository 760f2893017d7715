package sandbox

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/program"
)

var update = flag.Bool("update", false, "write docs/language.md")

const (
	languageCases = "testdata/language.txt"
	languagePage  = "../../docs/language.md"
)

// languageCase is a small program and what comes of it: JSON, or "Name: message" of the error.
type languageCase struct {
	category, status, name string
	code, want             string
	node                   string // what Node.js 20 says where it differs; empty: the same
}

var statuses = map[string]string{
	"native":     "the engine has it",
	"lowered":    "translated when the program is compiled",
	"polyfilled": "added by the prelude",
	"different":  "works, and differs from Node.js on purpose, most often in the words of an error",
	"refused":    "an error that says what to write instead",
}

// TestLanguage compiles and runs the programs of testdata/language.txt. There, a line "status | name | code" is
// followed by "  = " and what comes of it, and where Node.js 20 gives something else, by "  node " and that.
func TestLanguage(t *testing.T) {
	t.Parallel()
	cases := readLanguage(t)
	if len(cases) < 250 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.category+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			got := runCompiled(t, c.code)
			if got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.code, got, c.want)
			}
			if refused := strings.Contains(c.want, "Error: "); c.status == "refused" && !refused {
				t.Errorf("it is not refused: %s", c.want)
			}
		})
	}
}

// runCompiled compiles and runs a program, and returns its result or its error.
func runCompiled(t *testing.T, code string) string {
	t.Helper()
	p, err := program.Compile(program.Source{Text: code, Namespaces: map[string][]string{}})
	if fault := new(program.Error); errors.As(err, &fault) {
		return "CompileError: " + fault.Message
	}
	if err != nil {
		t.Fatal(err)
	}
	sp := spec("")
	sp.Program, sp.Namespaces = p, nil
	h := start(t, sp).finish()
	switch {
	case h.result == nil:
		t.Fatalf("the program has not ended: %+v", h.last)
	case h.result.Error != nil:
		name := h.result.Error.Name
		if name == "" {
			name = "Error"
		}
		return name + ": " + h.result.Error.Message
	case h.result.Value == nil:
		return "undefined"
	}
	return string(h.result.Value)
}

func readLanguage(t *testing.T) []languageCase {
	t.Helper()
	text, err := os.ReadFile(languageCases)
	if err != nil {
		t.Fatal(err)
	}
	var cases []languageCase
	category := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
		case strings.HasPrefix(line, "## "):
			category = line[3:]
		case strings.HasPrefix(line, "  = "):
			cases[len(cases)-1].want = line[4:]
		case strings.HasPrefix(line, "  node "):
			cases[len(cases)-1].node = line[7:]
		default:
			parts := strings.SplitN(line, " | ", 3)
			if len(parts) != 3 || statuses[parts[0]] == "" {
				t.Fatalf("%s: %q is no case", languageCases, line)
			}
			cases = append(cases, languageCase{category: category, status: parts[0], name: parts[1], code: parts[2]})
		}
	}
	return cases
}

// TestLanguagePage holds docs/language.md to the cases.
func TestLanguagePage(t *testing.T) {
	t.Parallel()
	page := languageDoc(readLanguage(t))
	if *update {
		if err := os.WriteFile(languagePage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(languagePage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, string(got)); diff != "" {
		t.Errorf("docs/language.md is not what the cases say; run go test ./core/sandbox -update (-want +got):\n%s", diff)
	}
}

func languageDoc(cases []languageCase) string {
	var b strings.Builder
	b.WriteString(languageHead)
	for _, s := range []string{"native", "lowered", "polyfilled", "different", "refused"} {
		n := 0
		for _, c := range cases {
			if c.status == s {
				n++
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %d |\n", s, statuses[s], n)
	}
	category := ""
	for _, c := range cases {
		if c.category != category {
			category = c.category
			fmt.Fprintf(&b, "\n## %s\n\n| What | Status | Program | Outcome |\n| --- | --- | --- | --- |\n", category)
		}
		outcome := cell(c.want)
		if c.node != "" {
			outcome += "; Node.js 20: " + cell(c.node)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.name, c.status, cell(c.code), outcome)
	}
	return b.String()
}

// cell is code in a cell of a table.
func cell(code string) string {
	fence := "`"
	if strings.Contains(code, "`") {
		fence = "`` "
	}
	closing := "`"
	if fence != "`" {
		closing = " ``"
	}
	return fence + strings.ReplaceAll(code, "|", "\\|") + closing
}

const languageHead = `# The language of programs

<!-- Generated from core/sandbox/testdata/language.txt by go test ./core/sandbox -update. -->

A program is JavaScript as of ES2025, or TypeScript, whose types are taken off and not checked. It runs in strict mode.
What is not there fails with an error that says what to write instead, when the program is compiled where that can be
seen. Dates are in UTC. Numbers and dates are formatted in en-US unless a program names another locale: en-GB, en-CA,
en-AU and en-IN are there, and for numbers and numeric dates de-DE, fr-FR and sv-SE; any other locale is an error and not
a silent English text. Time zones are those of the IANA. Nothing reads the machine's clock, zone, locale or chance.

Building a long text with ` + "`s += x`" + ` in a loop takes time with the square of its length, because the engine copies the
text each time; push the pieces into an array and join them at the end.

Each line below is a program that a test runs.

| Status | Meaning | Programs |
| --- | --- | --- |
`
