package worker

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the computing time that this process has used.
func processTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
