package plugin

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// pipeDelay is how long a process's stdout and stderr are still read after its
// exit when a descendant that has left the process group holds them open.
const pipeDelay = 500 * time.Millisecond

// errKilledEarly is the error of a process that was killed before it was started.
var errKilledEarly = errors.New("it was stopped before it was started")

// process runs one connector process for go-plugin. It differs from
// go-plugin's own runner in what a connector can do to its host:
//
//   - stdin is a pipe of its own, never the host's stdin; its end means exit;
//   - the process leads a group, and the whole group is killed with it;
//   - the end of the process is seen even while a descendant holds its pipes;
//   - go-plugin reads one checked line of its stdout and nothing of its stderr.
type process struct {
	cmd    *exec.Cmd
	terms  terms
	print  func(line []byte) // takes what the process writes on stdout after its handshake
	stdout *lineWriter
	stderr *lineWriter
	stdin  io.Closer

	greeted bool           // the handshake line has come; the reader of stdout alone uses it
	lines   *io.PipeReader // go-plugin's end of the handshake
	greet   *io.PipeWriter // ours
	exited  chan struct{}  // closed when the process is gone and its output is read

	mu       sync.Mutex
	pid      int   // 0: not started
	doomed   bool  // not to be started any more
	reaped   bool  // pid may belong to another process
	stopping bool  // stop decides when the process is killed
	refused  error // why its handshake was not accepted
	exit     error // how it ended; set before exited is closed
}

var _ runner.Runner = (*process)(nil)

// newProcess prepares a command, which nobody has given streams so far. The
// two functions take the lines that the process prints.
func newProcess(cmd *exec.Cmd, t terms, stdout, stderr func(line []byte)) (*process, error) {
	p := &process{cmd: cmd, terms: t, print: stdout, exited: make(chan struct{})}
	p.stdout = &lineWriter{limit: lineBytes, emit: p.stdoutLine}
	p.stderr = &lineWriter{limit: lineBytes, emit: stderr}
	p.lines, p.greet = io.Pipe()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	cmd.Stdout = p.stdout
	cmd.Stderr = p.stderr
	cmd.WaitDelay = pipeDelay
	cmd.SysProcAttr = groupAttr()
	return p, nil
}

// Start launches the process and returns when it runs or could not be started.
func (p *process) Start(context.Context) error {
	started := make(chan error, 1)
	go p.run(started)
	return <-started
}

// run starts the process and waits for it, on one thread: the kernel's signal
// at the parent's death is tied to the thread that forked, so that thread must
// live as long as the process.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.exited)
	defer p.greet.Close()
	if err := p.fork(); err != nil {
		p.exit = err
		started <- err
		return
	}
	started <- nil
	p.exit = p.reap()
	p.stdout.flush()
	p.stderr.flush()
}

// fork starts the command unless kill came first.
func (p *process) fork() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doomed {
		return errKilledEarly
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	return nil
}

// kill ends the whole process group at once, or keeps the process from being started.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doomed = true
	if p.pid != 0 && !p.reaped {
		killGroup(p.pid)
	}
}

// requestExit tells the process to exit by itself, and go-plugin that it is no
// longer its business to kill it.
func (p *process) requestExit() {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()
	// An error says that the pipe is closed already, as it is once the process has ended.
	_ = p.stdin.Close()
}

// Kill ends the process group, unless a stop is under way: go-plugin calls it
// two seconds after its own request, whatever grace the process has.
func (p *process) Kill(context.Context) error {
	p.mu.Lock()
	stopping := p.stopping
	p.mu.Unlock()
	if !stopping {
		p.kill()
	}
	return nil
}

// Wait returns how the process ended.
func (p *process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		return p.exit
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hasExited says whether the process is gone.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// stdoutLine takes one line of stdout. The first is the handshake, which
// go-plugin gets once it has been checked.
func (p *process) stdoutLine(line []byte) {
	if p.greeted {
		p.print(line)
		return
	}
	p.greeted = true
	accepted, err := p.terms.accept(string(line))
	if err != nil {
		p.refuse(err)
		return
	}
	// An error says that go-plugin no longer listens; its own error tells why.
	_, _ = io.WriteString(p.greet, accepted+"\n")
}

// exitNotice is how long the end of a process may take to be seen after its connection broke.
const exitNotice = time.Second

// awaitExit waits for the process's end, but no longer than limit, and says whether it came.
func (p *process) awaitExit(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// ending says in words how the process ended, once it has.
func (p *process) ending() string {
	if p.exit == nil {
		return "exit status 0"
	}
	return p.exit.Error()
}

// refuse records why the handshake was not accepted. go-plugin sees the end of stdout.
func (p *process) refuse(err error) {
	p.mu.Lock()
	p.refused = err
	p.mu.Unlock()
	p.greet.Close()
}

// refusal returns what refuse was given.
func (p *process) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// processID returns the pid, 0 before the start.
func (p *process) processID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

// Stdout is where go-plugin reads the handshake line, and the end of the process.
func (p *process) Stdout() io.ReadCloser { return p.lines }

// Stderr is empty: the host reads the process's stderr itself.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name is the path of the binary.
func (p *process) Name() string { return p.cmd.Path }

// ID is the pid in decimal.
func (p *process) ID() string { return strconv.Itoa(p.processID()) }

// Diagnose has nothing to add: the host words its errors itself.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost holds a connector's further sockets to the private folder too.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, p.terms.checkAddress(network, address)
}

// HostToPlugin changes nothing: both live on one machine.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
