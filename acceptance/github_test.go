package acceptance

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/acceptance/mockgithub"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

// githubSite is a site with the GitHub connector on a server of its own.
func githubSite(t *testing.T, handler http.Handler) *site {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newSite(t, fmt.Sprintf(`
connector "github" {
  plugin = %q
  config {
    token    = "ghp_secret"
    base_url = %q
  }
}
`, filepath.Join(bin, "codemode-connector-github"), server.URL))
}

// example is a program of examples/github.
func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../examples/github", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const shop = `{"owner":"acme","repo":"shop","tag":"v1"}`

// Bug-fix pull requests whose checks pass: reads only, nobody is asked.
func TestGitHubGreenPulls(t *testing.T) {
	t.Parallel()
	mock := mockgithub.New()
	s := githubSite(t, mock)
	s.write("input.json", shop)
	got := s.outcome(0, "run", example(t, "green-pulls.js"), "--input", "@input.json")
	if want := `[{"number":3,"title":"Fix the crash","state":"success"}]`; compact(t, got.Result) != want {
		t.Errorf("%s, not %s", compact(t, got.Result), want)
	}
	mock.Fail("fix/crash")
	got = s.outcome(0, "run", example(t, "green-pulls.js"), "--input", "@input.json")
	if compact(t, got.Result) != `[]` {
		t.Errorf("%s with a check that fails", got.Result)
	}
}

// Stale issues are labelled and commented on after one approval of the batch,
// and a rollback restores what was found.
func TestGitHubStaleIssues(t *testing.T) {
	t.Parallel()
	mock := mockgithub.New()
	s := githubSite(t, mock)
	s.write("input.json", `{"owner":"acme","repo":"shop"}`)
	found := mock.State()

	paused := s.outcome(3, "run", example(t, "stale-issues.ts"), "--input", "@input.json")
	if len(paused.Pending) != 2 || !strings.Contains(paused.Pending[1].Preview, "Does it still matter?") {
		t.Fatalf("%+v", paused.Pending)
	}
	if diff := cmp.Diff(found, mock.State()); diff != "" {
		t.Fatalf("something was written before anybody allowed it: %s", diff)
	}
	done := s.outcome(0, "approve", paused.ExecutionID, "--all")
	if compact(t, done.Result) != `[4]` {
		t.Errorf("%s", done.Result)
	}
	text := strings.Join(mock.State(), "\n")
	if !strings.Contains(text, "labels [stale]") || !strings.Contains(text, "comment on #4") {
		t.Errorf("nothing was written:\n%s", text)
	}
	s.want(0, "rollback", paused.ExecutionID)
	if diff := cmp.Diff(found, mock.State()); diff != "" {
		t.Errorf("the rollback left: %s", diff)
	}
}

// A draft of release notes is created once it is approved, and gone after a rollback.
func TestGitHubReleaseNotes(t *testing.T) {
	t.Parallel()
	mock := mockgithub.New()
	s := githubSite(t, mock)
	s.write("input.json", shop)
	found := mock.State()
	paused := s.outcome(3, "run", example(t, "release-notes.js"), "--input", "@input.json")
	if len(paused.Pending) != 1 || !strings.Contains(paused.Pending[0].Preview, "- Begin (mary, ") {
		t.Fatalf("%+v", paused.Pending)
	}
	s.outcome(0, "approve", paused.ExecutionID, "--all")
	if text := strings.Join(mock.State(), "\n"); !strings.Contains(text, "release v1") {
		t.Errorf("there is no release:\n%s", text)
	}
	s.want(0, "rollback", paused.ExecutionID)
	if diff := cmp.Diff(found, mock.State()); diff != "" {
		t.Errorf("the rollback left: %s", diff)
	}
}

// deadly is a GitHub that has a process killed in the middle of the first
// creation of an issue.
type deadly struct {
	*mockgithub.GitHub
	carriesOut bool // whether the issue is created before
	kill       atomic.Pointer[func()]
	creations  atomic.Int64 // that were carried out
}

func (d *deadly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/issues") {
		d.GitHub.ServeHTTP(w, r)
		return
	}
	kill := d.kill.Swap(nil)
	if kill == nil {
		d.creations.Add(1)
		d.GitHub.ServeHTTP(w, r)
		return
	}
	if d.carriesOut {
		d.creations.Add(1)
		d.GitHub.ServeHTTP(httptest.NewRecorder(), r)
	}
	(*kill)()
	panic(http.ErrAbortHandler)
}

// A crash in the middle of create_issue: what became of it is found out by the
// marker that the issue carries, the program goes on as if nothing had been, and
// nothing is created twice.
func TestGitHubCrashInCreateIssue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		victim     string // a word of its command line; empty: the host
		carriesOut bool
		decision   string
	}{
		"the answer is lost":                         {"no process", true, journal.DecisionDone},
		"the request is lost":                        {"no process", false, journal.DecisionAgain},
		"the host dies, the issue is there":          {"", true, journal.DecisionDone},
		"the host dies, the issue is not there":      {"", false, journal.DecisionAgain},
		"the connector dies, the issue is there":     {"connector-github", true, journal.DecisionDone},
		"the connector dies, the issue is not there": {"connector-github", false, journal.DecisionAgain},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			github := &deadly{GitHub: mockgithub.New(), carriesOut: test.carriesOut}
			s := githubSite(t, github)
			found := github.State()
			s.write("program.js", `
const issue = await github.create_issue({ owner: "acme", repo: "shop", title: "Slow", body: "It is." });
const comment = await github.create_issue_comment({ owner: "acme", repo: "shop", number: issue.number, body: "Found." });
return [issue.number, issue.title, issue.body, comment.body];`)
			paused := s.outcome(3, "run", "program.js")

			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := s.command(ctx, "approve", paused.ExecutionID, "--all", "--json")
			s.collect(cmd, func() {
				die := func() { kill(cmd.Process, test.victim) }
				github.kill.Store(&die)
			})
			if github.kill.Load() != nil {
				t.Fatal("the issue was not asked for")
			}
			if test.victim == "" {
				s.run("resume", paused.ExecutionID, "--json")
			}
			if n := github.creations.Load(); n != 1 {
				t.Fatalf("the issue was created %d times", n)
			}
			done := s.outcome(0, "approve", paused.ExecutionID, "--all") // the comment
			if want := `[5,"Slow","It is.","Found."]`; compact(t, done.Result) != want {
				t.Errorf("%s, not %s", done.Result, want)
			}
			call := decode[core.Detail](t, s.want(0, "show", paused.ExecutionID, "--json")).Outcome.Calls[0]
			if a := call.Approval; a == nil || a.Via != "reconcile" || a.By != "github" || a.Decision != test.decision {
				t.Errorf("the decision is %+v, not the connector's %s", a, test.decision)
			}
			s.want(0, "rollback", paused.ExecutionID)
			left := strings.Join(github.State(), "\n")
			if !strings.Contains(left, "Slow") || strings.Contains(left, "comment on #5") {
				t.Errorf("the rollback left\n%s\nof\n%s", left, strings.Join(found, "\n"))
			}
		})
	}
}

// What the pages say to copy is a valid configuration.
func TestGitHubConfigurationsAreValid(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/connectors/github.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```hcl\n")
	copied, _, _ := strings.Cut(rest, "```")
	whole, err := os.ReadFile("../config.hcl.example")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"the page's": copied, "the example": string(whole)} {
		s := newSite(t, "")
		s.write("codemode.hcl", text)
		cmd := s.command(t.Context(), "validate")
		cmd.Env = append(cmd.Env, "GITHUB_TOKEN=ghp_secret")
		if a := s.collect(cmd, func() {}); a.code != 0 || strings.Contains(a.stdout+a.stderr, "ghp_secret") {
			t.Errorf("%s: exit code %d\n%s%s", name, a.code, a.stdout, a.stderr)
		}
	}
}
