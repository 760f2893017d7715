package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/codemode-go/codemode/plugin/wire"
)

// reason says in an operator's words why a launch failed with err. The process
// is gone by now.
func (l *launcher) reason(ctx context.Context, err error) error {
	p := l.process
	_, said := errors.AsType[*wire.Error](err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		// Not wrapped: it was not the caller's patience that ended.
		return fmt.Errorf("it was not ready within %v", l.spec.StartTimeout)
	case ctx.Err() != nil:
		return errCalledOff
	case p == nil:
		return err
	case p.processID() == 0:
		return execReason(err)
	case p.refusal() != nil:
		return p.refusal()
	case !p.greeted || wire.IsLost(err):
		return endReason(p.ending(), l.screen().tail.last())
	case said:
		// Not wrapped either: it is no answer to the call that needed the process.
		return errors.New(err.Error())
	}
	return err
}

// execReason words the operating system's refusal to run a binary.
func execReason(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user may not execute it; it lacks the right, or its file system is mounted noexec: %w", err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("it is no program for this machine: %w", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the interpreter or loader that it needs does not exist: %w", err)
	}
	return err
}

// foreignPlugin is what every go-plugin binary says when it is not given the
// cookie that it expects.
const foreignPlugin = "This binary is a plugin"

// endReason words the end of a process that was never ready.
func endReason(ending string, stderr []string) error {
	for _, line := range stderr {
		if strings.Contains(line, foreignPlugin) {
			return fmt.Errorf("it is a plugin of another program, not a connector (%s)", ending)
		}
	}
	return fmt.Errorf("it ended before it was ready: %s", ending)
}
