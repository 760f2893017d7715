package codetool

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/codemode-go/codemode/core/sandbox"
)

// timer is one that the program waits for.
type timer struct {
	sandbox.Call
	due time.Time
}

// set starts a timer. Equal due times fire in the order of their issue.
func (r *run) set(c sandbox.Call, now time.Time) {
	var a struct {
		Delay float64 `json:"delay"` // milliseconds, not negative and bounded by the sandbox
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		a.Delay = 0
	}
	t := timer{Call: c, due: now.Add(time.Duration(a.Delay * float64(time.Millisecond)))}
	at := slices.IndexFunc(r.timers, func(other timer) bool { return other.due.After(t.due) })
	if at < 0 {
		at = len(r.timers)
	}
	r.timers = slices.Insert(r.timers, at, t)
}

// clear drops a timer.
func (r *run) clear(seq string) {
	r.timers = slices.DeleteFunc(r.timers, func(t timer) bool { return t.Seq == seq })
}

// fire delivers the next timer that is due, unless something else is to be delivered
// first. Those left when the program has ended never fire.
func (r *run) fire() {
	if len(r.ready) > 0 || len(r.timers) == 0 || r.main != nil && len(r.running) == 0 {
		return
	}
	if t := r.timers[0]; !t.due.After(time.Now()) {
		r.timers = r.timers[1:]
		r.deliver(t.Call, nil, nil)
	}
}
