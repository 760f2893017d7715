package badger

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// powerChild names the store's folder in the process whose power fails.
const powerChild = "JOURNAL_POWER_CHILD"

// mount mounts something on a new folder until the test ends, or skips the test where that is not allowed.
func mount(t *testing.T, args ...string) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting needs the rights of root")
	}
	dir = t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("mounting is not allowed here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestPowerFailure takes, from a process that appends, what its file system has sent to the disk up to a moment: what a
// failure of power would leave. All that was acknowledged by then must be in it.
func TestPowerFailure(t *testing.T) {
	if dir := os.Getenv(powerChild); dir != "" {
		appendForPower(t, dir)
		return
	}
	disk := filepath.Join(t.TempDir(), "disk")
	if err := errors.Join(os.WriteFile(disk, nil, 0o600), os.Truncate(disk, 450<<20)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", disk).CombinedOutput(); err != nil {
		t.Skipf("no file system can be made here: %v: %s", err, out)
	}
	live := mount(t, "-o", "loop", disk)
	acknowledged := failPower(t, filepath.Join(live, "journal"), disk, disk+".left")

	left := filepath.Join(mount(t, "-o", "loop", disk+".left"), "journal")
	s := open(t, left)
	if err := s.Damage(); err != nil {
		t.Error(err)
	}
	for id, next := range acknowledged {
		state, err := journal.Fold(id, s.Read(t.Context(), id, 0))
		if err != nil || state.Next < next {
			t.Errorf("execution %s ends at event %d of %d: %v", id, state.Next, next, err)
		}
	}
	closeStore(t, s)
	t.Logf("%d executions", len(acknowledged))
}

// failPower runs a process that appends, and copies the disk at a moment at which the process does nothing. It returns how
// many events of each execution had been acknowledged by then.
func failPower(t *testing.T, dir, disk, left string) map[string]int64 {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestPowerFailure$")
	cmd.Env = append(os.Environ(), powerChild+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged, said := map[string]int64{}, 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var id string
		var next int64
		if n, _ := fmt.Sscan(lines.Text(), &id, &next); n == 2 && strings.Count(id, "-") == 4 {
			acknowledged[id] = max(acknowledged[id], next)
			said++
		}
		if said == 2000 {
			break // what it says from now on is not looked at
		}
	}
	if said < 2000 {
		t.Fatalf("the process said %d times that it had appended: %v", said, cmd.Wait())
	}
	err = errors.Join(cmd.Process.Signal(unix.SIGSTOP), copyFile(disk, left), cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if err != nil {
		t.Fatal(err)
	}
	return acknowledged
}

// appendForPower appends from many sides until it is killed, and says what was acknowledged.
func appendForPower(t *testing.T, dir string) {
	s := open(t, dir)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for a := journaltest.NewAuthor(); ; a = journaltest.NewAuthor() {
				batches := []journal.Batch{a.Begin()}
				for n := range 20 {
					batches = append(batches, a.Write(fmt.Sprint(n)))
				}
				for _, b := range batches {
					if err := s.Append(t.Context(), b); err != nil {
						t.Error(err)
						return
					}
					fmt.Println(a.ID(), b.Events[len(b.Events)-1].Index+1)
				}
			}
		})
	}
	wg.Wait()
}

// TestFullDisk fills the disk: no execution begins any more, those under way go on to their end, and when there is room
// again others begin. The process lives.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := mount(t, "-t", "tmpfs", "-o", "size=480m", "tmpfs")
	dir := filepath.Join(disk, "journal")
	s := open(t, dir)
	under, refused := journaltest.NewAuthor(), journaltest.NewAuthor()
	write(t, s, under.Begin())
	var st unix.Statfs_t
	if err := unix.Statfs(disk, &st); err != nil {
		t.Fatal(err)
	}
	free := int64(st.Bavail) * st.Bsize
	filler := filepath.Join(disk, "filler")
	fill := func(leave int64) {
		t.Helper()
		if err := os.WriteFile(filler, make([]byte, free-leave), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var full *FullError

	fill(150 << 20)
	if err := s.Room(); !errors.As(err, &full) || !full.Begins || !strings.Contains(err.Error(), "those under way can still end") {
		t.Errorf("room: %v", err)
	}
	if err := s.Append(t.Context(), refused.Begin()); !errors.As(err, &full) || !full.Begins {
		t.Errorf("an execution begins: %v", err)
	}
	write(t, s, under.Write("0"), under.Write("1"))

	fill(20 << 20)
	next := under.Write("2")
	if err := s.Append(t.Context(), next); !errors.As(err, &full) || full.Begins {
		t.Errorf("something is recorded: %v", err)
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := s.Room(); err != nil {
		t.Error(err)
	}
	fresh := journaltest.NewAuthor()
	write(t, s, next, fresh.Begin())
	check(t, s, under)
	closeStore(t, s)
	s = open(t, dir)
	check(t, s, under)
	check(t, s, fresh)
}
