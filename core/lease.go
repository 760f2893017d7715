package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

const (
	// leaseTime is how long a host that shares its store is taken to live after its last word.
	leaseTime = 15 * time.Second
	// leaseBeat is how often a host gives word: one that is missed does no harm.
	leaseBeat = leaseTime / 3
)

// lease is this host's right to start anything on a store that it shares. A nil lease is that of a host which has its
// store to itself.
type lease struct {
	store  journal.Leases
	owner  string
	logger hclog.Logger

	stop context.CancelFunc // of keep
	kept sync.WaitGroup

	mu    sync.Mutex
	until time.Time // by this host's monotonic clock
}

// takeLease takes a lease if the store wants one, and keeps it up until it is released.
func takeLease(ctx context.Context, store journal.Store, owner string, logger hclog.Logger) (*lease, error) {
	shared, ok := store.(journal.Leases)
	if !ok {
		return nil, nil
	}
	l := &lease{store: shared, owner: owner, logger: logger}
	if err := l.renew(ctx); err != nil {
		return nil, fmt.Errorf("take a lease on the journal: %w", err)
	}
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.kept.Go(func() { l.keep(ctx) })
	return l, nil
}

// keep renews the lease until ctx ends.
func (l *lease) keep(ctx context.Context) {
	beat := time.NewTicker(leaseBeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
		if err := l.renew(ctx); err != nil && ctx.Err() == nil {
			l.logger.Error("the lease on the journal is not renewed", "error", err)
		}
	}
}

// renew counts the time from before the store does, so that this host knows of the end first.
func (l *lease) renew(ctx context.Context) error {
	asked := time.Now()
	if err := l.store.Renew(ctx, l.owner, leaseTime); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = asked.Add(leaseTime)
	return nil
}

// check is asked before anything is started.
func (l *lease) check() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.until) {
		return nil
	}
	return engine.ErrLeaseEnded
}

// release lets other hosts go on at once with what this one leaves. Nothing is to be done under the lease any more.
func (l *lease) release() error {
	if l == nil {
		return nil
	}
	l.stop()
	l.kept.Wait()
	if err := l.store.Release(context.Background(), l.owner); err != nil {
		return fmt.Errorf("give the lease on the journal back: %w", err)
	}
	return nil
}

// others reports whether another host lives that owns an execution.
func (l *lease) others(ctx context.Context, head journal.Head) (bool, error) {
	if l == nil || head.Owner == l.owner {
		return false, nil
	}
	lives, err := l.store.Lives(ctx, head.Owner)
	if err != nil {
		return false, fmt.Errorf("find out whether the host of execution %s lives: %w", head.ID, err)
	}
	return lives, nil
}

// elsewhere is the text for who wants to change what another host works on.
const elsewhere = "Another host works on this execution. Nothing was changed; try again when it has paused or ended."

// taken is the text for who was too late.
const taken = "Another host has taken this execution over at the same moment. Nothing was changed by this one; look what it has done."

// overtaken reports whether a change was refused because another host was faster: it has taken the execution over, or,
// stalled, has still recorded what it had begun.
func overtaken(err error) bool {
	return errors.Is(err, journal.ErrFenced) || errors.Is(err, journal.ErrConflict)
}
