package walls

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is called without a library: the known one reaches the threads of a binary with cgo through /proc/PID, which
// in a process namespace shows the host's processes (measured: it spins for ever).

// lockFilesystem denies everything that Landlock of this kernel knows of files.
func lockFilesystem(Limits) error {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("the kernel has no Landlock, or does not enable it: %w", errno)
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rights(int(abi))}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	defer unix.Close(int(ruleset))
	if err := enforce(ruleset, int(abi)); err != nil {
		return err
	}
	if root, err := os.Open("/"); err == nil {
		return errors.Join(errors.New("a folder was opened in spite of Landlock"), root.Close())
	}
	return nil
}

// rights returns the file rights that a version of Landlock can deny.
func rights(abi int) uint64 {
	const first = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1 // version 1 knows all up to this one
	handled := uint64(first)
	for _, later := range []struct {
		abi   int
		right uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER},
		{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if abi >= later.abi {
			handled |= later.right
		}
	}
	return handled
}

// enforce puts the ruleset on all threads: the kernel does it from version 8 on, the Go runtime in a binary without cgo.
func enforce(ruleset uintptr, abi int) error {
	if abi >= 8 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("prctl: %w", err)
		}
		if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, unix.LANDLOCK_RESTRICT_SELF_TSYNC, 0); errno != 0 {
			return fmt.Errorf("enforce a Landlock ruleset: %w", errno)
		}
		return nil
	}
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errno == unix.ENOTSUP {
		return fmt.Errorf("the program was built with cgo, and Landlock %d of this kernel (8 is in Linux 7) does not reach its threads: build it with CGO_ENABLED=0", abi)
	}
	if errno == 0 {
		_, _, errno = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0)
	}
	if errno != 0 {
		return fmt.Errorf("enforce a Landlock ruleset: %w", errno)
	}
	return nil
}
