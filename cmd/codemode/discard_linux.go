package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped drops what was typed and not read.
func discardTyped(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var dropped error
	err = raw.Control(func(fd uintptr) { dropped = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
	if err != nil {
		return err
	}
	return dropped
}
