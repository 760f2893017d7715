package memory

import (
	"context"
	"sync"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

var _ journal.Leases = (*Shared)(nil)

// Shared is a Store on which several hosts of one process work at the same time.
type Shared struct {
	*Store

	mu     sync.Mutex
	leases map[string]time.Time // their ends, by owner
}

// NewShared returns an empty store for several hosts.
func NewShared() *Shared { return &Shared{Store: New(), leases: map[string]time.Time{}} }

// Renew implements journal.Leases.
func (s *Shared) Renew(ctx context.Context, owner string, ttl time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[owner] = time.Now().Add(ttl)
	return nil
}

// Lives implements journal.Leases.
func (s *Shared) Lives(ctx context.Context, owner string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.leases[owner]), nil
}

// Release implements journal.Leases.
func (s *Shared) Release(_ context.Context, owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leases, owner)
	return nil
}
