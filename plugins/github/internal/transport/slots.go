package transport

import (
	"net/http"
)

// slots lets a number of requests through at once.
type slots struct {
	free chan struct{}
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s *slots) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case s.free <- struct{}{}:
	case <-r.Context().Done():
		return nil, &NotSentError{r.Context().Err()}
	}
	defer func() { <-s.free }()
	return s.next.RoundTrip(r)
}
