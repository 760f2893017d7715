package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/internal/randomprogram"
)

// effect is one line of the counter's own file.
type effect struct {
	Key    string          `json:"key"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Undone bool            `json:"undone"`
}

// TestKill runs random programs, kills host, connector and sandbox at random moments, goes on as people do, and counts
// the effects in the connector's own file: none twice, none that the journal does not know as started, none missing,
// nothing forgotten that was told. A busy machine plays fewer of the hundred rounds. CODEMODE_TORTURE multiplies them,
// CODEMODE_SEED runs one.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds, first, enough := 100, uint64(0), time.Now().Add(75*time.Second)
	if testing.Short() {
		rounds = 10
	}
	if n, err := strconv.Atoi(os.Getenv("CODEMODE_TORTURE")); err == nil {
		rounds, first, enough = rounds*n, uint64(time.Now().UnixNano()), time.Now().AddDate(1, 0, 0)
	}
	if seed, err := strconv.ParseUint(os.Getenv("CODEMODE_SEED"), 10, 64); err == nil {
		newKillRound(t, seed).play()
		return
	}
	tally, next := &tally{met: map[string]int{}}, atomic.Int64{}
	t.Run("rounds", func(t *testing.T) {
		for lane := range 3 {
			t.Run(strconv.Itoa(lane), func(t *testing.T) {
				t.Parallel()
				for time.Now().Before(enough) {
					i := next.Add(1) - 1
					if i >= int64(rounds) {
						return
					}
					k := newKillRound(t, first+uint64(i))
					k.play()
					k.met["rounds"]++
					tally.add(k.met)
				}
			})
		}
	})
	t.Logf("from seed %d: %v", first, tally.met)
	// Whether a kill comes in time depends on the machine; most do.
	if !testing.Short() && tally.met["kills"] < tally.met["rounds"]/2 {
		t.Errorf("only %d kills in %d rounds", tally.met["kills"], tally.met["rounds"])
	}
}

// tally counts what the rounds have met.
type tally struct {
	mu  sync.Mutex
	met map[string]int
}

func (c *tally) add(met map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, n := range met {
		c.met[what] += n
	}
}

type killRound struct {
	*site
	seed uint64
	rng  *rand.Rand
	code string
	id   string
	met  map[string]int

	told     map[string]bool // the seqs of calls that somebody was told to be applied
	approved map[string]bool // the seqs whose approval was answered
	// undoing says that a rollback has begun and none has come through.
	undoing   bool
	rollbacks int
}

func newKillRound(t *testing.T, seed uint64) *killRound {
	t.Helper()
	k := &killRound{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 4)), site: newSite(t, ""),
		met: map[string]int{}, told: map[string]bool{}, approved: map[string]bool{},
	}
	k.write("codemode.hcl", fmt.Sprintf(`
approvals {
  unattended = true
}
connector "t" {
  plugin = %q
  config {
    file = %q
    wait = 40
  }
}
`, filepath.Join(bin, "codemode-connector-counter"), k.path("effects.jsonl")))
	k.code = randomprogram.New(rand.New(rand.NewPCG(seed, 1)), randomprogram.Options{
		Methods: []string{"read", "read", "write", "gated", "twice", "found", "fail"},
	})
	k.write("program.js", k.code)
	return k
}

func (k *killRound) fail(format string, args ...any) {
	k.t.Helper()
	shown := ""
	if k.id != "" {
		shown = k.run("show", k.id).stdout
	}
	k.t.Fatalf("seed %d: %s\nprogram:\n%s\n%s", k.seed, fmt.Sprintf(format, args...), k.code, shown)
}

// risky runs a command and, now and then, kills it or one of its children with kill -9. It reports whether the command
// came to its end.
func (k *killRound) risky(args ...string) bool {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	cmd := k.command(ctx, args...)
	done, killed := make(chan struct{}), make(chan string, 1)
	a := k.collect(cmd, func() {
		if k.met["kills"] >= 6 || k.rng.IntN(8) == 0 {
			killed <- ""
			return
		}
		wait, victim := time.Duration(50+k.rng.IntN(350))*time.Millisecond, victims[k.rng.IntN(len(victims))]
		go func() {
			select {
			case <-time.After(wait):
				kill(cmd.Process, victim)
				killed <- victim
			case <-done:
				killed <- ""
			}
		}()
	})
	close(done)
	if victim := <-killed; victim != "" {
		k.met["kills"]++
		k.met["kills of the "+victim]++
		k.checkStarts()
	}
	if a.code < 0 {
		return false
	}
	k.heard(a)
	return true
}

// heard remembers what somebody was told.
func (k *killRound) heard(a answer) {
	var out core.Outcome
	if json.Unmarshal([]byte(a.stdout), &out) != nil {
		return
	}
	for _, c := range out.Calls {
		if c.State == string(journal.CallApplied) {
			k.told[c.Seq] = true
		}
	}
}

// victims are what is killed: the host, its connector, or the processes in which its programs run.
var victims = []string{"host", "host", "counter", "sandbox"}

// kill kills a host, or those of its children whose command line has a word in it.
func kill(host *os.Process, victim string) {
	if victim == "host" {
		_ = host.Kill()
		return
	}
	list, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		return
	}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[1] != strconv.Itoa(host.Pid) || !strings.Contains(line, victim) {
			continue
		}
		if pid, err := strconv.Atoi(fields[0]); err == nil {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// play runs the program to its end, and beyond.
func (k *killRound) play() {
	k.risky("run", "program.js", "--json")
	for range 100 {
		switch status := k.status(); {
		case status == "":
			if effects := k.effects(); len(effects) > 0 {
				k.fail("effects without a journal: %v", effects)
			}
			k.met["lost entirely"]++
			return
		case status == journal.StatusRunning:
			k.risky("resume", k.id, "--json")
		case status == journal.StatusPaused:
			k.decide()
		case k.settleNext():
		case k.undoing, k.rollbacks < 2 && k.rng.IntN(2) == 0:
			k.rollBack()
		default:
			k.met[string(status)]++
			k.check()
			return
		}
	}
	k.fail("it does not end")
}

// status finds the execution and its status; empty: nothing of it became durable.
func (k *killRound) status() journal.Status {
	page := decode[core.Page](k.t, k.want(0, "executions", "--json"))
	if len(page.Executions) == 0 {
		return ""
	}
	k.id = page.Executions[0].ID
	return page.Executions[0].Status
}

func (k *killRound) pending() []core.Pending {
	return decode[[]core.Pending](k.t, k.want(0, "pending", k.id, "--json"))
}

// decide decides on a random part of what waits.
func (k *killRound) decide() {
	pending := k.pending()
	if len(pending) == 0 { // decided, and the host died before it was carried out
		k.risky("resume", k.id, "--json")
		return
	}
	p := pending[k.rng.IntN(len(pending))]
	switch {
	case p.Kind == engine.PendingInDoubt:
		k.settle(p, true)
		return
	case k.rng.IntN(20) == 0:
		k.risky("reject", k.id, p.Seq, "--note", "no", "--json")
		return
	}
	args := []string{"approve", k.id, "--json"}
	var seqs []string
	for _, p := range pending {
		if p.Kind == engine.PendingApproval && (len(seqs) == 0 || k.rng.IntN(2) == 0) {
			seqs = append(seqs, p.Seq)
			args = append(args, p.Seq, "--digest", p.Seq+"="+p.Digest)
		}
	}
	if k.risky(args...) {
		for _, seq := range seqs {
			k.approved[seq] = true
		}
	}
}

// settleNext settles one call of an execution that has ended; false: none is in doubt.
func (k *killRound) settleNext() bool {
	pending := k.pending()
	if len(pending) == 0 {
		return false
	}
	k.settle(pending[0], false)
	return true
}

// settle says of a call in doubt, or of its revert, what the connector's own file tells.
func (k *killRound) settle(p core.Pending, live bool) {
	k.met["in doubt"]++
	done, undone := k.done(p.Seq)
	switch {
	case strings.HasPrefix(p.Note, "Of its revert"):
		k.met["reverts in doubt"]++
		if len(undone) > 0 {
			k.risky("settle", k.id, p.Seq, "--result", "undefined", "--json")
			return
		}
		k.risky("settle", k.id, p.Seq, "--not-done", "--json")
	case len(done) > 0:
		k.risky("settle", k.id, p.Seq, "--result", string(done[0].Result), "--json")
	case live && k.rng.IntN(2) == 0:
		k.risky("settle", k.id, p.Seq, "--again", "--json")
	default:
		k.risky("settle", k.id, p.Seq, "--not-done", "--json")
	}
}

func (k *killRound) rollBack() {
	if !k.undoing {
		k.rollbacks++
	}
	k.undoing = !k.risky("rollback", k.id, "--json")
	if k.undoing {
		return
	}
	for _, p := range k.pending() { // it has stopped over these, and goes on when they are settled
		k.undoing = k.undoing || strings.HasPrefix(p.Note, "Of its revert")
	}
}

// effects reads the connector's own file.
func (k *killRound) effects() []effect {
	text, err := os.ReadFile(k.path("effects.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	var found []effect
	for line := range strings.Lines(string(text)) {
		var e effect
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			k.t.Fatalf("effects: %v", err)
		}
		found = append(found, e)
	}
	return found
}

// done returns the effects of a call, and those of its revert.
func (k *killRound) done(seq string) (done, undone []effect) {
	for _, e := range k.effects() {
		switch {
		case e.Key != k.id+"/"+seq:
		case e.Undone:
			undone = append(undone, e)
		default:
			done = append(done, e)
		}
	}
	return done, undone
}

// checkStarts: after a kill, the journal knows of every effect that its call had started.
func (k *killRound) checkStarts() {
	if k.status() == "" {
		if len(k.effects()) > 0 || len(k.told) > 0 {
			k.fail("the journal has forgotten everything")
		}
		return
	}
	calls := decode[core.Detail](k.t, k.want(0, "show", k.id, "--json")).Outcome.Calls
	for _, e := range k.effects() {
		i := slices.IndexFunc(calls, func(c engine.CallRecord) bool { return k.id+"/"+c.Seq == e.Key })
		if i < 0 || calls[i].StartedAt == nil {
			k.fail("%s took effect, and the journal does not know that it has started", e.Key)
		}
	}
}

// check holds the journal against the effects.
func (k *killRound) check() {
	d := decode[core.Detail](k.t, k.want(0, "show", k.id, "--json"))
	if o := d.Outcome; o.Error != "" && o.ErrorType != engine.ErrorRejected {
		k.fail("ended as %s: %s", o.ErrorType, o.Error)
	}
	k.checkStarts()
	for _, c := range d.Outcome.Calls {
		if c.Connector != "t" || c.ReadOnly {
			continue
		}
		done, undone := k.done(c.Seq)
		applied, reverted := c.State == string(journal.CallApplied), c.State == string(journal.CallReverted)
		switch {
		case len(done) > 1 || len(undone) > 1:
			k.fail("call %s took effect %d times and was undone %d times", c.Seq, len(done), len(undone))
		case len(done) == 1 != (applied || reverted) || len(undone) == 1 != reverted:
			k.fail("call %s is %s; it took effect %d times and was undone %d times", c.Seq, c.State, len(done), len(undone))
		case c.Method == "gated" && len(done) > 0 && (c.Approval == nil || c.Approval.By == ""):
			k.fail("call %s took effect and nobody allowed it", c.Seq)
		case k.told[c.Seq] && len(done) == 0:
			k.fail("call %s was told to be applied, and is %s", c.Seq, c.State)
		case d.Outcome.Error == "" && k.approved[c.Seq] && len(done) == 0 && c.Error == nil:
			k.fail("call %s was approved and is skipped in silence", c.Seq)
		}
	}
}
