//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hideTyped keeps a terminal from showing what is typed, until restore is called.
func hideTyped(f *os.File) (restore func() error, err error) {
	raw, err := f.SyscallConn() // Fd would make the file block
	if err != nil {
		return nil, err
	}
	var before unix.Termios
	var failed error
	err = raw.Control(func(fd uintptr) {
		now, err := unix.IoctlGetTermios(int(fd), getTermios)
		if failed = err; err != nil {
			return
		}
		before = *now
		now.Lflag &^= unix.ECHO
		failed = unix.IoctlSetTermios(int(fd), setTermios, now)
	})
	if err != nil || failed != nil {
		return nil, errors.Join(err, failed)
	}
	return func() error {
		err := raw.Control(func(fd uintptr) { failed = unix.IoctlSetTermios(int(fd), setTermios, &before) })
		return errors.Join(err, failed)
	}, nil
}
