package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/codemode-go/codemode/core/config"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"empty":       {"", ""},
		"canonical":   {"a = 1\n", "a = 1\n"},
		"spaces":      {"runtime   {\nname=\"x\"   # who\n      data =   \"y\"\n}\n", "runtime {\n  name = \"x\" # who\n  data = \"y\"\n}\n"},
		"nested":      {"connector \"x\" {\nrule {\nwhen = args.a==1&&caller!=\"x\"\n}\n}", "connector \"x\" {\n  rule {\n    when = args.a == 1 && caller != \"x\"\n  }\n}"},
		"here-doc":    {"locals {\ntext = <<E\n   as it\n is\nE\n}\n", "locals {\n  text = <<E\n   as it\n is\nE\n}\n"},
		"line breaks": {"runtime {\r\nname = \"x\"\r\n}\r\n", "runtime {\r\n  name = \"x\"\r\n}\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := config.Format("a.hcl", []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFormatSaysWhereTheSyntaxIsWrong(t *testing.T) {
	t.Parallel()
	const want = `1 error in the configuration conf/a.hcl

conf/a.hcl:2: Invalid multi-line string, in runtime
     2 |   name = "x
     3 | }
  Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \n escape to represent a newline character or use the "heredoc" multi-line template syntax. (2 more syntax errors follow in this file.)`
	_, err := config.Format("conf/a.hcl", []byte("runtime {\n  name = \"x\n}\n"))
	var e *config.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(want, e.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestExampleIsFormatted(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../config.hcl.example")
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Format("config.hcl.example", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"codemode.hcl", "codemode.d/b.hcl", "codemode.d/a.hcl", "codemode.d/.a.hcl", "codemode.d/a.txt", "codemode.d/sub/c.hcl", "none/a.txt"} {
		write(t, filepath.Join(dir, name), nil)
	}
	for path, want := range map[string][]string{
		"codemode.hcl": {"codemode.hcl"},
		"codemode.d":   {"codemode.d/a.hcl", "codemode.d/b.hcl"},
	} {
		got, err := config.Files(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range want {
			want[i] = filepath.Join(dir, p)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v", path, got)
		}
	}
	if _, err := config.Files(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := config.Files(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no *.hcl file") {
		t.Errorf("got %v", err)
	}
}

// FuzzFormat formats what can be parsed: the tokens stay, and a second time changes nothing.
func FuzzFormat(f *testing.F) {
	for _, text := range goldenTexts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := config.Format("a.hcl", []byte(text))
		if err != nil {
			return
		}
		if diff := cmp.Diff(tokens(t, []byte(text)), tokens(t, once)); diff != "" {
			t.Errorf("the text says something else: %s", diff)
		}
		twice, err := config.Format("a.hcl", once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%q, formatted again: %q, %v", once, twice, err)
		}
	})
}

// tokens are the words of a configuration without the blanks between them.
func tokens(t *testing.T, text []byte) []string {
	t.Helper()
	list, diags := hclsyntax.LexConfig(text, "a.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var words []string
	for _, token := range list {
		words = append(words, token.Type.String()+" "+strings.TrimRight(string(token.Bytes), "\r\n"))
	}
	return words
}
