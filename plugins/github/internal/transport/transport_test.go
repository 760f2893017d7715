package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// trip is a round tripper made of a function.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body string, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

func request(t *testing.T, ctx context.Context, method, address, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newTransport(t *testing.T, concurrency int, base trip) http.RoundTripper {
	t.Helper()
	api, err := url.Parse("https://api.github.com/")
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{API: api, Tokens: Static("secret"), Concurrency: concurrency, Base: base})
}

// send sends a request and returns the body of the answer.
func send(t *testing.T, tr http.RoundTripper, r *http.Request) (int, string) {
	t.Helper()
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestTokenStaysHome: no other host, and no unencrypted address, gets the token.
func TestTokenStaysHome(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.github.com/user":          "Bearer secret",
		"http://api.github.com/user":           "",
		"https://api.github.com.evil.example/": "",
		"https://evil.example/":                "",
	} {
		tr := newTransport(t, 1, func(r *http.Request) (*http.Response, error) {
			return respond(200, r.Header.Get("Authorization")), nil
		})
		r := request(t, t.Context(), "GET", address, "")
		r.Header.Set("Authorization", "Bearer theirs")
		if _, got := send(t, tr, r); got != want {
			t.Errorf("%s got %q", address, got)
		}
	}
}

// TestCache: an answer that is still right comes from memory, with the new
// headers; one that has changed does not.
func TestCache(t *testing.T) {
	t.Parallel()
	version := 1
	tr := newTransport(t, 1, func(r *http.Request) (*http.Response, error) {
		tag := fmt.Sprintf(`"%d"`, version)
		if r.Header.Get("If-None-Match") == tag {
			return respond(304, "", "X-RateLimit-Remaining", "7"), nil
		}
		return respond(200, fmt.Sprintf("version %d of %s", version, r.Header.Get("Accept")), "ETag", tag, "Link", "next"), nil
	})
	get := func(accept string) (string, http.Header, *Captured) {
		ctx, captured := Capture(t.Context())
		r := request(t, ctx, "GET", "https://api.github.com/x", "")
		r.Header.Set("Accept", accept)
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || string(captured.Body) != string(body) {
			t.Errorf("%d %s, captured %s: %v", resp.StatusCode, body, captured.Body, err)
		}
		return string(body), resp.Header, captured
	}
	get("json")
	body, header, _ := get("json")
	if body != "version 1 of json" || header.Get("X-RateLimit-Remaining") != "7" || header.Get("Link") != "next" {
		t.Errorf("from memory: %q %v", body, header)
	}
	if body, header, _ = get("diff"); body != "version 1 of diff" || header.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("another form: %q %v", body, header)
	}
	version = 2
	if body, _, _ = get("json"); body != "version 2 of json" {
		t.Errorf("after a change: %q", body)
	}
}

// TestCacheIsBounded: what is large is not kept, and what is old goes.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newCache(trip(func(r *http.Request) (*http.Response, error) {
		size := entrySize
		if r.URL.Path == "/large" {
			size++
		}
		return respond(200, strings.Repeat("x", size), "ETag", `"1"`), nil
	}))
	send(t, c, request(t, t.Context(), "GET", "https://api.github.com/large", ""))
	if c.size != 0 {
		t.Errorf("%d bytes of what is too large", c.size)
	}
	for i := range cacheSize/entrySize + 3 {
		send(t, c, request(t, t.Context(), "GET", fmt.Sprintf("https://api.github.com/%d", i), ""))
	}
	if c.size > cacheSize || len(c.entries) != cacheSize/entrySize || c.recent.Len() != len(c.entries) {
		t.Errorf("%d bytes in %d entries", c.size, len(c.entries))
	}
	if c.get(" https://api.github.com/0") != nil {
		t.Error("the oldest is still there")
	}
}

// TestPatience: a request that was refused for a while is sent again, body and
// all; one that would have to wait too long is not.
func TestPatience(t *testing.T) {
	t.Parallel()
	reset := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
	tests := map[string]struct {
		refusal  func() *http.Response
		deadline time.Duration
		times    int64
		waited   time.Duration
	}{
		"retry after":       {func() *http.Response { return respond(403, "", "Retry-After", "5") }, 0, 2, 5 * time.Second},
		"too many requests": {func() *http.Response { return respond(429, "", "Retry-After", "1") }, 0, 2, time.Second},
		"a reset that is near": {func() *http.Response {
			return respond(403, "", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(9*time.Second))
		}, 0, 2, 9 * time.Second},
		"a reset that is far": {func() *http.Response {
			return respond(403, "", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(time.Hour))
		}, 0, 1, 0},
		"too long":        {func() *http.Response { return respond(403, "", "Retry-After", "60") }, 0, 1, 0},
		"no time":         {func() *http.Response { return respond(403, "", "Retry-After", "5") }, 3 * time.Second, 1, 0},
		"no limit":        {func() *http.Response { return respond(403, "") }, 0, 1, 0},
		"another trouble": {func() *http.Response { return respond(500, "", "Retry-After", "5") }, 0, 1, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var times atomic.Int64
				tr := newTransport(t, 1, func(r *http.Request) (*http.Response, error) {
					body, err := io.ReadAll(r.Body)
					if err != nil || string(body) != "body" {
						t.Errorf("the body is %q, %v", body, err)
					}
					if times.Add(1) == 1 {
						return test.refusal(), nil
					}
					return respond(201, "made"), nil
				})
				ctx := t.Context()
				if test.deadline != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				began := time.Now()
				status, _ := send(t, tr, request(t, ctx, "POST", "https://api.github.com/x", "body"))
				if times.Load() != test.times || time.Since(began).Round(time.Second) != test.waited || (status == 201) != (test.times == 2) {
					t.Errorf("sent %d times in %v: %d", times.Load(), time.Since(began), status)
				}
			})
		})
	}
}

// TestPatienceEnds: a limit that does not end is reported.
func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		times := 0
		tr := newTransport(t, 1, func(*http.Request) (*http.Response, error) {
			times++
			return respond(403, "", "Retry-After", "5"), nil
		})
		if status, _ := send(t, tr, request(t, t.Context(), "GET", "https://api.github.com/x", "")); status != 403 || times != mostAttempts {
			t.Errorf("%d after %d times", status, times)
		}
	})
}

// TestSlots: no more requests than allowed are under way, and one that waits in
// vain was never sent.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var busy, most atomic.Int64
		tr := newTransport(t, 2, func(*http.Request) (*http.Response, error) {
			most.Store(max(most.Load(), busy.Add(1)))
			time.Sleep(time.Second)
			busy.Add(-1)
			return respond(200, ""), nil
		})
		for range 6 {
			go func() {
				if resp, err := tr.RoundTrip(request(t, t.Context(), "GET", "https://api.github.com/x", "")); err != nil || resp.StatusCode != 200 {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := tr.RoundTrip(request(t, ctx, "POST", "https://api.github.com/x", ""))
		if _, unsent := errors.AsType[*NotSentError](err); !unsent || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting in vain: %v", err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if most.Load() != 2 {
			t.Errorf("%d at once", most.Load())
		}
	})
}

// TestAnswerIsBounded: no server fills the memory.
func TestAnswerIsBounded(t *testing.T) {
	t.Parallel()
	tr := newTransport(t, 1, func(*http.Request) (*http.Response, error) {
		resp := respond(200, "")
		resp.Body = io.NopCloser(zeros{})
		return resp, nil
	})
	if _, err := tr.RoundTrip(request(t, t.Context(), "GET", "https://api.github.com/x", "")); err == nil {
		t.Error("an endless answer is accepted")
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
