package core

import (
	"context"
	"errors"
	"io"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/journal/badger"
)

// Backup writes the whole journal, with snippets and what connectors keep, as of one moment; the host goes on meanwhile.
// It holds all secrets that programs were given. Restore reads it.
func (h *Host) Backup(ctx context.Context, w io.Writer) error {
	store, ok := h.store.(interface {
		Backup(ctx context.Context, w io.Writer) error
	})
	if !ok {
		return errors.New("this host's journal store makes no backups")
	}
	return store.Backup(ctx, w)
}

// Restore makes the journal of a configuration that of a backup. No process may have the journal open: that is a
// *badger.LockedError. What stood there is kept beside it, under the name that is returned; empty: nothing did. A
// restored journal goes on when a person has confirmed that what was recorded after the backup is not known to it.
func Restore(ctx context.Context, cfg *config.Config, o OpenOptions, r io.Reader) (former string, err error) {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	if err := makeDir(cfg.Runtime.Data); err != nil {
		return "", err
	}
	dir := journalDir(cfg.Runtime.Data, cfg.Runtime.Name)
	return badger.Restore(ctx, badger.Options{Dir: dir, Logger: o.Logger.Named("journal")}, r)
}
