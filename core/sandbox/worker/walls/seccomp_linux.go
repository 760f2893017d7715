//go:build amd64 || arm64

package walls

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter is written by hand, without a library, because a child is started for a program that takes a millisecond,
// and the tables of all architectures that the known library builds at its start cost four (measured).

// rule allows one system call, if all its checks agree.
type rule struct {
	nr     uint32
	checks []check
}

// check looks at the low half of an argument: arg & mask == want. The kernel reads no more of those that are checked.
type check struct {
	arg        uint32
	mask, want uint32
}

var (
	notExecutable = check{arg: 2, mask: unix.PROT_EXEC}
	// Shared memory, and memory that grows, would not count against the memory limit.
	countedMemory = check{arg: 3, mask: unix.MAP_SHARED | unix.MAP_GROWSDOWN}
	// A thread like ours, and nothing that comes near a process or a namespace.
	onlyThread = check{
		arg: 0,
		mask: unix.CLONE_VM | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_VFORK | unix.CLONE_PTRACE | unix.CLONE_PIDFD |
			unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
			unix.CLONE_NEWPID | unix.CLONE_NEWNET,
		want: unix.CLONE_VM | unix.CLONE_SIGHAND | unix.CLONE_THREAD,
	}
)

// allowed are the calls that the Go runtime lives on, with or without cgo, and reading and writing. Those that come most
// often are first: the filter is read from the top.
func allowed() []rule {
	return append([]rule{
		{nr: unix.SYS_FUTEX},
		{nr: unix.SYS_READ},
		{nr: unix.SYS_WRITE},
		{nr: unix.SYS_NANOSLEEP},
		{nr: unix.SYS_EPOLL_PWAIT},
		{nr: unix.SYS_EPOLL_PWAIT2},
		{nr: unix.SYS_EPOLL_CTL},
		{nr: unix.SYS_SCHED_YIELD},
		{nr: unix.SYS_CLOCK_GETTIME},
		{nr: unix.SYS_CLOCK_NANOSLEEP},
		{nr: unix.SYS_GETTIMEOFDAY},
		{nr: unix.SYS_GETRANDOM},

		{nr: unix.SYS_MMAP, checks: []check{notExecutable, countedMemory}},
		{nr: unix.SYS_MPROTECT, checks: []check{notExecutable}},
		{nr: unix.SYS_MADVISE},
		{nr: unix.SYS_MUNMAP},
		{nr: unix.SYS_BRK},
		{nr: unix.SYS_MINCORE},

		{nr: unix.SYS_CLONE, checks: []check{onlyThread}},
		{nr: unix.SYS_SET_ROBUST_LIST},
		{nr: unix.SYS_RSEQ},
		{nr: unix.SYS_GETTID},
		{nr: unix.SYS_GETPID},
		{nr: unix.SYS_SCHED_GETAFFINITY},

		// The runtime stops its own threads with signals, for the garbage collector and for fairness.
		{nr: unix.SYS_TGKILL, checks: []check{{arg: 0, mask: 0xffffffff, want: uint32(os.Getpid())}}},
		{nr: unix.SYS_RT_SIGRETURN},
		{nr: unix.SYS_RT_SIGPROCMASK},
		{nr: unix.SYS_RT_SIGACTION},
		{nr: unix.SYS_SIGALTSTACK},
		{nr: unix.SYS_RESTART_SYSCALL},

		{nr: unix.SYS_CLOSE},
		// Commands 0 to 7: flags and locks of what is open, but not the signals that it can be made to send.
		{nr: unix.SYS_FCNTL, checks: []check{{arg: 1, mask: ^uint32(7)}}},
		{nr: unix.SYS_EXIT},
		{nr: unix.SYS_EXIT_GROUP},
	}, ofArch...)
}

// filterSystemCalls puts the filter on all threads. Everything else fails with EPERM, like any other error, and not with
// a kill: what the runtime tries and can live without it may go on trying.
func filterSystemCalls(Limits) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Without the promise never to gain privileges only root may filter. The kernel hands it to the other threads.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	program := compile(allowed())
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("seccomp: thread %d does not take the filter", thread)
	}
	if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("a forbidden call was answered with %d, %v", fd, err)
	}
	return nil
}

// Offsets into the kernel's struct seccomp_data. Both architectures are little-endian.
const (
	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// compile writes the filter: one block for each rule, which is skipped for every other call.
func compile(rules []rule) []unix.SockFilter {
	program := []unix.SockFilter{
		load(offsetArch), unless(auditArch, 1), skip(1), answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetNr),
		// The C library makes threads with clone where there is no clone3, whose flags a filter cannot see.
		unless(unix.SYS_CLONE3, 1), answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
	}
	refuse := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	for _, r := range rules {
		var block []unix.SockFilter
		for i := range r.checks {
			c := r.checks[len(r.checks)-1-i] // built from its end, so that each check knows how far it is to the refusal
			block = append([]unix.SockFilter{load(offsetArgs + 8*c.arg), and(c.mask), unless(c.want, len(block)+1)}, block...)
		}
		block = append(block, answer(unix.SECCOMP_RET_ALLOW), refuse)
		program = append(append(program, unless(r.nr, len(block))), block...)
	}
	return append(program, refuse)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func and(mask uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask}
}

// unless skips n instructions if what is loaded is not k.
func unless(k uint32, n int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(n), K: k}
}

func skip(n uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: n}
}

func answer(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}
