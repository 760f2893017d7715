package sdktest

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"

	"github.com/hashicorp/go-plugin/runner"
)

// process runs a connector for go-plugin, whose own runner hands the test's
// standard input on: its end is what tells a connector that its host is gone.
type process struct {
	cmd            *exec.Cmd
	stdin          io.Closer
	stdout, stderr io.ReadCloser
	exited         chan struct{} // closed when the process has ended
}

var _ runner.Runner = (*process)(nil)

// command prepares the process with streams of its own.
func (p *process) command(path string, args, env []string) error {
	p.cmd = exec.Command(path, args...)
	// A program that was built with -race sleeps for a second before it ends, unless it is told not to.
	p.cmd.Env = append(env, "GORACE=atexit_sleep_ms=0")
	var in, out, problem error
	p.stdin, in = p.cmd.StdinPipe()
	p.stdout, out = p.cmd.StdoutPipe()
	p.stderr, problem = p.cmd.StderrPipe()
	return errors.Join(in, out, problem)
}

// Start implements [runner.Runner].
func (p *process) Start(context.Context) error { return p.cmd.Start() }

// Wait implements [runner.Runner]; go-plugin calls it once.
func (p *process) Wait(context.Context) error {
	defer close(p.exited)
	return p.cmd.Wait()
}

// Kill implements [runner.Runner].
func (p *process) Kill(context.Context) error { return p.cmd.Process.Kill() }

// Stdout implements [runner.Runner].
func (p *process) Stdout() io.ReadCloser { return p.stdout }

// Stderr implements [runner.Runner].
func (p *process) Stderr() io.ReadCloser { return p.stderr }

// Name implements [runner.Runner].
func (p *process) Name() string { return p.cmd.Path }

// ID implements [runner.Runner].
func (p *process) ID() string { return strconv.Itoa(p.cmd.Process.Pid) }

// Diagnose implements [runner.Runner]: what the process says of itself is on its standard error.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost implements [runner.Runner]: both see the same sockets.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin implements [runner.Runner].
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
