package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/plugin/sdk/sdktest"
	"github.com/codemode-go/codemode/plugin/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// limit is how long a test waits for what must happen.
const limit = 30 * time.Second

func TestMain(m *testing.M) {
	sdktest.Serve(New)
	if play, ok := roles[os.Getenv(roleVar)]; ok {
		play()
		return
	}
	// The SDK's client tells a server of a cancelled call in the background, for a few seconds at most.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/modelcontextprotocol/go-sdk/mcp.call.func1"))
}

// memory is a server in the test's own process.
type memory struct {
	*mcp.InMemoryTransport
	stop func()

	mu     sync.Mutex
	ending string
}

func (m *memory) Stop() {
	m.stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ending = "stopped"
}

func (m *memory) Ending() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ending
}

func (m *memory) LastLines() []string { return nil }

// serving starts servers that are s, one after another.
func serving(s *mcp.Server) func(*Config, hclog.Logger) (server, error) {
	return func(*Config, hclog.Logger) (server, error) {
		ours, theirs := mcp.NewInMemoryTransports()
		session, err := s.Connect(context.Background(), theirs, nil)
		if err != nil {
			return nil, err
		}
		return &memory{InMemoryTransport: ours, stop: func() { session.Close() }}, nil
	}
}

// answering starts servers that answer each request with what answer returns
// for it: a result, or an error. It knows the greeting itself.
func answering(answer func(method string, params json.RawMessage) (string, error)) func(*Config, hclog.Logger) (server, error) {
	return func(*Config, hclog.Logger) (server, error) {
		ours, theirs := mcp.NewInMemoryTransports()
		conn, err := theirs.Connect(context.Background())
		if err != nil {
			return nil, err
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				message, err := conn.Read(context.Background())
				if err != nil {
					return
				}
				request, ok := message.(*jsonrpc.Request)
				if !ok || !request.IsCall() {
					continue
				}
				response := &jsonrpc.Response{ID: request.ID}
				result, err := greet(request, answer)
				if err == nil {
					response.Result = json.RawMessage(result)
				}
				response.Error = err
				if conn.Write(context.Background(), response) != nil {
					return
				}
			}
		}()
		return &memory{InMemoryTransport: ours, stop: func() { conn.Close(); <-done }}, nil
	}
}

func greet(r *jsonrpc.Request, answer func(string, json.RawMessage) (string, error)) (string, error) {
	switch r.Method {
	case "server/discover":
		return "", &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "old server"}
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"canned","version":"1"}}`, nil
	}
	return answer(r.Method, r.Params)
}

// mount returns a connector whose servers come from start, configured with the
// further attributes in config.
func mount(t *testing.T, start starter, config map[string]any) wire.Connector {
	t.Helper()
	return mountLogging(t, start, config, hclog.NewNullLogger())
}

// mountLogging is mount for tests that read the log.
func mountLogging(t *testing.T, start starter, config map[string]any, log hclog.Logger) wire.Connector {
	t.Helper()
	all := map[string]any{"command": os.Args[0]}
	for name, value := range config {
		all[name] = value
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	c := newConnector(start)
	t.Cleanup(func() {
		if err := c.close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	made := c.sdk()
	made.Logger = log
	mounted, err := made.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := mounted.Configure(t.Context(), &wire.ConfigureRequest{Label: "test", Config: raw}); err != nil {
		t.Fatal(err)
	}
	return mounted
}

// invoke calls a method and returns its result's bytes.
func invoke(t *testing.T, c wire.Connector, method, args string) (string, error) {
	t.Helper()
	return invokeIn(t.Context(), c, method, args)
}

func invokeIn(ctx context.Context, c wire.Connector, method, args string) (string, error) {
	call := &wire.Call{ExecutionID: "e", Seq: "0", Method: method}
	if args != "" {
		call.Args = json.RawMessage(args)
	}
	result, err := c.Invoke(ctx, call, nil)
	if err != nil {
		return "", err
	}
	if result.Value == nil {
		return "undefined", nil
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

// within waits for a value that must come.
func within[T any](t *testing.T, values <-chan T) T {
	t.Helper()
	select {
	case value := <-values:
		return value
	case <-time.After(limit):
		t.Fatal("nothing came")
	}
	panic("not reached")
}
