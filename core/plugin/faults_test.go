package plugin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBadLogLine: any of these lines panics the host of go-plugin 1.8.0.
func TestBadLogLine(t *testing.T) {
	t.Parallel()
	j := newJournal()
	spec := specOf(t, "connector")
	spec.Logger = j.logger()
	s := supervise(t, spec)
	for _, line := range []string{`{"@message": 5}`, `{"@level": 5, "@message": "m"}`, `{"@timestamp": 5, "@message": "m"}`, `{"@message": null}`} {
		mustInvoke(t, s, "log", line)
	}
	mustInvoke(t, s, "log", `{"@level":"warn","@message":"still here"}`)
	if line := j.await(t, "still here"); !strings.Contains(line, `"connector":"double"`) {
		t.Errorf("the line does not name its connector: %s", line)
	}
}

// TestStopOfStopped: the Kill of go-plugin 1.8.0 never returns for it.
func TestStopOfStopped(t *testing.T) {
	t.Parallel()
	j := newJournal()
	spec := specOf(t, "connector")
	spec.Logger, spec.Grace = j.logger(), 100*time.Millisecond
	s := supervise(t, spec)
	mustInvoke(t, s, "echo", "")
	pid := s.Status().PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awaitStopped(t, pid)
	s.Close(context.Background())
	j.await(t, "did not stop when asked and was killed")
	if st := s.Status(); st.PID != 0 || st.State != StateClosed {
		t.Errorf("status after Close: %+v", st)
	}
}

// TestDescendantHidesDeath: with go-plugin 1.8.0 the death of a process is not
// seen while a descendant holds its stdout.
func TestDescendantHidesDeath(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]string{"in the group": "", "in a session of its own": "away"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			life := newLifelines(t)
			spec := specOf(t, "connector")
			spec.Env[lifelineVar] = life.path
			s := supervise(t, spec)
			mustInvoke(t, s, "echo", "")
			connector := life.next(t)
			mustInvoke(t, s, "descend", away)
			descendant := life.next(t)
			first := s.Status()
			stopProcess(t, first.PID)
			awaitDeath(t, connector)
			if away == "" {
				awaitDeath(t, descendant)
			}
			s.Close(context.Background())
			if st := s.Status(); st.PID != 0 {
				t.Errorf("the process is still there: %+v", st)
			}
		})
	}
}

// TestHostStdin: go-plugin 1.8.0 hands the host's stdin to the connector.
func TestHostStdin(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "as", "host", "connector", "read")
	cmd.Stdin = strings.NewReader("for the host alone")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("ready\nfor the host alone", string(out)); diff != "" {
		t.Errorf("what the host read (-want +got):\n%s", diff)
	}
}

// TestOrphan: no connector survives its host's kill -9, whether it listens to
// the end of its stdin or, on Linux, only to the kernel.
func TestOrphan(t *testing.T) {
	t.Parallel()
	for _, mode := range orphanModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			life := newLifelines(t)
			binary, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(binary, "as", "host", mode, "wait")
			// A host that was killed leaves its folder of sockets behind.
			cmd.Env = []string{lifelineVar + "=" + life.path, "TMPDIR=" + filepath.Dir(life.path)}
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			connector := life.next(t)
			if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
				t.Fatalf("the host said %q, %v", line, err)
			}
			stopProcess(t, cmd.Process.Pid)
			awaitDeath(t, connector)
			if err := cmd.Wait(); err == nil {
				t.Error("the host was not killed")
			}
		})
	}
}

// notesVar names the folder of notes of a host that is a process of its own.
const notesVar = "TEST_NOTES"

// actAsHost runs a connector in a mode, then reads stdin to its end and, if
// told so, prints it.
func actAsHost(args []string) {
	env := map[string]string{}
	if path := os.Getenv(lifelineVar); path != "" {
		env[lifelineVar] = path
	}
	s, err := New(Spec{
		Label: "double", Plugin: os.Args[0], Args: []string{"as", args[0]}, Env: env, NoMTLS: true, StartTimeout: patience,
		Notes: os.Getenv(notesVar),
	})
	if err == nil {
		_, err = s.Invoke(context.Background(), callOf("echo", ""), nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if args[1] == "descend" {
		_, err = s.Invoke(context.Background(), callOf("descend", "away"), nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	text, _ := io.ReadAll(os.Stdin)
	if args[1] == "read" {
		fmt.Print(string(text))
	}
	s.Close(context.Background())
}

func stopProcess(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
}
