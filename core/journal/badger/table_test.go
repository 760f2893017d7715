package badger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// tableOf returns the path of a table that a closed store has left in this folder, and its content.
func tableOf(t testing.TB, dir string) (path string, data []byte) {
	t.Helper()
	s, a := open(t, dir), journaltest.NewAuthor()
	write(t, s, a.Begin(), a.Write("0"), a.Write("1"))
	closeStore(t, s)
	names, err := filepath.Glob(filepath.Join(dir, "badger", "*.sst"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no table in %s (%v)", dir, err)
	}
	data, err = os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return names[0], data
}

// contentOf returns all keys and values of a table.
func contentOf(t *testing.T, data []byte) string {
	t.Helper()
	tab, err := table.OpenInMemoryTable(data, 1, &table.Options{Compression: options.Snappy, BlockSize: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	it := tab.NewIterator(0)
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		value := it.Value()
		fmt.Fprintf(&all, "%x %x %d\n", it.Key(), value.Value, value.Meta)
	}
	return all.String()
}

func TestVerifyTable(t *testing.T) {
	t.Parallel()
	_, data := tableOf(t, t.TempDir())
	if err := verifyTable(data, 1, options.Snappy); err != nil {
		t.Fatalf("a good table: %v", err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		changed, bit := bytes.Clone(data), r.IntN(len(data)*8)
		changed[bit/8] ^= 1 << (bit % 8)
		// Compressed data can say the same in two ways.
		if err := verifyTable(changed, 1, options.Snappy); err == nil && contentOf(t, changed) != contentOf(t, data) {
			t.Errorf("bit %d of %d was flipped, and nobody noticed", bit, len(data)*8)
		}
	}
	for n := range 100 {
		if err := verifyTable(data[:len(data)*n/100], 1, options.Snappy); err == nil {
			t.Errorf("a table cut to %d percent is good", n)
		}
	}
}

// A table that cannot be used is set aside: the rest can be read, what may have lost something does not go on, and
// nothing is forgotten, wherever a process dies meanwhile.
func TestDamagedTables(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(path string, data []byte) error
		left  string // the name under which the table is kept
	}{
		"a table is missing": {func(path string, _ []byte) error { return os.Remove(path) }, ""},
		"a table has changed": {func(path string, data []byte) error {
			return os.WriteFile(path, append([]byte("x"), data[1:]...), 0o600)
		}, ".damaged"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, data := tableOf(t, dir)
			if err := test.spoil(path, data); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second finds a sound database with a note
				s := open(t, dir)
				d, ok := errors.AsType[*journal.DamagedError](s.Damage())
				if !ok || !strings.Contains(d.Cause, filepath.Base(path)) {
					t.Errorf("the damage is %v", d)
				}
				fresh := journaltest.NewAuthor()
				write(t, s, fresh.Begin(), fresh.Write("0"))
				check(t, s, fresh)
				closeStore(t, s)
			}
			if test.left == "" {
				return
			}
			if kept, err := os.ReadFile(path + test.left); err != nil || len(kept) != len(data) {
				t.Errorf("the table is not kept: %v", err)
			}
		})
	}
}

// What was set aside by a process that died before it could say so in the database is known by the next.
func TestSetAsideAndKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, data := tableOf(t, dir)
	if err := os.WriteFile(path, data[1:], 0o600); err != nil {
		t.Fatal(err)
	}
	if lost, err := prepare(filepath.Join(dir, "badger")); err != nil || lost == "" {
		t.Fatalf("prepare said %q, %v", lost, err)
	}
	d, ok := errors.AsType[*journal.DamagedError](open(t, dir).Damage())
	if !ok || !strings.Contains(d.Cause, filepath.Base(path)) {
		t.Errorf("the damage is %v", d)
	}
}

// Without its list of tables a database cannot be read: that is said, and nothing is changed.
func TestDamagedManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, _ := tableOf(t, dir)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "MANIFEST"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Dir: dir})
	if _, ok := errors.AsType[*journal.DamagedError](err); !ok {
		t.Errorf("open said %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the table is gone: %v", err)
	}
}

func TestSaysDamage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"manifest has checksum mismatch":                    true,
		"While opening vlog file 1 err: Invalid datakey id": true,
		"Encryption key mismatch":                           true,
		"permission denied":                                 false,
	} {
		if got := saysDamage(errors.New(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzTable(f *testing.F) {
	_, data := tableOf(f, f.TempDir())
	f.Add(data)
	f.Add(data[len(data)/2:])
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = verifyTable(data, 1, options.Snappy) // an error at most: neither a panic nor the end of the process
	})
}
