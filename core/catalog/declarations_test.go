package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"
)

func TestDeclarations(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "declarations.d.ts")
	got, err := sample().Declarations(nil)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
	if parsed := api.Transform(got, api.TransformOptions{Loader: api.LoaderTS}); len(parsed.Errors) > 0 {
		t.Errorf("it is no TypeScript: %v", parsed.Errors)
	}
}

func TestDeclarationsOfSome(t *testing.T) {
	t.Parallel()
	one, err := sample().Declarations([]string{"mail"})
	all, _ := sample().Declarations(nil)
	if err != nil || len(one) >= len(all) {
		t.Errorf("%d of %d characters, %v", len(one), len(all), err)
	}
	var unknown *NotFoundError
	if _, err := sample().Declarations([]string{"mial"}); !errors.As(err, &unknown) || !unknown.NoConnector {
		t.Errorf("an unknown namespace: %v", err)
	}
}
