package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// transports serve a server over HTTP, by the connector's name for how.
var transports = map[string]func(*mcp.Server) http.Handler{
	"streamable": func(s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	},
	"sse": func(s *mcp.Server) http.Handler {
		return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
	},
}

// hosted serves s over HTTP until the test ends.
func hosted(t *testing.T, transport string, s *mcp.Server) http.Handler {
	t.Helper()
	t.Cleanup(func() { endSessions(s) })
	return transports[transport](s)
}

// endSessions ends what clients that were cut off have left.
func endSessions(s *mcp.Server) {
	for session := range s.Sessions() {
		_ = session.Close() // its client is gone
	}
}

// mountURL returns a connector to what h serves.
func mountURL(t *testing.T, h http.Handler, config map[string]any) wire.Connector {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	all := map[string]any{"url": web.URL + "/mcp"}
	for name, value := range config {
		all[name] = value
	}
	return mount(t, reach, all)
}

// TestRemote: over HTTP a server is what it is over stdio.
func TestRemote(t *testing.T) {
	t.Parallel()
	for transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := mcp.NewServer(&mcp.Implementation{Name: "remote"}, &mcp.ServerOptions{Instructions: "Far away."})
			addTool(s, "first", "one\ntwo")
			s.AddTool(&mcp.Tool{Name: "exact", InputSchema: anyObject}, returns(&mcp.CallToolResult{StructuredContent: json.RawMessage(`{"z":12345678901234567890,"a":1.0}`)}))
			var strangers atomic.Int32
			handler := hosted(t, transport, s)
			c := mountURL(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Team") != "blue" || r.Header.Get("Authorization") != "Bearer "+token {
					strangers.Add(1)
				}
				handler.ServeHTTP(w, r)
			}), map[string]any{
				"transport": transport, "headers": map[string]string{"x-team": "blue"},
				"secrets": map[string]string{"authorization": "Bearer " + token + "\n"},
			})
			offer, err := c.Methods(t.Context())
			if err != nil || offer.Instructions != "Far away." || len(offer.Methods) != 2 {
				t.Fatalf("got %+v, %v", offer, err)
			}
			for method, want := range map[string]string{"first": `"one\ntwo"`, "exact": `{"z":12345678901234567890,"a":1.0}`} {
				if got, err := invoke(t, c, method, "{}"); err != nil || got != want {
					t.Errorf("%s: %s, %v", method, got, err)
				}
			}
			changes := watch(t, c)
			addTool(s, "second", "three")
			if change := within(t, changes); !change.MethodsChanged || change.Health != "" {
				t.Errorf("got %+v", change)
			}
			if diff := cmp.Diff([]string{"exact", "first", "second"}, names(t, c)); diff != "" {
				t.Error(diff)
			}
			if strangers.Load() != 0 {
				t.Errorf("%d requests came without the headers", strangers.Load())
			}
		})
	}
}

// asks returns the method of a request's message, and leaves the message there.
func asks(t *testing.T, r *http.Request) string {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var message struct{ Method string }
	_ = json.Unmarshal(raw, &message) // not every request has one
	return message.Method
}

// TestRemoteStatus: what a status says of a call.
func TestRemoteStatus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status         int
		writing        wire.Error
		readingIsLater bool // a read can be tried again
	}{
		"unauthorized": {401, wire.Error{Code: sdk.Unauthenticated, Effect: sdk.EffectNone}, false},
		"forbidden":    {403, wire.Error{Code: sdk.PermissionDenied, Effect: sdk.EffectNone}, false},
		"too many":     {429, wire.Error{Code: sdk.RateLimited, Effect: sdk.EffectNone, Retryable: true, RetryAfter: 7 * time.Second}, true},
		"bad request":  {400, wire.Error{Code: sdk.Unavailable, Effect: sdk.EffectNone}, false},
		"bad gateway":  {502, wire.Error{Code: sdk.Timeout, Effect: sdk.EffectUnknown}, true},
		"internal":     {500, wire.Error{Code: sdk.Timeout, Effect: sdk.EffectUnknown}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mcp.NewServer(&mcp.Implementation{Name: "remote"}, nil)
			addTool(s, "write", "x")
			s.AddTool(&mcp.Tool{Name: "read", InputSchema: anyObject, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, says("x"))
			serve := hosted(t, "streamable", s)
			c := mountURL(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asks(t, r) == "tools/call" {
					w.Header().Set("Retry-After", "7")
					http.Error(w, "no", test.status)
					return
				}
				serve.ServeHTTP(w, r)
			}), map[string]any{"trusted": true})
			_, err := invoke(t, c, "write", "{}")
			e := *told(t, err)
			e.Message = ""
			if test.status != http.StatusTooManyRequests {
				e.RetryAfter = 0
			}
			if diff := cmp.Diff(test.writing, e); diff != "" {
				t.Errorf("a write: %s", diff)
			}
			_, err = invoke(t, c, "read", "{}")
			if e := told(t, err); e.Retryable != test.readingIsLater {
				t.Errorf("a read: %+v", e)
			}
		})
	}
}

// TestRemoteCut: a connection that breaks leaves a write in doubt.
func TestRemoteCut(t *testing.T) {
	t.Parallel()
	for transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := mcp.NewServer(&mcp.Implementation{Name: "remote"}, nil)
			entered, release := make(chan struct{}), make(chan struct{})
			s.AddTool(&mcp.Tool{Name: "write", InputSchema: anyObject}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				close(entered)
				<-release
				return &mcp.CallToolResult{}, nil
			})
			web := httptest.NewServer(hosted(t, transport, s))
			t.Cleanup(web.Close)
			defer close(release)
			c := mount(t, reach, map[string]any{"url": web.URL, "transport": transport})
			names(t, c)
			result := make(chan error, 1)
			go func() {
				_, err := invokeIn(t.Context(), c, "write", "{}")
				result <- err
			}()
			within(t, entered)
			_ = web.Listener.Close()
			web.CloseClientConnections()
			if e := told(t, within(t, result)); e.Code != sdk.Timeout || e.Effect != sdk.EffectUnknown {
				t.Errorf("got %+v", e)
			}
			_, err := invoke(t, c, "write", "{}")
			if e := told(t, err); e.Code != sdk.Unavailable || e.Effect != sdk.EffectNone || !e.Retryable {
				t.Errorf("a server that is gone: %+v", e)
			}
		})
	}
}

// TestRemoteResumes: a stream that ends before its answer is taken up again where it ended.
func TestRemoteResumes(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "remote"}, nil)
	var calls, resumed atomic.Int32
	s.AddTool(&mcp.Tool{Name: "m", InputSchema: anyObject}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls.Add(1)
		r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: time.Millisecond})
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "late"}}}, nil
	})
	serve := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	c := mountURL(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-Id") != "" {
			resumed.Add(1)
		}
		if asks(t, r) == "server/discover" {
			http.Error(w, "an older server", http.StatusNotFound)
			return
		}
		serve.ServeHTTP(w, r)
	}), nil)
	if got, err := invoke(t, c, "m", "{}"); err != nil || got != `"late"` || calls.Load() != 1 || resumed.Load() == 0 {
		t.Errorf("got %s, %v after %d calls and %d resumptions", got, err, calls.Load(), resumed.Load())
	}
}

// TestRemoteSessionEnds: a server that has forgotten the session has carried out nothing.
func TestRemoteSessionEnds(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "remote"}, nil)
	addTool(s, "m", "text")
	var forgets atomic.Bool
	serve := hosted(t, "streamable", s)
	c := mountURL(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case asks(t, r) == "server/discover":
			http.Error(w, "an older server", http.StatusNotFound)
		case r.Method == http.MethodPost && forgets.CompareAndSwap(true, false):
			http.Error(w, "session not found", http.StatusNotFound)
		default:
			serve.ServeHTTP(w, r)
		}
	}), nil)
	names(t, c)
	changes := watch(t, c)
	forgets.Store(true)
	_, err := invoke(t, c, "m", "{}")
	if e := told(t, err); e.Code != sdk.Unavailable || e.Effect != sdk.EffectNone || !e.Retryable {
		t.Fatalf("got %+v", e)
	}
	within(t, changes) // the session has ended
	if got, err := invoke(t, c, "m", "{}"); err != nil || got != `"text"` {
		t.Errorf("the next call: %s, %v", got, err)
	}
}

// TestRemoteStaysAtHome: neither headers nor arguments follow a redirect to elsewhere.
func TestRemoteStaysAtHome(t *testing.T) {
	t.Parallel()
	var visited atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited.Store(true) }))
	t.Cleanup(elsewhere.Close)
	c := mountURL(t, http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect), map[string]any{"secrets": map[string]string{"Authorization": "Bearer " + token}})
	_, err := c.Methods(t.Context())
	if e := told(t, err); visited.Load() || !strings.Contains(e.Message, "not the configured server") {
		t.Errorf("visited: %v, got %v", visited.Load(), e)
	}
}

// TestRemoteHidesCredentials: the token of a header is hidden without its scheme, too.
func TestRemoteHidesCredentials(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "remote"}, nil)
	s.AddTool(&mcp.Tool{Name: "m", InputSchema: anyObject}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("%s is not allowed", strings.TrimPrefix(r.Extra.Header.Get("Authorization"), "Bearer "))
	})
	c := mountURL(t, hosted(t, "streamable", s), map[string]any{"secrets": map[string]string{"Authorization": "Bearer " + token}})
	_, err := invoke(t, c, "m", "{}")
	if e := told(t, err); e.Message != "[hidden] is not allowed" {
		t.Errorf("got %v", e)
	}
}
