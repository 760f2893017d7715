package journal

import (
	"context"
	"time"
)

// Leases is what a store offers that several hosts share: it knows which of them live. A store that one process holds
// alone does not offer it; on Badger the lock of the folder is the lease.
type Leases interface {
	// Renew lets owner live for ttl from now, by the store's clock.
	Renew(ctx context.Context, owner string, ttl time.Duration) error
	// Lives reports whether owner's lease lasts, by the store's clock.
	Lives(ctx context.Context, owner string) (bool, error)
	// Release ends owner's lease.
	Release(ctx context.Context, owner string) error
}
