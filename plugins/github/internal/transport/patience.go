package transport

import (
	"net/http"
	"strconv"
	"time"
)

const (
	// longestWait is how long a request waits for a rate limit by itself. What
	// takes longer is the host's to decide, which knows it from the error.
	longestWait = 20 * time.Second
	// mostAttempts bounds how often one request is sent.
	mostAttempts = 3
)

// patience repeats a request that GitHub refused because of a rate limit. A
// refused request has done nothing, so this holds for writes, too.
type patience struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p patience) RoundTrip(r *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		resp, err := p.next.RoundTrip(r)
		if err != nil || attempt == mostAttempts {
			return resp, err
		}
		wait, limited := rateLimit(resp)
		if !limited || wait > longestWait || !hasTime(r, wait) {
			return resp, nil
		}
		again, err := repeat(r)
		if err != nil {
			return resp, nil // the refusal stands
		}
		resp.Body.Close()
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return nil, &NotSentError{r.Context().Err()}
		}
		r = again
	}
}

// rateLimit reports whether an answer refuses a request because of a limit, and
// when the next may be sent.
func rateLimit(resp *http.Response) (wait time.Duration, limited bool) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return 0, false
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		return max(0, time.Duration(seconds)*time.Second), true
	}
	reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || resp.Header.Get("X-RateLimit-Remaining") != "0" {
		return 0, false
	}
	return max(0, time.Until(time.Unix(reset, 0))), true
}

// hasTime reports whether the request's deadline leaves time to wait.
func hasTime(r *http.Request, wait time.Duration) bool {
	deadline, bounded := r.Context().Deadline()
	return !bounded || time.Until(deadline) > wait
}

// repeat returns the request with its body anew.
func repeat(r *http.Request) (*http.Request, error) {
	again := r.Clone(r.Context())
	if r.GetBody == nil {
		return again, nil
	}
	body, err := r.GetBody()
	again.Body = body
	return again, err
}
