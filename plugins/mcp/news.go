package main

import (
	"context"
	"sync"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// news is what the host has not heard yet.
type news struct {
	fresh chan struct{} // holds a token while there is anything

	mu     sync.Mutex
	change sdk.Change
}

func newNews() *news { return &news{fresh: make(chan struct{}, 1)} }

// toolsChanged has the host list the methods again.
func (n *news) toolsChanged() {
	n.add(func(c *sdk.Change) { c.MethodsChanged = true })
}

// health has the host show a line; empty: all is well.
func (n *news) health(line string) {
	n.add(func(c *sdk.Change) { c.Health = line })
}

func (n *news) add(to func(*sdk.Change)) {
	n.mu.Lock()
	before := n.change
	to(&n.change)
	same := n.change == before
	n.mu.Unlock()
	if same {
		return
	}
	select {
	case n.fresh <- struct{}{}:
	default:
	}
}

// watch reports until ctx ends.
func (n *news) watch(ctx context.Context, report func(sdk.Change)) error {
	for {
		select {
		case <-n.fresh:
			report(n.take())
		case <-ctx.Done():
			return nil
		}
	}
}

// take returns the news. The health stays what it is.
func (n *news) take() sdk.Change {
	n.mu.Lock()
	defer n.mu.Unlock()
	change := n.change
	n.change.MethodsChanged = false
	return change
}
