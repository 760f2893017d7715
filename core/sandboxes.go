package core

import (
	"context"
	"sync"

	"github.com/codemode-go/codemode/core/sandbox"
)

// limited is a sandbox in which only so many programs run at once. The others wait to be started.
type limited struct {
	sandbox.Sandbox
	slots chan struct{} // one taken for each session that is open
}

func limitedTo(n int, s sandbox.Sandbox) *limited {
	return &limited{Sandbox: s, slots: make(chan struct{}, n)}
}

// Start waits until one more program may run.
func (l *limited) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	free := sync.OnceFunc(func() { <-l.slots })
	s, err := l.Sandbox.Start(ctx, spec)
	if err != nil {
		free()
		return nil, err
	}
	return &slotted{Session: s, free: free}, nil
}

// slotted is a session that gives its slot back when it ends.
type slotted struct {
	sandbox.Session
	free func()
}

func (s *slotted) Close() error {
	defer s.free()
	return s.Session.Close()
}
