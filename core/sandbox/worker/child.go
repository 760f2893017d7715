package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// child is one process, used by one goroutine at a time.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	read   *bufio.Reader
	stderr *head
	limits setup
	walls  []walls.Layer
	uses   int // texts compiled and sessions begun

	ended  chan struct{} // closed when the process is gone
	killed sync.Once
	dead   *death // set when the process is gone, by the goroutine that uses the child
}

// errSlow is why a child is ended that does not answer in time.
var errSlow = errors.New("it did not answer in time")

// spawn starts a child and waits until its walls are up.
func spawn(ctx context.Context, spawner *walls.Spawner, binary string, limits setup) (*child, error) {
	cmd := exec.Command(binary)
	cmd.Args = []string{argv0}
	c := &child{cmd: cmd, stderr: &head{}, limits: limits, ended: make(chan struct{})}
	cmd.Stderr = c.stderr
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a sandbox process: %w", err)
	}
	// The pipe is the child's alone to close: Wait must not take from it what was written last.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a sandbox process: %w", err)
	}
	cmd.Stdout = theirs
	c.out, c.read = out, bufio.NewReader(out)
	outer, err := spawner.Start(cmd)
	_ = theirs.Close() // the child's end
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("start a sandbox process: %w", err)
	}
	go func() { // ends with the process, which end waits for
		_ = cmd.Wait()
		close(c.ended)
	}()
	res, err := c.exchange(ctx, spawnTime, request{Setup: &limits})
	if err == nil && (res.Ready == nil || res.Ready.Program != program.Version || res.Ready.Sandbox != sandbox.Version) {
		err = c.end(errors.New("it is not of this version"))
	}
	if err != nil {
		return nil, fmt.Errorf("start a sandbox process: %v", err) // not a death under a program
	}
	c.walls = append(outer, res.Ready.Walls...)
	return c, nil
}

// spawnTime is how long a child may take to be ready. It takes some twenty milliseconds on an idle machine.
const spawnTime = 30 * time.Second

// exchange sends a request and waits for the response, no longer than limit where that is set. When it fails the child
// is gone, and the error is a *death.
func (c *child) exchange(ctx context.Context, limit time.Duration, req request) (*response, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errSlow)
		defer cancel()
	}
	stop := context.AfterFunc(ctx, c.kill)
	var res response
	err := writeFrame(c.in, req)
	if err == nil {
		err = readFrame(c.read, c.limits.Memory, &res)
	}
	if !stop() {
		err = context.Cause(ctx) // it may have been killed in the middle of its answer, or just after it
	}
	if err != nil {
		return nil, c.end(err)
	}
	return &res, nil
}

func (c *child) kill() {
	c.killed.Do(func() { _ = c.cmd.Process.Kill() }) // it may be gone already
}

// end ends the process, waits until it is gone, and says how that was.
func (c *child) end(cause error) *death {
	if c.dead != nil {
		return c.dead
	}
	if errors.Is(cause, io.EOF) || errors.Is(cause, io.ErrUnexpectedEOF) || errors.Is(cause, syscall.EPIPE) {
		c.patient() // it is ending by itself, and its own end tells more
	}
	c.kill()
	<-c.ended
	_ = c.in.Close()
	_ = c.out.Close()
	c.dead = diagnose(c.cmd.ProcessState, c.stderr.String(), cause)
	return c.dead
}

// patient gives a child that has closed its end a moment to be gone.
func (c *child) patient() {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-c.ended:
	case <-t.C:
	}
}

// dismiss lets an idle child go.
func (c *child) dismiss() {
	_ = c.in.Close()
	c.patient()
	_ = c.end(errors.New("it is not needed any more"))
}

// alive reports whether the process is still there.
func (c *child) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// answered returns the response that the request has, or the failure that it says.
func answered[T any](res *response, field *T) (*T, error) {
	if res.Failed != "" {
		return nil, errors.New(res.Failed)
	}
	if field == nil {
		return nil, fmt.Errorf("%w: it answers another question", errFrame)
	}
	return field, nil
}
