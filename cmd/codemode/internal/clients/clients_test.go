package clients

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

var server = Server{Name: "codemode", Command: `/opt/code "mode"/codemode`, Args: []string{"mcp", "--config", `/home/ada/ö<&>\.hcl`}}

// TestTexts shows what each client is told, as a file of its own.
func TestTexts(t *testing.T) {
	t.Parallel()
	var a txtar.Archive
	for _, name := range Names() {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(Text(name, server))})
	}
	golden(t, "testdata/texts.txtar", &a)
}

func golden(t *testing.T, path string, a *txtar.Archive) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(a))); diff != "" {
		t.Error(diff)
	}
}

// TestMerges shows what becomes of files that are there already.
func TestMerges(t *testing.T) {
	t.Parallel()
	var a txtar.Archive
	for _, tc := range []struct{ name, client, old string }{
		{"empty", "cursor", ""},
		{"empty object", "cursor", "{}"},
		{"other settings", "gemini", "{\n  \"theme\": \"dark\"\n}\n"},
		{"other servers", "cursor", "{\n  \"mcpServers\": {\n    \"memory\": {\n      \"command\": \"npx\"\n    }\n  },\n  \"last\": 1\n}\n"},
		{"no servers yet", "cursor", `{"mcpServers":{}}`},
		{"an older entry", "cursor", "{\n  \"mcpServers\": {\n    \"codemode\": {\"command\": \"old\"},\n    \"x\": {}\n  }\n}\n"},
		{"comments", "zed", "// mine\n{\n  \"theme\": \"One\", // nice\n  \"context_servers\": {\n    // none yet\n  },\n}\n"},
		{"trailing comma", "zed", "{\n  \"context_servers\": {\n    \"a\": {},\n  },\n}\n"},
		{"toml", "codex", "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n"},
		{"toml without its end", "codex", `model = "x"`},
	} {
		path := filepath.Join(t.TempDir(), "deep", "config")
		if tc.old != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tc.old), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		if changed, err := Write(tc.client, path, server); err != nil || !changed {
			t.Errorf("%s: %v, %v", tc.name, changed, err)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if tc.client != "codex" {
			if v, err := hujson.Parse(text); err != nil || tc.client != "zed" && !v.IsStandard() {
				t.Errorf("%s: it has become no JSON: %v\n%s", tc.name, err, text)
			}
		}
		if info, err := os.Stat(path); err == nil && tc.old != "" && runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v", tc.name, info.Mode())
		}
		if changed, err := Write(tc.client, path, server); err != nil || changed {
			t.Errorf("%s again: %v, %v", tc.name, changed, err)
		}
		a.Files = append(a.Files, txtar.File{Name: tc.name, Data: text})
	}
	golden(t, "testdata/merges.txtar", &a)
}

// TestUnmergeable leaves files alone that are not what they should be.
func TestUnmergeable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ client, old, says string }{
		"no JSON":       {"cursor", "{", "not JSON"},
		"a list":        {"cursor", "[]", "no JSON object"},
		"servers":       {"cursor", `{"mcpServers": []}`, `"mcpServers" is no JSON object`},
		"another table": {"codex", "[ mcp_servers.codemode ]\ncommand = \"x\"\n", "by hand"},
	} {
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, []byte(tc.old), 0o600); err != nil {
			t.Fatal(err)
		}
		changed, err := Write(tc.client, path, server)
		if err == nil || changed || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, %v", name, changed, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != tc.old {
			t.Errorf("%s: it has become %q, %v", name, text, err)
		}
	}
}

// TestLinksAreFollowed keeps a configuration that is a link to a file elsewhere.
func TestLinksAreFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if _, err := Write("cursor", link, server); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(real); err != nil || !strings.Contains(string(text), "mcpServers") {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	given := func(dir string) func() (string, error) { return func() (string, error) { return dir, nil } }
	s := Surroundings{Getenv: func(string) string { return "" }, Home: given("/h"), ConfigDir: given("/c"), WorkDir: given("/w")}
	for client, want := range map[string]string{
		"claude-code": "/w/.mcp.json", "claude-desktop": "/c/Claude/claude_desktop_config.json", "codex": "/h/.codex/config.toml",
		"cursor": "/h/.cursor/mcp.json", "gemini": "/h/.gemini/settings.json", "opencode": "/h/.config/opencode/opencode.json",
		"vscode": "/w/.vscode/mcp.json", "windsurf": "/h/.codeium/windsurf/mcp_config.json",
	} {
		if got, err := Path(client, s); err != nil || filepath.ToSlash(got) != want {
			t.Errorf("%s: %s, %v, want %s", client, got, err, want)
		}
	}
	s.Home = func() (string, error) { return "", fmt.Errorf("no home") }
	if _, err := Path("cursor", s); err == nil || !strings.Contains(err.Error(), "configuration of cursor") {
		t.Errorf("without a home: %v", err)
	}
	s.Getenv = func(name string) string { return "/env/" + name }
	if got, err := Path("codex", s); err != nil || filepath.ToSlash(got) != "/env/CODEX_HOME/config.toml" {
		t.Errorf("codex: %s, %v", got, err)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add(`{"mcpServers": {"codemode": 1}}`)
	f.Add("// x\n{\"a\": [1,],}")
	c := find("cursor")
	f.Fuzz(func(t *testing.T, old string) {
		text, err := c.merged([]byte(old), server)
		if err != nil {
			return
		}
		again, err := c.merged(text, server)
		if err != nil || string(again) != string(text) {
			t.Errorf("%q became %q, and then %q, %v", old, text, again, err)
		}
	})
}
