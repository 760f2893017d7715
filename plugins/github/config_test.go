package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

func TestConfigureRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ config, path string }{
		"nothing":                    {`{}`, "token"},
		"an empty token":             {`{"token":" "}`, "token"},
		"two identities":             {`{"token":"x","app":{"id":1,"installation_id":2,"private_key":"x"}}`, "app"},
		"a key that is none":         {`{"app":{"id":1,"installation_id":2,"private_key":"x"}}`, "app.private_key"},
		"an App without a key":       {`{"app":{"id":1,"installation_id":2}}`, "app.private_key"},
		"an address of nothing":      {`{"token":"x","base_url":"api.github.com"}`, "base_url"},
		"an address that is none":    {`{"token":"x","base_url":"https://%zz"}`, "base_url"},
		"an address with a password": {`{"token":"x","base_url":"https://a:b@github.com/"}`, "base_url"},
		"no requests at all":         {`{"token":"x","concurrency":-1}`, "concurrency"},
		"one unknown":                {`{"token":"x","tokens":"y"}`, "tokens"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mounted, err := New().InProcess()
			if err != nil {
				t.Fatal(err)
			}
			err = mounted.Configure(t.Context(), &wire.ConfigureRequest{Label: "github", Config: json.RawMessage(test.config)})
			e := wantCode(t, err, sdk.InvalidArgument)
			if len(e.Diagnostics) != 1 || strings.Join(e.Diagnostics[0].Path, ".") != test.path || e.Diagnostics[0].Summary == "" {
				t.Errorf("the diagnostics are %+v", e.Diagnostics)
			}
		})
	}
}

// TestSecretsAreMarked: a host never shows what is writeOnly.
func TestSecretsAreMarked(t *testing.T) {
	t.Parallel()
	mounted, err := New().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	d, err := mounted.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(d.ConfigSchema), `"writeOnly":true`); n != 2 {
		t.Errorf("%d secrets: %s", n, d.ConfigSchema)
	}
}

// pemKey makes a private key.
func pemKey(t *testing.T) (*rsa.PrivateKey, string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// TestApp: an App's installation gets one token for many calls, another when that
// is about to end, and the App's own assertion goes nowhere else.
func TestApp(t *testing.T) {
	t.Parallel()
	_, key := pemKey(t)
	var mu sync.Mutex
	made := 0
	lives := []time.Duration{time.Minute, time.Hour}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		authorization := r.Header.Get("Authorization")
		if r.URL.Path == "/app/installations/2/access_tokens" {
			if strings.Count(authorization, ".") != 2 {
				t.Errorf("%s is no assertion", authorization)
			}
			made++
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"token":"ghs_%d","expires_at":%q}`, made, time.Now().Add(lives[min(made, 2)-1]).Format(time.RFC3339))
			return
		}
		if want := fmt.Sprintf("Bearer ghs_%d", made); authorization != want {
			t.Errorf("%s came with %s, not %s", r.URL, authorization, want)
		}
		fmt.Fprint(w, `{"login":"shop[bot]"}`)
	})
	h := serve(t, described(t, handler), map[string]any{"token": "", "app": map[string]any{"id": 1, "installation_id": 2, "private_key": key}})
	for range 3 {
		if u := must[User](h, call("", "get_user", `{}`)); u.Login != "shop[bot]" {
			t.Errorf("%+v", u)
		}
	}
	if made != 2 {
		t.Errorf("%d tokens", made)
	}
}

// TestAppRefused: an App that GitHub does not know has sent nothing.
func TestAppRefused(t *testing.T) {
	t.Parallel()
	_, key := pemKey(t)
	h := serve(t, answer(401, nil, `{"message":"A JSON web token could not be decoded"}`),
		map[string]any{"token": "", "app": map[string]any{"id": 1, "installation_id": 2, "private_key": key}})
	_, err := h.invoke(call("k", "create_gist", `{"files":{"a":"b"}}`))
	e := wantCode(t, err, sdk.Unauthenticated)
	if e.Effect != sdk.EffectNone || !strings.Contains(e.Message, "A JSON web token could not be decoded") {
		t.Errorf("%+v", e)
	}
}

// TestEnterprise: paths go below the base URL, GraphQL beside v3.
func TestEnterprise(t *testing.T) {
	t.Parallel()
	config := Config{Token: "x", BaseURL: "https://github.acme.example/api/v3"}
	client, err := config.open(http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	if base := client.BaseURL(); base != "https://github.acme.example/api/v3/" || graphQL(base) != "https://github.acme.example/api/graphql" {
		t.Errorf("%s, %s", base, graphQL(base))
	}
	if graphQL(publicURL) != "https://api.github.com/graphql" {
		t.Error(graphQL(publicURL))
	}
}
