package stdio

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestStartFails(t *testing.T) {
	t.Parallel()
	ignore := func(string) {}
	_, err := Start(Command{Path: "/nonexistent/server", Stderr: ignore, Stray: ignore})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestEnvironment: a server gets what it is given and nothing else.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, "about", func(c *Command) {
		c.Args = []string{"-a", "b c"}
		c.Dir = dir
		c.Env = append(c.Env, "TOKEN=x")
	})
	var got struct {
		Env, Args []string
		Dir       string
	}
	if err := json.Unmarshal(r.read(t).(*jsonrpc.Response).Result, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(environ("about"), "TOKEN=x"), got.Env); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"-a", "b c"}, got.Args); diff != "" || got.Dir != dir {
		t.Errorf("args %q in %s", got.Args, got.Dir)
	}
}

// TestNoEnvironment: none is not the parent's.
func TestNoEnvironment(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	p, err := Start(Command{Path: "/bin/sh", Args: []string{"-c", `echo "home=$HOME" >&2`}, Stderr: stderr.add, Stray: stderr.add})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if got := stderr.first(t); got != "home=" {
		t.Errorf("the server sees %q", got)
	}
}

// TestStop: the end of its input is enough for an ordinary server.
func TestStop(t *testing.T) {
	t.Parallel()
	r := start(t, "echo")
	r.patience.input = limit
	if ending := r.Ending(); ending != "" {
		t.Errorf("it runs and has the ending %q", ending)
	}
	r.write(t, t.Context(), request(t, 1, "hello"))
	r.read(t)
	r.Stop()
	if ending := r.Ending(); ending != "exit status 0" {
		t.Errorf("the ending is %q", ending)
	}
	// The last line has no end.
	must(t, "stderr", strings.Join(r.stderr.get(), "|"), "echo server started|echo server says goodbye")
}

// TestStopHarder: other servers are terminated or killed.
func TestStopHarder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		role     string
		patience patience
		ending   string
	}{
		"terminated": {"obedient", patience{input: 1, term: limit}, "exit status 7"},
		"killed":     {"stubborn", patience{input: 1, term: 1}, "signal: killed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, test.role)
			r.patience = test.patience
			r.read(t) // it is ready
			var all sync.WaitGroup
			for range 3 {
				all.Go(r.Stop)
			}
			all.Wait()
			if ending := r.Ending(); ending != test.ending {
				t.Errorf("the ending is %q, want %q", ending, test.ending)
			}
		})
	}
}

// TestGroup: with a server its whole group ends, however that comes about.
func TestGroup(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end    func(running) error
		ending string
	}{
		"stopped": {func(r running) error { r.Stop(); return nil }, "signal: terminated"},
		"died":    {func(r running) error { return r.cmd.Process.Kill() }, "signal: killed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holding, isDead := hold(t)
			r := start(t, "wrapper", holding)
			r.read(t) // its child is ready
			if err := test.end(r); err != nil {
				t.Fatal(err)
			}
			if _, err := r.conn.Read(t.Context()); !errors.Is(err, ErrGone) {
				t.Errorf("a read ends with %v", err)
			}
			if ending := r.Ending(); ending != test.ending {
				t.Errorf("the ending is %q, want %q", ending, test.ending)
			}
			isDead()
		})
	}
}

// TestExit: whoever sees the end of the output can ask how the server ended.
func TestExit(t *testing.T) {
	t.Parallel()
	r := start(t, "failing")
	if _, err := r.conn.Read(t.Context()); !errors.Is(err, ErrGone) {
		t.Errorf("got %v", err)
	}
	if ending := r.Ending(); ending != "exit status 3" {
		t.Errorf("the ending is %q", ending)
	}
	must(t, "stderr", strings.Join(r.stderr.get(), "|"), "no such database")
}
