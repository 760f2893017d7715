package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/internal/randomprogram"
)

// effect is one line of the counter's own file.
type effect struct {
	Key    string          `json:"key"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
}

// TestKill runs random programs, kills host and connector at random moments, goes on as people do, and counts the
// effects in the connector's own file: none twice, none that the journal does not know, none missing.
// CODEMODE_TORTURE multiplies the rounds.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 30
	if n, err := strconv.Atoi(os.Getenv("CODEMODE_TORTURE")); err == nil {
		rounds *= n
	}
	kills, settled := 0, 0
	// Whether a kill comes in time depends on the machine, so the rounds go on until there were enough.
	i := 0
	for ; i < rounds || kills < rounds; i++ {
		seed := uint64(i)
		if os.Getenv("CODEMODE_TORTURE") != "" {
			seed += uint64(time.Now().UnixNano())
		}
		k := newKillRound(t, seed)
		k.play()
		kills += k.kills
		settled += k.settled
		if t.Failed() {
			return
		}
		if i > 20*rounds {
			t.Fatalf("only %d kills in %d rounds", kills, i)
		}
	}
	t.Logf("%d rounds, %d kills, %d calls in doubt", i, kills, settled)
}

type killRound struct {
	*site
	seed    uint64
	rng     *rand.Rand
	code    string
	id      string
	kills   int
	settled int // calls in doubt, as often as they were settled
}

func newKillRound(t *testing.T, seed uint64) *killRound {
	t.Helper()
	k := &killRound{seed: seed, rng: rand.New(rand.NewPCG(seed, 4))}
	k.site = newSite(t, "")
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
	k.code = randomprogram.New(rand.New(rand.NewPCG(seed, 1)), false)
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

// risky runs a command and, now and then, kills it or its connector with kill -9.
func (k *killRound) risky(args ...string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	cmd := k.command(ctx, args...)
	done, killed := make(chan struct{}), make(chan bool, 1)
	k.collect(cmd, func() {
		if k.kills >= 6 || k.rng.IntN(8) == 0 {
			killed <- false
			return
		}
		wait, victim := time.Duration(k.rng.IntN(250))*time.Millisecond, victims[k.rng.IntN(len(victims))]
		go func() {
			select {
			case <-time.After(wait):
				kill(cmd.Process, victim)
				killed <- true
			case <-done:
				killed <- false
			}
		}()
	})
	close(done)
	if <-killed {
		k.kills++
	}
}

// victims are what is killed: the host, its connector, or the processes in which its programs run.
var victims = []string{"", "", "counter", "codemode-sandbox"}

// kill kills a host, or those of its children whose command line has a word in it.
func kill(host *os.Process, victim string) {
	if victim != "" {
		_ = exec.Command("pkill", "-KILL", "-P", strconv.Itoa(host.Pid), "-f", victim).Run()
		return
	}
	_ = host.Kill()
}

// play runs the program to its end.
func (k *killRound) play() {
	k.risky("run", "program.js", "--json")
	for step := 0; ; step++ {
		if step > 100 {
			k.fail("it does not end")
		}
		status := k.status()
		switch status {
		case "":
			if effects := k.effects(); len(effects) > 0 {
				k.fail("effects without a journal: %v", effects)
			}
			return
		case "running":
			k.risky("resume", k.id, "--json")
		case "paused":
			k.decide()
		default:
			k.check(status)
			return
		}
	}
}

// status finds the execution and its status; empty: nothing of it became durable.
func (k *killRound) status() string {
	page := decode[core.Page](k.t, k.want(0, "executions", "--json"))
	if len(page.Executions) == 0 {
		return ""
	}
	k.id = page.Executions[0].ID
	return string(page.Executions[0].Status)
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
	if p.Kind == "in_doubt" {
		k.settle(p)
		return
	}
	args := []string{"approve", k.id, "--json"}
	for _, p := range pending {
		if p.Kind == "approval" && (len(args) == 3 || k.rng.IntN(2) == 0) {
			args = append(args, p.Seq, "--digest", p.Seq+"="+p.Digest)
		}
	}
	k.risky(args...)
}

// settle says of a call in doubt what the connector's own file tells.
func (k *killRound) settle(p core.Pending) {
	k.settled++
	for _, e := range k.effects()[k.id+"/"+p.Seq] {
		k.risky("settle", k.id, p.Seq, "--result", string(e.Result), "--json")
		return
	}
	k.risky("settle", k.id, p.Seq, []string{"--again", "--not-done"}[k.rng.IntN(2)], "--json")
}

// effects reads the connector's own file.
func (k *killRound) effects() map[string][]effect {
	text, err := os.ReadFile(k.path("effects.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	found := map[string][]effect{}
	for line := range strings.Lines(string(text)) {
		var e effect
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			k.t.Fatalf("effects: %v", err)
		}
		found[e.Key] = append(found[e.Key], e)
	}
	return found
}

// check holds the journal against the effects.
func (k *killRound) check(status string) {
	d := decode[core.Detail](k.t, k.want(0, "show", k.id, "--json"))
	if status != "completed" {
		k.fail("ended as %s: %s", status, d.Outcome.Error)
	}
	effects := k.effects()
	seen := 0
	for _, c := range d.Outcome.Calls {
		got := effects[k.id+"/"+c.Seq]
		seen += len(got)
		writes := c.Method == "write" || c.Method == "gated"
		switch {
		case len(got) > 1:
			k.fail("call %s took effect %d times", c.Seq, len(got))
		case writes && c.State == "applied" && len(got) == 0:
			k.fail("call %s is applied and had no effect", c.Seq)
		case c.State != "applied" && len(got) > 0:
			k.fail("call %s is %s and took effect", c.Seq, c.State)
		case c.Method == "gated" && len(got) > 0 && (c.Approval == nil || c.Approval.By == ""):
			k.fail("call %s took effect and nobody allowed it", c.Seq)
		}
	}
	all := 0
	for _, list := range effects {
		all += len(list)
	}
	if seen != all {
		k.fail("%d effects, %d of them in the journal", all, seen)
	}
}
