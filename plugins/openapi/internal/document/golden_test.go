package document_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares what is read of testdata's documents.
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
			last := len(archive.Files) - 1
			got := render(load(t, archive.Files[:last]...))
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[last].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// load reads a document of several files, the first of which is the entry.
func load(t *testing.T, files ...txtar.File) *document.Document {
	t.Helper()
	d, err := document.Load(t.Context(), document.Folder(write(t, files...)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// write puts files into a folder and returns the path of the first.
func write(t *testing.T, files ...txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0].Name)
}

// render writes down what was read.
func render(d *document.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q\n", d.Title, d.Version, d.Description)
	for _, name := range slices.Sorted(maps.Keys(d.Security)) {
		fmt.Fprintf(&b, "security %s %+v\n", name, d.Security[name])
	}
	for _, o := range d.Operations {
		renderOperation(&b, o)
	}
	for _, s := range d.Skipped {
		fmt.Fprintf(&b, "\nskipped %s %s: %s\n", s.Method, s.Path, s.Reason)
	}
	return b.String()
}

func renderOperation(b *strings.Builder, o *document.Operation) {
	fmt.Fprintf(b, "\n%s %s\n  query %q, id %q, summary %q, tags %q, deprecated %t, notifies %t\n", o.Method, o.Path, o.Query, o.ID, o.Summary, o.Tags, o.Deprecated, o.Notifies)
	fmt.Fprintf(b, "  servers %+v\n  security %q\n", o.Servers, o.Security)
	for _, p := range o.Parameters {
		fmt.Fprintf(b, "  %s %s: required %t, %+v, reserved %t, segments %t, content %q, %s\n", p.In, p.Name, p.Required, p.Style, p.Reserved, p.Segments, p.Content, p.Schema.Raw())
	}
	if o.Body != nil {
		fmt.Fprintf(b, "  body: required %t\n", o.Body.Required)
		renderMedia(b, o.Body.Media)
	}
	for _, r := range o.Responses {
		fmt.Fprintf(b, "  response %s %q\n", r.Status, r.Headers)
		renderMedia(b, r.Media)
	}
}

func renderMedia(b *strings.Builder, media []document.Media) {
	for _, m := range media {
		fmt.Fprintf(b, "    %s %s %s %+v\n", m.Type, m.Schema.Raw(), m.Item.Raw(), m.Encoding)
	}
}
