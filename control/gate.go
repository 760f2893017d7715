package control

import (
	"context"
	"sync"
)

// gate counts the requests under way, and closes when there are none. The zero value is open.
type gate struct {
	mu     sync.Mutex
	inside int
	closed bool
	empty  chan struct{} // closed when the last one leaves; made when the first one enters
}

// enter reports whether a request may begin; then it must leave.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	if g.inside == 0 {
		g.empty = make(chan struct{})
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 {
		close(g.empty)
	}
}

// count is the number of requests under way.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside
}

// close waits until no request is under way, then lets none in any more. When ctx ends first it lets none in, does not
// wait for those that are inside, and returns ctx's error.
func (g *gate) close(ctx context.Context) error {
	for {
		g.mu.Lock()
		if g.inside == 0 {
			g.closed = true
			g.mu.Unlock()
			return nil
		}
		empty := g.empty
		g.mu.Unlock()
		select {
		case <-empty: // another one may enter before the lock is taken again
		case <-ctx.Done():
			g.mu.Lock()
			g.closed = true
			g.mu.Unlock()
			return ctx.Err()
		}
	}
}

// wait waits for those that are inside a closed gate.
func (g *gate) wait() {
	g.mu.Lock()
	empty, inside := g.empty, g.inside
	g.mu.Unlock()
	if inside > 0 {
		<-empty
	}
}
