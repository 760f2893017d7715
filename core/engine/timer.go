package engine

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

// delayOf reads a timer's delay.
func delayOf(args []byte) time.Duration {
	var a struct {
		Delay float64 `json:"delay"`
	}
	if json.Unmarshal(args, &a) != nil || a.Delay < 0 {
		return 0
	}
	return time.Duration(a.Delay * float64(time.Millisecond))
}

// nextTimer returns the timer that fires next; nil: there is none.
func (p *pass) nextTimer() *call {
	if p.open.count(stageTimer) == 0 {
		return nil
	}
	return p.open.at[stageTimer][0]
}

// fireTimer journals the next timer that is due, unless something else is to be delivered first. When the
// program has returned and nothing but timers is left, they are dropped instead.
func (p *pass) fireTimer() error {
	if len(p.ready) > 0 {
		return nil
	}
	if p.main != nil && p.open.count(stageQueued, stagePreparing, stageExecuting, stageWaiting) == 0 {
		return p.dropTimers()
	}
	c := p.nextTimer()
	if c == nil || c.due > p.usage.Clock {
		return nil
	}
	return p.outcome(c, &journal.Outcome{State: journal.CallApplied})
}

// dropTimers withdraws the timers that are left after the program has returned.
func (p *pass) dropTimers() error {
	timers := slices.Clone(p.open.at[stageTimer])
	for _, c := range timers {
		if err := p.withdraw(c.seq, "the program had returned"); err != nil {
			return err
		}
	}
	if len(timers) > 0 {
		p.warn("%d timer(s) dropped: the program returned without awaiting them", len(timers))
	}
	return nil
}
