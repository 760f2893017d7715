package engine

import (
	"encoding/json"
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
	var next *call
	for _, c := range p.open {
		if c.stage == stageTimer && (next == nil || byDue(c, next) < 0) {
			next = c
		}
	}
	return next
}

// fireTimer journals the next timer that is due, unless something else is to be delivered first. When the
// program has returned and nothing but timers is left, they are dropped instead.
func (p *pass) fireTimer() error {
	if len(p.ready) > 0 {
		return nil
	}
	if p.main != nil && p.onlyTimers() {
		return p.dropTimers()
	}
	c := p.nextTimer()
	if c == nil || c.due > p.usage.Clock {
		return nil
	}
	return p.outcome(c, &journal.Outcome{State: journal.CallApplied})
}

func (p *pass) onlyTimers() bool {
	for _, c := range p.open {
		if c.stage != stageTimer && c.stage != stageStep {
			return false
		}
	}
	return true
}

// dropTimers withdraws the timers that are left after the program has returned.
func (p *pass) dropTimers() error {
	dropped := 0
	for _, seq := range append([]string(nil), p.order...) {
		if p.open[seq].stage != stageTimer {
			continue
		}
		if err := p.withdraw(seq, "the program had returned"); err != nil {
			return err
		}
		dropped++
	}
	if dropped > 0 {
		p.warn("%d timer(s) dropped: the program returned without awaiting them", dropped)
	}
	return nil
}
