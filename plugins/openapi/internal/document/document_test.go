package document_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"empty":        {"", "the file is empty"},
		"blank":        {" \n", "the file is empty"},
		"no document":  {`{"a":1}`, `neither "openapi" nor "swagger"`},
		"a list":       {`[1]`, `neither "openapi" nor "swagger"`},
		"broken JSON":  {"{\n\"openapi\": \"3.0.0\",\n\"paths\": {,}}", "line 3"},
		"broken YAML":  {"openapi: 3.0.0\n  paths: {", "line 2"},
		"OpenAPI 4":    {`{"openapi":"4.0.0"}`, "version 4.0.0 of OpenAPI is not known here"},
		"OpenAPI 3.3":  {`{"openapi":"3.3.0"}`, "version 3.3.0 of OpenAPI is not known here"},
		"Swagger 1.2":  {`{"swagger":"1.2"}`, `version "1.2" of Swagger is not known here`},
		"alias bomb":   {bomb(), "the aliases make the document too large"},
		"endless YAML": {"a: &a {b: *a}", "contains itself"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, txtar.File{Name: "spec.yaml", Data: []byte(test.text)})
			_, err := document.Load(t.Context(), document.Folder(path))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// bomb is a YAML text of half a kilobyte that stands for terabytes.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 \"xxxxxxxxxxxxxxxxxxxx\"\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 20), ","))
	}
	return b.String()
}

// TestFolderIsTheBound: references reach nothing outside of the document's folder, by no way.
func TestFolderIsTheBound(t *testing.T) {
	t.Parallel()
	path := write(t,
		txtar.File{Name: "specs/api.yaml", Data: []byte(`{openapi: 3.0.0, paths: {
			/a: {$ref: parts/a.yaml}, /b: {$ref: ../secret.yaml}, /c: {$ref: link.yaml}, /d: {$ref: 'parts/../parts/a.yaml#/x'}, /e: {$ref: /etc/hostname}}}`)},
		txtar.File{Name: "specs/parts/a.yaml", Data: []byte(`{get: {operationId: a, parameters: [{$ref: '#/x/p'}]}, x: {put: {operationId: d}, p: {name: p, in: query}}}`)},
		txtar.File{Name: "secret.yaml", Data: []byte(`{get: {operationId: secret}}`)},
	)
	if err := os.Symlink("../secret.yaml", filepath.Join(filepath.Dir(path), "link.yaml")); err != nil {
		t.Fatal(err)
	}
	d, err := document.Load(t.Context(), document.Folder(path))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, o := range d.Operations {
		ids = append(ids, o.ID)
	}
	if got := strings.Join(ids, " "); got != "a d" {
		t.Errorf("operations %q, want a and d", got)
	}
	if len(d.Skipped) != 3 {
		t.Errorf("%d paths are skipped, want 3: %+v", len(d.Skipped), d.Skipped)
	}
}

// TestOriginIsTheBound: a document from the web refers to its own origin only.
func TestOriginIsTheBound(t *testing.T) {
	t.Parallel()
	var asked []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.Path) }))
	t.Cleanup(other.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/api.json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"openapi":"3.1.0","paths":{"/a":{"$ref":"parts.json#/a"},"/b":{"$ref":"%s/x.json"},"/c":{"$ref":"/v1/parts.json#/c"},"/d":{"$ref":"none.json"}}}`, other.URL)
	})
	mux.HandleFunc("/v1/parts.json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"a":{"get":{"operationId":"a"}},"c":{"get":{"operationId":"c"}}}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	entry, err := url.Parse(server.URL + "/v1/api.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.Load(t.Context(), document.Origin(entry, server.Client()))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Operations) != 2 || len(d.Skipped) != 2 || len(asked) != 0 {
		t.Errorf("%d operations, skipped %+v, the other server was asked for %q", len(d.Operations), d.Skipped, asked)
	}
	entry.Path = "/nothing"
	if _, err := document.Load(t.Context(), document.Origin(entry, server.Client())); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := document.Load(ctx, document.Origin(entry, server.Client())); err == nil {
		t.Error("a cancelled load succeeds")
	}
}

// TestSum: one file has the sum that sha256sum gives, and every file counts.
func TestSum(t *testing.T) {
	t.Parallel()
	one := txtar.File{Name: "a.json", Data: []byte(`{"openapi":"3.0.0"}`)}
	hash := sha256.Sum256(one.Data)
	if got, want := load(t, one).Sum, hex.EncodeToString(hash[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	two := txtar.File{Name: "a.json", Data: []byte(`{"openapi":"3.0.0","paths":{"/a":{"$ref":"b.json"}}}`)}
	b := txtar.File{Name: "b.json", Data: []byte(`{}`)}
	changed := txtar.File{Name: "b.json", Data: []byte(`{ }`)}
	first, again := load(t, two, b), load(t, two, b)
	if first.Sum != again.Sum || first.Sum == load(t, two, changed).Sum {
		t.Error("the second file does not count")
	}
}

func TestServerAddress(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://docs.example.com/specs/v1/api.json")
	if err != nil {
		t.Fatal(err)
	}
	regions := map[string]document.Variable{"region": {Default: "eu", Enum: []string{"eu", "us"}}, "open": {}}
	tests := map[string]struct {
		url       string
		base      *url.URL
		variables map[string]string
		want      string // an error's, if it is no address
	}{
		"absolute":        {"https://a.example/v1/", nil, nil, "https://a.example/v1"},
		"default":         {"https://{region}.example", nil, nil, "https://eu.example"},
		"given":           {"https://{region}.example", nil, map[string]string{"region": "us"}, "https://us.example"},
		"not in enum":     {"https://{region}.example", nil, map[string]string{"region": "mars"}, `has no region "mars"; it has eu, us`},
		"no value":        {"https://{open}.example", nil, nil, `needs a value for "open"`},
		"relative":        {"../v2", base, nil, "https://docs.example.com/specs/v2"},
		"rooted":          {"/v2", base, nil, "https://docs.example.com/v2"},
		"root":            {"/", base, nil, "https://docs.example.com"},
		"relative, alone": {"/v2", nil, nil, "set base_url"},
		"other scheme":    {"ftp://a.example", nil, nil, "set base_url"},
		"query":           {"https://a.example/v1?x=1#y", nil, nil, "https://a.example/v1"},
		"no URL":          {"https://a b:c", nil, nil, "is no URL"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := document.Server{URL: test.url, Variables: regions}.Address(test.variables, test.base)
			if err != nil {
				got = err.Error()
			}
			if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzLoad: whatever a file holds, it is read or refused.
func FuzzLoad(f *testing.F) {
	f.Add(`{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/paths/~1a"}]}}}}`)
	f.Add("swagger: '2.0'\npaths: {/a: {post: {parameters: [{in: formData, name: f, type: file}]}}}")
	f.Add("openapi: 3.1.0\nx: &x {<<: *x}\n")
	f.Add(`{"openapi":"3.1.0","paths":{"/{a":{"$ref":"x#/%zz/~2"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "api")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := document.Load(t.Context(), document.Folder(path))
		if (d == nil) == (err == nil) {
			t.Errorf("document %v, error %v", d, err)
		}
	})
}

// TestNoSuchFile: an operator is told which file is missing.
func TestNoSuchFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"):         "there is no file " + filepath.Join(dir, "none.yaml"),
		filepath.Join(dir, "none", "none.yaml"): "there is no folder " + filepath.Join(dir, "none"),
	} {
		if _, err := document.Load(t.Context(), document.Folder(path)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
