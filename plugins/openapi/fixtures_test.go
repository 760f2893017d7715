package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// TestRecordedGitHub: programs work on recorded answers of GitHub's, which
// @octokit/fixtures-server gives only to exactly the recorded requests, in their order.
func TestRecordedGitHub(t *testing.T) {
	t.Parallel()
	spec := specs.Find("github").Path(t)
	address := fixturesServer(t)
	tests := map[string]struct{ scenario, accept, code, want string }{
		"read": {"get-repository", "", `
			const r = await github.repos_get({ owner: "octokit-fixture-org", repo: "hello-world" });
			return [r.name, r.private, r.owner.login];`,
			`["hello-world",false,"octokit-fixture-org"]`},
		"pages": {"paginate-issues", "", `
			const all = await github.issues_list_for_repo({ owner: "octokit-fixture-org", repo: "paginate-issues", per_page: 3, $all: true });
			return [all.length, all.filter((i) => i.number > 10).map((i) => i.title)];`,
			`[13,["Test issue 13","Test issue 12","Test issue 11"]]`},
		"search": {"search-issues", "", `
			const found = await github.search_issues_and_pull_requests({ q: "sesame repo:octokit-fixture-org/search-issues" });
			return [found.total_count, found.items.map((i) => i.title)];`,
			`[2,["Sesame seeds split without a pop!","The doors don’t open"]]`},
		"labels": {"labels", "", `
			const at = { owner: "octokit-fixture-org", repo: "labels" };
			const before = await github.issues_list_labels_for_repo(at);
			await github.issues_create_label({ ...at, body: { name: "test-label", color: "663399" } });
			const label = await github.issues_get_label({ ...at, name: "test-label" });
			await github.issues_update_label({ ...at, name: "test-label", body: { new_name: "test-label-updated", color: "BADA55" } });
			const gone = await github.issues_delete_label({ ...at, name: "test-label-updated" });
			return [before.length > 0, label.color, gone];`,
			`[true,"663399",null]`},
		"a list as a body": {"add-labels-to-issue", "", `
			const at = { owner: "octokit-fixture-org", repo: "add-labels-to-issue" };
			const issue = await github.issues_create({ ...at, body: { title: "Issue without a label" } });
			const labels = await github.issues_add_labels({ ...at, issue_number: issue.number, body: { labels: ["Foo", "bAr", "baZ"] } });
			return labels.map((l) => l.name);`,
			`["Foo","bAr","baZ"]`},
		"no body": {"lock-issue", "", `
			const at = { owner: "octokit-fixture-org", repo: "lock-issue", issue_number: 1 };
			return [await github.issues_lock(at), await github.issues_unlock(at)];`,
			`[null,null]`},
		"an error": {"errors", "", `
			try {
				await github.issues_create_label({ owner: "octokit-fixture-org", repo: "errors", body: { name: "foo", color: "invalid" } });
			} catch (e) {
				return [e.code, e.message];
			}`,
			`["invalid_argument","HTTP 422 Unprocessable Entity: Validation Failed"]`},
		"a file": {"create-file", "", `
			const made = await github.repos_create_or_update_file_contents({ owner: "octokit-fixture-org", repo: "create-file", path: "test.txt",
				body: { message: "create test.txt", content: "VGVzdCBjb250ZW50" } });
			return made.content.path;`,
			`"test.txt"`},
		"the root of a tree": {"get-content", "", `
			const files = await github.repos_get_content({ owner: "octokit-fixture-org", repo: "hello-world", path: "" });
			return files.map((f) => f.name);`,
			`["README.md"]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := gitHub(t, spec, recorded(t, address, test.scenario))
			outcome, err := host.Run(t.Context(), core.RunRequest{Code: test.code})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(outcome.Result)); diff != "" || outcome.Status != "completed" {
				t.Errorf("%s %s: %s", outcome.Status, outcome.Error, diff)
			}
		})
	}
}

// gitHub is a host of GitHub's API at an address, where nothing is asked for.
func gitHub(t *testing.T, spec, address string) *core.Host {
	t.Helper()
	connector := New()
	connector.Logger = hclog.NewNullLogger()
	made, err := connector.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{
		"spec": spec, "base_url": address,
		"headers": map[string]string{"Accept": "application/vnd.github.v3+json", "Content-Type": "application/json; charset=utf-8"},
		"credentials": map[string]any{"token": map[string]string{
			"type": "bearer", "prefix": "token", "token": "0000000000000000000000000000000000000001",
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	host, err := core.New(t.Context(), core.Options{Connectors: []core.Connector{{
		Label: "github", Connector: made, Config: config, Rules: []policy.Rule{{Methods: []string{"*"}, Effect: policy.Allow}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return host
}

// fixturesServer starts the server of recorded answers.
func fixturesServer(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(specs.NodeModules(), ".bin", "octokit-fixtures-server")
	if _, err := exec.LookPath(binary); err != nil {
		t.Skip("@octokit/fixtures-server is not installed: run make specs")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "--port", port, "--log-level", "warn")
	cmd.Dir = filepath.Dir(specs.NodeModules())
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	// It prints its address when it listens.
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !strings.Contains(line, port) {
		t.Fatalf("the server says %q, %v", line, err)
	}
	return "http://127.0.0.1:" + port
}

// recorded opens a scenario and returns the address of its API.
func recorded(t *testing.T, address, scenario string) string {
	t.Helper()
	response, err := http.Post(address+"/fixtures", "application/json", strings.NewReader(`{"scenario":"`+scenario+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var fixture struct{ URL string }
	if err := json.NewDecoder(response.Body).Decode(&fixture); err != nil || fixture.URL == "" {
		t.Fatalf("no scenario: %v", err)
	}
	return fixture.URL
}
