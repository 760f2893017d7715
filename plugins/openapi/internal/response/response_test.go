package response_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/response"
)

func answer(status int, body string, headers ...string) *response.Answer {
	a := &response.Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
	for i := 0; i < len(headers); i += 2 {
		a.Header.Add(headers[i], headers[i+1])
	}
	return a
}

func TestValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ media, body, want string }{
		"json":             {"application/json; charset=utf-8", "{ \"b\": 1.0,\n \"a\": 12345678901234567890 }", `{"b":1.0,"a":12345678901234567890}`},
		"json look-alike":  {"application/json", `{"a":{"$bytes":"AA=="}}`, `{"a":{"$$bytes":"AA=="}}`},
		"json scalar":      {"application/json", `"x"`, `"x"`},
		"json null":        {"application/json", `null`, `null`},
		"json with mark":   {"application/json", "\xef\xbb\xbf{}", `{}`},
		"vendor json":      {"application/vnd.github+json", `[1]`, `[1]`},
		"problem":          {"application/problem+json", `{}`, `{}`},
		"no json":          {"application/json", `<html>`, `"<html>"`},
		"empty":            {"application/json", ``, `null`},
		"blank":            {"application/json", " \n", `null`},
		"nothing":          {"", ``, `null`},
		"empty bytes":      {"image/png", ``, `{"$bytes":""}`},
		"text":             {"text/plain", `1.10`, `"1.10"`},
		"text like json":   {"text/plain", `{"a":1}`, `"{\"a\":1}"`},
		"html":             {"text/html", `<a>&</a>`, `"<a>&</a>"`},
		"xml":              {"application/atom+xml", `<a/>`, `"<a/>"`},
		"csv":              {"text/csv", "a,b\n1,2\n", `"a,b\n1,2\n"`},
		"latin1":           {"text/plain; charset=iso-8859-1", "h\xe4", `"hä"`},
		"no text at all":   {"text/plain", "\xff\xfe", `{"$bytes":"//4="}`},
		"bytes":            {"application/octet-stream", "\x00\x01", `{"$bytes":"AAE="}`},
		"pdf":              {"application/pdf", "%PDF", `{"$bytes":"JVBERg=="}`},
		"untyped json":     {"", `[1]`, `[1]`},
		"untyped text":     {"", `hello`, `"hello"`},
		"untyped bytes":    {"", "\xff", `{"$bytes":"/w=="}`},
		"lines":            {"application/x-ndjson", "{\"a\":1}\n\n[2]\r\nthree\n", `[{"a":1},[2],"three"]`},
		"json-seq":         {"application/json-seq", "\x1e{\"a\":1}\n\x1e{\"a\":2}\n", `[{"a":1},{"a":2}]`},
		"no lines":         {"application/jsonl", "", `null`},
		"events":           {"text/event-stream", "data: {\"a\":1}\n\ndata: x\ndata: y\n\n: comment\n\nevent: end\nid: 7\ndata: {}\n\ndata: [DONE]\n\n", `[{"a":1},"x\ny",{"event":"end","id":"7","data":{}}]`},
		"events with CRLF": {"text/event-stream; charset=utf-8", "data:1\r\n\r\ndata:2", `["1","2"]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := answer(200, test.body, "Content-Type", test.media).Value()
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if !json.Valid(got) {
				t.Errorf("%s is no JSON", got)
			}
		})
	}
}

// TestCut: of a stream that goes on, only what is whole counts.
func TestCut(t *testing.T) {
	t.Parallel()
	a := answer(200, "{\"a\":1}\n{\"a\":", "Content-Type", "application/x-ndjson")
	a.Cut = true
	if got := string(a.Value()); got != `[{"a":1}]` {
		t.Errorf("got %s", got)
	}
	a = answer(200, "data: 1\n\ndata: 2", "Content-Type", "text/event-stream")
	a.Cut = true
	if got := string(a.Value()); got != `["1"]` {
		t.Errorf("got %s", got)
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	a := answer(201, `{"id":1}`, "Content-Type", "application/json", "Link", "<a>", "Link", "<b>", "Set-Cookie", "session=1")
	want := `{"status":201,"headers":{"content-type":"application/json","link":"<a>, <b>"},"body":{"id":1}}`
	if diff := cmp.Diff(normal(t, want), normal(t, string(a.Full()))); diff != "" {
		t.Error(diff)
	}
}

func normal(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFailure(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	type want struct {
		code      sdk.Code
		message   string // a part of it
		retryable bool
		after     time.Duration
		read      string // the effects
		write     string
	}
	tests := map[string]struct {
		answer *response.Answer
		want   want
	}{
		"bad request":         {answer(400, `{"message":"title is missing"}`), want{sdk.InvalidArgument, "HTTP 400 Bad Request: title is missing", false, 0, "", ""}},
		"unprocessable":       {answer(422, `{"message":"Validation Failed","errors":[{"message":"name is taken"},{"message":"x"}]}`), want{sdk.InvalidArgument, "Validation Failed: name is taken", false, 0, "", ""}},
		"problem details":     {answer(409, `{"type":"about:blank","title":"Conflict of versions","detail":"Version 3 is newer."}`, "Content-Type", "application/problem+json"), want{sdk.Conflict, "Conflict of versions: Version 3 is newer.", false, 0, "", ""}},
		"OAuth's":             {answer(401, `{"error":"invalid_token","error_description":"It has expired."}`), want{sdk.Unauthenticated, "It has expired.: invalid_token", false, 0, "", ""}},
		"nested":              {answer(404, `{"error":{"code":5,"message":"No such project"}}`), want{sdk.NotFound, "HTTP 404 Not Found: No such project", false, 0, "", ""}},
		"text":                {answer(403, "go away", "Content-Type", "text/plain"), want{sdk.PermissionDenied, "HTTP 403 Forbidden: go away", false, 0, "", ""}},
		"html":                {answer(404, "<html>lots</html>", "Content-Type", "text/html"), want{sdk.NotFound, "HTTP 404 Not Found", false, 0, "", ""}},
		"scope":               {answer(403, `{}`, "WWW-Authenticate", `Bearer error="insufficient_scope", scope="repo:write"`), want{sdk.PermissionDenied, "lack the scope repo:write", false, 0, "", ""}},
		"GitHub's scopes":     {answer(403, `{}`, "X-Accepted-OAuth-Scopes", "admin:org"), want{sdk.PermissionDenied, "admin:org", false, 0, "", ""}},
		"rate limit":          {answer(429, ``, "Retry-After", "7"), want{sdk.RateLimited, "HTTP 429", true, 7 * time.Second, "", ""}},
		"rate limit's date":   {answer(429, ``, "Retry-After", now.Add(time.Minute).UTC().Format(http.TimeFormat)), want{sdk.RateLimited, "", true, time.Minute, "", ""}},
		"GitHub's rate limit": {answer(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1700000090"), want{sdk.RateLimited, "", true, 90 * time.Second, "", ""}},
		"secondary limit":     {answer(403, `{}`, "Retry-After", "3"), want{sdk.RateLimited, "", true, 3 * time.Second, "", ""}},
		"unavailable":         {answer(503, ``, "Retry-After", "1.5"), want{sdk.Unavailable, "", true, 1500 * time.Millisecond, "", "unknown"}},
		"bad gateway":         {answer(502, ``), want{sdk.Unavailable, "", true, 0, "", "unknown"}},
		"internal":            {answer(500, ``), want{sdk.Internal, "", false, 0, "", "unknown"}},
		"not implemented":     {answer(501, ``), want{sdk.Unsupported, "", false, 0, "", ""}},
		"request timeout":     {answer(408, ``), want{sdk.Unavailable, "", true, 0, "none", "none"}},
		"gone":                {answer(410, ``), want{sdk.NotFound, "", false, 0, "", ""}},
		"precondition":        {answer(412, ``), want{sdk.Conflict, "", false, 0, "", ""}},
		"teapot":              {answer(418, ``), want{sdk.InvalidArgument, "", false, 0, "", ""}},
		"a redirect":          {answer(302, ``), want{sdk.Internal, "HTTP 302 Found", false, 0, "", "unknown"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !test.answer.Failed() {
				t.Fatal("it did not fail")
			}
			for _, readOnly := range []bool{true, false} {
				e := test.answer.Failure(readOnly, now)
				got := want{e.Code, test.want.message, e.Retryable, e.RetryAfter, test.want.read, test.want.write}
				if readOnly {
					got.read = string(e.Effect)
				} else {
					got.write = string(e.Effect)
				}
				if got != test.want || !strings.Contains(e.Message, test.want.message) {
					t.Errorf("read only %t: got %+v, %q, want %+v", readOnly, got, e.Message, test.want)
				}
				if !json.Valid(e.Details) || !strings.Contains(string(e.Details), `"status":`) {
					t.Errorf("details %s", e.Details)
				}
			}
		})
	}
}

// TestLargeFailure: an error page of megabytes does not become an error of megabytes.
func TestLargeFailure(t *testing.T) {
	t.Parallel()
	e := answer(400, `{"message":"`+strings.Repeat("é ", 1<<20)+`"}`).Failure(true, time.Now())
	if len(e.Message) > 1000 || len(e.Details) > 1000 {
		t.Errorf("message of %d bytes, details of %d", len(e.Message), len(e.Details))
	}
}

// FuzzValue: whatever a server sends, a program gets JSON.
func FuzzValue(f *testing.F) {
	f.Add("application/json", []byte(`{"$bytes":1}`), true)
	f.Add("text/event-stream", []byte("data: x\n\n"), true)
	f.Add("text/plain; charset=utf-16", []byte("x\x00"), false)
	f.Add("", []byte{0xff}, false)
	f.Fuzz(func(t *testing.T, media string, body []byte, cut bool) {
		a := answer(500, string(body), "Content-Type", media)
		a.Cut = cut
		if got := a.Value(); !json.Valid(got) {
			t.Errorf("%q is no JSON", got)
		}
		if got := a.Full(); !json.Valid(got) {
			t.Errorf("%q is no JSON", got)
		}
		if e := a.Failure(false, time.Now()); !json.Valid(e.Details) {
			t.Errorf("%q is no JSON", e.Details)
		}
	})
}
