// Package acceptance tests the built binaries as their users run them: real
// plugin processes, a real journal on disk, real kills.
package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// bin is the folder of the binaries under test.
var bin string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

// buildAndRun builds what the tests run.
func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "codemode-acceptance-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	bin = dir
	for name, pkg := range map[string]string{
		"codemode":                   "../cmd/codemode",
		"codemode-connector-github":  "../plugins/github",
		"codemode-connector-mcp":     "../plugins/mcp",
		"codemode-connector-tracker": "../examples/tracker",
		"codemode-connector-counter": "./counter",
	} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := build.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	return m.Run(), nil
}

// site is a folder with a configuration and a journal.
type site struct {
	t   *testing.T
	dir string
}

// newSite makes a site whose decisions need no terminal.
func newSite(t *testing.T, config string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	s.write("codemode.hcl", "approvals {\n  unattended = true\n}\n"+config)
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, text string) string {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.path(name)
}

// command is a run of codemode in the site's folder.
func (s *site) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "codemode"), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	return cmd
}

// answer is what a command printed and how it ended.
type answer struct {
	stdout, stderr string
	code           int // -1: it was killed
}

// run runs a command to its end.
func (s *site) run(args ...string) answer {
	s.t.Helper()
	return s.collect(s.command(s.t.Context(), args...), func() {})
}

// collect runs a command to its end, and calls started as soon as its process is there.
func (s *site) collect(cmd *exec.Cmd, started func()) answer {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	if err == nil {
		started()
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("codemode %s: %v", strings.Join(cmd.Args[1:], " "), err)
	}
	return answer{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// want fails the test unless the command ended with this code.
func (s *site) want(code int, args ...string) answer {
	s.t.Helper()
	a := s.run(args...)
	if a.code != code {
		s.t.Fatalf("codemode %s: exit code %d, not %d\n%s%s", strings.Join(args, " "), a.code, code, a.stdout, a.stderr)
	}
	return a
}

// decode reads the one JSON document of an answer.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.stdout), &v); err != nil {
		t.Fatalf("no JSON document: %v\n%s%s", err, a.stdout, a.stderr)
	}
	return v
}

// outcome runs a command whose answer is an outcome.
func (s *site) outcome(code int, args ...string) core.Outcome {
	s.t.Helper()
	return decode[core.Outcome](s.t, s.want(code, append(args, "--json")...))
}

// compact takes the indentation off, which --json adds for people.
func compact(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPathsOfAConnector: a relative path in a connector's configuration means the same wherever codemode is called.
func TestPathsOfAConnector(t *testing.T) {
	t.Parallel()
	s := newSite(t, `
connector "tracker" {
  plugin = "tracker"
  config {
    file = "tracker.json"
  }
}
`)
	elsewhere := t.TempDir()
	run := s.command(t.Context(), "--config", s.path("codemode.hcl"), "run", "--json", "-")
	run.Dir = elsewhere
	run.Stdin = strings.NewReader(`return await tracker.add_labels({ number: 1, labels: ["seen"] })`)
	if a := s.collect(run, func() {}); a.code != 0 {
		t.Fatalf("exit code %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	text, err := os.ReadFile(s.path("tracker.json"))
	if err != nil || !strings.Contains(string(text), `"seen"`) {
		t.Errorf("beside the configuration: %v, %.200s", err, text)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 0 {
		t.Errorf("in the folder of the call: %v, %v", left, err)
	}
}
