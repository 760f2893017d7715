package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

var update = flag.Bool("update", false, "rewrite docs/mutations.md")

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The list does not rot: every text is still there to be replaced, and every test to notice it.
func TestMutationsFitTheTree(t *testing.T) {
	t.Parallel()
	parity := read(t, "docs/parity.md")
	named := map[string]bool{}
	for _, m := range All() {
		area, _, _ := strings.Cut(m.Name, "/")
		if named[m.Name] || titles[area] == "" {
			t.Errorf("%s: the name is taken, or of no area", m.Name)
		}
		named[m.Name] = true
		if _, err := m.mutated(root); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if m.Row != "" && !strings.Contains(parity, "\n| "+m.Row+" | ") {
			t.Errorf("%s: docs/parity.md has no row %s", m.Name, m.Row)
		}
		if file, test, ok := strings.Cut(m.Test, ": "); !ok || !strings.Contains(read(t, file), "\nfunc "+test+"(") {
			t.Errorf("%s: there is no test %q", m.Name, m.Test)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	want := page(All())
	if *update {
		if err := os.WriteFile(filepath.Join(root, "docs/mutations.md"), []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, read(t, "docs/mutations.md")); diff != "" {
		t.Errorf("docs/mutations.md is not made from this list; run this test with -update (-want +got):\n%s", diff)
	}
}
