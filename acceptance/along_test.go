package acceptance

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

const alongConfig = `
connector "tracker" {
  plugin = "tracker"
  config {
    file = "tracker.json"
  }
}
`

// TestTakingItAlong: executions are exported and imported elsewhere; a whole journal is backed up while a process works
// on it, and restored.
func TestTakingItAlong(t *testing.T) {
	t.Parallel()
	a := newSite(t, alongConfig)
	a.write("read.js", `return (await tracker.list_issues({})).length`)
	a.write("close.js", `return await tracker.update_issue({ number: 1, state: "closed" })`)
	ended := a.outcome(0, "run", "read.js").ExecutionID
	waits := a.outcome(3, "run", "close.js").ExecutionID

	a.want(0, "export", "--out", "all.jsonl")
	a.want(2, "export", "--out", "all.jsonl") // never over another
	text, err := os.ReadFile(a.path("all.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if !json.Valid(line) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if one := a.want(0, "export", ended).stdout; !strings.Contains(string(text), one) {
		t.Error("an execution by itself is exported as another one")
	}

	b := newSite(t, alongConfig)
	all := b.write("all.jsonl", string(text))
	replies := decode[[]core.Reply](t, b.want(0, "import", all, "--json"))
	if len(replies) != 2 || replies[0].ExecutionID != waits || replies[0].Changed || !replies[1].Changed {
		t.Fatalf("imported: %+v", replies)
	}
	b.want(4, "import", all)
	b.want(0, "import", "--live", all)
	b.outcome(3, "approve", waits, "--all") // what was shown was of another house: it is asked again
	if got := b.outcome(0, "approve", waits, "--all"); got.Status != "completed" {
		t.Errorf("what waited there ends here as %s", got.Status)
	}
	b.want(4, "import", b.write("cut.jsonl", string(text[:len(text)/2])))

	// A process works on the journal: it is the one that writes the backup.
	a.write("wait.js", `
await tracker.add_labels({ number: 2, labels: ["seen"] });
for (;;) { if ((await tracker.get_issue({ number: 2 })).labels.includes("go")) return "gone on"; await new Promise((r) => setTimeout(r, 50)); }`)
	run := a.command(t.Context(), "run", "wait.js", "--json")
	var out bytes.Buffer
	run.Stdout = &out
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Process.Kill() }()
	for a.run("executions", "--status", "running", "--json").stdout == a.run("executions", "--status", "rejected", "--json").stdout {
	}
	a.want(0, "backup", "journal.backup")
	a.want(2, "backup", "journal.backup")
	if info, err := os.Stat(a.path("journal.backup")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	issues, err := os.ReadFile(a.path("tracker.json"))
	if err != nil {
		t.Fatal(err)
	}
	a.write("tracker.json", strings.Replace(string(issues), `"seen"`, `"seen", "go"`, 1))
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}

	c := newSite(t, alongConfig)
	saved, err := os.ReadFile(a.path("journal.backup"))
	if err != nil {
		t.Fatal(err)
	}
	c.write("journal.backup", string(saved))
	c.write("short.backup", string(saved[:len(saved)-9]))
	c.write("flipped.backup", string(saved[:len(saved)/2])+string(saved[len(saved)/2]^1)+string(saved[len(saved)/2+1:]))
	for _, bad := range []string{"short.backup", "flipped.backup", "codemode.hcl", "none"} {
		if got := c.want(2, "restore", bad).stderr; !strings.Contains(got, bad) {
			t.Errorf("%s: %s", bad, got)
		}
	}
	c.want(0, "restore", "journal.backup")
	c.want(2, "restore", "journal.backup")
	page := decode[core.Page](t, c.want(0, "executions", "--json"))
	if len(page.Executions) != 3 || string(page.Executions[0].Status) != "running" {
		t.Errorf("restored: %+v", page)
	}
	if got := c.outcome(0, "approve", waits, "--all"); got.Status != "completed" {
		t.Errorf("what waited ends as %s: %s", got.Status, got.Error)
	}
	c.want(0, "doctor")
}

// TestDamageIsConfirmed: events of a journal are lost; nothing that was there goes on before a person accepts it.
func TestDamageIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newSite(t, alongConfig)
	s.write("close.js", `return await tracker.update_issue({ number: 1, state: "closed" })`)
	waits := s.outcome(3, "run", "close.js").ExecutionID
	s.want(4, "doctor", "--confirm")
	if err := os.Remove(filepath.Join(s.path(".codemode"), "journal", "default", "mark")); err != nil {
		t.Fatal(err)
	}
	if got := s.want(2, "doctor").stdout; !strings.Contains(got, "mark file is missing") || !strings.Contains(got, "doctor --confirm") {
		t.Errorf("the doctor says %s", got)
	}
	refused := s.run("approve", waits, "--all", "--json")
	if refused.code == 0 || !strings.Contains(refused.stdout+refused.stderr, "mark file is missing") {
		t.Errorf("exit code %d: %s%s", refused.code, refused.stdout, refused.stderr)
	}
	s.write("read.js", `return (await tracker.list_issues({})).length`)
	s.outcome(0, "run", "read.js")
	s.want(0, "doctor", "--confirm")
	s.want(0, "doctor")
	s.outcome(0, "approve", waits, "--all")
}
