//go:build unix

package acceptance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// TestDeafConnector: a handler in a real process goes on after its call's deadline. Nobody is asked what the call did
// before that process is gone; the next call starts another, and a second attempt comes with the first one's key.
func TestDeafConnector(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "effects.jsonl")
	h := counting(t, file, `timeout = "1s"`)
	out, err := h.Run(ctx, core.RunRequest{Code: `return (await t.deaf({k: 7})).k`})
	if err != nil || out.Status != "paused" || len(out.Pending) != 1 || out.Pending[0].Kind != "in_doubt" {
		t.Fatalf("%v, %+v", err, out)
	}
	text, err := os.ReadFile(file + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("a person is asked, and the handler's process %d is there: %v", pid, err)
	}
	read, err := h.Run(ctx, core.RunRequest{Code: `return (await t.read({k: 1})).k`})
	if err != nil || read.Status != "completed" {
		t.Errorf("the next call: %v, %+v", err, read)
	}
	done, err := h.Settle(ctx, core.SettleRequest{ExecutionID: out.ExecutionID, Seq: "0", How: core.SettleAgain, Decider: core.Decider{By: "ada"}})
	if err != nil || done.Status != "completed" || string(done.Result) != "7" {
		t.Fatalf("settled: %v, %+v", err, done)
	}
	text, err = os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e effect
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &e) != nil || e.Key != out.ExecutionID+"/0" {
		t.Errorf("effects: %s", text)
	}
}
