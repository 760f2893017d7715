package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// TestOAuth: a token is got when the server asks for one, and another when it takes that no more.
func TestOAuth(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "guarded"}, nil)
	addTool(s, "m", "text")
	serve := hosted(t, "streamable", s)
	var current atomic.Int32
	var locked, refusing atomic.Bool
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": web.URL + "/mcp", "authorization_servers": []string{web.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": web.URL, "authorization_endpoint": web.URL + "/authorize", "token_endpoint": web.URL + "/token",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_post"},
		})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if locked.Load() || r.FormValue("client_id") != "me" || r.FormValue("client_secret") != token || r.FormValue("grant_type") != "client_credentials" {
			http.Error(w, `{"error":"invalid_client","error_description":"`+token+`"}`, http.StatusUnauthorized)
			return
		}
		answer(w, map[string]any{"access_token": fmt.Sprint("token-", current.Add(1)), "token_type": "Bearer", "expires_in": 3600})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if refusing.Load() || r.Header.Get("Authorization") != fmt.Sprint("Bearer token-", current.Load()) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, r)
	})
	config := map[string]any{"url": web.URL + "/mcp", "oauth": map[string]string{"client_id": "me", "client_secret": token}}
	c := mount(t, reach, config)
	for range 2 {
		if got, err := invoke(t, c, "m", "{}"); err != nil || got != `"text"` {
			t.Fatalf("got %s, %v", got, err)
		}
	}
	issued := current.Add(1) // no client has this one
	if got, err := invoke(t, c, "m", "{}"); err != nil || got != `"text"` || current.Load() != issued+1 {
		t.Errorf("a token that counts no more: %s, %v", got, err)
	}
	for range 2 { // sessions whose greetings are the same, and ask for a token each
		renewed := mount(t, reach, config)
		current.Add(1)
		if got, err := invoke(t, renewed, "m", "{}"); err != nil || got != `"text"` {
			t.Errorf("another session: %s, %v", got, err)
		}
	}
	refusing.Store(true) // takes no token, not even a new one
	_, err := invoke(t, c, "m", "{}")
	if e := told(t, err); e.Code != sdk.Unauthenticated || e.Effect != sdk.EffectNone || e.Retryable {
		t.Errorf("a new token that does not count: %+v", e)
	}
	refusing.Store(false)
	if got, err := invoke(t, c, "m", "{}"); err != nil || got != `"text"` {
		t.Errorf("the next call: %s, %v", got, err)
	}
	locked.Store(true)
	current.Add(1)
	_, err = invoke(t, c, "m", "{}")
	if e := told(t, err); e.Code != sdk.Unauthenticated || strings.Contains(e.Message, token) {
		t.Errorf("no token: %+v", e)
	}
}
