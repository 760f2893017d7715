package badger

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/codemode-go/codemode/core/journal"
)

// A backup is gzip, whose checksum and end tell of damage, over a line that says what it is and Badger's own stream of
// all keys and values.
const (
	backupHeader  = "codemode backup %d %s\n"
	backupVersion = 1
)

// Backup writes all that is stored, as of one moment, while others go on. Restore reads it.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	s.lifetime.RLock()
	defer s.lifetime.RUnlock()
	if s.closed {
		return errClosed
	}
	packed := gzip.NewWriter(w)
	_, err := fmt.Fprintf(packed, backupHeader, backupVersion, time.Now().UTC().Format(time.RFC3339))
	if err == nil {
		_, err = s.db.Backup(ctxWriter{ctx, packed}, 0)
	}
	if err := errors.Join(err, packed.Close()); err != nil {
		return fmt.Errorf("back up the journal: %w", err)
	}
	return nil
}

// ctxWriter writes until its context ends: Badger's backup takes none.
type ctxWriter struct {
	ctx context.Context
	to  io.Writer
}

func (w ctxWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// Restore makes the journal in a folder that of a backup. Nobody may have the journal open: that is a *LockedError. What
// stood there before is kept beside it, under the name that is returned; empty: nothing did. Where it fails, nothing
// has changed.
//
// What was recorded after the backup is not known to the journal, so it opens as a damaged one: what is in it can be
// read, and goes on when a person confirms.
func Restore(ctx context.Context, opts Options, r io.Reader) (former string, err error) {
	fresh := opts
	fresh.Dir = opts.Dir + ".restoring"
	if err := os.RemoveAll(fresh.Dir); err != nil {
		return "", fmt.Errorf("restore the journal: %w", err)
	}
	if err := load(ctx, fresh, r); err != nil {
		return "", errors.Join(fmt.Errorf("restore the journal: %w", err), os.RemoveAll(fresh.Dir))
	}
	former, err = replace(opts.Dir, fresh.Dir)
	if err != nil {
		return "", errors.Join(fmt.Errorf("restore the journal: %w", err), os.RemoveAll(fresh.Dir))
	}
	return former, nil
}

// load makes a new journal of a backup.
func load(ctx context.Context, opts Options, r io.Reader) error {
	taken, content, err := openBackup(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(opts.Dir, "badger"), 0o700); err != nil {
		return err
	}
	db, _, err := openDatabase(filepath.Join(opts.Dir, "badger"), opts)
	if err != nil {
		return err
	}
	err = db.Load(content, 16)
	if err == nil {
		_, err = io.Copy(io.Discard, content) // up to the checksum
	}
	if err == nil {
		err = ctx.Err()
	}
	var f facts
	if err == nil {
		f, err = readFacts(db)
	}
	if err == nil && f.schema == 0 {
		err = errors.New("the backup holds no journal")
	}
	if err == nil {
		err = noteRestored(db, f, taken)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	m, err := openMark(filepath.Join(opts.Dir, "mark"))
	if err != nil {
		return err
	}
	return errors.Join(m.write(f.batch, f.batch), m.close())
}

// openBackup reads what a backup says of itself: when it was taken.
func openBackup(r io.Reader) (taken string, content *bufio.Reader, err error) {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return "", nil, fmt.Errorf("the file is no backup: %w", err)
	}
	content = bufio.NewReader(packed)
	line, err := content.ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("the file is no backup: %w", err)
	}
	version := 0
	if n, _ := fmt.Sscanf(line, backupHeader, &version, &taken); n < 2 {
		return "", nil, errors.New("the file is no backup of a journal")
	}
	if version > backupVersion {
		return "", nil, fmt.Errorf("the backup has format %d, and this version reads formats up to %d: %w", version, backupVersion, journal.ErrNewer)
	}
	return taken, content, nil
}

// noteRestored notes that what followed the backup is not known.
func noteRestored(db *badgerdb.DB, f facts, taken string) error {
	cause := "it was restored from a backup of " + taken + ": what was recorded after that is not known"
	if f.damage != nil {
		cause += "; before, " + f.damage.err.Cause
	}
	e := newDamage(cause, f.batch).entry()
	return db.Update(func(txn *badgerdb.Txn) error { return txn.Set(e.key, e.value) })
}

// replace puts one journal in the place of another, which nobody may have open.
func replace(dir, by string) (former string, err error) {
	if _, err := os.Stat(filepath.Join(dir, "badger")); err == nil {
		release, err := lockFolder(filepath.Join(dir, "badger"))
		if errors.Is(err, errLocked) {
			return "", &LockedError{Dir: dir}
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return "", err
		}
		if err == nil {
			defer func() { _ = release() }() // it is the lock of a folder that has been moved
		}
		former = dir + ".before-" + time.Now().UTC().Format("20060102T150405.000000000Z")
		if err := os.Rename(dir, former); err != nil {
			return "", err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	} else if err := os.RemoveAll(dir); err != nil { // a folder in which no database was ever made
		return "", err
	}
	if err := os.Rename(by, dir); err != nil {
		if former != "" {
			err = errors.Join(err, os.Rename(former, dir))
		}
		return "", err
	}
	return former, syncFolder(filepath.Dir(dir))
}
