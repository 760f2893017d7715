package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// answer is a server that answers everything alike.
func answer(status int, header map[string]string, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

// TestFailures: what GitHub says becomes a code, what is known of the effect and
// a text that says what to do.
func TestFailures(t *testing.T) {
	t.Parallel()
	const read, write = `get_user`, `create_gist`
	tests := map[string]struct {
		method string
		status int
		header map[string]string
		body   string
		code   sdk.Code
		effect wire.Effect
		retry  bool
		text   string
	}{
		"unauthenticated": {method: read, status: 401, body: `{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest"}`,
			code: sdk.Unauthenticated, text: "GitHub answered 401: Bad credentials (https://docs.github.com/rest)"},
		"a missing scope": {method: write, status: 404, header: map[string]string{"X-OAuth-Scopes": "repo, read:org", "X-Accepted-OAuth-Scopes": "gist"}, body: `{"message":"Not Found"}`,
			code: sdk.NotFound, text: "GitHub answered 404: Not Found. The token lacks the scope gist"},
		"no scopes at all": {method: write, status: 403, header: map[string]string{"X-OAuth-Scopes": "", "X-Accepted-OAuth-Scopes": "gist, repo"}, body: `{"message":"No"}`,
			code: sdk.PermissionDenied, text: "GitHub answered 403: No. The token lacks the scope gist or repo"},
		"a missing permission": {method: write, status: 403, header: map[string]string{"X-Accepted-GitHub-Permissions": "issues=write"}, body: `{"message":"Resource not accessible by personal access token"}`,
			code: sdk.PermissionDenied, text: "GitHub answered 403: Resource not accessible by personal access token. The token needs the permission issues=write on this repository"},
		"single sign-on": {method: read, status: 403, header: map[string]string{"X-GitHub-SSO": "required; url=https://github.com/x"}, body: `{"message":"SAML"}`,
			code: sdk.PermissionDenied, text: "GitHub answered 403: SAML. The token is not authorized for the organization's single sign-on; its owner can do that in the token's settings"},
		"nothing there": {method: read, status: 404, body: `{"message":"Not Found"}`,
			code: sdk.NotFound, text: "GitHub answered 404: Not Found. GitHub says the same of what the token may not see"},
		"gone":     {method: read, status: 410, body: `{"message":"Issues are disabled"}`, code: sdk.NotFound, text: "GitHub answered 410: Issues are disabled"},
		"conflict": {method: write, status: 409, body: `{"message":"Moved"}`, code: sdk.Conflict, text: "GitHub answered 409: Moved"},
		"invalid": {method: write, status: 422, body: `{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"},{"message":"too long"}]}`,
			code: sdk.InvalidArgument, text: "GitHub answered 422: Validation Failed: Issue.title missing field; too long"},
		"exists already": {method: write, status: 422, body: `{"message":"Validation Failed","errors":[{"resource":"Label","field":"name","code":"already_exists"}]}`,
			code: sdk.Conflict, text: "GitHub answered 422: Validation Failed: Label.name already exists"},
		"a primary limit": {method: write, status: 403, header: map[string]string{"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(time.Now().Add(time.Hour).Unix())}, body: `{"message":"API rate limit exceeded."}`,
			code: sdk.RateLimited, retry: true, text: "GitHub limits the rate of requests: API rate limit exceeded."},
		"a secondary limit": {method: write, status: 403, header: map[string]string{"Retry-After": "90"}, body: `{"message":"Slow down.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`,
			code: sdk.RateLimited, retry: true, text: "GitHub limits the rate of requests: Slow down. Try again in 1m30s."},
		"a limit without an end": {method: write, status: 403, body: `{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`,
			code: sdk.RateLimited, retry: true, text: "GitHub limits the rate of requests: You have exceeded a secondary rate limit. Try again in 1m0s."},
		"trouble at a read":  {method: read, status: 502, body: `{"message":"Server Error"}`, code: sdk.Unavailable, effect: sdk.EffectNone, retry: true, text: "GitHub is in trouble: GitHub answered 502: Server Error"},
		"trouble at a write": {method: write, status: 502, body: `{"message":"Server Error"}`, code: sdk.Timeout, effect: sdk.EffectUnknown, text: "GitHub is in trouble: GitHub answered 502: Server Error"},
		"no JSON":            {method: read, status: 503, body: `<html>`, code: sdk.Unavailable, effect: sdk.EffectNone, retry: true, text: "GitHub is in trouble: GitHub answered 503: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := serve(t, answer(test.status, test.header, test.body), nil)
			args := map[string]string{read: `{}`, write: `{"files":{"a":"b"}}`}[test.method]
			_, err := h.invoke(call("k", test.method, args))
			e := wantCode(t, err, test.code)
			if e.Effect != test.effect || e.Retryable != test.retry || !strings.HasPrefix(e.Message, test.text) {
				t.Errorf("%+v, want the text %s", e, test.text)
			}
			if e.Retryable && e.Code == sdk.RateLimited && e.RetryAfter < time.Minute {
				t.Errorf("to be tried again after %v", e.RetryAfter)
			}
		})
	}
}

// TestDetails: a program can test what GitHub said.
func TestDetails(t *testing.T) {
	t.Parallel()
	h := serve(t, answer(404, map[string]string{"X-OAuth-Scopes": "repo", "X-Accepted-OAuth-Scopes": "gist"},
		`{"message":"Not Found","documentation_url":"https://docs.github.com/rest"}`), nil)
	_, err := h.invoke(call("k", "get_user", `{}`))
	e := wantCode(t, err, sdk.NotFound)
	want := `{"status":404,"message":"Not Found","documentation_url":"https://docs.github.com/rest","missing_scopes":["gist"]}`
	if string(e.Details) != want || !json.Valid(e.Details) {
		t.Errorf("the details are %s", e.Details)
	}
}

// TestUnreachable: what never left has had no effect.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	h := serve(t, http.NotFoundHandler(), map[string]any{"base_url": address})
	_, err := h.invoke(call("k", "create_gist", `{"files":{"a":"b"}}`))
	if e := wantCode(t, err, sdk.Unavailable); e.Effect != sdk.EffectNone || !e.Retryable {
		t.Errorf("%+v", e)
	}
}

// TestBrokenOff: an answer that breaks off says as little as none.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	h := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"id":`)
	}), nil)
	_, err := h.invoke(call("k", "create_gist", `{"files":{"a":"b"}}`))
	if e := wantCode(t, err, sdk.Timeout); e.Effect != sdk.EffectUnknown {
		t.Errorf("%+v", e)
	}
	_, err = h.invoke(call("k", "get_user", `{}`))
	if e := wantCode(t, err, sdk.Unavailable); !e.Retryable {
		t.Errorf("%+v", e)
	}
}

// TestNoSecret: no error shows the token.
func TestNoSecret(t *testing.T) {
	t.Parallel()
	for _, handler := range []http.Handler{
		answer(401, nil, `{"message":"Bad credentials"}`),
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
	} {
		h := serve(t, handler, nil)
		for method, args := range map[string]string{"get_user": `{}`, "create_gist": `{"files":{"a":"b"}}`} {
			if _, err := h.invoke(call("k", method, args)); err == nil || strings.Contains(fmt.Sprintf("%+v", err), "ghp_secret") {
				t.Errorf("%s: %v", method, err)
			}
		}
	}
}
