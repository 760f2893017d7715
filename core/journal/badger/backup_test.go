package badger

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

func TestBackup(t *testing.T) {
	t.Parallel()
	live := open(t, t.TempDir())
	var authors []*journaltest.Author
	for range 3 {
		a := journaltest.NewAuthor()
		write(t, live, a.Begin(), a.Write("0"), a.Write("1"))
		store(t, live, a.ID(), "key", flippedValue)
		authors = append(authors, a)
	}
	save(t, live, "greet", 1)
	var backup bytes.Buffer
	if err := live.Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	later := journaltest.NewAuthor()
	write(t, live, later.Begin())

	dir := filepath.Join(t.TempDir(), "journal")
	if err := Restore(dir, time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC), &backup); err != nil {
		t.Fatal(err)
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
	if !ok || !strings.Contains(d.Cause, "restored from a backup of 2026-11-30T22:00:00Z") {
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

func TestBackupOfClosed(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	closeStore(t, s)
	if err := s.Backup(t.Context(), io.Discard); !errors.Is(err, errClosed) {
		t.Errorf("backup said %v", err)
	}
}
