package plugin

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr makes the process lead a group of its own and die with the host.
// The end of its stdin tells it so as well; this reaches one that does not
// listen, or is stopped.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills every process of the group that pid leads. It fails only when
// none is left.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// reap waits for the process, ends what is left of its group, and returns how
// it ended. The group is killed while the dead leader still holds its pid, so
// that no other process can have it.
func (p *process) reap() error {
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	killGroup(p.pid)
	p.reaped = true
	p.mu.Unlock()
	return p.cmd.Wait()
}
