package program_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/program"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what comes out into the golden files")

// namespaces are what the golden programs are checked against.
var namespaces = map[string][]string{
	"github":  {"list_issues", "create_issue", "merge_pull_request"},
	"tracker": {"create"},
}

// TestGolden compiles and runs the programs in testdata. In each archive a file NAME.code is a text as a model
// writes it, NAME.input is its input, if any, and NAME.want is what came of it. A file NAME.module is a module that
// all of them can import as NAME.
func TestGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			renewed := golden(t, archive)
			if *update {
				if err := os.WriteFile(path, txtar.Format(renewed), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// golden runs an archive's cases and returns it with what came out.
func golden(t *testing.T, archive *txtar.Archive) *txtar.Archive {
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	renewed := &txtar.Archive{Comment: archive.Comment}
	var modules []program.Module
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".module"); ok {
			modules = append(modules, program.Module{Name: name, Text: string(f.Data)})
			renewed.Files = append(renewed.Files, f)
		}
	}
	for _, f := range archive.Files {
		name, isCode := strings.CutSuffix(f.Name, ".code")
		if !isCode {
			continue
		}
		renewed.Files = append(renewed.Files, f)
		if input, ok := files[name+".input"]; ok {
			renewed.Files = append(renewed.Files, txtar.File{Name: name + ".input", Data: []byte(input)})
		}
		got := outcome(program.Source{Text: string(f.Data), Namespaces: namespaces, Modules: modules}, files[name+".input"])
		renewed.Files = append(renewed.Files, txtar.File{Name: name + ".want", Data: []byte(got)})
		t.Run(name, func(t *testing.T) {
			if want := files[name+".want"]; !*update && got != want {
				t.Errorf("%s", cmp.Diff(want, got))
			}
		})
	}
	return renewed
}

func outcome(src program.Source, input string) string {
	p, err := program.Compile(src)
	var fault *program.Error
	switch {
	case errors.As(err, &fault):
		return fmt.Sprintf("error: %v\n> %s\n", fault, fault.Source)
	case err != nil:
		return "not a program.Error: " + err.Error() + "\n"
	}
	got, err := evaluate(p.JS, input)
	if err != nil {
		return "cannot run: " + err.Error() + "\n"
	}
	return got
}
