package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// node runs a script beside npm's packages with a value as its input, and reads its output into another.
func node(t *testing.T, script string, in, out any) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(specs.NodeModules(), "typescript")); err != nil {
		t.Skip("the compiler and the tokenizer are not here: run make specs")
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--max-old-space-size=6000", filepath.Join(filepath.Dir(specs.NodeModules()), script))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, &stderr)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatal(err)
	}
}

// TestCompilerAcceptsDeclarations: TypeScript's own compiler accepts what is written for people, and each page about a method.
func TestCompilerAcceptsDeclarations(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles all documents")
	}
	type file struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	type complaint struct{ Name, Message string }
	for _, spec := range specs.All {
		t.Run(spec.Name, func(t *testing.T) {
			s := searchableFrom(t, spec.Name)
			whole := s.catalog.Connectors()[0]
			text, err := s.catalog.Declarations([]string{whole.Label})
			if err != nil {
				t.Fatal(err)
			}
			files := []file{{"whole:" + spec.Name, text}}
			const most = 1500 // pages; of larger documents it takes some of each kind
			step := max(1, len(whole.Methods)/most)
			for i := 0; i < len(whole.Methods); i += step {
				path := whole.Label + "." + whole.Methods[i].Name
				files = append(files, file{path, s.catalog.Describe(path).Types})
			}
			var said []complaint
			node(t, "declarations.mjs", files, &said)
			for _, c := range said[:min(5, len(said))] {
				t.Errorf("%s: %s", c.Name, c.Message)
			}
			if len(said) > 0 {
				t.Errorf("%d complaints about %d files", len(said), len(files))
			}
		})
	}
}

// tokensOf returns the tokens of o200k that the pages about a document's methods have: in the middle, and of the largest twentieth.
func tokensOf(t *testing.T, s *searchable) (median, most int) {
	t.Helper()
	var pages []string
	for path := range s.raw {
		pages = append(pages, s.catalog.Describe(path).Types)
	}
	var tokens []int
	node(t, "tokens.mjs", pages, &tokens)
	slices.Sort(tokens)
	return tokens[len(tokens)/2], tokens[len(tokens)*95/100]
}

// TestDeclarationsAreShort: a model pays for each token that it reads.
func TestDeclarationsAreShort(t *testing.T) {
	if testing.Short() {
		t.Skip("it declares all methods of two documents")
	}
	for name, limit := range map[string]int{"github": 150, "stripe": 320} {
		t.Run(name, func(t *testing.T) {
			median, most := tokensOf(t, searchableFrom(t, name))
			if median > limit || most >= 1300 {
				t.Errorf("half of the declarations have more than %d tokens, a twentieth %d or more; want at most %d, and less than 1,300", median, most, limit)
			}
		})
	}
}
