package journal

import (
	"context"
	"io"
)

// Backups is what a store offers that can be copied while it is in use.
type Backups interface {
	// Backup writes all that the store holds at one moment.
	Backup(ctx context.Context, w io.Writer) error
}
