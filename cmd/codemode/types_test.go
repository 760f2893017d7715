package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

func TestTypes(t *testing.T) {
	t.Parallel()
	var asked []string
	host := &service{types: func(names []string) (*core.Types, error) {
		asked = names
		return &core.Types{Text: "declare const a: any;\n", Unavailable: []catalog.Unavailable{{Connector: "b", Reason: "it cannot be started"}}}, nil
	}}
	s := newStage(host)
	s.does(t, 0, "types", "a", "b")
	if s.out.String() != "declare const a: any;\n" {
		t.Errorf("stdout %q", &s.out)
	}
	says(t, &s.err, "Connector b is not available, and is declared without its methods: it cannot be started")
	if diff := cmp.Diff([]string{"a", "b"}, asked); diff != "" {
		t.Error(diff)
	}

	path := filepath.Join(t.TempDir(), "codemode.d.ts")
	s = newStage(host)
	s.does(t, 0, "types", "--out", path)
	if text, err := os.ReadFile(path); err != nil || string(text) != "declare const a: any;\n" || s.out.Len() > 0 {
		t.Errorf("%q, %v, stdout %q", text, err, &s.out)
	}
}
