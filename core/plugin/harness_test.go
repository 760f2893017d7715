package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/hashicorp/go-hclog"
)

// patience bounds what would otherwise wait for ever; no verdict depends on it.
const patience = time.Minute

// specOf runs the test binary in a mode.
func specOf(t *testing.T, mode string, args ...string) Spec {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Label: "double", Plugin: binary, Args: append([]string{"as", mode}, args...), NoMTLS: true,
		StartTimeout: patience, Grace: patience, Env: map[string]string{},
	}
}

// supervise starts nothing yet, and closes what was started in the end.
func supervise(t *testing.T, spec Spec) *Supervisor {
	t.Helper()
	s, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// invoke calls a method with a text as its arguments.
func invoke(t *testing.T, s *Supervisor, method, text string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := s.Invoke(ctx, callOf(method, text), nil)
	if err != nil {
		return "", err
	}
	return string(r.Value), nil
}

func callOf(method, text string) *wire.Call {
	args, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return &wire.Call{ExecutionID: "e", Seq: "0", Attempt: 1, Method: method, Args: args}
}

// mustInvoke is invoke for calls that have to succeed.
func mustInvoke(t *testing.T, s *Supervisor, method, text string) string {
	t.Helper()
	r, err := invoke(t, s, method, text)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return r
}

// lifelines accepts the connections of processes that dialLifeline.
type lifelines struct {
	path     string
	listener net.Listener
}

func newLifelines(t *testing.T) *lifelines {
	t.Helper()
	dir, err := os.MkdirTemp("", "life")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close(); os.RemoveAll(dir) })
	return &lifelines{path: path, listener: listener}
}

// next returns the connection of the next process.
func (l *lifelines) next(t *testing.T) net.Conn {
	t.Helper()
	conn, err := l.listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// awaitDeath returns when the process at the other end is gone.
func awaitDeath(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Fatalf("the process lives: %v", err)
	}
}

// journal collects log lines and lets a test wait for one.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
	grew chan struct{}
}

func newJournal() *journal { return &journal{grew: make(chan struct{})} }

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.grew)
	j.grew = make(chan struct{})
	return j.text.Write(p)
}

func (j *journal) logger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: j, Level: hclog.Trace, JSONFormat: true})
}

// await returns the first line that has part in it.
func (j *journal) await(t *testing.T, part string) string {
	t.Helper()
	timeout := time.After(patience)
	for {
		j.mu.Lock()
		text, grew := j.text.String(), j.grew
		j.mu.Unlock()
		for line := range strings.Lines(text) {
			if strings.Contains(line, part) {
				return line
			}
		}
		select {
		case <-grew:
		case <-timeout:
			t.Fatalf("no log line has %q:\n%s", part, text)
		}
	}
}

// awaitWatcher returns when somebody watches.
func awaitWatcher(t *testing.T, s *Supervisor) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		s.mu.Lock()
		n := len(s.watchers)
		s.mu.Unlock()
		if n > 0 {
			return
		}
		runtime.Gosched()
	}
	t.Fatal("nobody watches")
}
