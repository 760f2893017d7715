package badger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/journal"
)

var _ journal.Backups = (*Store)(nil)

// Backup implements journal.Backups. The stream has no end of its own: whoever keeps it must be able to see that it is
// whole.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	s.lifetime.RLock()
	defer s.lifetime.RUnlock()
	if s.closed {
		return errClosed
	}
	if _, err := s.db.Backup(&cancelled{ctx, w}, 0); err != nil {
		return fmt.Errorf("back up the journal in %s: %w", s.dir, err)
	}
	return nil
}

// cancelled writes until ctx ends.
type cancelled struct {
	ctx context.Context
	w   io.Writer
}

func (c *cancelled) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// pendingWrites is how many writes of a restore are under way at once.
const pendingWrites = 16

// Restore makes a journal in dir, which must not exist yet, of what Backup has written. A journal of a later version is
// refused with journal.ErrNewer. When it fails, nothing is left.
func Restore(dir string, r io.Reader) error {
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(fmt.Errorf("there is a journal in %s already", dir), err)
	}
	part := dir + ".restoring"
	err := os.RemoveAll(part) // of a restore that was cut off
	if err == nil {
		err = restore(part, r)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("restore the journal in %s: %w", dir, err), os.RemoveAll(part))
	}
	return nil
}

func restore(dir string, r io.Reader) (err error) {
	path := filepath.Join(dir, "badger")
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	db, err := openDatabase(path, Options{Dir: dir, Logger: hclog.NewNullLogger()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Load(r, pendingWrites); err != nil {
		return err
	}
	f, err := readFacts(db)
	if err != nil {
		return err
	}
	if f.schema == 0 {
		return errors.New("it holds no journal")
	}
	m, err := openMark(filepath.Join(dir, "mark"))
	if err != nil {
		return err
	}
	// What was written is whole, as whoever kept it has seen: nothing has to be looked for.
	return errors.Join(m.write(f.batch, f.batch), m.close())
}
