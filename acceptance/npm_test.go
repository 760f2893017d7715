package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

const npmGolden = "testdata/npm.txtar"

// npmServer is an unmodified MCP server from npm.
type npmServer struct {
	pkg  string
	args func(dir string) []string
	env  func(dir string) map[string]string
	more string // attributes of the connector's config
}

func noArgs(string) []string         { return nil }
func noEnv(string) map[string]string { return nil }
func onlyDir(dir string) []string    { return []string{dir} }
func database(string) []string       { return []string{os.Getenv("CODEMODE_TEST_POSTGRES")} }
func memory(d string) map[string]string {
	return map[string]string{"MEMORY_FILE_PATH": d + "/memory.jsonl"}
}

func gitUser(dir string) map[string]string {
	return map[string]string{
		"HOME": dir, "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_COMMITTER_NAME": "Ann",
		"GIT_COMMITTER_EMAIL": "ann@example.com", "GIT_SIGN_COMMITS": "false", "LOGS_DIR": dir + "/.git/logs-of-server",
	}
}

// npmServers are they, by the name of their program.
var npmServers = map[string]npmServer{
	"everything": {"@modelcontextprotocol/server-everything", noArgs, noEnv, ""},
	"asking":     {"@modelcontextprotocol/server-everything", noArgs, noEnv, "answers = { name = \"Ada\", check = true, firstLine = \"Call me Ada.\" }\n"},
	"memory":     {"@modelcontextprotocol/server-memory", noArgs, memory, ""},
	"thinking":   {"@modelcontextprotocol/server-sequential-thinking", noArgs, noEnv, ""},
	"filesystem": {"@modelcontextprotocol/server-filesystem", onlyDir, noEnv, ""},
	"git":        {"@cyanheads/git-mcp-server", noArgs, gitUser, ""},
	"postgres":   {"@modelcontextprotocol/server-postgres", database, noEnv, ""},
}

// npmScript returns the script that runs a server.
func npmScript(t *testing.T, pkg string) string {
	t.Helper()
	path, err := filepath.Abs("node/node_modules/" + pkg + "/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the npm package %s is not installed (make node)", pkg)
	}
	return path
}

// TestNPMServers: what programs get of the tools of real servers.
func TestNPMServers(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(npmGolden)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	got := map[string]string{}
	t.Run("servers", func(t *testing.T) {
		for _, f := range archive.Files {
			name, isProgram := strings.CutSuffix(f.Name, ".js")
			if !isProgram {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := npmServers[name]
				script := npmScript(t, server.pkg)
				if name == "postgres" && os.Getenv("CODEMODE_TEST_POSTGRES") == "" {
					t.Skip("CODEMODE_TEST_POSTGRES names no database")
				}
				dir := realDir(t)
				all := map[string]string{"PATH": os.Getenv("PATH")}
				for variable, value := range server.env(dir) {
					all[variable] = value
				}
				config := fmt.Sprintf("command = \"node\"\nargs = %s\nenv = %s\n", hclJSON(t, append([]string{script}, server.args(dir)...)), hclJSON(t, all)) + server.more
				table := exercise(t, config, string(f.Data), dir)
				mu.Lock()
				defer mu.Unlock()
				got[name] = table
				if want := golden(archive, name); !*update {
					if diff := cmp.Diff(want, table); diff != "" {
						t.Error(diff)
					}
				}
			})
		}
	})
	if *update {
		renew(t, archive, got)
	}
}

// TestNPMServerOverHTTP: over HTTP a server's tools give what they give over stdio.
func TestNPMServerOverHTTP(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(npmGolden)
	if err != nil {
		t.Fatal(err)
	}
	script := npmScript(t, npmServers["everything"].pkg)
	for mode, config := range map[string]string{
		"streamableHttp": "url = \"http://%s/mcp\"\n",
		"sse":            "url = \"http://%s/sse\"\ntransport = \"sse\"\n",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			address := serveNPM(t, script, mode)
			table := exercise(t, fmt.Sprintf(config, address), program(archive, "everything"), realDir(t))
			if diff := cmp.Diff(golden(archive, "everything"), table); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// serveNPM starts a server that listens, and returns its address.
func serveNPM(t *testing.T, script, mode string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command("node", script, mode)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PORT=" + port}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("node does not start: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it reports the kill
	})
	go func() { // ends with the process
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
		}
	}()
	for deadline := time.Now().Add(30 * time.Second); ; {
		resp, err := http.Get("http://" + address + "/none")
		if err == nil {
			_ = resp.Body.Close()
			return address
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not listen: %v", err)
		}
		time.Sleep(20 * time.Millisecond) // the poll's pause; what counts is the answer
	}
}

// exercise runs the calls of a program against a server, and returns a line for each.
func exercise(t *testing.T, config, calls, dir string) string {
	t.Helper()
	s := newSite(t, fmt.Sprintf("connector \"npm\" {\n  plugin = %q\n  config {\n%s  }\n  rule {\n    effect = \"allow\"\n  }\n}\n",
		filepath.Join(bin, "codemode-connector-mcp"), config))
	s.write("program.js", `
const rows = [];
const call = async (method, args) => {
  try { rows.push([method, await env.npm[method](args)]); }
  catch (e) { rows.push([method, "threw: " + e.message]); }
};
`+calls+`
const left = Object.keys(env.npm).filter((name) => !rows.some(([method]) => method === name)).sort();
return left.length > 0 ? [...rows, ["not called:", left]] : rows;
`)
	input, err := json.Marshal(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.write("input.json", string(input))
	done := s.outcome(0, "run", "program.js", "--input", "@input.json")
	var rows [][]json.RawMessage
	if err := json.Unmarshal(done.Result, &rows); err != nil {
		t.Fatalf("%v: %s", err, done.Result)
	}
	var table strings.Builder
	for _, row := range rows {
		value := "undefined"
		if len(row) > 1 {
			value = compact(t, row[1])
		}
		fmt.Fprintf(&table, "%s %s\n", bytes.Trim(row[0], `"`), steady(value, dir))
	}
	return table.String()
}

// differing is what differs from run to run, or is too long to show.
var differing = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\{"\$bytes":"[^"]{60,}"\}`), "$$BYTES"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| ?[+-]\d\d:?\d\d)`), "$$TIME"},
	{regexp.MustCompile(`(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d{4} [0-9:]+ GMT[+-]\d{4} \([^)]*\)`), "$$TIME"},
	{regexp.MustCompile(`\d{1,2}:\d\d:\d\d ([AP]M|[ap]m)`), "$$TIME"},
	{regexp.MustCompile(`for session (undefined|[0-9a-f-]{36})`), "for session $$SESSION"},
	{regexp.MustCompile(`"timestamp":\d+`), `"timestamp":$$TIME`},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "$$HASH"},
	{regexp.MustCompile(`"(shortHash|abbreviatedHash|hash|commit)":"[0-9a-f]{7,12}"`), `"$1":"$$HASH"`},
	{regexp.MustCompile(`,"PORT":"\d+"`), ""}, // of a server that listens
	{regexp.MustCompile(`"PATH":"[^"]*"|\\"PATH\\": ?\\".*?\\"`), `"PATH":"$$PATH"`},
}

// steady returns a value without what differs.
func steady(value, dir string) string {
	value = strings.ReplaceAll(value, dir, "$DIR")
	for _, d := range differing {
		value = d.what.ReplaceAllString(value, d.name)
	}
	return value
}

// realDir is a temporary folder without a symbolic link in its path.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// hclJSON returns a value in JSON, which HCL reads.
func hclJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func program(a *txtar.Archive, name string) string { return fileOf(a, name+".js") }
func golden(a *txtar.Archive, name string) string  { return fileOf(a, name+".want") }

func fileOf(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// renew writes the golden file with what came; what was skipped stays.
func renew(t *testing.T, old *txtar.Archive, got map[string]string) {
	t.Helper()
	renewed := &txtar.Archive{Comment: old.Comment}
	for _, f := range old.Files {
		name, isProgram := strings.CutSuffix(f.Name, ".js")
		if !isProgram {
			continue
		}
		table, ran := got[name]
		if !ran {
			table = golden(old, name)
		}
		renewed.Files = append(renewed.Files, f, txtar.File{Name: name + ".want", Data: []byte(table)})
	}
	if err := os.WriteFile(npmGolden, txtar.Format(renewed), 0o644); err != nil {
		t.Fatal(err)
	}
}
