package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	unformatted = "runtime {\nname=\"a\"\n}\n"
	formatted   = "runtime {\n  name = \"a\"\n}\n"
)

func TestFmt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, after map[string]string
		args          string
		code          int
		says          []string
	}{
		"in place": {
			map[string]string{"a.hcl": unformatted, "b.hcl": formatted}, map[string]string{"a.hcl": formatted, "b.hcl": formatted},
			"fmt", 0, []string{"a.hcl\n"},
		},
		"nothing to do": {map[string]string{"a.hcl": formatted}, map[string]string{"a.hcl": formatted}, "fmt --json", 0, []string{`"files": []`, `"changed": false`}},
		"told as JSON":  {map[string]string{"a.hcl": unformatted}, map[string]string{"a.hcl": formatted}, "fmt --json", 0, []string{"a.hcl", `"changed": true`}},
		"check":         {map[string]string{"a.hcl": unformatted}, map[string]string{"a.hcl": unformatted}, "fmt --check", 1, []string{"a.hcl\n"}},
		"check is fine": {map[string]string{"a.hcl": formatted}, map[string]string{"a.hcl": formatted}, "fmt --check", 0, nil},
		"one is broken": {
			map[string]string{"a.hcl": unformatted, "b.hcl": "runtime {"}, map[string]string{"a.hcl": unformatted, "b.hcl": "runtime {"}, "fmt", 2, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range tc.before {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			s := newStage(&service{})
			s.does(t, tc.code, append(strings.Fields(tc.args), "--config", dir)...)
			says(t, &s.out, tc.says...)
			if s.opened > 0 {
				t.Error("it has opened the host")
			}
			if diff := cmp.Diff(tc.after, texts(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// texts reads all that is in a folder.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		m[e.Name()] = string(text)
	}
	return m
}

func TestFmtKeepsModesAndLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link.hcl")
	if err := os.WriteFile(target, []byte(unformatted), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	s := newStage(&service{})
	s.does(t, 0, "fmt", "--config", link)
	if to, err := os.Readlink(link); err != nil || to != target {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v, want mode 0640", info, err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != formatted {
		t.Errorf("%q, %v", text, err)
	}
}

// TestFmtOfTheWorkingFolder finds the configuration as all commands do.
func TestFmtOfTheWorkingFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("CODEMODE_CONFIG", "")
	if err := os.WriteFile(filepath.Join(dir, "codemode.hcl"), []byte(unformatted), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStage(&service{})
	s.does(t, 1, "fmt", "--check")
	s.does(t, 0, "fmt")
	s.does(t, 0, "fmt", "--check")
}
