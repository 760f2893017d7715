package operation_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares the methods that become of testdata's documents.
func TestGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := render(t, read(t, archive.Files[0]))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// read makes the methods of a document.
func read(t *testing.T, f txtar.File) *operation.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(path, f.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := document.Load(t.Context(), document.Folder(path))
	if err != nil {
		t.Fatal(err)
	}
	return operation.Methods(d, operation.Options{})
}

func render(t *testing.T, set *operation.Set) string {
	t.Helper()
	var b strings.Builder
	for _, m := range set.Methods {
		fmt.Fprintf(&b, "%s %s\n%s\naccept %s, tags %v, read only %t, idempotent %t, destructive %t\n", m.Name, m.Request.Server, m.Description, m.Request.Accept, m.Tags, m.ReadOnly, m.Idempotent, m.Destructive)
		for name, text := range map[string]json.RawMessage{"input": m.Input, "output": m.Output} {
			if _, err := schema.Compile(text); err != nil {
				t.Errorf("%s, %s: %v", m.Name, name, err)
			}
		}
		fmt.Fprintf(&b, "input %s\noutput %s\n\n", indented(t, m.Input), indented(t, m.Output))
	}
	for _, s := range set.Skipped {
		fmt.Fprintf(&b, "skipped %s %s: %s\n", s.Method, s.Path, s.Reason)
	}
	return b.String()
}

// indented writes each member of a schema and of its properties in a line.
func indented(t *testing.T, text json.RawMessage) string {
	t.Helper()
	if text == nil {
		return "anything"
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", " "); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if depth > 2 || len(lines) > 0 && depth == 2 && strings.HasPrefix(strings.TrimSpace(line), "}") {
			lines[len(lines)-1] += strings.TrimSpace(line)
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
