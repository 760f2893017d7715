package walls

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// end runs a child to its end and returns how that was, and what it wrote on stderr.
func end(t *testing.T, cmd *exec.Cmd) (*exec.ExitError, string) {
	t.Helper()
	var diagnostics strings.Builder
	cmd.Stderr = &diagnostics
	if _, err := spawner(t).Start(cmd); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the child ended with %v: %s", err, diagnostics.String())
	}
	return exit, diagnostics.String()
}

func TestMemoryBeyondTheLimitEndsTheChild(t *testing.T) {
	exit, diagnostics := end(t, command(t, "hog"))
	if underRace && strings.Contains(diagnostics, "ThreadSanitizer failed to allocate") {
		return // its own way to die of it
	}
	if exit.ExitCode() != 2 || !strings.Contains(diagnostics, "out of memory") && !strings.Contains(diagnostics, "cannot allocate memory") {
		t.Errorf("the child ended with %v: %.300s", exit, diagnostics)
	}
}

func hog() {
	Raise(ample)
	var all [][]byte
	for {
		all = append(all, make([]byte, 1<<20))
		all[len(all)-1][0] = 1
	}
}

func TestCPUBeyondTheLimitEndsTheChild(t *testing.T) {
	exit, diagnostics := end(t, command(t, "spin"))
	if status := exit.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("the child ended with %v: %s", exit, diagnostics)
	}
	if used := exit.UserTime() + exit.SystemTime(); used < 500*time.Millisecond {
		t.Errorf("the child was killed after %v, long before its limit", used)
	}
}

func spin() {
	l := ample
	l.CPU = 900 * time.Millisecond // rounded up to one second
	Raise(l)
	for {
		runtime.Gosched()
	}
}

func TestThreadsBeyondTheLimitEndTheChild(t *testing.T) {
	exit, diagnostics := end(t, command(t, "crowd"))
	if exit.ExitCode() == 3 {
		t.Skip(diagnostics)
	}
	if exit.ExitCode() != 2 || !strings.Contains(diagnostics, "failed to create new OS thread") && !strings.Contains(diagnostics, "pthread_create failed") {
		t.Errorf("the child ended with %v: %.300s", exit, diagnostics)
	}
}

// crowd starts threads without end.
func crowd() {
	l := ample
	l.Threads = 50
	for _, layer := range Raise(l) {
		if layer.Name == Threads && !layer.Holds {
			println("no limit of threads here:", layer.Why)
			syscall.Exit(3)
		}
	}
	for {
		started := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(started)
			select {}
		}()
		<-started
	}
}

func TestNoLimitIsAMissingLayer(t *testing.T) {
	t.Parallel()
	for _, l := range []func(Limits) error{limitMemory, limitCPU, limitThreads} {
		if err := l(Limits{}); !errors.Is(err, errNoLimit) {
			t.Errorf("got %v", err)
		}
	}
}
