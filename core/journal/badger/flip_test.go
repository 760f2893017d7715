package badger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// flipChild is set in the process that flips bits.
const flipChild = "JOURNAL_FLIP_CHILD"

// TestFlippedBits flips one bit of a small store at a time, opens it, and reads everything. All that may happen is
// that the store cannot be opened, that it knows of its damage, that an execution is known to be damaged, or
// nothing: what is never accepted is a history that is shorter, or another, and looks whole.
//
// It does so in a process of its own, which must survive: Badger leaves goroutines behind where it fails to open.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	if os.Getenv(flipChild) != "" {
		flipBits(t)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestFlippedBits$", "-test.v")
	cmd.Env = append(os.Environ(), flipChild+"=1")
	var out bytes.Buffer
	cmd.Stdout = &out
	if os.Getenv("FLIPS") == "all" { // it takes an hour: a fault is to show at once
		cmd.Stdout = io.MultiWriter(&out, os.Stderr)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Logf("%s", &out)
}

func flipBits(t *testing.T) {
	places := 4 // of each file, evenly apart; CODEMODE_TORTURE multiplies them, FLIPS=all flips a bit of every byte
	if n, err := strconv.Atoi(os.Getenv("CODEMODE_TORTURE")); err == nil {
		places *= n
	}
	if os.Getenv("FLIPS") == "all" {
		places = math.MaxInt
	}
	dir := t.TempDir()
	s := open(t, dir)
	authors := make([]*journaltest.Author, 4)
	for i := range authors {
		authors[i] = journaltest.NewAuthor()
		write(t, s, authors[i].Begin())
		store(t, s, authors[i].ID(), "key", flippedValue)
	}
	save(t, s, "greet", 1)
	writeOn := func(s *Store, from int) {
		for n := range 10 {
			for _, a := range authors {
				write(t, s, a.Write(fmt.Sprint(from+n)))
			}
		}
	}
	writeOn(s, 0)
	closeStore(t, s)
	s = open(t, dir)
	writeOn(s, 10)
	live := crash(t, dir) // part in tables, part in the log
	closeStore(t, s)
	closed := crash(t, dir) // all in tables

	for name, from := range map[string]string{"live": live, "closed": closed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			for _, file := range filesIn(t, from) {
				t.Logf("flipping bits of %s", file)
				for _, bit := range bitsOf(t, r, filepath.Join(from, file), places) {
					damaged := crash(t, from)
					flip(t, filepath.Join(damaged, file), bit)
					accept(t, fmt.Sprintf("%s, bit %d", file, bit), damaged, authors)
					if err := os.RemoveAll(damaged); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "LOCK" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files = append(files, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// bitsOf chooses bits where a file has content: of bytes that are evenly apart, at most this many.
func bitsOf(t *testing.T, r *rand.Rand, path string, places int) (bits []int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(data, "\x00"))
	apart := max(1, float64(used)/float64(places))
	for at := r.Float64() * (apart - 1); at < float64(used); at += apart {
		bits = append(bits, int(at)*8+r.IntN(8))
	}
	return bits
}

// flip changes one bit.
func flip(t *testing.T, path string, bit int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, int64(bit/8))
	if err == nil {
		b[0] ^= 1 << (bit % 8)
		_, err = f.WriteAt(b, int64(bit/8))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// accept accepts any of the truths.
func accept(t *testing.T, what, dir string, authors []*journaltest.Author) {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Logf("%s: %v", what, err)
		return
	}
	defer func() { _ = s.Close() }() // which may meet the damage
	if err := s.Damage(); err != nil {
		t.Logf("%s: %v", what, err)
		return
	}
	for _, a := range authors {
		state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
		if _, known := errors.AsType[*journal.DamagedError](err); known {
			t.Logf("%s: %v", what, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !cmp.Equal(a.State, state) {
			t.Errorf("%s: execution %s ends at event %d of %d and looks whole", what, a.ID(), state.Next, a.State.Next)
		}
		acceptValue(t, what, s, a.ID())
	}
	list, err := s.Snippets(t.Context())
	if _, known := errors.AsType[*journal.DamagedError](err); !known && (err != nil || !cmp.Equal(list, []journal.Snippet{saved("greet", 1)})) {
		t.Errorf("%s: %d snippets, which look whole (%v)", what, len(list), err)
	}
}

var flippedValue = []byte("a connector's value")

func acceptValue(t *testing.T, what string, s *Store, id string) {
	t.Helper()
	value, found, err := s.Value(t.Context(), id, "tracker", "key")
	if _, known := errors.AsType[*journal.DamagedError](err); !known && (err != nil || !found || string(value) != string(flippedValue)) {
		t.Errorf("%s: the value is %q (found: %v, %v) and looks whole", what, value, found, err)
	}
}
