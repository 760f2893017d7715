package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// requests sends the requests of one connection, with its headers, and tells a
// refusal from an answer that never came. The SDK does not: to it an error of
// either kind means that the request did not arrive.
type requests struct {
	next     http.RoundTripper
	endpoint *url.URL
	header   http.Header
	// authorized: the SDK gets a token when the server asks for one.
	authorized bool
	again      repeats
}

// repeats knows the messages that a server has asked a token for. Each is sent a second time, with a new one; refused then, it
// is refused for good: the SDK would take the second refusal for a broken connection.
type repeats struct {
	mu    sync.Mutex
	asked map[[sha256.Size]byte]bool
}

// maxAsked bounds the messages that are remembered; of those that get no token there is never a second one.
const maxAsked = 1000

// second notes that a token is asked for a message, and reports whether it was before.
func (p *repeats) second(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	key, ok := bodyOf(r)
	if !ok || p.asked[key] {
		delete(p.asked, key)
		return ok
	}
	if p.asked == nil || len(p.asked) >= maxAsked {
		p.asked = map[[sha256.Size]byte]bool{}
	}
	p.asked[key] = true
	return false
}

// taken notes that no token is asked for a message any more.
func (p *repeats) taken(r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) == 0 {
		return
	}
	if key, ok := bodyOf(r); ok {
		delete(p.asked, key)
	}
}

// bodyOf returns the hash of what a request carries.
func bodyOf(r *http.Request) (key [sha256.Size]byte, ok bool) {
	if r.GetBody == nil {
		return key, false
	}
	body, err := r.GetBody()
	if err != nil {
		return key, false
	}
	defer body.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, body); err != nil {
		return key, false
	}
	return [sha256.Size]byte(hash.Sum(nil)), true
}

// unansweredError is a request without an answer.
type unansweredError struct {
	cause error
	sent  bool // it may have arrived
}

func (e *unansweredError) Error() string { return e.cause.Error() }
func (e *unansweredError) Unwrap() error { return e.cause }

// statusError is an answer that is no message, but a status that says no.
type statusError struct {
	code       int
	retryAfter time.Duration
}

func (e *statusError) Error() string {
	return fmt.Sprintf("it answers %d %s", e.code, http.StatusText(e.code))
}

// RoundTrip implements http.RoundTripper.
func (q *requests) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}
	r = r.Clone(httptrace.WithClientTrace(r.Context(), trace))
	if sameOrigin(r.URL, q.endpoint) { // an older server names the place for messages itself
		for name, values := range q.header {
			r.Header[name] = values
		}
	}
	resp, err := q.next.RoundTrip(r)
	if err != nil {
		return nil, &unansweredError{cause: err, sent: sent.Load()}
	}
	if r.Method != http.MethodPost || !q.refused(r, resp) {
		return resp, nil
	}
	_ = resp.Body.Close()
	return nil, &statusError{code: resp.StatusCode, retryAfter: retryAfter(resp.Header)}
}

// refused reports whether an answer says no by its status alone. Some statuses
// are the SDK's: those with a message, and of a session that has ended.
func (q *requests) refused(r *http.Request, resp *http.Response) bool {
	asksForToken := q.authorized && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden)
	if asksForToken {
		return q.again.second(r)
	}
	q.again.taken(r)
	if resp.StatusCode < 400 {
		return false
	}
	if resp.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "" {
		return false
	}
	mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err != nil || mediaType != "application/json" || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusUnauthorized
}

// retryAfter reads the header of that name; zero: it says nothing.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// stayAt refuses redirects to elsewhere: the headers and the arguments are for this server alone.
func stayAt(endpoint *url.URL) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		switch {
		case !sameOrigin(r.URL, endpoint):
			return fmt.Errorf("it redirects to %s://%s, which is not the configured server", r.URL.Scheme, r.URL.Host)
		case len(via) >= 10:
			return fmt.Errorf("it redirects in circles")
		}
		return nil
	}
}
