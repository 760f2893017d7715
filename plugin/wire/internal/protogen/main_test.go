package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommittedCodeIsCurrent holds the committed code against the contract.
func TestCommittedCodeIsCurrent(t *testing.T) {
	t.Parallel()
	const wire = "../.."
	want, err := generate(t.Context(), wire)
	if err != nil {
		t.Fatal(err)
	}
	var wantNames []string
	for name := range want {
		wantNames = append(wantNames, filepath.Join(wire, name))
	}
	committed, err := filepath.Glob(filepath.Join(wire, "pb", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(committed) != len(wantNames) {
		t.Errorf("plugin/wire/pb holds %v, the generators write %v", committed, wantNames)
	}
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(wire, name))
		if err != nil {
			t.Errorf("%v: run go generate ./plugin/wire", err)
			continue
		}
		if diff := cmp.Diff(string(content), string(got)); diff != "" {
			t.Errorf("%s is out of date: run go generate ./plugin/wire (-want +got):\n%s", name, diff)
		}
	}
}
