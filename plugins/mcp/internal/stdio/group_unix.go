//go:build unix && !linux

package stdio

import "syscall"

// groupAttr makes the process lead a group of its own. That its parent has died
// it learns from the end of its input.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
