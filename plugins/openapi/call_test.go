package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// TestCall: arguments go where they belong, and answers come back as they are.
func TestCall(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/items/7/picture":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte{0x89, 'P'})
		case "/items/8":
			w.WriteHeader(http.StatusNoContent)
		default:
			reply(w, 201, fmt.Sprintf(`{"auth":%q,"type":%q,"body":%q}`, r.Header.Get("Authorization")[:6], r.Header.Get("Content-Type"), body))
		}
	})
	c := mustMount(t, s, nil)
	tests := []struct{ method, args, want, request string }{
		{"items/list", `{"tag":["a","b c"],"per_page":5}`, `{"auth":"Bearer","type":"","body":""}`, "GET /items?tag=a&tag=b%20c&per_page=5"},
		{"items/create", `{"body":{"name":"x","note":null}}`, `{"auth":"Bearer","type":"application/json","body":"{\"name\":\"x\",\"note\":null}"}`, "POST /items"},
		{"items/create", `{"body":{"name":"x"}}`, `{"auth":"Bearer","type":"application/json","body":"{\"name\":\"x\"}"}`, "POST /items"},
		{"items/delete", `{"id":8}`, `null`, "DELETE /items/8"},
		{"items/picture", `{"id":7}`, `{"$bytes":"iVA="}`, "GET /items/7/picture"},
	}
	for _, test := range tests {
		got, err := invoke(t, c, test.method, test.args)
		if err != nil {
			t.Errorf("%s: %v", test.method, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.method, diff)
		}
		if asked := s.requests(); !strings.HasSuffix(asked, test.request) {
			t.Errorf("%s: the server was asked %s", test.method, asked)
		}
	}
	full, err := invoke(t, c, "items/delete", `{"id":8,"$full":true}`)
	if err != nil || !strings.HasPrefix(full, `{"status":204,"headers":{`) || !strings.HasSuffix(full, `,"body":null}`) {
		t.Errorf("in full: %s, %v", full, err)
	}
}

// TestNothingIsSent: what is wrong with a call is said before anything leaves the host.
func TestNothingIsSent(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	c := mustMount(t, s, nil)
	for args, want := range map[string]string{
		`{}`:                        "missing: id",
		`{"id":1,"requestBody":{}}`: `there is no argument "requestBody"; there are: id, $full`,
		`{"id":".."}`:               "must not climb",
		`{"id":""}`:                 "must not be empty",
		`[]`:                        "no JSON object",
	} {
		_, err := invoke(t, c, "items/get", args)
		if e := told(t, err); e.Code != sdk.InvalidArgument || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v", args, e)
		}
	}
	if asked := s.requests(); asked != "" {
		t.Errorf("the server was asked %s", asked)
	}
}

// TestSecrets: neither an answer nor an error shows a credential, even where the API repeats it.
func TestSecrets(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", r.Header.Get("Authorization"))
		status := 200
		if r.Method == http.MethodDelete {
			status = 403
		}
		reply(w, status, fmt.Sprintf(`{"message":"you said %s and %s"}`, r.Header.Get("Authorization"), r.URL.Query().Get("api_key")))
	})
	var log strings.Builder
	c, err := mount(t, map[string]any{
		"spec": writeSpec(t, shop), "base_url": s.URL,
		"credentials": map[string]any{"token": map[string]any{"token": "bearer-secret"}, "key": map[string]any{"token": "query-secret"}},
	}, &log)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for method, args := range map[string]string{"secret": `{"$full":true}`, "items/get": `{"id":1,"$full":true}`, "items/delete": `{"id":1}`} {
		value, err := invoke(t, c, method, args)
		fmt.Fprint(&said, value, err)
		if err != nil {
			said.Write(told(t, err).Details)
		}
	}
	if !strings.Contains(s.requests(), "query-secret") {
		t.Error("the key was not sent")
	}
	s.Close()
	for _, method := range []string{"secret", "items/newest"} {
		_, err := invoke(t, c, method, `{}`)
		fmt.Fprint(&said, err)
	}
	all := said.String() + log.String()
	if strings.Contains(all, "query-secret") || strings.Contains(all, "bearer-secret") || !strings.Contains(all, "[hidden]") {
		t.Errorf("a secret is shown: %s", all)
	}
}

// TestErrors: an API's errors have codes, and the body for the program.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Retry-After", "2")
			reply(w, 429, `{"message":"slow down"}`)
			return
		}
		reply(w, 500, `{"error":"oops"}`)
	})
	c := mustMount(t, s, nil)
	_, err := invoke(t, c, "items/get", `{"id":1}`)
	if e := told(t, err); e.Code != sdk.RateLimited || !e.Retryable || e.RetryAfter.Seconds() != 2 || string(e.Details) != `{"status":429,"body":{"message":"slow down"}}` {
		t.Errorf("got %+v", e)
	}
	_, err = invoke(t, c, "items/replace", `{"id":1,"body":{"name":"x"}}`)
	if e := told(t, err); e.Code != sdk.Internal || e.Effect != sdk.EffectUnknown || e.Message != "HTTP 500 Internal Server Error: oops" {
		t.Errorf("got %+v", e)
	}
}

// TestHeaders: configured headers go with every request, and a write has its key.
func TestHeaders(t *testing.T) {
	t.Parallel()
	var got []string
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, strings.Join([]string{r.Header.Get("Accept"), r.Header.Get("Content-Type"), r.Header.Get("X-Version"), r.Header.Get("User-Agent"), r.Header.Get("Idempotency-Key")}, "|"))
		reply(w, 200, `{}`)
	})
	c := mustMount(t, s, map[string]any{
		"headers":    map[string]any{"Accept": "application/vnd.x+json", "Content-Type": "application/json; charset=utf-8", "X-Version": "7"},
		"user_agent": "me/2", "idempotency_header": "Idempotency-Key",
	})
	for _, call := range []string{"items/newest {}", `items/create {"body":{"name":"x"}}`} {
		method, args, _ := strings.Cut(call, " ")
		if _, err := invoke(t, c, method, args); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"application/vnd.x+json||7|me/2|", "application/vnd.x+json|application/json; charset=utf-8|7|me/2|e/0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// listing is a server of n items in pages, with links.
func listing(t *testing.T, n int, trouble func(page int) bool) *server {
	return newServer(t, func(w http.ResponseWriter, r *http.Request) {
		page, size := 1, 2
		if p, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
			page = p
		}
		if trouble != nil && trouble(page) {
			reply(w, 503, `{}`)
			return
		}
		var items []string
		for i := (page - 1) * size; i < min(page*size, n); i++ {
			items = append(items, fmt.Sprintf(`{"id":%d}`, i))
		}
		if page*size < n {
			w.Header().Set("Link", fmt.Sprintf(`<%s?page=%d>; rel="next", </items?page=9>; rel="last"`, r.URL.Path, page+1))
		}
		reply(w, 200, "["+strings.Join(items, ",")+"]")
	})
}

// TestAll: all pages are one list, within bounds that are never passed over in silence.
func TestAll(t *testing.T) {
	t.Parallel()
	failures := 0
	tests := map[string]struct {
		server *server
		args   string
		config map[string]any
		want   string // a list, or a part of an error
		asked  int
	}{
		"all":           {listing(t, 5, nil), `{"$all":true}`, nil, `[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4}]`, 3},
		"the first few": {listing(t, 5, nil), `{"$all":3}`, nil, `[{"id":0},{"id":1},{"id":2}]`, 2},
		"one page":      {listing(t, 5, nil), `{"$all":false}`, nil, `[{"id":0},{"id":1}]`, 1},
		"none":          {listing(t, 0, nil), `{"$all":true}`, nil, `[]`, 1},
		"from a page":   {listing(t, 5, nil), `{"$all":true,"page":2}`, nil, `[{"id":2},{"id":3},{"id":4}]`, 2},
		"too many":      {listing(t, 9, nil), `{"$all":true}`, map[string]any{"max_pages": 2}, "there are more than 2 pages", 2},
		"too large":     {listing(t, 9, nil), `{"$all":true}`, map[string]any{"max_response": 30}, "have more than 30 bytes", 2},
		"a hiccup": {listing(t, 5, func(page int) bool {
			if page == 2 {
				failures++
			}
			return page == 2 && failures == 1
		}), `{"$all":true}`, nil, `[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4}]`, 4},
		"trouble": {listing(t, 5, func(page int) bool { return page == 3 }), `{"$all":true}`, nil, "HTTP 503", 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := invoke(t, mustMount(t, test.server, test.config), "items/list", test.args)
			if err != nil {
				got = told(t, err).Message
			}
			if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if asked := strings.Count(test.server.requests(), "GET"); asked != test.asked {
				t.Errorf("%d requests, want %d", asked, test.asked)
			}
		})
	}
}

// TestRenewedToken: a token that ended before its time is replaced once.
func TestRenewedToken(t *testing.T) {
	t.Parallel()
	given := 0
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/token":
			given++
			reply(w, 200, fmt.Sprintf(`{"access_token":"access-token-%d","token_type":"bearer","expires_in":3600}`, given))
		case r.Header.Get("Authorization") == "Bearer access-token-1":
			reply(w, 401, `{}`)
		default:
			reply(w, 200, `[]`)
		}
	})
	c := mustMount(t, s, map[string]any{"credentials": map[string]any{
		"mine": map[string]any{"type": "oauth2", "client_id": "id", "client_secret": "s", "token_url": s.URL + "/token"},
	}})
	if got, err := invoke(t, c, "items/newest", `{}`); err != nil || got != `[]` {
		t.Errorf("got %s, %v", got, err)
	}
	if given != 2 {
		t.Errorf("%d tokens were given, want 2", given)
	}
}
