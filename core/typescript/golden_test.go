package typescript

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden runs a test on each file of testdata/dir: render gets the files in it
// and returns what the file "want" must hold.
func golden(t *testing.T, dir string, render func(t *testing.T, files map[string]string) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, -1
			for i, f := range archive.Files {
				files[f.Name] = strings.TrimSpace(string(f.Data))
				if f.Name == "want" {
					want = i
				}
			}
			got := render(t, files)
			if *update {
				if want < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					want = len(archive.Files) - 1
				}
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal("the file has no want; run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
				t.Errorf("differs (-want +got):\n%s", diff)
			}
		})
	}
}

// parses fails the test unless the text is TypeScript.
func parses(t *testing.T, text string) {
	t.Helper()
	result := api.Transform(text, api.TransformOptions{Loader: api.LoaderTS})
	for _, e := range result.Errors {
		t.Errorf("no TypeScript: %s\n%s", e.Text, text)
	}
}

func method(files map[string]string) Method {
	m := Method{Name: "create_issue", Description: files["description"]}
	if in := files["input"]; in != "" {
		m.Input = []byte(in)
	}
	if out := files["output"]; out != "" {
		m.Output = []byte(out)
	}
	return m
}

func TestDeclare(t *testing.T) {
	t.Parallel()
	golden(t, "declare", func(t *testing.T, files map[string]string) string {
		m := method(files)
		text, _ := Declare("ns", []Method{m}, 6000)
		parses(t, text)
		return text + "\n" + m.Signature("ns", 240) + "\n"
	})
}

func TestDeclareType(t *testing.T) {
	t.Parallel()
	golden(t, "type", func(t *testing.T, files map[string]string) string {
		text, found := DeclareType("ns", files["name"], []Method{method(files)}, 6000)
		if !found {
			return "not found\n"
		}
		parses(t, text)
		return text
	})
}
