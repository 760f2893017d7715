//go:build linux

package acceptance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestWalk goes through the command line as a person does. testdata/walk.txt is the session.
func TestWalk(t *testing.T) {
	t.Parallel()
	p := &person{site: &site{t: t, dir: t.TempDir()}, name: userName(t)}
	p.beginning()
	p.configuring()
	p.discovering()
	p.approving()
	p.undoing()
	p.rejecting()
	p.askedAboutWrites()
	p.withoutATerminal()
	p.settling()
	p.resuming()
	p.interrupting()
	p.savingSnippets()
	p.mistaken()
	p.tidying()

	got := p.anonymous()
	const path = "testdata/walk.txt"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

var (
	executionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	variable    = []struct {
		pattern *regexp.Regexp
		as      string
	}{
		{regexp.MustCompile(`(?m)^codemode \S+ \(go\S+, \S+\)$`), "codemode VERSION (GO, PLATFORM)"},
		{regexp.MustCompile(`pid \d+`), "pid N"},
		{regexp.MustCompile(`digest     [0-9a-f]{64}`), "digest     DIGEST"},
		{regexp.MustCompile(`(?m)^(00000000-\S+ +[a-z_]+(?: \(\d\))? +|titles +\d +)\d+[smh] +`), "${1}0s   "},
		{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "YYYY-MM-DD"},
		{regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{3}`), "hh:mm:ss.mmm"},
		{regexp.MustCompile(`\d\d:\d\d:\d\d`), "hh:mm:ss"},
	}
)

// anonymous is the session without what differs between two of them: ids, times, the folder and the user.
func (p *person) anonymous() string {
	text := strings.ReplaceAll(p.session.String(), p.dir, "/home/you")
	ids := map[string]string{}
	text = executionID.ReplaceAllStringFunc(text, func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("00000000-0000-7000-8000-%012d", len(ids)+1)
		}
		return ids[id]
	})
	for _, v := range variable {
		text = v.pattern.ReplaceAllString(text, v.as)
	}
	user := regexp.MustCompile(`(, by |"author":"|(?m:^  by         |^  caller     )|\(default ")` + regexp.QuoteMeta(p.name) + `\b`)
	return user.ReplaceAllString(text, "${1}you")
}

func userName(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

// idIn finds the first execution's id in what a command has said.
func (p *person) idIn(screen string) string {
	p.t.Helper()
	id := executionID.FindString(screen)
	if id == "" {
		p.t.Fatalf("no id in\n%s", screen)
	}
	return id
}

// waits looks, from another process, until the newest execution is as wanted, and returns its id. It is not written down.
func (p *person) waits(is func(*core.Detail) bool) string {
	p.t.Helper()
	for end := time.Now().Add(stuck); time.Now().Before(end); {
		page := decode[core.Page](p.t, p.want(0, "executions", "--limit", "1", "--json"))
		if len(page.Executions) == 0 {
			continue
		}
		id := page.Executions[0].ID
		if d := decode[core.Detail](p.t, p.want(0, "show", id, "--json")); is(&d) {
			return id
		}
	}
	p.t.Fatal("it does not come to that")
	return ""
}

func (p *person) beginning() {
	p.notes("A stranger in an empty folder.")
	p.runs(0, "help")
	p.runs(0, "help", "run")
	p.runs(0, "version")
	p.runs(2, "validate")
}

func (p *person) configuring() {
	p.notes("A configuration with three mistakes, found one after the other.")
	p.edits("codemode.hcl", `
connector "tracker" {
  plugin = "tracker"
  config {
    file = "tracker.json"
  }
  rule {
    methods = ["add_label"]
    effect = "ask"
  }
}
`)
	p.runs(2, "validate")
	p.edits("codemode.hcl", `
connector "tracker" {
  plugin = "tracker"
  config {
    path = "tracker.json"
  }
  rule {
    methods = ["add_label"]
    effect = "allow"
  }
}
`)
	p.runs(2, "validate")
	p.edits("codemode.hcl", `
connector "tracker" {
  plugin = "tracker"
  config {
    file = "tracker.json"
  }
  rule {
    methods = ["add_label"]
    effect = "allow"
  }
}
`)
	p.runs(0, "validate")
	p.edits("codemode.hcl", `
connector "tracker" {
  plugin = "tracker"
  config {
    file = "tracker.json"
  }
  rule {
    methods = ["add_labels"]
    effect = "allow"
  }
}
`)
	p.runs(0, "validate")
	p.runs(1, "fmt", "--check")
	p.runs(0, "fmt")
	p.runs(0, "fmt", "--check")
}

func (p *person) discovering() {
	p.notes("What is there?")
	p.runs(0, "types", "--out", "types.d.ts")
	p.runs(0, "search", "comment", "on", "an", "issue", "--limit", "2")
	p.runs(0, "describe", "tracker#pull requests")
	p.runs(0, "describe", "tracker.watch_issue")
	p.runs(4, "describe", "tracker.watch_isue")
}

const closing = `
// Close an issue that nobody has touched for long, unless somebody does while a person thinks about it.
const { issue } = await tracker.watch_issue({ number: input });
await tracker.add_labels({ number: input, labels: ["stale"] });
console.log("asked about #" + input + " " + issue.title);
const answers = await Promise.allSettled([
  tracker.add_comment({ number: input, text: "Closed for lack of activity." }),
  tracker.update_issue({ number: input, state: "closed" }),
]);
const { changed } = await tracker.watch_issue({ number: input });
return { changed, answers: answers.map((a) => a.reason?.message ?? "done") };
`

// pauses runs close.js, which waits for two decisions, and returns the execution's id.
func (p *person) pauses(number string) string {
	p.t.Helper()
	return p.idIn(p.runs(3, "run", "close.js", "--input", number))
}

func (p *person) approving() {
	p.notes("A program runs, and waits for a person.")
	p.edits("close.js", closing)
	id := p.pauses("2")
	p.runs(0, "pending")
	p.runs(0, "show", id)

	p.notes("Yes to the one, no to the other.")
	s := p.sits("approve", id)
	s.reads("help] ", "\x03") // Ctrl-C
	s.ends(2)
	s = p.sits("approve", id)
	s.reads("help] ", "what?\n")
	s.reads("help] ", "y\n")
	s.reads("help] ", "n\n")
	s.ends(3)
	p.runs(0, "pending", id)

	p.notes("The other one with better arguments.")
	p.edits("args.json", `{"number": 2, "state": "closed", "title": "Dark mode (stale)"}
`)
	s = p.sits("approve", id, "3", "--args", "args.json", "--note", "say why it is closed")
	s.reads("help] ", "y\n")
	s.ends(0)
	p.runs(0, "show", id)
	p.runs(4, "approve", id)
}

func (p *person) undoing() {
	id := p.waits(func(d *core.Detail) bool { return d.Status == "completed" })
	p.notes("Take it back; but first see what that means.")
	p.runs(0, "rollback", id, "--dry-run")
	s := p.sits("rollback", id)
	s.reads("Type yes: ", "no\n")
	s.ends(4)
	s = p.sits("rollback", id, "--note", "a mistake")
	s.reads("Type yes: ", "yes\n")
	s.ends(0)
	p.runs(4, "rollback", id, "--dry-run")
}

func (p *person) rejecting() {
	p.notes("No, and that is the end of it.")
	id := p.pauses("4")
	p.runs(2, "reject", id, "2")
	p.runs(0, "reject", id, "2", "--note", "ken is on it")
	p.runs(4, "reject", id, "3", "--note", "ken is on it")

	p.notes("No, and the program is told.")
	id = p.pauses("4")
	p.runs(3, "reject", id, "2", "--continue", "--note", "do not tell them")
	s := p.sits("approve", id)
	s.reads("help] ", "y\n")
	s.ends(0)

	p.notes("A question can be answered with no, too.")
	id = p.pauses("5")
	s = p.sits("approve", id)
	s.reads("help] ", "r\n")
	s.reads("Why? ", "large files matter\n")
	s.ends(0)
}

func (p *person) askedAboutWrites() {
	p.notes("With --ask writes nothing is written that a person has not seen.")
	id := p.idIn(p.runs(3, "run", "close.js", "--input", "1", "--ask", "writes", "--label", "env=prod", "--task", "spring cleaning"))
	s := p.sits("approve", id, "--all")
	s.reads("Type yes: ", "yes\n")
	s.ends(3)
	s = p.sits("approve", id, "--all")
	s.reads("Type yes: ", "n\n")
	s.ends(4)
}

func (p *person) withoutATerminal() {
	p.notes("Without a person nothing is decided.")
	id := p.waits(func(d *core.Detail) bool { return d.Status == "paused" })
	p.alone(2, "approve", id, "--all")
	p.alone(2, "rollback", id)
	p.alone(2, "settle", id, "0", "--again")
	p.alone(2, "snippets", "save", "close", id, "--description", "Close a stale issue.")
	p.alone(0, "pending", id)
	p.alone(0, "executions", "--limit", "1")
}

func (p *person) settling() {
	p.notes("A write is cut off in the middle.")
	p.edits("codemode.hcl", `
connector "tracker" {
  plugin = "tracker"

  config {
    file = "tracker.json"
  }
}

connector "ci" {
  plugin = "counter"

  config {
    file = "deployments.jsonl"
    wait = 3600000
  }
}
`)
	p.edits("deploy.js", `
try {
  return await ci.write({ k: 1 });
} catch (e) {
  return "not deployed: " + e.message;
}
`)
	id := p.loses("deploy.js")
	p.runs(0, "pending", id)
	p.runs(4, "approve", id)
	p.runs(2, "settle", id, "0")
	s := p.sits("settle", id, "0", "--not-done", "--note", "the file has no line of it")
	s.reads("Type yes: ", "yes\n")
	s.ends(0)

	p.notes("Another one; nobody knows, and the program is not to go on.")
	id = p.loses("deploy.js")
	s = p.sits("settle", id, "0", "--end", "--note", "the service does not answer")
	s.reads("Type yes: ", "yes\n")
	s.ends(1)
	p.runs(4, "settle", id, "0", "--again")
	s = p.sits("settle", id, "0", "--not-done", "--note", "now it does")
	s.reads("Type yes: ", "yes\n")
	s.ends(0)
}

// loses runs a program, and kills the connector in the middle of its write.
func (p *person) loses(program string) (id string) {
	p.t.Helper()
	s := p.sits("run", program)
	id = p.waits(func(d *core.Detail) bool {
		return d.Status == "running" && len(d.Outcome.Calls) > 0 && d.Outcome.Calls[0].State == "executing"
	})
	// Of the children of this one host only the connector that is in the middle of a write.
	if err := exec.Command("pkill", "-KILL", "-P", strconv.Itoa(s.cmd.Process.Pid), "-f", "connector-counter").Run(); err != nil {
		p.t.Fatal(err)
	}
	s.ends(3)
	return id
}

func (p *person) resuming() {
	p.notes("The machine dies while a program runs.")
	p.edits("wait.js", `
await tracker.add_labels({ number: 3, labels: ["seen"] });
let labels;
do {
  await new Promise((resolve) => setTimeout(resolve, 100));
  ({ labels } = await tracker.get_issue({ number: 3 }));
} while (!labels.includes("go"));
return labels;
`)
	s := p.sits("run", "wait.js")
	id := p.waits(func(d *core.Detail) bool {
		return d.Status == "running" && len(d.Outcome.Calls) > 0 && d.Outcome.Calls[0].State == "applied"
	})
	kill(s.cmd.Process, "host")
	s.ends(-1)
	p.runs(0, "executions", "--status", "running")
	p.notes("Somebody labels the issue. Then the program goes on.")
	p.relabels(`"seen"`, `"seen", "go"`)
	p.runs(0, "resume", id)
	p.runs(4, "resume", id)
	p.runs(0, "resume", "--all")
}

// relabels changes the tracker's file, as somebody else would.
func (p *person) relabels(from, to string) {
	p.t.Helper()
	text, err := os.ReadFile(p.path("tracker.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("tracker.json", strings.Replace(string(text), from, to, 1))
}

func (p *person) interrupting() {
	p.notes("Ctrl-C.")
	p.edits("forever.js", `
await tracker.add_labels({ number: 3, labels: ["waiting"] });
for (;;) await new Promise((resolve) => setTimeout(resolve, 100));
`)
	s := p.sits("run", "forever.js")
	id := p.waits(func(d *core.Detail) bool {
		return d.Status == "running" && len(d.Outcome.Calls) > 0 && d.Outcome.Calls[0].State == "applied"
	})
	s.reads("", "\x03")
	s.ends(1)
	p.runs(0, "rollback", id, "--dry-run")
}

func (p *person) savingSnippets() {
	p.notes("A program that proved itself is kept.")
	p.runs(0, "snippets")
	p.edits("titles.js", `
const issues = await tracker.list_issues({ label: input.label });
return issues.map((i) => i.title);
`)
	id := p.idIn(p.runs(0, "run", "titles.js", "--input", `{"label": "bug"}`))
	p.edits("titles.schema.json", `{"type": "object", "properties": {"label": {"type": "string"}}, "required": ["label"]}
`)
	s := p.sits("snippets", "save", "titles", id, "--description", "The titles of the open issues with a label.", "--input-schema", "titles.schema.json")
	s.reads("Type yes: ", "yes\n")
	s.ends(0)
	p.runs(0, "snippets")
	p.runs(0, "snippets", "show", "titles")
	p.runs(0, "search", "titles")
	p.edits("use.js", `
return await codemode.run("titles", { label: "bug" });
`)
	p.runs(0, "run", "use.js")
	s = p.sits("snippets", "delete", "titles")
	s.reads("Type yes: ", "yes\n")
	s.ends(0)
	p.runs(4, "snippets", "delete", "titles")
}

func (p *person) mistaken() {
	p.notes("Mistakes.")
	p.runs(2, "aprove")
	p.runs(2, "run", "none.js")
	p.runs(4, "show", "7")
	p.runs(4, "approve", "7")
	p.edits("wrong.js", `
const issues = await tracker.list_issues({};
`)
	p.runs(1, "run", "wrong.js")
	p.edits("thrown.js", `
const issue = await tracker.get_issue({ number: 99 });
return issue.title;
`)
	p.runs(1, "run", "thrown.js")
}

func (p *person) tidying() {
	p.notes("Tidying up.")
	list := p.runs(0, "executions", "--limit", "3")
	cursor := regexp.MustCompile(`--cursor (\S+)`).FindStringSubmatch(list)
	if cursor == nil {
		p.t.Fatalf("no cursor in\n%s", list)
	}
	p.runs(0, "executions", "--limit", "3", "--cursor", cursor[1])
	p.runs(0, "executions", "--status", "paused")
	p.runs(0, "expire")
	p.runs(0, "expire", "--age", "1ms")
	id := p.idIn(list)
	s := p.sits("delete", id)
	s.reads("Type yes: ", "no\n")
	s.ends(4)
	p.runs(0, "delete", id, "--yes")
	p.runs(4, "delete", id)
	p.runs(0, "prune", "--keep", "1", "--yes")
	p.runs(0, "executions")
	if script := p.want(0, "completion", "bash").stdout; !strings.HasPrefix(script, "# bash completion") {
		p.t.Errorf("the completion is %.200s", script)
	}
}
