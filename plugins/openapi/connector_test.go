package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// methods lists a connector's methods by name.
func methods(t *testing.T, c wire.Connector) map[string]*wire.Method {
	t.Helper()
	offer, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*wire.Method{}
	for _, m := range offer.Methods {
		all[m.Name] = m
	}
	return all
}

// TestGuard: the HTTP method says what a call may do.
func TestGuard(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	tests := map[string]wire.Method{
		"items/list":    {ReadOnly: true, Idempotent: true},
		"items/create":  {RequiresApproval: true},
		"items/replace": {RequiresApproval: true, Idempotent: true},
		"items/delete":  {RequiresApproval: true, Idempotent: true, Destructive: true},
	}
	all := methods(t, mustMount(t, s, nil))
	for name, want := range tests {
		m := all[name]
		got := wire.Method{ReadOnly: m.ReadOnly, Idempotent: m.Idempotent, Destructive: m.Destructive, RequiresApproval: m.RequiresApproval}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if m := methods(t, mustMount(t, s, map[string]any{"idempotency_header": "Idempotency-Key"}))["items/create"]; !m.Idempotent || !m.RequiresApproval {
		t.Errorf("with a key for each write: %+v", m)
	}
}

// TestApprovalNamesTheAddress: an approval is bound to the input schema, which
// says where the call goes, so that a document with another server voids it.
func TestApprovalNamesTheAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	if text := string(methods(t, mustMount(t, s, nil))["items/create"].InputSchema); !strings.Contains(text, "POST "+s.URL+"/items") {
		t.Errorf("the schema is %s", text)
	}
}

// TestSkipped: what cannot be offered is said, with the reason.
func TestSkipped(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c, err := mount(t, map[string]any{"spec": writeSpec(t, shop), "base_url": "https://api.example.com"}, &log)
	if err != nil {
		t.Fatal(err)
	}
	offer, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := "Shop: Sells things.\n1 of its 9 operations cannot be offered."; offer.Instructions != want {
		t.Errorf("the instructions are %q", offer.Instructions)
	}
	want := []wire.Skipped{{Name: "broken (GET /broken)", Reason: "the reference #/none leads nowhere"}}
	if diff := cmp.Diff(want, offer.Skipped); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(log.String(), "path=/broken") || !strings.Contains(log.String(), "the reference #/none leads nowhere") {
		t.Errorf("the log is %s", log.String())
	}
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	spec := writeSpec(t, shop)
	const here = "https://api.example.com"
	tests := map[string]struct {
		config map[string]any
		want   string // PATH: a part of the text
	}{
		"no file":         {map[string]any{"spec": "/nowhere/api.yaml"}, "spec: the document cannot be read"},
		"no document":     {map[string]any{"spec": writeSpec(t, "a: 1")}, `spec: the document cannot be read: it is no OpenAPI document`},
		"no server":       {map[string]any{"spec": spec}, "spec: none of its operations can be offered, the first because of"},
		"another":         {map[string]any{"spec": spec, "base_url": here, "checksum": "sha256:" + strings.Repeat("0", 64)}, "checksum: the document is another one: its checksum is sha256:"},
		"no URL":          {map[string]any{"spec": spec, "base_url": "api.example.com"}, "base_url: this is no https or http URL"},
		"query in URL":    {map[string]any{"spec": spec, "base_url": here + "?a=b"}, "base_url: an API's address has neither"},
		"password in URL": {map[string]any{"spec": "https://u:p@example.com/x"}, "spec: credentials do not belong into a URL"},
		"no duration":     {map[string]any{"spec": spec, "base_url": here, "header_timeout": "soon"}, "header_timeout: this is no duration"},
		"no header":       {map[string]any{"spec": spec, "base_url": here, "headers": map[string]any{"a b": "x"}}, `headers.a b: "a b" is no name of a header`},
		"line break":      {map[string]any{"spec": spec, "base_url": here, "headers": map[string]any{"A": "x\ny"}}, "headers.A: a header must not have line breaks"},
		"unknown scheme":  {map[string]any{"spec": spec, "base_url": here, "credentials": map[string]any{"tokn": map[string]any{"token": "x"}}}, "credentials.tokn.type: the document has no security scheme \"tokn\"; it has: key, token."},
		"unknown":         {map[string]any{"spec": spec, "baseurl": here}, "baseurl: is not known"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mount(t, test.config, nil)
			e := told(t, err)
			var said []string
			for _, d := range e.Diagnostics {
				said = append(said, strings.Join(d.Path, ".")+": "+d.Summary)
			}
			if got := strings.Join(said, "\n"); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte(shop))
	_, err := mount(t, map[string]any{"spec": writeSpec(t, shop), "base_url": "https://api.example.com", "checksum": "sha256:" + hex.EncodeToString(sum[:])}, nil)
	if err != nil {
		t.Error(err)
	}
}

// TestFromTheWeb: a document on the web is read when the methods are listed,
// and again when they are listed again; its server is its own.
func TestFromTheWeb(t *testing.T) {
	t.Parallel()
	ids := []string{"first", "second"}
	up := false
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/docs/api.json":
			reply(w, 200, `"called"`)
		case !up:
			reply(w, 503, `{}`)
		default:
			reply(w, 200, fmt.Sprintf(`{"openapi":"3.1.0","servers":[{"url":"../v1"}],"paths":{"/a":{"get":{"operationId":%q}}}}`, ids[0]))
			ids = append(ids[1:], ids[0])
		}
	})
	c, err := mount(t, map[string]any{"spec": s.URL + "/docs/api.json"}, nil)
	if err != nil {
		t.Fatalf("a server that is down is no fault of the configuration: %v", err)
	}
	_, err = c.Methods(t.Context())
	if e := told(t, err); e.Code != sdk.Unavailable || !e.Retryable {
		t.Errorf("got %+v", e)
	}
	up = true
	for _, name := range []string{"first", "second"} {
		if m := methods(t, c); len(m) != 1 || m[name] == nil {
			t.Errorf("got %v, want %s", m, name)
		}
		if got, err := invoke(t, c, name, `{}`); err != nil || got != `"called"` {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if asked := s.requests(); !strings.HasSuffix(asked, "GET /v1/a") {
		t.Errorf("the server was asked %s", asked)
	}
}

// TestDocumented: the connector's page has every attribute.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/connectors/openapi.md")
	if err != nil {
		t.Fatal(err)
	}
	made, err := New().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	d, err := made.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var attributes struct{ Properties map[string]any }
	if err := json.Unmarshal(d.ConfigSchema, &attributes); err != nil || len(attributes.Properties) < 10 {
		t.Fatalf("%d attributes, %v", len(attributes.Properties), err)
	}
	for name := range attributes.Properties {
		if !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("the page lacks %s", name)
		}
	}
	// A rotated credential voids no approval, another user does.
	compiled, err := schema.Compile(d.ConfigSchema)
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string]bool{"token": true, "password": true, "client_secret": true, "refresh_token": true, "username": false, "token_url": false} {
		if compiled.Secret([]string{"credentials", "any", name}) != secret {
			t.Errorf("whether %s is a secret is not %t", name, secret)
		}
	}
}
