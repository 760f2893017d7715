package request_test

import (
	"encoding/json"
	"errors"
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

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares requests byte by byte. The first file of an archive is a
// document, the second has calls, one a line: the method and its arguments.
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
			methods := load(t, archive.Files[0])
			var got strings.Builder
			for line := range strings.Lines(string(archive.Files[1].Data)) {
				name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
				if methods[name] == nil {
					t.Fatalf("there is no method %s", name)
				}
				fmt.Fprintf(&got, "> %s> %s\n\n", line, render(t, &methods[name].Request, args))
			}
			if *update {
				archive.Files = append(archive.Files[:2], txtar.File{Name: "want", Data: []byte(got.String())})
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[2].Data), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// load reads a document's methods by name.
func load(t *testing.T, f txtar.File) map[string]*operation.Method {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(path, f.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := document.Load(t.Context(), document.Folder(path))
	if err != nil {
		t.Fatal(err)
	}
	set := operation.Methods(d, operation.Options{})
	if len(set.Skipped) > 0 {
		t.Fatalf("skipped: %+v", set.Skipped)
	}
	methods := map[string]*operation.Method{}
	for _, m := range set.Methods {
		methods[m.Name] = m
	}
	return methods
}

// render writes a request down, or the error in its place.
func render(t *testing.T, template *request.Template, args string) string {
	t.Helper()
	r, err := template.Build(json.RawMessage(args))
	if err != nil {
		if told, ok := errors.AsType[*sdk.Error](err); !ok || told.Code != sdk.InvalidArgument {
			t.Errorf("%s: the error is %v", args, err)
		}
		return "error " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Method, r.URL)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if name != "Accept" {
			fmt.Fprintf(&b, "\n%s: %s", name, strings.Join(r.Header[name], " | "))
		}
	}
	if r.Body != nil {
		fmt.Fprintf(&b, "\n\n%s", strings.ReplaceAll(string(r.Body), "\r\n", "\n"))
	}
	return b.String()
}

// FuzzPath: whatever a path value is, the request stays below the template's own segments.
func FuzzPath(f *testing.F) {
	for _, value := range []string{"a", "..", "../x", "a/../../b", `..\x`, "%2e%2e", ".", "", "a?b#c", "..;a", "é", "\x00", "/", "a/b"} {
		f.Add(value, false)
		f.Add(value, true)
	}
	f.Fuzz(func(t *testing.T, value string, segments bool) {
		args, err := json.Marshal(map[string]string{"id": value})
		if err != nil {
			t.Fatal(err)
		}
		template := request.Template{
			Method: "GET", Server: "https://api.example.com", Path: "/v1/things/{id}/parts",
			Parameters: []request.Parameter{{Argument: "id", Name: "id", In: "path", Required: true, Style: document.Style{Name: "simple"}, Segments: segments}},
		}
		r, err := template.Build(args)
		if err != nil {
			return
		}
		rest, ok := strings.CutPrefix(r.URL, "https://api.example.com/v1/things/")
		inner, ends := strings.CutSuffix(rest, "/parts")
		if !ok || !ends || inner == "" && !segments || strings.ContainsAny(inner, "?#\\") || !segments && strings.Contains(inner, "/") {
			t.Errorf("%q becomes %s", value, r.URL)
		}
		if inner == "" && segments && value == "" {
			return // the root of a tree
		}
		for segment := range strings.SplitSeq(inner, "/") {
			if segment == "" || segment == "." || segment == ".." {
				t.Errorf("%q becomes %s", value, r.URL)
			}
		}
	})
}
