//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// openTTY opens a terminal without taking it for the controlling one.
func openTTY(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
}

// terminalColumns reports whether a file is a terminal, and how wide it is; 0: it does not know.
func terminalColumns(f *os.File) (int, bool) {
	raw, err := f.SyscallConn() // Fd would make the file block, and an interrupt could not end a question
	if err != nil {
		return 0, false
	}
	columns := 0
	var asked error
	err = raw.Control(func(fd uintptr) {
		size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		if asked = err; err == nil {
			columns = int(size.Col)
		}
	})
	return columns, err == nil && asked == nil
}
