package walls

import (
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// target is what there is to reach outside of the child.
type target struct {
	pid  int    // of the host
	port int    // on which it listens, on the loopback
	key  int    // of its shared memory
	file string // that anyone may read and write
	leak int    // a descriptor that it does not know of
}

func (g target) args() []string {
	return []string{strconv.Itoa(g.pid), strconv.Itoa(g.port), strconv.Itoa(g.key), g.file, strconv.Itoa(g.leak)}
}

func parseTarget(args []string) target {
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		return n
	}
	return target{number(args[0]), number(args[1]), number(args[2]), args[3], number(args[4])}
}

// attempt is something that a program must never manage.
type attempt struct {
	name   string
	layers []string // each of which stops it alone
	do     func(target) error
}

// attempts are in the order in which a child makes them; what ends it comes last.
var attempts = []attempt{
	{"find the host's environment", []string{Environment}, func(target) error {
		if all := os.Environ(); slices.ContainsFunc(all, func(v string) bool { return !strings.HasPrefix(v, "GORACE=") }) {
			return nil
		}
		return errors.New("empty")
	}},
	{"use a descriptor that leaked", []string{Inherited}, func(g target) error {
		_, err := unix.FcntlInt(uintptr(g.leak), unix.F_GETFD, 0)
		return err
	}},
	{"make a descriptor", []string{Descriptors}, func(target) error {
		_, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
		return err
	}},
	{"read a file", []string{Filesystem, Descriptors, SystemCalls}, reads("/etc/passwd")},
	{"read the process's environment", []string{Filesystem, Descriptors, SystemCalls}, reads("/proc/self/environ")},
	{"list a folder", []string{Filesystem, Descriptors, SystemCalls}, func(target) error {
		_, err := os.ReadDir("/")
		return err
	}},
	{"write a file", []string{Filesystem, Descriptors, SystemCalls}, func(g target) error {
		f, err := os.OpenFile(g.file, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}},
	{"truncate a file", []string{Filesystem, SystemCalls}, func(g target) error { return unix.Truncate(g.file, 0) }},
	{"write to a file that is open", []string{FileSize}, func(target) error {
		_, err := unix.Write(3, []byte("x"))
		return err
	}},
	{"open a TCP socket", []string{SystemCalls}, socket(unix.AF_INET, unix.SOCK_STREAM)},
	{"open a UDP socket", []string{SystemCalls}, socket(unix.AF_INET6, unix.SOCK_DGRAM)},
	{"open a Unix socket", []string{SystemCalls}, socket(unix.AF_UNIX, unix.SOCK_STREAM)},
	{"open a netlink socket", []string{SystemCalls}, socket(unix.AF_NETLINK, unix.SOCK_RAW)},
	{"connect to the host", []string{NetworkNamespace, SystemCalls}, func(g target) error {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(g.port)))
		if err != nil {
			return err
		}
		return c.Close()
	}},
	{"signal the host", []string{ProcessNamespace, User, SystemCalls}, func(g target) error { return unix.Kill(g.pid, 0) }},
	{"signal a thread of the host", []string{ProcessNamespace, User, SystemCalls}, func(g target) error {
		return raw(unix.SYS_TGKILL, uintptr(g.pid), uintptr(g.pid), 0)
	}},
	{"have a descriptor signal the host", []string{ProcessNamespace, SystemCalls}, func(g target) error {
		_, err := unix.FcntlInt(0, unix.F_SETOWN, g.pid)
		return err
	}},
	{"trace the host", []string{ProcessNamespace, User, SystemCalls}, func(g target) error {
		return unix.PtraceSeize(g.pid) // until the thread ends
	}},
	{"read the host's memory", []string{ProcessNamespace, User, SystemCalls}, func(g target) error {
		buf := make([]byte, 1)
		local := []unix.Iovec{{Base: &buf[0], Len: 1}}
		_, err := unix.ProcessVMReadv(g.pid, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&buf[0])), Len: 1}}, 0)
		if errors.Is(err, unix.EFAULT) {
			return nil // it may read, only not there
		}
		return err
	}},
	{"find the host's shared memory", []string{IPCNamespace, SystemCalls}, func(g target) error {
		_, err := unix.SysvShmGet(g.key, 0, 0)
		return err
	}},
	{"be dumped", []string{CoreDumps, SystemCalls}, func(target) error {
		dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err == nil && dumpable == 0 {
			return errors.New("not dumpable")
		}
		return err
	}},
	{"raise a limit", []string{User, SystemCalls}, func(target) error {
		var l unix.Rlimit
		if err := unix.Prlimit(0, unix.RLIMIT_CORE, nil, &l); err != nil {
			return err
		}
		l.Max += 1 << 20
		if l.Max < 1<<20 {
			l.Max = 1 << 20 // it was unlimited, and is made less first
			if err := unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{}, nil); err != nil {
				return err
			}
		}
		return unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{Max: l.Max}, nil)
	}},
	{"mount", []string{User, SystemCalls}, func(target) error { return unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
	{"change the root", []string{User, SystemCalls}, func(target) error { return unix.Chroot("/") }},
	{"become root", []string{User, SystemCalls}, func(target) error { return raw(unix.SYS_SETRESUID, 0, 0, 0) }},
	{"leave a namespace", []string{User, SystemCalls}, func(target) error { return unix.Unshare(unix.CLONE_NEWUTS) }},
	{"change the working folder", []string{SystemCalls}, func(target) error { return unix.Chdir("/") }},
	{"set up io_uring", []string{SystemCalls}, func(target) error { return raw(unix.SYS_IO_URING_SETUP, 1, params(), 0) }},
	{"load BPF", []string{SystemCalls}, func(target) error {
		return raw(unix.SYS_BPF, unix.BPF_MAP_CREATE, params(unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1), 128)
	}},
	{"make a userfaultfd", []string{SystemCalls}, func(target) error { return raw(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0) }},
	{"make a memory file", []string{SystemCalls}, func(target) error { _, err := unix.MemfdCreate("x", 0); return err }},
	{"use the key store", []string{SystemCalls}, func(target) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	}},
	{"open a process", []string{SystemCalls}, func(target) error { _, err := unix.PidfdOpen(os.Getpid(), 0); return err }},
	{"make a pipe", []string{Descriptors, SystemCalls}, func(target) error { return unix.Pipe2(make([]int, 2), unix.O_CLOEXEC) }},
	{"map executable memory", []string{SystemCalls}, func(target) error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
		return err
	}},
	{"make memory executable", []string{SystemCalls}, func(target) error {
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			panic(err)
		}
		return unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC)
	}},
	{"allocate shared memory", []string{SystemCalls}, func(target) error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
		return err
	}},
	{"allocate beyond the limit", []string{Memory}, func(target) error {
		_, err := unix.Mmap(-1, 0, int(ample.Memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		return err
	}},
	{"fork", []string{SystemCalls}, func(target) error { return fork(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0) }},
	{"fork with clone3", []string{SystemCalls}, func(target) error {
		args := [8]uint64{4: uint64(unix.SIGCHLD)}
		return fork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args))
	}},
	{"execute a program", []string{Filesystem, SystemCalls}, func(target) error {
		return unix.Exec(self, []string{self, "passed"}, nil)
	}},
}

func reads(path string) func(target) error {
	return func(target) error {
		_, err := os.ReadFile(path)
		return err
	}
}

func socket(family, kind int) func(target) error {
	return func(target) error {
		_, err := unix.Socket(family, kind, 0)
		return err
	}
}

// params is a block for the kernel to read or write, which begins with these.
func params(first ...uint32) uintptr {
	var block [64]uint32
	copy(block[:], first)
	return uintptr(unsafe.Pointer(&block))
}

func raw(nr, a, b, c uintptr) error {
	if _, _, errno := unix.RawSyscall(nr, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// fork makes a process that ends at once.
func fork(nr, a, b uintptr) error {
	pid, _, errno := unix.RawSyscall(nr, a, b, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		for {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	unix.Wait4(int(pid), nil, 0, nil) // which may be forbidden; it is there all the same
	return nil
}

// attemptAll raises the walls of the first argument, makes the attempts of the second, and reports how each went.
func attemptAll(args []string) {
	names, g := strings.Split(args[1], ";"), parseTarget(args[2:])
	for _, l := range raiseNamed(args[0]) {
		if !l.Holds {
			report(l.Name, errors.New(l.Why))
		}
	}
	for _, a := range attempts {
		if slices.Contains(names, a.name) {
			report(a.name, a.do(g))
		}
	}
}
