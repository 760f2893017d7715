package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/auth"
	"github.com/codemode-go/codemode/plugins/openapi/internal/client"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var schemes = map[string]document.Scheme{
	"kh": {Type: "apiKey", In: "header", Name: "X-Key"}, "kq": {Type: "apiKey", In: "query", Name: "key"}, "kc": {Type: "apiKey", In: "cookie", Name: "sid"},
	"basic": {Type: "http", HTTP: "basic"}, "bearer": {Type: "http", HTTP: "bearer"}, "odd": {Type: "http", HTTP: "token"}, "oidc": {Type: "openIdConnect"},
	"oauth": {Type: "oauth2", TokenURL: "/token"},
}

// carried writes credentials down.
func carried(c client.Credentials) string {
	var parts []string
	for _, name := range []string{"Authorization", "X-Key", "X-Own"} {
		if value := c.Header.Get(name); value != "" {
			parts = append(parts, name+": "+value)
		}
	}
	if len(c.Query) > 0 {
		parts = append(parts, "?"+c.Query.Encode())
	}
	if c.Cookie != "" {
		parts = append(parts, "Cookie: "+c.Cookie)
	}
	return strings.Join(parts, ", ")
}

func TestFor(t *testing.T) {
	t.Parallel()
	all := map[string]auth.Credential{
		"kh": {Token: "h"}, "kq": {Token: "q&"}, "kc": {Token: "c;"}, "basic": {Username: "u", Password: "p"}, "bearer": {Token: "b"},
		"odd": {Token: "o"}, "oidc": {Token: "i"},
	}
	some := map[string]auth.Credential{"kh": {Token: "h"}}
	own := map[string]auth.Credential{"mine": {Type: "bearer", Token: "m", Prefix: "token"}, "more": {Type: "api_key", In: "header", Name: "X-Own", Token: "x"}}
	tests := map[string]struct {
		configured map[string]auth.Credential
		security   [][]string
		want       string
	}{
		"header":                  {all, [][]string{{"kh"}}, "X-Key: h"},
		"query":                   {all, [][]string{{"kq"}}, "?key=q%26"},
		"cookie":                  {all, [][]string{{"kc"}}, "Cookie: sid=c%3B"},
		"basic":                   {all, [][]string{{"basic"}}, "Authorization: Basic dTpw"},
		"bearer":                  {all, [][]string{{"bearer"}}, "Authorization: Bearer b"},
		"another scheme of HTTP":  {all, [][]string{{"odd"}}, "Authorization: token o"},
		"OpenID Connect":          {all, [][]string{{"oidc"}}, "Authorization: Bearer i"},
		"together":                {all, [][]string{{"kh", "kq", "bearer"}}, "Authorization: Bearer b, X-Key: h, ?key=q%26"},
		"the first of several":    {all, [][]string{{"bearer"}, {"kh"}}, "Authorization: Bearer b"},
		"the first that is whole": {some, [][]string{{"kh", "kq"}, {"bearer"}, {"kh"}}, "X-Key: h"},
		"none is whole":           {some, [][]string{{"kq"}}, ""},
		"better than anonymous":   {some, [][]string{{}, {"kh"}}, "X-Key: h"},
		"anonymous":               {some, [][]string{}, ""},
		"nothing is said":         {some, nil, "X-Key: h"},
		"unknown to the document": {own, [][]string{{"bearer"}}, "Authorization: token m, X-Own: x"},
		"nothing configured":      {nil, [][]string{{"kh"}}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, faults := auth.New(test.configured, schemes, nil, nil)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			got, err := s.For(t.Context(), test.security)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, carried(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name       string
		credential auth.Credential
		field      string
	}{
		"unknown":         {"none", auth.Credential{Token: "x"}, "type"},
		"no token":        {"bearer", auth.Credential{}, "token"},
		"no key":          {"kh", auth.Credential{}, "token"},
		"no user":         {"basic", auth.Credential{}, "username"},
		"no client":       {"oauth", auth.Credential{}, "client_id"},
		"no name":         {"mine", auth.Credential{Type: "api_key", Token: "x"}, "name"},
		"no place":        {"mine", auth.Credential{Type: "api_key", Token: "x", Name: "k"}, "in"},
		"no token server": {"mine", auth.Credential{Type: "oauth2", ClientID: "x"}, "token_url"},
		"line break":      {"bearer", auth.Credential{Token: "x\n"}, "token"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, faults := auth.New(map[string]auth.Credential{test.name: test.credential}, schemes, nil, nil)
			if len(faults) != 1 || faults[0].Name != test.name || faults[0].Field != test.field || strings.Contains(faults[0].Text, "\n") {
				t.Errorf("got %+v, want one of %s", faults, test.field)
			}
		})
	}
}

// tokens is a token server; it gives a new token each time.
type tokens struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newTokens(t *testing.T, lifetime int) *tokens {
	t.Helper()
	s := &tokens{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		id, secret, _ := r.BasicAuth()
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		s.asked = append(s.asked, fmt.Sprintf("%s %s:%s %s%s", r.Form.Get("grant_type"), id, secret, r.Form.Get("refresh_token"), r.Form.Get("scope")))
		w.Header().Set("Content-Type", "application/json")
		if secret != "good-secret" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"invalid_client","error_description":"no client has the secret %s"}`, secret)
			return
		}
		n := len(s.asked)
		fmt.Fprintf(w, `{"access_token":"access-%d","token_type":"bearer","expires_in":%d,"refresh_token":"refresh-%d"}`, n, lifetime, n)
	}))
	t.Cleanup(s.Close)
	return s
}

// set returns the credentials of one OAuth client.
func (s *tokens) set(t *testing.T, c auth.Credential) *auth.Set {
	t.Helper()
	base, err := url.Parse(s.URL + "/docs/api.json")
	if err != nil {
		t.Fatal(err)
	}
	c.ClientID = "id"
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	set, faults := auth.New(map[string]auth.Credential{"oauth": c}, schemes, base, &http.Client{Transport: transport, Timeout: time.Minute})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return set
}

func (s *tokens) header(t *testing.T, set *auth.Set) string {
	t.Helper()
	got, err := set.For(t.Context(), [][]string{{"oauth"}})
	if err != nil {
		t.Fatal(err)
	}
	return got.Header.Get("Authorization")
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	s := newTokens(t, 3600)
	set := s.set(t, auth.Credential{ClientSecret: "good-secret", Scopes: []string{"read", "write"}})
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if got, err := set.For(t.Context(), [][]string{{"oauth"}}); err != nil || got.Header.Get("Authorization") != "Bearer access-1" {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	group.Wait()
	if !set.Renew([][]string{{"oauth"}}) || set.Renew([][]string{{"kh"}}) {
		t.Error("Renew does not say what it can renew")
	}
	if got := s.header(t, set); got != "Bearer access-2" {
		t.Errorf("after Renew: %s", got)
	}
	const want = "client_credentials id:good-secret read write"
	if diff := cmp.Diff([]string{want, want}, s.asked); diff != "" {
		t.Error(diff)
	}
	for _, secret := range []string{"good-secret", "access-1", "access-2"} {
		if !strings.Contains(strings.Join(set.Secrets(), " "), secret) {
			t.Errorf("%s is no secret", secret)
		}
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	s := newTokens(t, 1) // which is too short to be used twice
	set := s.set(t, auth.Credential{ClientSecret: "good-secret", RefreshToken: "first"})
	for i := range 3 {
		if got, want := s.header(t, set), fmt.Sprintf("Bearer access-%d", i+1); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for i, token := range []string{"first", "refresh-1", "refresh-2"} {
		if !strings.HasSuffix(s.asked[i], token) {
			t.Errorf("request %d is %s, want the token %s", i, s.asked[i], token)
		}
	}
}

func TestTokenFailures(t *testing.T) {
	t.Parallel()
	s := newTokens(t, 3600)
	set := s.set(t, auth.Credential{ClientSecret: "bad-secret"})
	_, err := set.For(t.Context(), [][]string{{"oauth"}})
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Code != sdk.Unauthenticated || e.Effect != sdk.EffectNone || strings.Contains(e.Message, "bad-secret") || !strings.Contains(e.Message, "invalid_client") {
		t.Errorf("got %#v", err)
	}
	s.Close()
	_, err = set.For(t.Context(), [][]string{{"oauth"}})
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Code != sdk.Unavailable || e.Effect != sdk.EffectNone || !e.Retryable {
		t.Errorf("got %#v", err)
	}
}
