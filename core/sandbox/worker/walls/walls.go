// Package walls takes from a process what a program must never reach: files, the network, other processes, the host's
// environment, and more than its share of the machine. The language is the first wall; these stand for the day on which
// it falls, and are raised by the operating system around the whole child process.
//
// The host starts the child with a [Spawner]; the child calls [Raise] once it is warm and before it reads anything that
// a program could have influenced:
//
//	s := walls.New()
//	defer s.Close()
//	cmd := exec.Command(self, "worker")                    // self, err := walls.Self()
//	cmd.Stdin, cmd.Stdout, cmd.Stderr = ...               // pipes
//	outer, err := s.Start(cmd)                             // in the host
//	inner := walls.Raise(walls.Limits{Memory: 640 << 20})  // in the child, which reports them to the host
//	missing := walls.Missing(append(outer, inner...))
//
// The layers that [Raise] puts up are tried there: one that does not stop what it is there to stop counts as missing.
// Those of [Spawner.Start] hold as soon as the kernel has started a child with them. What matters most is held by two layers that know nothing of each other.
package walls

import (
	"fmt"
	"slices"
	"time"
)

// Layer is one wall.
type Layer struct {
	Name  string `json:"name"`          // one of the constants below
	Holds bool   `json:"holds"`         // it stands
	Why   string `json:"why,omitempty"` // why it does not hold, for an operator
}

// The layers that [Spawner.Start] puts up.
const (
	Environment      = "environment"       // the child sees no variable of the host's
	User             = "user"              // it has no privileges: nobody's, or none at all in a user namespace of its own
	NetworkNamespace = "network namespace" // no interface but a loopback that is down
	ProcessNamespace = "process namespace" // it sees no process but itself
	IPCNamespace     = "ipc namespace"     // no shared memory, semaphore or queue of others
	Parent           = "parent"            // it dies with the host, and has no terminal
)

// The layers that [Raise] puts up.
const (
	Inherited   = "inherited descriptors" // none is open but the given ones
	Memory      = "memory"                // RLIMIT_DATA
	CPU         = "cpu"                   // RLIMIT_CPU
	Threads     = "threads"               // RLIMIT_NPROC
	FileSize    = "file size"             // RLIMIT_FSIZE is zero
	Filesystem  = "filesystem"            // Landlock without any rule
	Descriptors = "new descriptors"       // RLIMIT_NOFILE is zero
	CoreDumps   = "core dumps"            // not dumpable, which closes its memory to its own user's other processes too
	SystemCalls = "system calls"          // seccomp: compute, allocate, read and write what is open, and nothing else
)

// Limits are what a child may use during its whole life. Zero is no limit, and the layer counts as missing.
type Limits struct {
	// Memory is the most bytes of private memory, code and shared mappings not counted. A Go process has about 75 MB of
	// it before it does anything. Beyond it the child ends itself with exit code 2 and "out of memory" on stderr.
	Memory int64
	// CPU is the most processor time, of all threads together since the start of the process, rounded up to a second.
	// Beyond it the child is killed.
	CPU time.Duration
	// Threads is the most threads of the child's user. Under a host that is root, all its children share that user,
	// nobody, and so this number.
	Threads int
	// Files is how many descriptors the child was given, the standard three included. Default: 3.
	Files int
}

// Missing returns the layers that do not hold. None missing is what `require = "full"` demands.
func Missing(layers []Layer) []Layer {
	return slices.DeleteFunc(slices.Clone(layers), func(l Layer) bool { return l.Holds })
}

func missing(layer, why string, args ...any) Layer {
	return Layer{Name: layer, Why: fmt.Sprintf(why, args...)}
}
