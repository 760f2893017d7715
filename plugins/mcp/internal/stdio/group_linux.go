package stdio

import "syscall"

// groupAttr makes the process lead a group of its own and die with its parent.
// The end of its input tells it so as well; this reaches one that does not listen.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
