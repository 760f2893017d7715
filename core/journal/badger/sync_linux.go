package badger

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes a file's content durable. Its size and times, which do not matter here, need no write of their own.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
