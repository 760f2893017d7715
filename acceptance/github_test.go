package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/acceptance/mockgithub"
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

// An answer that is lost on its way back leaves the call in doubt; nothing is
// created twice.
func TestGitHubCreateIssueIsLost(t *testing.T) {
	t.Parallel()
	mock := mockgithub.New()
	var creations atomic.Int64
	s := githubSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/issues") {
			creations.Add(1)
			mock.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		mock.ServeHTTP(w, r)
	}))
	s.write("program.js", `return (await github.create_issue({ owner: "acme", repo: "shop", title: "Slow" })).number;`)
	paused := s.outcome(3, "run", "program.js")
	got := s.run("approve", paused.ExecutionID, "--all", "--json")
	if creations.Load() != 1 {
		t.Fatalf("the issue was created %d times\n%s%s", creations.Load(), got.stdout, got.stderr)
	}
	if !strings.Contains(got.stdout, `"in_doubt"`) && !strings.Contains(got.stdout, `"completed"`) {
		t.Errorf("%s%s", got.stdout, got.stderr)
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
