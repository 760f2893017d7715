package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/plugin/wire"
)

// roleVar makes the test binary the connector's own process.
const roleVar = "OPENAPI_TEST_CONNECTOR"

// measureVar makes it measure the document that it names.
const measureVar = "OPENAPI_TEST_MEASURE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) != "" {
		main()
		return
	}
	if path := os.Getenv(measureVar); path != "" {
		if err := measure(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The host's supervisor and go-plugin's client have goroutines of their own that end with the process.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("google.golang.org/grpc.(*ccBalancerWrapper).watcher"))
}

// shop is the document of the server in these tests.
const shop = `
openapi: 3.0.3
info: {title: Shop, version: "1", description: Sells things.}
components:
  securitySchemes:
    key: {type: apiKey, in: query, name: api_key}
    token: {type: http, scheme: bearer}
  schemas:
    Item: {type: object, required: [name], properties: {id: {type: integer, readOnly: true}, name: {type: string}, note: {type: string, nullable: true}}}
security: [{token: []}]
paths:
  /items:
    get:
      operationId: items/list
      summary: List the items.
      tags: [items]
      parameters:
      - {name: tag, in: query, schema: {type: array, items: {type: string}}}
      - {name: page, in: query, schema: {type: integer, default: 1}}
      - {name: per_page, in: query, schema: {type: integer}}
      responses: {200: {description: ok, headers: {Link: {schema: {type: string}}}, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Item'}}}}}}
    post:
      operationId: items/create
      summary: Create an item.
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}
      responses: {201: {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}}
  /items/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: items/get, responses: {200: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}}}
    put: {operationId: items/replace, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}, responses: {204: {description: ok}}}
    delete: {operationId: items/delete, responses: {204: {description: gone}}}
  /items/newest: {get: {operationId: items/newest, responses: {200: {description: ok}}}}
  /items/{id}/picture:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: items/picture, responses: {200: {description: ok, content: {image/png: {schema: {type: string, format: binary}}}}}}
  /secret: {get: {operationId: secret, security: [{key: []}], responses: {200: {description: ok}}}}
  /broken: {get: {operationId: broken, parameters: [{$ref: '#/none'}]}}
`

// server is an HTTP server that notes what it is asked.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

// newServer starts a server; h may be nil: it answers with an empty object.
func newServer(t *testing.T, h http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
		s.mu.Unlock()
		if h != nil {
			h(w, r)
			return
		}
		reply(w, 200, `{}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, "\n")
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// writeSpec puts a document into a file.
func writeSpec(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mount returns a connector in this process, configured; it writes its log to log, if it is not nil.
func mount(t *testing.T, config map[string]any, log *strings.Builder) (wire.Connector, error) {
	t.Helper()
	made := New()
	made.Logger = hclog.NewNullLogger()
	if log != nil {
		made.Logger = hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Trace})
	}
	t.Cleanup(func() {
		if err := made.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	mounted, err := made.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return mounted, mounted.Configure(t.Context(), &wire.ConfigureRequest{Label: "shop", Config: raw})
}

// mustMount is mount of a configuration that is right, for a server of shop's.
func mustMount(t *testing.T, s *server, more map[string]any) wire.Connector {
	t.Helper()
	config := map[string]any{
		"spec": writeSpec(t, shop), "base_url": s.URL,
		"credentials": map[string]any{"token": map[string]any{"token": "bearer-secret"}, "key": map[string]any{"token": "query-secret"}},
	}
	for name, value := range more {
		config[name] = value
	}
	c, err := mount(t, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// invoke calls a method and returns its result's bytes.
func invoke(t *testing.T, c wire.Connector, method, args string) (string, error) {
	t.Helper()
	result, err := c.Invoke(t.Context(), &wire.Call{ExecutionID: "e", Seq: "0", IdempotencyKey: "e/0", Method: method, Args: json.RawMessage(args)}, nil)
	if err != nil {
		return "", err
	}
	return string(result.Value), nil
}

// told returns the connector's own error in err.
func told(t *testing.T, err error) *wire.Error {
	t.Helper()
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		t.Fatalf("got %v, want the connector's own error", err)
	}
	return e
}
