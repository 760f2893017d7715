package walls

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWorksOn has a child do behind all walls what a Go program full of JavaScript does.
func TestWorksOn(t *testing.T) {
	s := spawner(t)
	rounds := "20"
	if testing.Short() {
		rounds = "3"
	}
	cmd := command(t, "work", rounds)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var diagnostics strings.Builder
	cmd.Stderr = &diagnostics
	if _, err := s.Start(cmd); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for i := range 500 { // the child works and answers at the same time
		if _, err := fmt.Fprintln(in, i); err != nil {
			t.Fatalf("%v: %s", err, diagnostics.String())
		}
		if got, err := lines.ReadString('\n'); err != nil || got != fmt.Sprintln(i) {
			t.Fatalf("got %q, %v: %s", got, err, diagnostics.String())
		}
	}
	in.Close()
	last, err := io.ReadAll(lines)
	if err := errors.Join(err, cmd.Wait()); err != nil || string(last) != "done\n" {
		t.Fatalf("%q, %v: %s", last, err, diagnostics.String())
	}
}

// work answers each line that it reads, and meanwhile keeps every part of the runtime busy.
func work(args []string) {
	debug.SetGCPercent(50)
	Raise(ample)
	interrupt()
	var rounds int
	fmt.Sscan(args[0], &rounds)
	var busy sync.WaitGroup
	for range 8 {
		busy.Go(func() {
			for range rounds {
				churn()
				deepen(20_000)
				recoverFromPanic()
				wait()
				crossThreads()
			}
		})
	}
	if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
		panic(err)
	}
	busy.Wait()
	runtime.GC()
	debug.FreeOSMemory()
	fmt.Println("done")
}

func churn() {
	all := map[int][]string{}
	for i := range 20_000 {
		all[i%100] = append(all[i%100], strings.Repeat("x", i%50))
	}
	for _, s := range all {
		slices.Sort(s)
	}
}

func deepen(n int) int {
	if n == 0 {
		return 0
	}
	var frame [64]byte
	frame[n%64] = 1
	return deepen(n-1) + int(frame[n%64])
}

func recoverFromPanic() {
	defer func() {
		if recover() == nil {
			panic("no panic")
		}
	}()
	var none *outcome
	_ = none.Error // a signal that becomes a panic
}

func wait() {
	t := time.NewTimer(time.Millisecond)
	<-t.C
	time.Sleep(time.Microsecond)
}

// interrupt has the garbage collector stop a loop that calls nothing, which it can only do with a signal.
func interrupt() {
	var stop atomic.Bool
	var loop sync.WaitGroup
	running := make(chan struct{})
	loop.Go(func() {
		close(running)
		for !stop.Load() {
		}
	})
	<-running
	runtime.GC()
	stop.Store(true)
	loop.Wait()
}

// crossThreads makes threads and lets them end.
func crossThreads() {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
			runtime.Gosched()
		})
	}
	all.Wait()
}

// TestDiesWithTheHost kills a host, and waits for its child's end of a pipe to close.
func TestDiesWithTheHost(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	host := command(t, "host")
	host.Stdout = w
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := bufio.NewReader(r)
	if got, err := lines.ReadString('\n'); err != nil || got != "ready\n" {
		t.Fatalf("the child says %q, %v", got, err)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := host.Wait(); err == nil {
		t.Error("the host was not killed")
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 { // until nobody has the pipe any more
		t.Errorf("got %q, %v", rest, err)
	}
}

// beHost starts a child that would hang for ever, on its own standard output.
func beHost([]string) {
	s := New()
	cmd := exec.Command(self, "hang")
	cmd.Stdout = os.Stdout
	if _, err := s.Start(cmd); err != nil {
		panic(err)
	}
	cmd.Wait()
}

// TestOutlivesTheThreadThatAskedForIt starts a child from a thread that ends, which would take the child along.
func TestOutlivesTheThreadThatAskedForIt(t *testing.T) {
	s := spawner(t)
	cmd := command(t, "work", "1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	started := make(chan error)
	go onThreadThatEnds(func() {
		_, err := s.Start(cmd)
		started <- err
	})
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil || out.String() != "done\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// onThreadThatEnds calls f on a thread that ends soon after, as the process's first one never does.
func onThreadThatEnds(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		onThreadThatEnds(f)
	}()
	<-done
}

func TestStartAfterClose(t *testing.T) {
	s := New()
	s.Close()
	s.Close()
	if _, err := s.Start(command(t, "hang")); err == nil {
		t.Error("a closed spawner has started a child")
	}
}

func TestStartFails(t *testing.T) {
	if _, err := spawner(t).Start(exec.Command("/nonexistent/worker")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// BenchmarkChild measures a child from its start to its end, without and with walls.
func BenchmarkChild(b *testing.B) {
	s := New()
	defer s.Close()
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(self, "passed").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("walled", func(b *testing.B) {
		for b.Loop() {
			if _, err := Probe(s, exec.Command(self, "probe")); err != nil {
				b.Fatal(err)
			}
		}
	})
}
