package transport

import (
	"fmt"
	"net/http"
	"net/url"
)

// Static is a token that does not change.
type Static string

// Token returns the token.
func (s Static) Token(*http.Request) (string, error) { return string(s), nil }

// authorization adds the token to requests for the API. What a redirect sends
// elsewhere, to the storage of logs say, goes without.
type authorization struct {
	api    *url.URL
	tokens TokenSource
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (a *authorization) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	if r.URL.Host == a.api.Host && r.URL.Scheme == a.api.Scheme {
		token, err := a.tokens.Token(r)
		if err != nil {
			return nil, &NotSentError{fmt.Errorf("get a token: %w", err)}
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return a.next.RoundTrip(r)
}
