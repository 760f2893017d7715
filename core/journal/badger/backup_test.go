package badger

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// backUp returns a backup of a store that goes on, with the executions in it.
func backUp(t *testing.T, s *Store) (backup []byte, authors []*journaltest.Author) {
	t.Helper()
	for range 3 {
		a := journaltest.NewAuthor()
		write(t, s, a.Begin(), a.Write("0"), a.Write("1"))
		store(t, s, a.ID(), "key", flippedValue)
		authors = append(authors, a)
	}
	save(t, s, "greet", 1)
	var b bytes.Buffer
	if err := s.Backup(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), authors
}

func restore(t *testing.T, dir string, backup io.Reader) (string, error) {
	t.Helper()
	awaitForks()
	return Restore(t.Context(), Options{Dir: dir, Logger: hclog.NewNullLogger()}, backup)
}

func TestBackup(t *testing.T) {
	t.Parallel()
	live := open(t, t.TempDir())
	backup, authors := backUp(t, live)
	later := journaltest.NewAuthor()
	write(t, live, later.Begin())

	dir := filepath.Join(t.TempDir(), "new", "journal")
	if former, err := restore(t, dir, bytes.NewReader(backup)); err != nil || former != "" {
		t.Fatalf("restore said %q, %v", former, err)
	}
	s := open(t, dir)
	for _, a := range authors {
		check(t, s, a)
		acceptValue(t, "restored", s, a.ID())
	}
	if list, err := s.Snippets(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("snippets %v, %v", list, err)
	}
	if _, err := s.Head(t.Context(), later.ID()); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("what came after the backup: %v", err)
	}

	// What followed the backup is not known: nothing goes on before a person has said so.
	d, ok := errors.AsType[*journal.DamagedError](s.Damage())
	if !ok || !strings.Contains(d.Cause, "restored from a backup of 20") {
		t.Errorf("the damage is %v", s.Damage())
	}
	next := authors[0].Write("2")
	if err := s.Append(t.Context(), next); !errors.As(err, &d) {
		t.Errorf("an execution goes on: %v", err)
	}
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, s, next)
	closeStore(t, s)
	s = open(t, dir)
	if err := s.Damage(); err != nil {
		t.Errorf("after it was confirmed: %v", err)
	}
	check(t, s, authors[0])
}

func TestRestoreReplaces(t *testing.T) {
	t.Parallel()
	backup, authors := backUp(t, open(t, t.TempDir()))
	dir, a := filepath.Join(t.TempDir(), "journal"), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin())
	var locked *LockedError
	if _, err := restore(t, dir, bytes.NewReader(backup)); !errors.As(err, &locked) {
		t.Errorf("an open journal was restored: %v", err)
	}
	check(t, s, a)
	closeStore(t, s)

	former, err := restore(t, dir, bytes.NewReader(backup))
	if err != nil || !strings.HasPrefix(former, dir+".before-") {
		t.Fatalf("restore said %q, %v", former, err)
	}
	check(t, open(t, dir), authors[2])
	check(t, open(t, former), a)
}

// A backup that is cut, or of which a bit has flipped, is refused; nothing has changed then.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	backup, _ := backUp(t, open(t, t.TempDir()))
	flipped := bytes.Clone(backup)
	flipped[len(flipped)/2] ^= 4
	parent := t.TempDir()
	dir, a := filepath.Join(parent, "journal"), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin())
	closeStore(t, s)
	for name, spoilt := range map[string][]byte{
		"cut": backup[:len(backup)-9], "cut in half": backup[:len(backup)/2], "empty": nil, "flipped": flipped, "another file": []byte("{}"),
	} {
		if former, err := restore(t, dir, bytes.NewReader(spoilt)); err == nil {
			t.Errorf("%s: restored (%s)", name, former)
		}
	}
	check(t, open(t, dir), a)
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("what is left: %v, %v", left, err)
	}
}

func TestBackupOfClosed(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	closeStore(t, s)
	if err := s.Backup(t.Context(), io.Discard); !errors.Is(err, errClosed) {
		t.Errorf("backup said %v", err)
	}
}
