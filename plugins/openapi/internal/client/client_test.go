package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/client"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server and returns its address and a client with small bounds.
func serve(t *testing.T, h http.HandlerFunc) (string, *client.Client) {
	t.Helper()
	server := httptest.NewServer(h)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	return server.URL, &client.Client{Transport: transport, UserAgent: "test/1", HeaderTimeout: time.Minute, BodyTimeout: time.Minute, MaxBody: 1000}
}

func get(address string) *request.Request {
	return &request.Request{Method: "GET", URL: address, Header: http.Header{}}
}

func post(address string) *request.Request {
	return &request.Request{Method: "POST", URL: address, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("x")}
}

func told(t *testing.T, err error) *sdk.Error {
	t.Helper()
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		t.Fatalf("got %v, want an error of the connector's own", err)
	}
	return e
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	var got string
	address, c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got = fmt.Sprintf("%s | %s | %s | %s | %s", r.URL.RawQuery, r.Header.Get("X-Key"), r.Header.Get("Cookie"), r.Header.Get("User-Agent"), r.Header.Get("Accept"))
	})
	r := get(address + "/a?x=1")
	r.Header.Set("Cookie", "own=1")
	r.Header.Set("Accept", "text/plain")
	credentials := client.Credentials{Header: http.Header{"X-Key": {"k"}}, Query: url.Values{"key": {"q&"}}, Cookie: "sid=c"}
	if _, err := c.Send(t.Context(), r, credentials, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("x=1&key=q%26 | k | own=1; sid=c | test/1 | text/plain", got); diff != "" {
		t.Error(diff)
	}
	if r.Header.Get("X-Key") != "" || strings.Contains(r.URL, "key") {
		t.Error("the request itself has credentials now")
	}
}

// TestRedirects: credentials stay with their origin, and writes too.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, fmt.Sprintf("%s %s %q %q %q %q", r.Method, r.URL, r.Header.Get("X-Key"), r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("Referer")))
		fmt.Fprint(w, "other")
	}))
	t.Cleanup(other.Close)
	var here []string
	address, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		here = append(here, fmt.Sprintf("%s %s %q %q", r.Method, r.URL.Path, r.Header.Get("X-Key"), body))
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/end", http.StatusTemporaryRedirect)
		case "/see":
			http.Redirect(w, r, "/end", http.StatusSeeOther)
		case "/other":
			http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	})
	credentials := client.Credentials{
		Header: http.Header{"X-Key": {"k"}, "Authorization": {"Bearer t"}}, Query: url.Values{"key": {"secret"}}, Cookie: "sid=c",
	}
	tests := []struct {
		name            string
		r               *request.Request
		status          int
		here, elsewhere string
	}{
		{"a read, here", get(address + "/same"), 200, `GET /same "k" "", GET /end "k" ""`, ``},
		{"a write, here", post(address + "/same"), 200, `POST /same "k" "x", POST /end "k" "x"`, ``},
		{"a write whose answer is here", post(address + "/see"), 200, `POST /see "k" "x", GET /end "k" ""`, ``},
		{"a read, elsewhere", get(address + "/other"), 200, `GET /other "k" ""`, `GET /there "" "" "" ""`},
		{"a write, elsewhere", post(address + "/other"), 307, `POST /other "k" "x"`, ``},
		{"a circle", get(address + "/loop"), 302, strings.TrimSuffix(strings.Repeat(`GET /loop "k" "", `, 6), ", "), ``},
	}
	for _, test := range tests {
		here, elsewhere = nil, nil
		a, err := c.Send(t.Context(), test.r, credentials, test.r.Method == "GET")
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := strings.Join(here, ", "); a.Status != test.status || got != test.here {
			t.Errorf("%s: status %d, here %s", test.name, a.Status, got)
		}
		if got := strings.Join(elsewhere, ", "); got != test.elsewhere {
			t.Errorf("%s: elsewhere %s", test.name, got)
		}
	}
}

// TestNoDowngrade: what went over https does not go on over http.
func TestNoDowngrade(t *testing.T) {
	t.Parallel()
	plain, c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was followed") })
	server := httptest.NewTLSServer(http.RedirectHandler(plain, http.StatusFound))
	t.Cleanup(server.Close)
	c.Transport = server.Client().Transport
	a, err := c.Send(t.Context(), get(server.URL), client.Credentials{}, true)
	if err != nil || a.Status != http.StatusFound {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestLost: what a program and the host are told of an answer that did not
// come, or not whole, depends on what the request may have done.
func TestLost(t *testing.T) {
	t.Parallel()
	silent := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // only then does the server notice that the client has gone
		<-r.Context().Done()
	}
	stalling := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		fmt.Fprint(w, "begun")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	closing := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.Close()
	}
	tests := map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"no headers":   {silent, "no answer within"},
		"stalled body": {stalling, "began an answer and sent no more"},
		"hung up":      {closing, "cannot be reached"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, c := serve(t, test.handler)
			c.HeaderTimeout, c.BodyTimeout = 100*time.Millisecond, 100*time.Millisecond
			if name == "stalled body" {
				c.HeaderTimeout = time.Minute
			}
			_, err := c.Send(t.Context(), get(address+"/?key=secret"), client.Credentials{}, true)
			e := told(t, err)
			if e.Code != sdk.Unavailable || !e.Retryable || !strings.Contains(e.Message, test.want) || strings.Contains(e.Message, "secret") {
				t.Errorf("a read: %+v", e)
			}
			_, err = c.Send(t.Context(), post(address+"/?key=secret"), client.Credentials{}, false)
			e = told(t, err)
			if e.Code != sdk.Timeout || e.Effect != sdk.EffectUnknown || !strings.Contains(e.Message, test.want) || strings.Contains(e.Message, "secret") {
				t.Errorf("a write: %+v", e)
			}
		})
	}
}

// TestNotSent: a write that nobody got did certainly nothing.
func TestNotSent(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	c := &client.Client{Transport: &http.Transport{}, HeaderTimeout: time.Minute, BodyTimeout: time.Minute, MaxBody: 10}
	_, err = c.Send(t.Context(), post(address+"/?key=secret"), client.Credentials{Query: url.Values{"k": {"secret"}}}, false)
	e := told(t, err)
	if e.Code != sdk.Unavailable || e.Effect != sdk.EffectNone || !e.Retryable || strings.Contains(e.Message, "secret") {
		t.Errorf("got %+v", e)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address, c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		cancel()
		<-r.Context().Done()
	})
	if _, err := c.Send(ctx, post(address), client.Credentials{}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	address, c := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 5000)) })
	_, err := c.Send(t.Context(), get(address), client.Credentials{}, true)
	if e := told(t, err); e.Code != sdk.Unsupported || !strings.Contains(e.Message, "more than 1000 bytes") {
		t.Errorf("a read: %+v", e)
	}
	_, err = c.Send(t.Context(), post(address), client.Credentials{}, false)
	if e := told(t, err); e.Effect != sdk.EffectUnknown || !strings.Contains(e.Message, "carried out") {
		t.Errorf("a write: %+v", e)
	}
}

// TestLargeError: an error that is too large is an error still.
func TestLargeError(t *testing.T) {
	t.Parallel()
	address, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, strings.Repeat("x", 1<<20))
	})
	a, err := c.Send(t.Context(), post(address), client.Credentials{}, false)
	if err != nil || a.Status != http.StatusConflict || len(a.Body) > 100_000 {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestStreams: a stream ends at its end, or at the bounds, and is what came until then.
func TestStreams(t *testing.T) {
	t.Parallel()
	line := "data: {\"a\":\"" + strings.Repeat("x", 80) + "\"}\n\n"
	endless := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, line); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
	pausing := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, line, "data: half")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	ending := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, line, line)
	}
	tests := map[string]struct {
		handler http.HandlerFunc
		least   int
		cut     bool
	}{"endless": {endless, 5, true}, "pausing": {pausing, 1, true}, "ending": {ending, 2, false}}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, c := serve(t, test.handler)
			if name == "pausing" {
				c.BodyTimeout = 100 * time.Millisecond
			}
			a, err := c.Send(t.Context(), get(address), client.Credentials{}, true)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(a.Value()), `{"a":`); a.Cut != test.cut || n < test.least || strings.Contains(string(a.Value()), "half") {
				t.Errorf("cut %t, %d events: %.300s", a.Cut, n, a.Value())
			}
		})
	}
}
