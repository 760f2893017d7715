package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/core/config"
)

func TestLoadExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../config.hcl.example")
	if err != nil {
		t.Fatal(err)
	}
	c := mustLoad(t, string(text), optionsOf("env GITHUB_TOKEN="+planted+"\nenv PATH=/bin"))
	if len(c.Connectors) == 0 || len(c.Connectors[0].Rules) == 0 {
		t.Error("the example shows no connector with rules")
	}
}

func TestLoadWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := config.Load(filepath.Join(t.TempDir(), "none.hcl"), config.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := config.Load(t.TempDir(), config.Options{}); err == nil || !strings.Contains(err.Error(), "no *.hcl file") {
		t.Errorf("got %v", err)
	}
}

func TestDefaultData(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ at, text, env, want string }{
		"beside the file":               {"p/codemode.hcl", "", "", "p/.codemode"},
		"beside the directory":          {"p/codemode.d", "", "", "p/.codemode"},
		"beside a directory elsewhere":  {"p/conf/prod", "", "", "p/conf/.codemode"},
		"a relative one":                {"p/codemode.d", `runtime { data = "../d" }`, "", "d"},
		"the user's, by the variable":   {"user/codemode/codemode.hcl", "", "XDG_STATE_HOME=$DIR/state", "state/codemode"},
		"the user's, a relative state":  {"user/codemode/codemode.d", "", "XDG_STATE_HOME=state", "home/.local/state/codemode"},
		"the user's":                    {"user/codemode/codemode.d", "", "", "home/.local/state/codemode"},
		"the user's, a data of its own": {"user/codemode/codemode.hcl", `runtime { data = "d" }`, "", "user/codemode/d"},
		"below the user's folder":       {"user/codemode/sub/codemode.hcl", "", "", "user/codemode/sub/.codemode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && strings.HasPrefix(name, "the user's") {
				t.Skip("other systems keep a user's state elsewhere")
			}
			dir := t.TempDir()
			path := filepath.Join(dir, tc.at)
			file := path
			if !strings.HasSuffix(path, ".hcl") {
				file = filepath.Join(path, "a.hcl")
			}
			write(t, file, []byte(tc.text))
			o := optionsOf("env HOME=" + dir + "/home\nenv " + strings.ReplaceAll(tc.env, "$DIR", dir))
			o.UserConfigDir = filepath.Join(dir, "user")
			c, err := config.Load(path, o)
			if err != nil {
				t.Fatal(err)
			}
			if c.Runtime.Data != filepath.Join(dir, tc.want) {
				t.Errorf("got %s", c.Runtime.Data)
			}
			if c.Path != path || c.Dir != filepath.Dir(path) {
				t.Errorf("got path %s, folder %s", c.Path, c.Dir)
			}
		})
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	const text = `
		variable "org" { default = "acme" }
		variable "password" { sensitive = true }
		connector "github" {
		  plugin = "github"
		  config { token = env("SECRET") }
		}`
	base := mustLoad(t, text, optionsOf("var password=one")).Fingerprint()
	for name, tc := range map[string]struct {
		text, options string
		same          bool
	}{
		"another place":            {text, "var password=one", true},
		"another secret":           {text, "var password=two\nenv SECRET=other", true},
		"a guest without any":      {text, "guest", true},
		"the default, given":       {text, "var password=one\nvar org=acme", true},
		"another variable":         {text, "var password=one\nvar org=evil", false},
		"a variable of the system": {text, "var password=one\nenv CODEMODE_VAR_org=evil", false},
		"another text":             {text + "\n", "var password=one", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := mustLoad(t, tc.text, optionsOf(tc.options)).Fingerprint(); (got == base) != tc.same {
				t.Errorf("same is %v, want %v", got == base, tc.same)
			}
		})
	}
}

func TestFingerprintKnowsItsFiles(t *testing.T) {
	t.Parallel()
	of := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			write(t, filepath.Join(dir, "codemode.d", name), []byte(text))
		}
		c, err := config.Load(filepath.Join(dir, "codemode.d"), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Fingerprint()
	}
	seen := map[string]int{}
	for i, files := range []map[string]string{
		{"a.hcl": "#1\n#2\n"}, {"b.hcl": "#1\n#2\n"}, {"a.hcl": "#1\n", "b.hcl": "#2\n"}, {"a.hcl": "", "b.hcl": "#1\n#2\n"},
	} {
		print := of(files)
		if before, ok := seen[print]; ok {
			t.Errorf("configurations %d and %d have one fingerprint", before, i)
		}
		seen[print] = i
	}
}

// A guest knows less of a condition than its host, and must not find fault with what the host never reaches.
func TestGuestTakesWhatItsHostTakes(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		`local.strict && tonumber("x") > 1`, `tonumber("x") > 1 && local.strict && caller == "x"`, `caller == "x" && (local.strict && caller == 5)`,
		`!local.strict || caller == 5`, `local.strict ? tonumber("x") > 1 : true`,
	} {
		text := `
			locals {
			  strict = env("SECRET") == "strict"
			}
			connector "x" {
			  plugin = "x"
			  rule {
			    effect = "deny"
			    when   = ` + expression + `
			  }
			}`
		for _, options := range []string{"", "guest"} {
			if _, err := load(t, text, optionsOf(options)); err != nil {
				t.Errorf("%s: %q: %v", expression, options, err)
			}
		}
	}
}

func TestErrorIsStructured(t *testing.T) {
	t.Parallel()
	_, err := load(t, "runtime {\n  nam = 1\n}\n", config.Options{})
	var e *config.Error
	if !errors.As(err, &e) || len(e.Diagnostics) != 1 {
		t.Fatalf("got %v", err)
	}
	d := e.Diagnostics[0]
	if d.File != "codemode.hcl" || d.Line != 2 || d.Column != 3 || len(d.Snippet) != 1 || !strings.Contains(d.Detail, `"name"`) {
		t.Errorf("got %+v", d)
	}
}

func TestSnippetIsBounded(t *testing.T) {
	t.Parallel()
	_, err := load(t, "runtime {\n  data = [\n"+strings.Repeat("    1,\n", 50)+"  ]\n}\n", config.Options{})
	var e *config.Error
	if !errors.As(err, &e) || len(e.Diagnostics[0].Snippet) != 5 {
		t.Errorf("got %v", err)
	}
}

// goldenTexts are the configurations of the golden files.
func goldenTexts(t testing.TB) []string {
	t.Helper()
	golden, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, path := range golden {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".hcl") {
				texts = append(texts, string(f.Data))
			}
		}
	}
	return texts
}

// FuzzLoad loads what is no configuration most of the time. It must not panic,
// and it must not show the secrets that the environment holds.
func FuzzLoad(f *testing.F) {
	for _, text := range goldenTexts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "planted") {
			t.Skip("the secret is in the text itself")
		}
		c, err := load(t, text, optionsOf(""))
		if err != nil && strings.Contains(err.Error(), planted) {
			t.Errorf("the error shows a secret: %v", err)
		}
		if c != nil && strings.Contains(fmt.Sprintf("%v %+v", c, c), planted) {
			t.Error("the configuration prints a secret")
		}
		if c != nil {
			for _, connector := range c.Connectors {
				if err := connector.Validate([]byte(`{"additionalProperties": {"type": "array"}}`)); err != nil && strings.Contains(err.Error(), planted) {
					t.Errorf("validation shows a secret: %v", err)
				}
			}
		}
	})
}
