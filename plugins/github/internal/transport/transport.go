// Package transport carries requests to GitHub the way it asks clients to: a
// few at a time, patient where it limits, and with what is known already.
package transport

import (
	"net/http"
	"net/url"
)

// TokenSource returns the token that the next request carries.
type TokenSource interface {
	Token(r *http.Request) (string, error)
}

// Options are what New needs; all must be set.
type Options struct {
	// API is the base URL of the API. The token goes to its host and no other.
	API    *url.URL
	Tokens TokenSource
	// Concurrency is how many requests are under way at once, at least 1.
	Concurrency int
	// Base carries the requests; http.DefaultTransport will do.
	Base http.RoundTripper
}

// New returns a transport for the GitHub API.
func New(o Options) http.RoundTripper {
	var t http.RoundTripper = &authorization{api: o.API, tokens: o.Tokens, next: o.Base}
	t = patience{next: t}
	t = newCache(t)
	return &slots{free: make(chan struct{}, o.Concurrency), next: t}
}

// NotSentError says that a request never left: its effect is none, whatever its method.
type NotSentError struct{ Err error }

// Error is the cause's text.
func (e *NotSentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *NotSentError) Unwrap() error { return e.Err }
