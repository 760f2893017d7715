//go:build unix

package badger

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// TestFilesWithoutARecord opens stores with one more file, which a kill left while Badger made it or removed it.
func TestFilesWithoutARecord(t *testing.T) {
	t.Parallel()
	const full = 32 << 20 // the size that Badger gives a log before it writes to it
	tests := map[string]struct {
		file string
		size int64 // all zeros
	}{
		"the newest log of a memtable, empty":    {"00099.mem", 0},
		"the newest log of a memtable, cut":      {"00099.mem", 7},
		"the newest log of a memtable, unfilled": {"00099.mem", full},
		"the oldest log of a memtable, empty":    {"00000.mem", 0},
		"the oldest log of a memtable, cut":      {"00000.mem", 7},
		"the oldest log of a memtable, unfilled": {"00000.mem", full},
		"the newest value log, empty":            {"000099.vlog", 0},
		"the newest value log, cut":              {"000099.vlog", 7},
		"the newest value log, unfilled":         {"000099.vlog", full},
		"the oldest value log, empty":            {"000000.vlog", 0},
		"the oldest value log, cut":              {"000000.vlog", 7},
		"the oldest value log, unfilled":         {"000000.vlog", full},
		"a table, empty":                         {"000099.sst", 0},
		"a table, unfilled":                      {"000099.sst", 4096},
		"the statistics, empty":                  {"DISCARD", 0},
		"the statistics, unfilled":               {"DISCARD", 1 << 20},
		"the next manifest, empty":               {"MANIFEST-REWRITE", 0},
		"the next registry of keys, empty":       {"REWRITE-KEYREGISTRY", 0},
		"the lock, empty":                        {"LOCK", 0},
	}
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin(), a.Write("0"))
	closeStore(t, s)
	s = open(t, dir)
	write(t, s, a.Write("1"))
	live := crash(t, dir)
	closeStore(t, s)

	for state, from := range map[string]string{"closed": dir, "live": live} {
		for name, test := range tests {
			t.Run(state+"/"+name, func(t *testing.T) {
				t.Parallel()
				left := crash(t, from)
				leave(t, left, test.file, test.size)
				whole(t, left, a)
				whole(t, left, a)
			})
		}
	}
}

// leave puts a file of zeros into a store's database.
func leave(t *testing.T, dir, file string, size int64) {
	t.Helper()
	path := filepath.Join(dir, "badger", file)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// whole opens a store, finds in it all that its author has written, writes to it, and closes it.
func whole(t *testing.T, dir string, a *journaltest.Author) {
	t.Helper()
	s := open(t, dir)
	if err := s.Damage(); err != nil {
		t.Error(err)
	}
	check(t, s, a)
	other := journaltest.NewAuthor()
	write(t, s, other.Begin())
	check(t, s, other)
	closeStore(t, s)
}

func TestAnEmptyLogThatHeldRecordsIsDamage(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), journaltest.NewAuthor()
	s := open(t, dir)
	write(t, s, a.Begin())
	left := crash(t, dir)
	logs, err := filepath.Glob(filepath.Join(left, "badger", "*.mem"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no log in %s (%v)", left, err)
	}
	for _, log := range logs {
		if err := os.Truncate(log, 0); err != nil {
			t.Fatal(err)
		}
	}
	if s := open(t, left); s.Damage() == nil {
		t.Error("a history without its log looks whole")
	}
}

func TestRemoveEmptyLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := map[string]string{
		"00001.mem": "x", "000001.vlog": "x", // they hold something
		"000002.sst": "", "DISCARD": "", "MANIFEST": "", // Badger deals with them, or they are damage
	}
	for name, content := range kept {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"00002.mem", "000002.vlog"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.mem"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := removeEmptyLogs(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := kept[e.Name()]; !ok && e.Name() != "folder.mem" {
			t.Errorf("%s is still there", e.Name())
		}
	}
	if len(entries) != len(kept)+1 {
		t.Errorf("%d entries are left of %d", len(entries), len(kept)+1)
	}
	if err := removeEmptyLogs(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there holds no empty logs")
	}
}

func TestEmptyLogsOfAnOpenStoreAreLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	leave(t, dir, "00099.mem", 0) // as its process makes one
	_, err := Open(t.Context(), Options{Dir: dir})
	if _, ok := errors.AsType[*LockedError](err); !ok {
		t.Errorf("a second open: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "badger", "00099.mem")); err != nil {
		t.Error(err)
	}
}
