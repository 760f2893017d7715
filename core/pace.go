package core

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Pace bounds what a host asks of one connector, over all executions. The zero value bounds nothing and repeats nothing.
type Pace struct {
	// Concurrency is how many calls the connector carries out at once; others wait. 0: no bound.
	Concurrency int
	// PerSecond is how many calls may start in a second, Burst how many of them at once. 0: no bound.
	PerSecond float64
	Burst     int
	// Retries is how often a call is repeated that failed in a way that can pass and certainly had no effect: a
	// read, or a write whose error says so.
	Retries int
	// Backoff is the wait before the first repetition, which doubles each time up to MaxBackoff; the connector's own
	// word on when to come back goes before. A repetition that would begin after the call's deadline is not made.
	Backoff, MaxBackoff time.Duration
}

// paced is a connector behind its pace. Everything but Invoke passes as it is.
type paced struct {
	wire.Connector
	label string
	pace  Pace
	slots chan struct{} // nil: no bound
	rate  *rate.Limiter // nil: no bound

	mu    sync.Mutex
	reads map[string]bool // the methods that declare to be reads
}

func newPaced(c Connector) wire.Connector {
	p := &paced{Connector: c.Connector, label: c.Label, pace: c.Pace}
	if c.Pace == (Pace{}) {
		return c.Connector
	}
	if c.Pace.Concurrency > 0 {
		p.slots = make(chan struct{}, c.Pace.Concurrency)
	}
	if c.Pace.PerSecond > 0 {
		p.rate = rate.NewLimiter(rate.Limit(c.Pace.PerSecond), max(1, c.Pace.Burst))
	}
	return p
}

// Methods takes note of which methods are reads.
func (p *paced) Methods(ctx context.Context) (*wire.Offer, error) {
	offer, err := p.Connector.Methods(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads = map[string]bool{}
	for _, m := range offer.Methods {
		p.reads[m.Name] = m.ReadOnly
	}
	return offer, nil
}

// Invoke waits for a slot and a permit, and repeats what may be repeated.
func (p *paced) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	for tried := 0; ; tried++ {
		result, err := p.once(ctx, call, progress)
		wait, again := p.again(call, err, tried)
		if !again {
			return result, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func (p *paced) once(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-ctx.Done():
			return nil, &unsentError{p.label, "no slot came free before the call's deadline"}
		}
	}
	if p.rate != nil {
		if err := p.rate.Wait(ctx); err != nil {
			return nil, &unsentError{p.label, "its rate limit left no room before the call's deadline"}
		}
	}
	return p.Connector.Invoke(ctx, call, progress)
}

// again reports whether a call is repeated after an error, and when.
func (p *paced) again(call *wire.Call, err error, tried int) (time.Duration, bool) {
	var told *wire.Error
	if !errors.As(err, &told) || !told.Retryable || tried >= p.pace.Retries {
		return 0, false
	}
	p.mu.Lock()
	read := p.reads[call.Method]
	p.mu.Unlock()
	if !read && told.Effect != wire.EffectNone {
		return 0, false
	}
	wait := p.pace.Backoff << tried
	if most := p.pace.MaxBackoff; most > 0 {
		wait = min(wait, most)
	}
	wait += rand.N(wait/4 + 1) // so that calls that failed together do not come back together
	wait = max(wait, told.RetryAfter)
	return wait, call.Deadline.IsZero() || time.Now().Add(wait).Before(call.Deadline)
}

// unsentError says that a call was not sent: a write did not happen.
type unsentError struct {
	label, why string
}

func (e *unsentError) Error() string {
	return fmt.Sprintf("connector %q: the call was not sent: %s", e.label, e.why)
}
func (e *unsentError) Summary() string { return e.Error() }
func (e *unsentError) NeverSent() bool { return true }

// Unwrap says that the call's time is used up, so that it is not repeated by itself.
func (e *unsentError) Unwrap() error { return context.DeadlineExceeded }

var _ wire.Connector = (*paced)(nil)
