package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// GitHub's official description says what a request must look like.
// testdata/description.json is the part of it that concerns the requests of this
// connector, made from api.github.com.json of the npm package @octokit/openapi
// (MIT) with: go test ./plugins/github -run TestDescription -description FILE.

var source = flag.String("description", "", "rewrite testdata/description.json from GitHub's whole description")

const descriptionFile = "testdata/description.json"

// operations are all that the connector asks of GitHub, GraphQL apart.
var operations = strings.Fields(`
get:/user get:/user/repos get:/users/{username} get:/users/{username}/repos get:/orgs/{org}/repos
get:/orgs/{org}/teams get:/orgs/{org}/teams/{team_slug}/members
get:/notifications get:/notifications/threads/{thread_id} patch:/notifications/threads/{thread_id}
get:/search/issues get:/search/code get:/search/repositories
post:/gists get:/gists/{gist_id} delete:/gists/{gist_id}
get:/repos/{owner}/{repo} get:/repos/{owner}/{repo}/contents/{path} get:/repos/{owner}/{repo}/branches
get:/repos/{owner}/{repo}/commits get:/repos/{owner}/{repo}/commits/{ref} get:/repos/{owner}/{repo}/compare/{basehead}
get:/repos/{owner}/{repo}/commits/{ref}/check-runs get:/repos/{owner}/{repo}/commits/{ref}/status
get:/repos/{owner}/{repo}/git/ref/{ref} post:/repos/{owner}/{repo}/git/refs
patch:/repos/{owner}/{repo}/git/refs/{ref} delete:/repos/{owner}/{repo}/git/refs/{ref}
get:/repos/{owner}/{repo}/git/commits/{commit_sha} post:/repos/{owner}/{repo}/git/commits
post:/repos/{owner}/{repo}/git/blobs post:/repos/{owner}/{repo}/git/trees get:/repos/{owner}/{repo}/git/trees/{tree_sha}
get:/repos/{owner}/{repo}/issues post:/repos/{owner}/{repo}/issues
get:/repos/{owner}/{repo}/issues/{issue_number} patch:/repos/{owner}/{repo}/issues/{issue_number}
get:/repos/{owner}/{repo}/issues/{issue_number}/comments post:/repos/{owner}/{repo}/issues/{issue_number}/comments
delete:/repos/{owner}/{repo}/issues/comments/{comment_id}
post:/repos/{owner}/{repo}/issues/{issue_number}/labels delete:/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}
post:/repos/{owner}/{repo}/issues/{issue_number}/assignees delete:/repos/{owner}/{repo}/issues/{issue_number}/assignees
put:/repos/{owner}/{repo}/issues/{issue_number}/lock delete:/repos/{owner}/{repo}/issues/{issue_number}/lock
get:/repos/{owner}/{repo}/labels post:/repos/{owner}/{repo}/labels
get:/repos/{owner}/{repo}/labels/{name} delete:/repos/{owner}/{repo}/labels/{name}
get:/repos/{owner}/{repo}/milestones
get:/repos/{owner}/{repo}/pulls post:/repos/{owner}/{repo}/pulls
get:/repos/{owner}/{repo}/pulls/{pull_number} patch:/repos/{owner}/{repo}/pulls/{pull_number}
get:/repos/{owner}/{repo}/pulls/{pull_number}/files get:/repos/{owner}/{repo}/pulls/{pull_number}/comments
put:/repos/{owner}/{repo}/pulls/{pull_number}/merge put:/repos/{owner}/{repo}/pulls/{pull_number}/update-branch
get:/repos/{owner}/{repo}/pulls/{pull_number}/reviews post:/repos/{owner}/{repo}/pulls/{pull_number}/reviews
put:/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals
post:/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers delete:/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
get:/repos/{owner}/{repo}/releases post:/repos/{owner}/{repo}/releases delete:/repos/{owner}/{repo}/releases/{release_id}
get:/repos/{owner}/{repo}/releases/{release_id} patch:/repos/{owner}/{repo}/releases/{release_id}
get:/repos/{owner}/{repo}/actions/runs get:/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs
get:/repos/{owner}/{repo}/actions/runs/{run_id} get:/repos/{owner}/{repo}/actions/runs/{run_id}/jobs
get:/repos/{owner}/{repo}/actions/jobs/{job_id}/logs
post:/repos/{owner}/{repo}/actions/runs/{run_id}/rerun post:/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs
post:/repos/{owner}/{repo}/actions/runs/{run_id}/cancel post:/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches
post:/app/installations/{installation_id}/access_tokens
`)

// TestDescription: the description in testdata has every operation, and can be
// made anew.
func TestDescription(t *testing.T) {
	if *source != "" {
		rewriteDescription(t, *source)
	}
	doc := description(t)
	for _, operation := range operations {
		method, path, _ := strings.Cut(operation, ":")
		item := doc.Paths.Find(path)
		if item == nil || item.GetOperation(strings.ToUpper(method)) == nil {
			t.Errorf("the description has no %s", operation)
		}
	}
}

// rewriteDescription keeps of the whole description what requests need.
func rewriteDescription(t *testing.T, from string) {
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	paths := map[string]any{}
	for _, operation := range operations {
		method, path, _ := strings.Cut(operation, ":")
		all, _ := whole["paths"].(map[string]any)[path].(map[string]any)
		one, found := all[method].(map[string]any)
		if !found {
			t.Fatalf("GitHub has no %s", operation)
		}
		item, known := paths[path].(map[string]any)
		if !known {
			item = map[string]any{}
			paths[path] = item
		}
		item[method] = map[string]any{
			"operationId": one["operationId"], "parameters": one["parameters"], "requestBody": one["requestBody"],
			"responses": map[string]any{"default": map[string]any{"description": "any"}},
		}
	}
	kept := map[string]any{
		"openapi": whole["openapi"], "info": map[string]any{"title": "GitHub v3 REST API", "version": "part of it, requests only"}, "paths": paths,
	}
	keepReferences(whole, kept, paths)
	slim(kept)
	out, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(descriptionFile, append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keepReferences copies the components that v refers to, and those that they refer to.
func keepReferences(whole, kept map[string]any, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			keepReferences(whole, kept, item)
		}
	case map[string]any:
		for _, item := range v {
			keepReferences(whole, kept, item)
		}
		ref, _ := v["$ref"].(string)
		part := strings.Split(strings.TrimPrefix(ref, "#/components/"), "/")
		if len(part) != 2 {
			return
		}
		if kept["components"] == nil {
			kept["components"] = map[string]any{}
		}
		components := kept["components"].(map[string]any)
		if components[part[0]] == nil {
			components[part[0]] = map[string]any{}
		}
		section := components[part[0]].(map[string]any)
		if section[part[1]] == nil {
			section[part[1]] = whole["components"].(map[string]any)[part[0]].(map[string]any)[part[1]]
			keepReferences(whole, kept, section[part[1]])
		}
	}
}

// slim removes what only people read, and what is not set.
func slim(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			slim(item)
		}
	case map[string]any:
		for name, item := range v {
			_, isText := item.(string)
			if name == "examples" || name == "example" || item == nil || name == "description" && isText && v["in"] != nil || name == "description" && isText && v["type"] != nil {
				delete(v, name)
				continue
			}
			slim(item)
		}
	}
}

// descriptionOnce loads the description once for all tests.
var descriptionOnce = sync.OnceValues(func() (*openapi3.T, error) {
	text, err := os.ReadFile(descriptionFile)
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
})

func description(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := descriptionOnce()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

var routerOnce = sync.OnceValues(func() (routers.Router, error) {
	doc, err := descriptionOnce()
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// described lets only requests through that GitHub's description allows; a test
// whose connector sends any other fails.
func described(t *testing.T, next http.Handler) http.Handler {
	t.Helper()
	router, err := routerOnce()
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/graphql" || r.URL.Path == "/logs" {
			next.ServeHTTP(w, r)
			return
		}
		if err := allowed(router, r); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
			http.Error(w, `{"message":"not as described"}`, http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// segments are the parameters that may have slashes, which the router takes only encoded.
var segments = regexp.MustCompile(`^(/repos/[^/]+/[^/]+/(?:contents|git/refs?|commits|compare)/)(.+?)(/check-runs|/status)?$`)

func allowed(router routers.Router, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	asked := r.Clone(r.Context())
	asked.Body = io.NopCloser(bytes.NewReader(body))
	asked.URL = routed(r.URL)
	route, params, err := router.FindRoute(asked)
	if err != nil {
		return fmt.Errorf("find the operation: %w", err)
	}
	return openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: asked, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	})
}

// routed is an address as the router takes it. That the root folder has an empty
// path, GitHub accepts and its description does not say.
func routed(u *url.URL) *url.URL {
	if strings.HasSuffix(u.Path, "/contents/") {
		return u.JoinPath("root")
	}
	part := segments.FindStringSubmatch(u.EscapedPath())
	if part == nil {
		return u
	}
	encoded := *u
	encoded.RawPath = part[1] + strings.ReplaceAll(part[2], "/", "%2F") + part[3]
	encoded.Path = u.Path
	return &encoded
}
