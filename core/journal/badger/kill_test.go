//go:build unix

package badger

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// TestKilled kills a process that opens a store, appends to it and closes it, over and over, at any moment of that.
// The next open must succeed and find all that was acknowledged.
func TestKilled(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(killChild); dir != "" {
		appendUntilKilled(t, dir)
		return
	}
	const kills = 40
	dir, acknowledged := t.TempDir(), map[string]int64{}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for range kills {
		killOne(t, dir, time.Duration(r.Int64N(int64(50*time.Millisecond))), acknowledged)
		s := open(t, dir)
		if err := s.Damage(); err != nil {
			t.Fatal(err)
		}
		for id, next := range acknowledged {
			state, err := journal.Fold(id, s.Read(t.Context(), id, 0))
			if err != nil || state.Next < next {
				t.Fatalf("execution %s ends before event %d: %v", id, next, err)
			}
		}
		closeStore(t, s)
	}
	t.Logf("%d executions in %d kills", len(acknowledged), kills)
}

// appendUntilKilled says what was acknowledged, and first that it begins.
func appendUntilKilled(t *testing.T, dir string) {
	fmt.Println("begins")
	for {
		s, err := Open(t.Context(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		a := journaltest.NewAuthor()
		for _, b := range []journal.Batch{a.Begin(), a.Write("0")} {
			write(t, s, b)
			fmt.Println(a.ID(), b.Events[len(b.Events)-1].Index+1)
		}
		closeStore(t, s)
	}
}

// killOne starts a process, kills it some time after it began, and notes how many events of which execution it has
// been told to be written.
func killOne(t *testing.T, dir string, after time.Duration, acknowledged map[string]int64) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), killChild+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var id string
		var next int64
		if lines.Text() == "begins" {
			defer time.AfterFunc(after, func() { _ = cmd.Process.Kill() }).Stop()
		} else if n, _ := fmt.Sscan(lines.Text(), &id, &next); n == 2 {
			acknowledged[id] = next
		} else {
			fmt.Fprintln(&said, lines.Text())
		}
	}
	err = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process was not killed: %v\n%s", err, said.String())
	}
}
