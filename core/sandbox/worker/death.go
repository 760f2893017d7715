package worker

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/codemode-go/codemode/core/sandbox"
)

// death says how a child ended.
type death struct {
	cause error  // that the host noticed: a deadline, a broken pipe, garbage
	state string // of the process
	limit string // the limit that the child broke; empty: none that is known
	// said is the first line that the child's runtime wrote, for logs.
	said string
}

func (d *death) Error() string {
	text := "the sandbox process ended: " + d.state
	if d.said != "" {
		text += ": " + d.said
	}
	return text
}

func (d *death) Unwrap() error { return d.cause }

// lastWords are the words in which Go's runtime says that a process has hit a limit.
var lastWords = []struct{ text, limit string }{
	{"stack exceeds", "stack"},
	{"stack overflow", "stack"},
	{"out of memory", "memory"},
	{"cannot allocate memory", "memory"},
	{"ThreadSanitizer failed to allocate", "memory"}, // in a process that is watched for races
	{"failed to create new OS thread", "memory"},
}

// diagnose reads the reason of a process's end from its state and from what its runtime wrote.
func diagnose(state *os.ProcessState, wrote string, cause error) *death {
	d := &death{cause: cause, state: state.String()}
	d.said, _, _ = strings.Cut(strings.TrimSpace(wrote), "\n")
	d.said = d.said[:min(len(d.said), 200)]
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGXCPU {
		d.limit = "cpu"
		return d
	}
	for _, w := range lastWords {
		if strings.Contains(wrote, w.text) {
			d.limit = w.limit
			return d
		}
	}
	return d
}

// exceeded tells the limit that was broken in words for the model.
func exceeded(limit string, l sandbox.Limits) *sandbox.Exceeded {
	x := &sandbox.Exceeded{Limit: limit}
	switch limit {
	case "memory":
		x.Message = fmt.Sprintf("the program asked for far more memory than the %d MiB that it may use; it was ended at once", l.Memory>>20)
	case "stack":
		x.Message = "the program made the engine itself recurse too deeply: flatten, parse or print nested values with a loop of your own"
	default:
		x.Message = fmt.Sprintf("the program used more than %s of computing time in one operation that cannot be interrupted; it was ended at once. "+
			"Avoid regular expressions with nested quantifiers, huge repeats and huge arrays", l.CPU)
	}
	return x
}

// head keeps the first bytes that are written to it.
type head struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// headBytes hold the line with which Go's runtime says why it gives up; the stacks of all goroutines follow.
const headBytes = 4 << 10

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf.Write(p[:min(len(p), headBytes-h.buf.Len())])
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.String()
}
