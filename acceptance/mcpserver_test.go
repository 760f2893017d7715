package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
)

// counted is a site with the counter, whose calls take up to wait milliseconds.
func counted(t *testing.T, wait int) *site {
	t.Helper()
	s := newSite(t, "")
	s.write("codemode.hcl", fmt.Sprintf(`
runtime {
  max_executions = 1000
}
approvals {
  unattended = true
}
connector "t" {
  plugin = %q
  config {
    file = %q
    wait = %d
  }
}
`, filepath.Join(bin, "codemode-connector-counter"), s.path("effects.jsonl"), wait))
	return s
}

// effects counts the effects of each k.
func (s *site) effects() map[int]int {
	s.t.Helper()
	text, err := os.ReadFile(s.path("effects.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	n := map[int]int{}
	for line := range strings.Lines(string(text)) {
		var e struct {
			Args struct {
				K int `json:"k"`
			} `json:"args"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			s.t.Fatalf("effect %q: %v", line, err)
		}
		n[e.Args.K]++
	}
	return n
}

// agent is an MCP client with a codemode mcp of its own.
type agent struct {
	*mcp.ClientSession
	t   *testing.T
	cmd *exec.Cmd
}

func (s *site) agent(o *mcp.ClientOptions, args ...string) *agent {
	s.t.Helper()
	cmd := s.command(context.Background(), append([]string{"mcp"}, args...)...)
	cmd.Stderr = io.Discard
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, o).
		Connect(s.t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 10 * time.Second}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return &agent{session, s.t, cmd}
}

// told is an outcome as an agent gets it.
type told struct {
	core.Outcome
	Next string `json:"next"`
}

func (a *agent) call(tool string, args map[string]any) (told, error) {
	r, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return told{}, err
	}
	var out told
	text, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

// TestAgentsShareOneHost has three agents run a hundred programs each, and kills the process that has the journal in the
// midst of them. What the others asked for is continued by whoever takes the journal over: no write happens twice, and
// one whose effect nobody knows waits for a person.
func TestAgentsShareOneHost(t *testing.T) {
	t.Parallel()
	s := counted(t, 10)
	const each = 100
	agents := []*agent{s.agent(nil), s.agent(nil), s.agent(nil)} // the first one has the journal
	holder := s.holder()
	if holder != agents[0].cmd.Process.Pid {
		t.Fatalf("process %d has the journal, not %d", holder, agents[0].cmd.Process.Pid)
	}
	outcomes := make([][]told, len(agents))
	half := make(chan struct{}, len(agents)*each)
	var work sync.WaitGroup
	for i, a := range agents {
		outcomes[i] = make([]told, each)
		for worker := range 4 {
			work.Go(func() {
				for n := worker; n < each; n += 4 {
					k := i*each + n
					out, err := a.call("codemode", map[string]any{"code": fmt.Sprintf(`await t.read({ k: %d }); (await t.write({ k: %d })).k`, k, k)})
					if err != nil && i > 0 {
						t.Errorf("agent %d: %v", i, err)
					}
					outcomes[i][n] = out
					half <- struct{}{}
				}
			})
		}
	}
	for range each {
		<-half
	}
	if err := agents[0].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	work.Wait()
	effects, doubts := s.effects(), 0
	for k, n := range effects {
		if n > 1 {
			t.Errorf("write %d has happened %d times", k, n)
		}
	}
	for i := range agents {
		for n, out := range outcomes[i] {
			k := i*each + n
			switch {
			case out.Status == "completed" && (effects[k] != 1 || string(out.Result) != fmt.Sprint(k)):
				t.Errorf("write %d has happened %d times; its outcome is %s", k, effects[k], out.Result)
			case out.Status == "paused" && out.Pending[0].Kind == "in_doubt":
				doubts++
			case out.Status != "completed" && i > 0:
				t.Errorf("agent %d, program %d: %+v", i, n, out.Outcome)
			}
		}
	}
	if next := s.holder(); next == holder || next != agents[1].cmd.Process.Pid && next != agents[2].cmd.Process.Pid {
		t.Errorf("process %d has the journal after %d was killed", next, holder)
	}
	t.Logf("%d writes, %d in doubt", len(effects), doubts)
}

// holder is the process that has the journal, once there is one that answers.
func (s *site) holder() int {
	s.t.Helper()
	s.want(0, "executions") // which waits for a new holder
	text, err := os.ReadFile(s.path(".codemode/run/holder.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var h struct{ PID int }
	if err := json.Unmarshal(text, &h); err != nil {
		s.t.Fatal(err)
	}
	return h.PID
}

// TestOnlyProtocolOnStdout looks at every byte that codemode mcp writes while a connector prints.
func TestOnlyProtocolOnStdout(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	cmd := s.command(t.Context(), "mcp", "--log-level", "trace")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"codemode","arguments":{"code":"console.log('x'); (await t.shout({ k: 7 })).k"}}}`,
	} {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for answered := false; lines.Scan(); {
		var m struct {
			JSONRPC string
			ID      int
			Result  struct{ StructuredContent told }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("this is no protocol: %s", lines.Bytes())
		}
		if m.ID == 2 && !answered {
			answered = true
			if string(m.Result.StructuredContent.Result) != "7" {
				t.Errorf("the answer is %s", lines.Bytes())
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
	if !strings.Contains(stderr.String(), "neither is this") {
		t.Errorf("the connector's lines are not in the log:\n%s", &stderr)
	}
}

// TestHolderDiesWhileAPersonIsAsked answers a question whose execution another process had: the next one carries the
// decision out.
func TestHolderDiesWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	first := s.agent(nil)
	asked := 0
	second := s.agent(&mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if asked++; asked == 1 {
			if err := first.cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, nil
	}})
	out, err := second.call("codemode", map[string]any{"code": `await t.write({ k: 1 }); await t.gated({ k: 2 }); (await t.gated({ k: 3 })).k`})
	if err != nil || out.Status != "completed" || string(out.Result) != "3" {
		t.Errorf("%+v, %v", out.Outcome, err)
	}
	if diff := cmp.Diff(map[int]int{1: 1, 2: 1, 3: 1}, s.effects()); diff != "" || asked != 2 {
		t.Errorf("asked %d times: %s", asked, diff)
	}
	if pid := s.holder(); pid != second.cmd.Process.Pid {
		t.Errorf("process %d has the journal, not %d", pid, second.cmd.Process.Pid)
	}
}

// TestApprovedAtATerminal approves, in another process, what an agent's program waits for.
func TestApprovedAtATerminal(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	a := s.agent(nil, "--caller", "bot", "--label", "team=a")
	out, err := a.call("codemode", map[string]any{"code": `(await t.gated({ k: 1 })).k`})
	if err != nil || out.Status != "paused" || !strings.Contains(out.Next, "result") {
		t.Fatalf("%+v, %v", out, err)
	}
	if done := s.outcome(0, "approve", out.ExecutionID, "--all"); done.Status != "completed" {
		t.Errorf("%+v", done)
	}
	if later, err := a.call("result", map[string]any{"executionId": out.ExecutionID}); err != nil || string(later.Result) != "1" {
		t.Errorf("%+v, %v", later, err)
	}
	d := decode[core.Detail](t, s.want(0, "show", out.ExecutionID, "--json"))
	if d.Caller != "bot" || d.Labels["team"] != "a" {
		t.Errorf("caller %q, labels %v", d.Caller, d.Labels)
	}
}

// TestKilledClient lets a client die in the middle of a program: both streams break, the process writes into one of them,
// and the program goes on.
func TestKilledClient(t *testing.T) {
	t.Parallel()
	s := counted(t, 0)
	cmd := s.command(t.Context(), "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"codemode","_meta":{"progressToken":1},"arguments":{"code":"await new Promise(r => setTimeout(r, 2500)); (await t.write({ k: 1 })).k"}}}`,
	} {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && !strings.Contains(lines.Text(), "notifications/progress") {
	}
	if err := out.Close(); err != nil { // and its input stays open for now: the next progress goes nowhere
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if n := s.effects()[1]; n != 1 {
		t.Errorf("the write has happened %d times", n)
	}
}
