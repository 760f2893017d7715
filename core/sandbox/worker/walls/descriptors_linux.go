package walls

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeInherited closes what the host had open without its knowledge (a shell's, a supervisor's) and so handed on. It has
// come through exec, other than what this process has opened itself: Go sets all of that to be closed on exec.
func closeInherited(l Limits) error {
	given := max(l.Files, 3)
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list the open descriptors: %w", err)
	}
	for _, e := range open {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < given {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue // closed since (the one that read the folder), or our own
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close descriptor %d: %w", fd, err)
		}
	}
	return nil
}

// forbidDescriptors lets nothing be opened any more, whatever it is. What is open stays so.
func forbidDescriptors(Limits) error {
	if err := startPoller(); err != nil {
		return err
	}
	if err := limit(unix.RLIMIT_NOFILE, 0); err != nil {
		return err
	}
	if fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0); err == nil {
		return errors.Join(errors.New("a descriptor was made beyond the limit"), unix.Close(fd))
	}
	return nil
}

// startPoller has the Go runtime make the descriptors by which it waits for timers and pipes. It makes them at the first
// use, which must not come when nothing can be opened any more.
func startPoller() error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	return errors.Join(r.Close(), w.Close())
}
