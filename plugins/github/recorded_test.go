package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// recordings are what GitHub really answered, in the npm package @octokit/fixtures.
const recordings = "../../acceptance/node/node_modules/@octokit/fixtures/scenarios/api.github.com"

// exchange is one recorded request with its answer.
type exchange struct {
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Body     any             `json:"body"`
	Status   int             `json:"status"`
	Response json.RawMessage `json:"response"`
	Headers  map[string]any  `json:"headers"`
}

// recording is a server that plays a scenario. Requests must be the recorded
// ones, but for how much a page holds and for a path by which a Link header names
// the repository.
type recording struct {
	t         *testing.T
	exchanges []exchange
}

func recorded(t *testing.T, scenario string) *recording {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recordings, scenario, "normalized-fixture.json"))
	if err != nil {
		t.Skipf("the npm package @octokit/fixtures is not installed (make node): %v", err)
	}
	r := &recording{t: t}
	if err := json.Unmarshal(text, &r.exchanges); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *recording) ServeHTTP(w http.ResponseWriter, asked *http.Request) {
	body, err := io.ReadAll(asked.Body)
	if err != nil {
		r.t.Error(err)
	}
	for _, e := range r.exchanges {
		if !e.matches(asked) {
			continue
		}
		if text := strings.TrimSpace(string(body)); !e.sameBody(text) {
			r.t.Errorf("%s %s was sent %s, recorded with %v", asked.Method, asked.URL, text, e.Body)
		}
		for name, value := range e.Headers {
			if name := strings.ToLower(name); name == "link" || name == "location" || name == "etag" || name == "content-type" {
				w.Header().Set(name, here(fmt.Sprint(value), asked))
			}
		}
		w.WriteHeader(e.Status)
		if e.Status != http.StatusNoContent {
			_, _ = io.WriteString(w, here(string(e.Response), asked))
		}
		return
	}
	w.WriteHeader(http.StatusNotFound) // the recordings have no label that is not there
	_, _ = io.WriteString(w, `{"message":"Not Found"}`)
}

// here is a text with the addresses of this server.
func here(text string, asked *http.Request) string {
	return strings.ReplaceAll(text, "https://api.github.com", "http://"+asked.Host)
}

func (e exchange) matches(asked *http.Request) bool {
	recorded, err := url.Parse(e.Path)
	if err != nil || !strings.EqualFold(e.Method, asked.Method) {
		return false
	}
	want, got := recorded.Query(), asked.URL.Query()
	page := got.Get("page")
	for _, q := range []url.Values{want, got} {
		q.Del("per_page")
		if q.Get("page") == "" || q.Get("page") == "1" {
			q.Del("page")
		}
	}
	later := page != "" && page != "1" && strings.HasPrefix(recorded.Path, "/repositories/")
	return reflect.DeepEqual(want, got) && (later || recorded.Path == asked.URL.Path)
}

func (e exchange) sameBody(body string) bool {
	if body == "" || body == "{}" {
		return e.Body == nil || e.Body == ""
	}
	var sent any
	return json.Unmarshal([]byte(body), &sent) == nil && reflect.DeepEqual(sent, e.Body)
}

// TestRecorded plays what GitHub really answered to the connector, and compares
// what programs get with testdata/recorded.txt.
//
// Of the scenarios, these say nothing of this connector's requests:
// add-and-remove-repository-collaborator, branch-protection, create-status,
// get-archive, get-organization, get-root, mark-notifications-as-read, markdown,
// project-cards, release-assets, release-assets-conflict; create-file uses the
// request for one file, in whose place commit_files makes a commit of several.
// Of those played, the requests differ where create_issue adds its marker, where
// a moved ref says force: false, where get-content asks for a file without its
// description, and where the lock of an issue is asked for with
// an empty object instead of nothing, which GitHub's description allows.
func TestRecorded(t *testing.T) {
	t.Parallel()
	const org = `"owner":"octokit-fixture-org","repo":`
	calls := []struct{ scenario, method, args string }{
		{"get-repository", "get_repository", `{` + org + `"hello-world"}`},
		{"rename-repository", "get_repository", `{` + org + `"rename-repository"}`},
		{"get-content", "get_content", `{` + org + `"hello-world"}`},
		{"paginate-issues", "list_issues", `{` + org + `"paginate-issues"}`},
		{"search-issues", "search_issues", `{"query":"sesame repo:octokit-fixture-org/search-issues"}`},
		{"add-labels-to-issue", "add_labels", `{` + org + `"add-labels-to-issue","number":1,"labels":["Foo","bAr","baZ"]}`},
		{"labels", "list_labels", `{` + org + `"labels"}`},
		{"labels", "create_label", `{` + org + `"labels","name":"test-label","color":"663399"}`},
		{"lock-issue", "lock_issue", `{` + org + `"lock-issue","number":1}`},
	}
	var out strings.Builder
	for _, one := range calls {
		h := serve(t, recorded(t, one.scenario), nil)
		result, err := h.connector.Invoke(t.Context(), call("k", one.method, one.args), nil)
		text := fmt.Sprint(err)
		if err == nil {
			h.fits(one.method, orNull(result.Value))
			text = string(result.Value)
		}
		fmt.Fprintf(&out, "-- %s: %s --\n%s\n", one.scenario, one.method, addresses.ReplaceAllString(text, "SERVER"))
	}
	golden(t, "testdata/recorded.txt", out.String())
}

// TestRecordedError: what GitHub really says of a wrong label. The connector's own
// schema does not let one that far.
func TestRecordedError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(recorded(t, "errors"))
	defer server.Close()
	c := &connector{base: server.Client().Transport}
	if err := c.configure(t.Context(), Config{Token: "x", BaseURL: server.URL}); err != nil {
		t.Fatal(err)
	}
	_, err := c.createLabel(t.Context(), CreateLabel{Repo: Repo{"octokit-fixture-org", "errors"}, Name: "foo", Color: "invalid"})
	e := wantCode(t, failure(err), sdk.InvalidArgument)
	const want = "GitHub answered 422: Validation Failed: Label.color invalid (https://docs.github.com/rest/reference/issues#create-a-label)"
	if e.Message != want {
		t.Errorf("%q, not %q", e.Message, want)
	}
}

// addresses are those of the test's servers.
var addresses = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// orNull is a result as a schema sees it, that of a method without one, too.
func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}
