package plugin

import "time"

// restartDelays are waited after the first, second, ... exit within exitWindow.
// The last of them belongs to the exit that opens the circuit.
var restartDelays = [...]time.Duration{0, 250 * time.Millisecond, time.Second, 5 * time.Second, 30 * time.Second}

// exitWindow is how long an exit counts against a connector.
const exitWindow = time.Minute

// backoff decides when a connector that has exited may be launched again. After
// as many exits within the window as there are delays the circuit is open:
// calls fail at once until the last delay is over.
type backoff struct {
	delays [len(restartDelays)]time.Duration
	exits  []time.Time // within the window before the last of them
}

// exited counts one exit, or one launch that failed.
func (b *backoff) exited(now time.Time) {
	recent := b.exits[:0]
	for _, t := range b.exits {
		if now.Sub(t) < exitWindow {
			recent = append(recent, t)
		}
	}
	b.exits = append(recent, now)
}

// reset forgets every exit.
func (b *backoff) reset() { b.exits = nil }

// wait is how long the next launch has to wait, and whether the circuit is open meanwhile.
func (b *backoff) wait(now time.Time) (delay time.Duration, open bool) {
	n := min(len(b.exits), len(b.delays))
	if n == 0 {
		return 0, false
	}
	delay = b.exits[len(b.exits)-1].Add(b.delays[n-1]).Sub(now)
	if delay <= 0 {
		return 0, false
	}
	return delay, n == len(b.delays)
}
