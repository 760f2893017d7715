package engine

import (
	"context"
	"slices"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

// stage is where an open call stands in its pass.
type stage int

const (
	stageWaiting   stage = iota // for a person
	stageQueued                 // for a slot
	stagePreparing              // its connector reads what a revert will need
	stageExecuting              // its connector works
	stageDoubt                  // its effect is not known, and is looked into before a person is asked
	stageTimer
	stageStep // its function runs in the sandbox
	stages    // how many there are
)

// call is a call that has been issued in this pass and not been delivered.
type call struct {
	seq    string
	stage  stage
	method *catalog.Method    // nil: the host's own, or not resolved in this pass
	conn   wire.Connector     // what carries it; set when the call is cleared to start
	cancel context.CancelFunc // set while a goroutine works on it
	// again says that the verdict is of another moment: the call is judged anew before it starts.
	again bool
	// prepared says that its connector has read what a revert will need, which is before.
	prepared bool
	before   []byte
	// repeated says that the call has been run once more by itself.
	repeated bool
	// cause is why its effect is not known; asked says that this is being looked into, or has been in this pass.
	cause string
	asked bool
	// due is when a timer fires, on the timers' clock.
	due time.Duration
	// replayed is the recorded outcome at whose place a call that is dispatched in every pass is delivered.
	replayed *journal.Call
}

// openCalls are a pass's open calls by their stage: timers in the order in which they fire, all others by seq. A
// program may have ten thousand at once, so nothing here looks at all of them for one.
type openCalls struct {
	bySeq map[string]*call
	at    [stages][]*call
}

func newOpenCalls() openCalls { return openCalls{bySeq: map[string]*call{}} }

func (o *openCalls) get(seq string) *call { return o.bySeq[seq] }

// add opens a call at the stage that it names.
func (o *openCalls) add(c *call) {
	o.bySeq[c.seq] = c
	o.insert(c)
}

// move puts an open call to another stage.
func (o *openCalls) move(c *call, to stage) {
	o.cut(c)
	c.stage = to
	o.insert(c)
}

// remove closes a call.
func (o *openCalls) remove(c *call) {
	o.cut(c)
	delete(o.bySeq, c.seq)
}

func (o *openCalls) insert(c *call) {
	list := o.at[c.stage]
	i, _ := slices.BinarySearchFunc(list, c, c.stage.order())
	o.at[c.stage] = slices.Insert(list, i, c)
}

func (o *openCalls) cut(c *call) {
	list := o.at[c.stage]
	if i, found := slices.BinarySearchFunc(list, c, c.stage.order()); found {
		o.at[c.stage] = slices.Delete(list, i, i+1)
	}
}

// order is how the calls of a stage are kept.
func (s stage) order() func(a, b *call) int {
	if s == stageTimer {
		return byDue
	}
	return bySeq
}

// count is how many calls are at any of the stages.
func (o *openCalls) count(list ...stage) int {
	n := 0
	for _, s := range list {
		n += len(o.at[s])
	}
	return n
}

// all lists the open calls in seq order.
func (o *openCalls) all() []*call {
	var list []*call
	for _, at := range o.at {
		list = append(list, at...)
	}
	slices.SortFunc(list, bySeq)
	return list
}

// bySeq orders open calls.
func bySeq(a, b *call) int { return journal.CompareSeq(a.seq, b.seq) }

// byDue orders timers: equal due times fire by seq.
func byDue(a, b *call) int {
	if a.due != b.due {
		if a.due < b.due {
			return -1
		}
		return 1
	}
	return bySeq(a, b)
}
