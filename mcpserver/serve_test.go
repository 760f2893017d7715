package mcpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStdioOutlivesItsClient ends the client's stream while a program runs: the server stays until it has ended.
func TestStdioOutlivesItsClient(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	g, hangUp, ended := h.stdio(t, t.Context())
	lost := make(chan error)
	go func() {
		_, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": "await board.slow({})"}})
		lost <- err
	}()
	<-h.board.posting
	hangUp()
	if err := <-lost; err == nil {
		t.Error("the client noticed nothing")
	}
	select {
	case err := <-ended:
		t.Fatalf("it has not stayed: %v", err)
	default:
	}
	close(h.board.end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s := h.join(t, "", nil).result(h.running(t)); s.text != "1" {
		t.Errorf("%+v", s)
	}
}

// TestStdioStops ends the server while a program runs: the host that is closed ends its pass.
func TestStdioStops(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	g, _, ended := h.stdio(t, ctx)
	lost := make(chan error)
	go func() {
		_, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": "await board.slow({})"}})
		lost <- err
	}()
	<-h.board.posting
	stop()
	if err := h.host.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-lost
}

// stdio serves a client over pipes. hangUp ends the client's streams.
func (h *house) stdio(t *testing.T, ctx context.Context) (g guest, hangUp func(), ended chan error) {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- h.server.ServeStdio(ctx, fromClient, toClient) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	hangUp = func() {
		if err := errors.Join(toServer.Close(), fromServer.Close()); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		hangUp()
		session.Close()
	})
	return guest{session, t}, hangUp, ended
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	web := httptest.NewServer(h.server.Handler())
	t.Cleanup(web.Close)
	for name, version := range versions {
		p := &person{answers: []string{approve}}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, p.options()).
			Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if s := (guest{session, t}).run(`await board.post({ text: "a" }); "posted"`); s.text != "posted" || len(p.asked) != 1 {
			t.Errorf("%s: asked %d times: %+v", name, len(p.asked), s)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPagesAreRefused shows that a browser's pages from elsewhere reach nothing.
func TestPagesAreRefused(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(build(t, nil).server.Handler())
	t.Cleanup(web.Close)
	for name, change := range map[string]func(*http.Request){
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"another site":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another name":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		change(r)
		resp, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: status %d", name, resp.StatusCode)
		}
	}
}

// cuttable is a way to a server that can be cut: nothing comes back, and nothing more goes out.
type cuttable struct {
	http.RoundTripper
	cut context.Context
}

func (c cuttable) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.cut.Err() != nil {
		return nil, c.cut.Err()
	}
	ctx, cancel := context.WithCancel(r.Context())
	context.AfterFunc(c.cut, cancel)
	return c.RoundTripper.RoundTrip(r.WithContext(ctx))
}

// TestCutOffOverHTTP cuts a client off while its program runs, which goes on.
func TestCutOffOverHTTP(t *testing.T) {
	t.Parallel()
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := build(t, nil)
			web := httptest.NewServer(h.server.Handler())
			t.Cleanup(web.Close)
			ctx, cut := context.WithCancel(t.Context())
			session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: web.URL, HTTPClient: &http.Client{Transport: cuttable{web.Client().Transport, ctx}}, MaxRetries: -1,
			}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				<-h.board.posting
				cut()
			}()
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": "await board.slow({})"}}); err == nil {
				t.Error("the client noticed nothing")
			}
			session.Close()
			close(h.board.end)
			if s := h.join(t, "", nil).result(h.running(t)); s.text != "1" {
				t.Errorf("%+v", s)
			}
		})
	}
}
