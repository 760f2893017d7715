// Package stdio runs an MCP server as a child process and speaks to it over its
// standard input and output.
//
// The server leads a process group of its own, has no environment but what it
// is given, and ends with its parent. Lines on its standard output that are no
// messages, which some servers print at their start, do no harm.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is what a server gets to end by itself: after the end of its input,
// and after SIGTERM.
type patience struct{ input, term time.Duration }

// usual is less, in sum, than what a connector gets to close.
var usual = patience{input: 500 * time.Millisecond, term: 500 * time.Millisecond}

// pipeDelay is how long output is still read after the end of the server when
// a descendant holds it open.
const pipeDelay = 500 * time.Millisecond

// Command says which server to run and how.
type Command struct {
	// Path is the binary's.
	Path string
	Args []string
	// Dir is the working directory; empty: the parent's.
	Dir string
	// Env is the whole environment, as NAME=VALUE.
	Env []string
	// Stderr takes each line of standard error without its end, Stray each line
	// of standard output that is no message. They are not called concurrently
	// with themselves, nor after Stop has returned.
	Stderr, Stray func(line string)
}

// Process is a running server: an [mcp.Transport] that can be connected once.
type Process struct {
	command  Command
	patience patience
	cmd      *exec.Cmd
	stdin    *os.File // our end
	stdout   *io.PipeReader
	output   *io.PipeWriter // what the process prints comes through here
	stderr   *lineWriter

	exited chan struct{} // closed when the process is gone and its output is read

	mu     sync.Mutex
	reaped bool // the pid may belong to another process

	stopping sync.Once
}

var _ mcp.Transport = (*Process)(nil)

// Start starts a server. The caller must Stop it.
func Start(c Command) (*Process, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the MCP server: %w", err)
	}
	defer theirs.Close()
	p := &Process{command: c, patience: usual, stdin: ours, exited: make(chan struct{})}
	p.stdout, p.output = io.Pipe()
	p.stderr = &lineWriter{limit: lineBytes, emit: c.Stderr}
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Dir = c.Dir
	p.cmd.Env = append([]string{}, c.Env...) // nil would inherit
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs, p.output, p.stderr
	p.cmd.WaitDelay = pipeDelay
	p.cmd.SysProcAttr = groupAttr()

	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		ours.Close()
		return nil, fmt.Errorf("start the MCP server: %w", err)
	}
	return p, nil
}

// run starts the process and waits for it, on one thread: the kernel's signal
// at the parent's death is tied to the thread that forked.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Whoever sees the end of the output can ask how the process ended.
	defer p.output.Close()
	defer close(p.exited)
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	// What the error can say, the state of the process does; see Ending.
	_ = p.cmd.Wait()
	p.mu.Lock()
	p.reaped = true
	// While a group has members, its id is given to no other process.
	signalGroup(p.cmd.Process.Pid, syscall.SIGKILL)
	p.mu.Unlock()
	p.stderr.flush()
}

// Connect returns the connection to the server.
func (p *Process) Connect(context.Context) (mcp.Connection, error) {
	return newConnection(p), nil
}

// Stop ends the server and waits for its end: its input ends first, then comes
// SIGTERM, then SIGKILL, to its whole group. It may be called more than once,
// and concurrently.
func (p *Process) Stop() {
	p.stopping.Do(func() {
		p.stdin.Close()
		// What the server still prints is read by nobody, and must not keep it.
		p.stdout.Close()
		if p.awaitExit(p.patience.input) {
			return
		}
		p.signal(syscall.SIGTERM)
		if p.awaitExit(p.patience.term) {
			return
		}
		p.signal(syscall.SIGKILL)
	})
	<-p.exited
}

// Ending says in words how the server ended; empty while it runs.
func (p *Process) Ending() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	return p.cmd.ProcessState.String() // "<nil>" where it could not be waited for
}

func (p *Process) awaitExit(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// signal reaches every process of the server's group.
func (p *Process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		signalGroup(p.cmd.Process.Pid, s)
	}
}

// signalGroup fails only when nothing is left of the group.
func signalGroup(pid int, s syscall.Signal) { _ = syscall.Kill(-pid, s) }

// ErrGone is what reads and writes fail with when the server is gone.
var ErrGone = errors.New("the MCP server is gone")
