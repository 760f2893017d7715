package badger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

func TestDamagedTables(t *testing.T) {
	t.Parallel()
	tests := map[string]func(path string, data []byte) error{
		"a table is missing": func(path string, _ []byte) error { return os.Remove(path) },
		"a table has changed": func(path string, data []byte) error {
			return os.WriteFile(path, append([]byte("x"), data[1:]...), 0o600)
		},
		"the manifest has changed": func(path string, _ []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(path), "MANIFEST"), []byte("x"), 0o600)
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := spoil(tableOf(t, dir)); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), Options{Dir: dir})
			if _, ok := errors.AsType[*journal.DamagedError](err); !ok {
				t.Errorf("open said %v", err)
			}
		})
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
