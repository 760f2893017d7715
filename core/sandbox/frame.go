package sandbox

import (
	"strconv"

	"github.com/dop251/goja"
)

// frame is a part of a program that numbers its own calls and draws its own
// chance: the program itself, each step whose function runs, and the body of
// each snippet that it runs.
type frame struct {
	seq    string // of the step or of the call that runs the snippet; empty: the program itself
	parent *frame
	// snippet says that the frame is a snippet's: what is open in it is open in the frame around it too.
	snippet bool
	issued  int // calls numbered so far
	timers  int // timers set so far
	open    int // calls under it, timers aside, whose completion is outstanding
	chance  *chance

	// The following belong to a step.
	name     string
	promise  *goja.Promise // of its function
	outcome  *StepResult   // set once the function has settled
	reported bool          // the step has ended
}

// next numbers a call issued in the frame.
func (f *frame) next() string {
	n := strconv.Itoa(f.issued)
	f.issued++
	if f.seq == "" {
		return n
	}
	return f.seq + "." + n
}

// opened counts a call that is issued in the frame, and with closed one that has its completion.
func (f *frame) opened() { f.count(1) }
func (f *frame) closed() { f.count(-1) }

func (f *frame) count(n int) {
	for f.open += n; f.snippet; f.open += n {
		f = f.parent
	}
}

// ended reports whether the frame belongs to a step that has ended.
func (f *frame) ended() bool {
	for ; f != nil; f = f.parent {
		if f.reported {
			return true
		}
	}
	return false
}

// depth is how many snippets run each other around the frame.
func (f *frame) depth() int {
	n := 0
	for ; f != nil; f = f.parent {
		if f.snippet {
			n++
		}
	}
	return n
}

// within reports whether f is the outer frame or lies below it.
func (f *frame) within(outer *frame) bool {
	for ; f != nil; f = f.parent {
		if f == outer {
			return true
		}
	}
	return false
}

// frames knows in which frame the running code is. The engine carries the frame
// along every await and every reaction; it loses it where a promise adopts an
// object with a then of its own.
type frames struct {
	root *frame
	lost *frame // stands for a frame that was lost while a step was open
	cur  *frame // nil: not known
	back []*frame
	// steps counts the steps from their issue to their delivery. In between,
	// code of unknown frame may belong to one of them, and must then leave no
	// trace, because a replay does not run it.
	steps int
}

func newFrames() frames {
	return frames{root: &frame{}, lost: &frame{seq: "lost"}}
}

// current returns the frame of the running code, or lost.
func (f *frames) current() *frame {
	switch {
	case f.cur != nil:
		return f.cur
	case f.steps > 0:
		return f.lost
	}
	return f.root
}

// enter makes to the current frame until leave.
func (f *frames) enter(to *frame) {
	f.back = append(f.back, f.cur)
	f.cur = to
}

func (f *frames) leave() {
	last := len(f.back) - 1
	f.cur = f.back[last]
	f.back = f.back[:last]
}

// Grab, Resumed and Exited make frames a goja.AsyncContextTracker.

func (f *frames) Grab() any { return f.current() }

func (f *frames) Resumed(grabbed any) { f.cur, _ = grabbed.(*frame) }

func (f *frames) Exited() { f.cur = nil }

var _ goja.AsyncContextTracker = (*frames)(nil)
