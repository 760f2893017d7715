package walls

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is its own child: with one of these as its first argument it is not a test.
var roles = map[string]func(args []string){
	"attempt": attemptAll,
	"passed":  func([]string) { report("execute a program", nil) },
	"probe":   reportProbe,
	"host":    beHost,
	"contain": beContained,
	"hang":    func([]string) { fmt.Println("ready"); time.Sleep(time.Hour) },
	"hog":     func([]string) { hog() },
	"spin":    func([]string) { spin() },
	"crowd":   func([]string) { crowd() },
	"work":    work,
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			role(os.Args[2:])
			return
		}
	}
	goleak.VerifyTestMain(m)
}

// ample are limits that no well-behaved child meets.
var ample = Limits{Memory: 768 << 20, CPU: time.Minute, Threads: 4096, Files: 4}

// command makes this binary play a role.
func command(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{role}, args...)...)
	if underRace {
		cmd.Env = []string{"GORACE=atexit_sleep_ms=0"} // by default each would sleep for a second
	}
	return cmd
}

func spawner(t *testing.T) *Spawner {
	t.Helper()
	s := New()
	t.Cleanup(s.Close)
	return s
}

// raiseNamed raises the walls of a list, or "all", or "none".
func raiseNamed(list string) []Layer {
	runtime.GOMAXPROCS(2)
	return raise(ample, func(layer string) bool { return list == "all" || list == layer })
}

// outcome is a line that a child writes.
type outcome struct {
	Attempt string // or a layer's name
	Error   string // empty: it got through, or the layer holds
}

func report(attempt string, err error) {
	o := outcome{Attempt: attempt}
	if err != nil {
		o.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(o); err != nil {
		panic(err)
	}
}

func outcomes(t *testing.T, text string) map[string]outcome {
	t.Helper()
	all := map[string]outcome{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatalf("the child wrote %q: %v", lines.Text(), err)
		}
		all[o.Attempt] = o
	}
	return all
}
