package config_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/config"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files     []string
		flag, env string
		want      string
		looked    []string // of the error
		fails     bool
	}{
		"the flag wins":               {files: []string{"x/a.hcl", "x/b.hcl", "here/codemode.hcl"}, flag: "../x/a.hcl", env: "../x/b.hcl", want: "x/a.hcl"},
		"then the variable":           {files: []string{"x/b.hcl", "here/codemode.hcl"}, env: "../x/b.hcl", want: "x/b.hcl"},
		"then the file here":          {files: []string{"here/codemode.hcl", "user/codemode/codemode.hcl"}, want: "here/codemode.hcl"},
		"or the directory here":       {files: []string{"here/codemode.d/a.hcl", "user/codemode/codemode.hcl"}, want: "here/codemode.d"},
		"then the user's file":        {files: []string{"user/codemode/codemode.hcl"}, want: "user/codemode/codemode.hcl"},
		"or the user's directory":     {files: []string{"user/codemode/codemode.d/a.hcl"}, want: "user/codemode/codemode.d"},
		"a flag may name a directory": {files: []string{"x/a.hcl"}, flag: "../x", want: "x"},
		"a flag that names nothing":   {files: []string{"here/codemode.hcl"}, flag: "none.hcl", looked: []string{"here/none.hcl"}},
		"a variable likewise":         {files: []string{"here/codemode.hcl"}, env: "none.hcl", looked: []string{"here/none.hcl"}},
		"both a file and a directory": {files: []string{"here/codemode.hcl", "here/codemode.d/a.hcl"}, fails: true},
		"nothing anywhere": {looked: []string{
			"here/codemode.hcl", "here/codemode.d", "user/codemode/codemode.hcl", "user/codemode/codemode.d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, f := range tc.files {
				write(t, filepath.Join(dir, f), nil)
			}
			env := func(name string) string {
				if name == "CODEMODE_CONFIG" {
					return tc.env
				}
				return ""
			}
			got, err := config.Find(tc.flag, env, filepath.Join(dir, "here"), filepath.Join(dir, "user"))
			var missing *config.NotFoundError
			switch {
			case errors.As(err, &missing):
				var looked []string
				for _, p := range missing.Looked {
					rel, _ := filepath.Rel(dir, p)
					looked = append(looked, rel)
				}
				if diff := cmp.Diff(tc.looked, looked); diff != "" {
					t.Error(diff)
				}
			case err != nil:
				if !tc.fails {
					t.Error(err)
				}
			case got != filepath.Join(dir, tc.want) || tc.want == "":
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestFindWithoutAUserFolder(t *testing.T) {
	t.Parallel()
	_, err := config.Find("", func(string) string { return "" }, t.TempDir(), "")
	var missing *config.NotFoundError
	if !errors.As(err, &missing) || len(missing.Looked) != 2 {
		t.Errorf("got %v", err)
	}
}
