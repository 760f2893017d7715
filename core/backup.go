package core

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/badger"
)

// backupFormat is the version of what Backup writes: a compressed stream, which knows when it is not whole, of one line
// of JSON and all that the store holds.
const backupFormat = 1

type backupHead struct {
	Format int    `json:"format"`
	Key    []byte `json:"key"` // of the configurations' fingerprints: approvals that wait stay bound to what was shown
}

// Backup writes all executions, snippets and values of connectors, as they are at this moment, to a new file that its
// user alone can read. Nothing is taken out: it holds what the journal holds. Hosts whose store cannot be copied refuse.
func (h *Host) Backup(ctx context.Context, path string) error {
	store, ok := h.store.(journal.Backups)
	if !ok {
		return errors.New("this host's journal store cannot be backed up")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s exists already; name a new file", path), err)
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // nobody else may read it
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	err = h.backup(ctx, store, part)
	if err == nil {
		err = part.Sync()
	}
	err = errors.Join(err, part.Close())
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("back up: %w", err), os.Remove(part.Name()))
	}
	return nil
}

func (h *Host) backup(ctx context.Context, store journal.Backups, w io.Writer) error {
	z := gzip.NewWriter(w)
	if err := writeLine(z, backupHead{Format: backupFormat, Key: h.registry.key}); err != nil {
		return err
	}
	if err := store.Backup(ctx, z); err != nil {
		return err
	}
	return z.Close()
}

// Restore makes the journal of a configuration, which must not have one yet, of a file that Backup has written.
func Restore(cfg *config.Config, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if err := whole(file); err != nil {
		return fmt.Errorf("restore: %s is damaged, or no backup: %w", path, err)
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	r := bufio.NewReader(z)
	var head backupHead
	line, err := r.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &head) != nil || head.Format == 0 {
		return fmt.Errorf("restore: %s is no backup", path)
	}
	if head.Format > backupFormat {
		return fmt.Errorf("restore: %s has format %d, and this version reads formats up to %d: %w", path, head.Format, backupFormat, journal.ErrNewer)
	}
	dir := journalDir(cfg.Runtime.Data, cfg.Runtime.Name)
	if err := makeDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := badger.Restore(dir, r); err != nil {
		return err
	}
	return keepKey(cfg.Runtime.Data, head.Key)
}

// whole reads a compressed file to its end, where its checksum stands, and goes back to its beginning.
func whole(file *os.File) error {
	z, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, z); err != nil {
		return err
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}
