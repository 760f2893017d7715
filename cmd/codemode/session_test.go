//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/config"
)

// newCommand is a stage whose host is the one of a configuration.
func newCommand(config string) *stage {
	s := newStage(nil)
	s.open = s.reach
	s.app.config = config
	return s
}

// with runs the command line under a configuration.
func (s *stage) under(config string, args ...string) []string {
	return append([]string{"--config", config, "--log-level", "error"}, args...)
}

// answers runs a command that answers JSON.
func answers[T any](t *testing.T, config string, code int, args ...string) (v T) {
	t.Helper()
	s := newCommand(config)
	s.does(t, code, s.under(config, append(args, "--json")...)...)
	if err := json.Unmarshal(s.out.Bytes(), &v); err != nil {
		t.Fatalf("%v in %s%s", err, &s.out, &s.err)
	}
	return v
}

func TestPauseApproveAndRollBack(t *testing.T) {
	t.Parallel()
	config, notes := boardConfiguration(t, "")
	program := writeFile(t, t.TempDir(), "p.js", `const p = await board.post({ text: "hello" }); (await board.list_notes({})).length`)
	out := answers[core.Outcome](t, config, exitPaused, "run", program)
	if len(out.Pending) != 1 || out.Pending[0].Preview != "Posts hello" || !out.Pending[0].Revertible {
		t.Fatalf("pending: %+v", out.Pending)
	}
	id := out.ExecutionID
	if list := answers[[]core.Pending](t, config, 0, "pending"); len(list) != 1 || list[0].Digest != out.Pending[0].Digest {
		t.Errorf("pending: %+v", list)
	}

	p, approve := newPerson(t), newCommand(config)
	approve.tty = p.path
	code := make(chan int, 1)
	go func() { code <- approve.run(t.Context(), approve.under(config, "approve", id)) }()
	p.sees("Posts hello")
	p.sees(question)
	p.types("y\n")
	if got := <-code; got != exitDone {
		t.Fatalf("exit code %d: %s%s", got, &approve.out, &approve.err)
	}
	says(t, &approve.out, "completed", "Result", "1")
	if left, err := os.ReadDir(notes); err != nil || len(left) != 1 {
		t.Errorf("%d notes, %v", len(left), err)
	}

	show := newCommand(config)
	show.does(t, 0, show.under(config, "show", id)...)
	says(t, &show.out, "board.post approved, by ada", "pass 2 began")

	undo := newCommand(config)
	undo.tty = p.path
	go func() { code <- undo.run(t.Context(), undo.under(config, "rollback", id)) }()
	p.sees("board.post")
	p.sees("Type yes:")
	p.types("yes\n")
	if got := <-code; got != exitDone {
		t.Fatalf("exit code %d: %s%s", got, &undo.out, &undo.err)
	}
	if left, err := os.ReadDir(notes); err != nil || len(left) != 0 {
		t.Errorf("%d notes are left, %v", len(left), err)
	}
}

func TestGuestDecidesForARunningPass(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	program := writeFile(t, t.TempDir(), "p.js",
		`await Promise.all([board.await_post({}), board.post({ text: "a" })]); "both"`)
	run := newCommand(config)
	code := make(chan int, 1)
	go func() { code <- run.run(t.Context(), run.under(config, "run", program)) }()
	list := pendingSoon(t, config)
	p, approve := newPerson(t), newCommand(config)
	approve.tty = p.path
	approved := make(chan int, 1)
	go func() { approved <- approve.run(t.Context(), approve.under(config, "approve", list[0].ExecutionID)) }()
	p.sees(question)
	p.types("y\n")
	if got := <-approved; got != exitDone {
		t.Errorf("approve: exit code %d: %s%s", got, &approve.out, &approve.err)
	}
	if got := <-code; got != exitDone {
		t.Errorf("run: exit code %d: %s%s", got, &run.out, &run.err)
	}
	says(t, &run.out, "both")
}

// pendingSoon asks, as a guest of a run, until something waits.
func pendingSoon(t *testing.T, config string) []core.Pending {
	t.Helper()
	until, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := awaitHolder(until, t, filepath.Join(filepath.Dir(config), ".codemode", "run"))
	for {
		list, err := c.Pending(until, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list
		}
	}
}

// awaitHolder dials until somebody answers.
func awaitHolder(ctx context.Context, t *testing.T, dir string) *control.Client {
	t.Helper()
	for {
		c, err := control.Dial(ctx, dir, control.Identity{})
		if err == nil {
			return c
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestInterruptCancelsARun(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	program := writeFile(t, t.TempDir(), "p.js", `await board.await_post({})`)
	ctx, interrupt := context.WithCancelCause(t.Context())
	run := newCommand(config)
	code := make(chan int, 1)
	go func() { code <- run.run(ctx, run.under(config, "run", program, "--json")) }()
	until, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := awaitHolder(until, t, filepath.Join(filepath.Dir(config), ".codemode", "run"))
	for {
		page, err := c.Executions(until, core.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Executions) > 0 {
			break
		}
	}
	interrupt(errInterrupted)
	if got := <-code; got != exitFailed {
		t.Errorf("exit code %d: %s%s", got, &run.out, &run.err)
	}
	says(t, &run.out, `"errorType": "cancelled"`)
}

func TestGuestUnderAnotherConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := writeFile(t, dir, "a.hcl", "")
	other := writeFile(t, dir, "b.hcl", "# another one\n")
	holder := newCommand(mine)
	s, err := func() (*session, error) { holder.logLevel = "error"; return holder.reach(t.Context()) }()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(t.Context())
	same := answers[core.Outcome](t, mine, 0, "run", writeFile(t, dir, "p.js", "1 + 1"))
	if string(same.Result) != "2" {
		t.Errorf("a guest's run: %+v", same)
	}
	if page := answers[core.Page](t, other, 0, "executions"); len(page.Executions) != 1 {
		t.Errorf("reading: %+v", page)
	}
	refused := newCommand(other)
	refused.does(t, exitUsage, refused.under(other, "run", filepath.Join(dir, "p.js"))...)
	says(t, &refused.err, mine, other, fmt.Sprintf("process %d", os.Getpid()))
}

func TestJournalIsTakenOverWhenItsHolderEnds(t *testing.T) {
	t.Parallel()
	config := writeFile(t, t.TempDir(), "codemode.hcl", "")
	a, b := newCommand(config), newCommand(config)
	a.logLevel, b.logLevel = "error", "error"
	first, err := a.reach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.reach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, guest := second.service.(*control.Client); !guest {
		t.Fatalf("the second one has %T", second.service)
	}
	first.close(t.Context())
	if _, err := pendingOf(t.Context(), second, ""); err != nil {
		t.Fatal(err)
	}
	defer second.close(t.Context())
	if _, own := second.service.(*core.Host); !own {
		t.Errorf("after the first one ended it has %T", second.service)
	}
}

func TestJournalOfAProcessThatCannotBeReached(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		serve func(t *testing.T, run string)
		says  string
	}{
		"it does not serve": {func(*testing.T, string) {}, errNoAnswer.Error()},
		"it does not answer": {func(t *testing.T, run string) {
			l, err := net.Listen("unix", filepath.Join(run, "control.sock"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			writeFile(t, run, "holder.json", fmt.Sprintf(`{"pid": 4711, "version": 1, "socket": %q}`, l.Addr()))
		}, "process 4711"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := writeFile(t, dir, "codemode.hcl", "")
			c, err := config.Load(path, config.Options{})
			if err != nil {
				t.Fatal(err)
			}
			host, err := core.Open(t.Context(), c, core.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer host.Close()
			run := filepath.Join(c.Runtime.Data, "run")
			if err := os.MkdirAll(run, 0o700); err != nil {
				t.Fatal(err)
			}
			tc.serve(t, run)
			s := newCommand(path)
			s.patience = 100 * time.Millisecond
			s.does(t, exitUsage, s.under(path, "pending")...)
			says(t, &s.err, tc.says)
		})
	}
}

func TestConfigurationFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		args []string
		says []string
	}{
		"none":             {[]string{"--config", dir + "/none.hcl"}, []string{"looked for", dir + "/none.hcl"}},
		"a syntax error":   {[]string{"--config", writeFile(t, dir, "syntax.hcl", "runtime {\n  name =\n}\n")}, []string{"syntax.hcl:2"}},
		"a bad variable":   {[]string{"--config", writeFile(t, dir, "ok.hcl", ""), "--var", "x"}, []string{"--var takes NAME=VALUE"}},
		"unknown variable": {[]string{"--config", filepath.Join(dir, "ok.hcl"), "--var", "x=1"}, []string{`no variable "x"`}},
		"a bad level":      {[]string{"--config", filepath.Join(dir, "ok.hcl"), "--log-level", "loud"}, []string{"--log-level"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCommand("")
			s.does(t, exitUsage, append(tc.args, "pending")...)
			says(t, &s.err, tc.says...)
		})
	}
}

func TestWithoutAConfigurationItSaysWhereItLooked(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("CODEMODE_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("HOME", dir)
	for _, line := range []string{"run -", "pending", "approve x", "reject x 1 --note n", "settle x 1 --end", "resume x", "rollback x",
		"executions", "show x", "search x", "describe x", "validate"} {
		s := newCommand("")
		s.does(t, exitUsage, strings.Fields(line)...)
		says(t, &s.err, "codemode.hcl", "codemode.d", "--config")
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	t.Run("warnings", func(t *testing.T) {
		t.Parallel()
		config, _ := boardConfiguration(t, `
  rule {
    methods = ["post", "pots_*"]
    effect  = "approve"
  }
  method "list-notes" {
    read_only = true
  }
  method "nothing" {
    read_only = true
  }`)
		s := newCommand(config)
		s.does(t, 0, s.under(config, "validate")...)
		says(t, &s.out, "board  board 1.0.0  4 methods", `no method matches "pots_*"`, `method "nothing"`, "codemode.hcl:", `method "list-notes" is`, "listed as list_notes_", "is valid")
		if strings.Contains(s.out.String(), `"post"`) || strings.Contains(s.out.String(), `method "list-notes":`) {
			t.Errorf("it warns of patterns that match:\n%s", &s.out)
		}
	})
	t.Run("faults", func(t *testing.T) {
		t.Parallel()
		binary, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		config := writeFile(t, t.TempDir(), "codemode.hcl", fmt.Sprintf(`
connector "board" {
  plugin = %q
  env    = { %s = "1" }
  config {
    foldr = "x"
  }
}
connector "none" {
  plugin = "no-such-plugin"
}
`, binary, connectorEnv))
		s := newCommand(config)
		s.does(t, exitUsage, s.under(config, "validate")...)
		says(t, &s.out, "codemode.hcl:", "foldr", "no-such-plugin", "is not valid")
	})
}
