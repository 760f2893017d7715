package walls

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

var errNoLimit = errors.New("no limit was set")

// limit sets a resource's soft and hard limit, and reads it back. What it is exceeded by differs: see who calls.
func limit(resource int, n uint64) error {
	want := unix.Rlimit{Cur: n, Max: n}
	if err := unix.Setrlimit(resource, &want); err != nil {
		return fmt.Errorf("setrlimit: %w", err)
	}
	var got unix.Rlimit
	if err := unix.Getrlimit(resource, &got); err != nil {
		return fmt.Errorf("getrlimit: %w", err)
	}
	if got != want {
		return fmt.Errorf("the limit is %d, not %d", got.Cur, n)
	}
	return nil
}

// limitMemory limits private memory. RLIMIT_AS would not do: Go reserves more than a gigabyte that it never uses.
func limitMemory(l Limits) error {
	if l.Memory <= 0 {
		return errNoLimit
	}
	if err := limit(unix.RLIMIT_DATA, uint64(l.Memory)); err != nil {
		return err
	}
	tooMuch, err := unix.Mmap(-1, 0, int(l.Memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		return errors.Join(errors.New("more than the limit was allocated"), unix.Munmap(tooMuch))
	}
	return nil
}

// limitCPU has the kernel kill the process at once. A soft limit below the hard one would send SIGXCPU, which Go ignores.
func limitCPU(l Limits) error {
	if l.CPU <= 0 {
		return errNoLimit
	}
	return limit(unix.RLIMIT_CPU, uint64((l.CPU+time.Second-1)/time.Second))
}

// limitThreads limits the threads of the process's user, which must not be one that others run under: their threads
// would count.
func limitThreads(l Limits) error {
	if l.Threads <= 0 {
		return errNoLimit
	}
	if os.Getuid() != nobody {
		return errors.New("the child runs as the host's user, whose other processes would count too")
	}
	return limit(unix.RLIMIT_NPROC, uint64(l.Threads))
}

func limitFileSize(Limits) error { return limit(unix.RLIMIT_FSIZE, 0) }

// forbidDumps also sets the process not dumpable, because the kernel does not hold a limit of zero against a core
// pattern that pipes to a program.
func forbidDumps(Limits) error {
	if err := limit(unix.RLIMIT_CORE, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	return nil
}
