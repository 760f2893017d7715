//go:build unix && !linux

package plugin

import "syscall"

// groupAttr makes the process lead a group of its own. That the host has died
// it learns from the end of its stdin.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills every process of the group that pid leads. It fails only when
// none is left.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// reap waits for the process, ends what is left of its group, and returns how
// it ended. Between the two the pid is free for a moment; systems hand pids out
// in turn, so no other process has it yet.
func (p *process) reap() error {
	err := p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	killGroup(p.pid)
	p.reaped = true
	return err
}
