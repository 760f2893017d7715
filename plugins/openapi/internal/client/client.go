// Package client sends requests and reads answers, within bounds of time and size.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
	"github.com/codemode-go/codemode/plugins/openapi/internal/response"
)

// maxRedirects bounds the redirects of one request.
const maxRedirects = 5

// Client sends requests. It is safe for concurrent use.
type Client struct {
	Transport http.RoundTripper
	UserAgent string
	// HeaderTimeout bounds the wait for an answer's headers, BodyTimeout the
	// wait for each further part of its body, and a stream as a whole.
	HeaderTimeout, BodyTimeout time.Duration
	// MaxBody is the most bytes of a body that are read.
	MaxBody int64
}

// Credentials are what a request carries to prove who sends it. They go to the
// origin of the request's own URL and to no other, whatever it redirects to.
type Credentials struct {
	Header http.Header
	Query  url.Values
	Cookie string // name=value pairs
}

// The reasons for which a request is given up.
var (
	errNoHeaders = errors.New("no answer")
	errStalled   = errors.New("stalled")
	errTooLarge  = errors.New("too large")
)

// Send sends a request. Every answer with a status is an answer, errors too; an
// error says what is known of the effect of a request that is not readOnly.
func (c *Client) Send(ctx context.Context, r *request.Request, credentials Credentials, readOnly bool) (*response.Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sent := &atomic.Bool{} // nothing can have happened before a connection is there
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	httpRequest, err := c.prepare(traced, r, credentials)
	if err != nil {
		return nil, sdk.Errorf(sdk.InvalidArgument, "the request cannot be made: %v", withoutURL(err))
	}
	timer := time.AfterFunc(c.HeaderTimeout, func() { cancel(errNoHeaders) })
	do := &http.Client{Transport: c.Transport, CheckRedirect: redirects(credentials, readOnly)}
	got, err := do.Do(httpRequest)
	timer.Stop()
	if err != nil {
		return nil, c.failure(ctx, err, sent.Load(), readOnly)
	}
	answer, err := c.read(got, cancel)
	if err := errors.Join(err, got.Body.Close()); err != nil {
		return nil, c.failure(ctx, err, true, readOnly)
	}
	return answer, nil
}

// prepare adds credentials and identity to a request.
func (c *Client) prepare(ctx context.Context, r *request.Request, credentials Credentials) (*http.Request, error) {
	address := r.URL
	if len(credentials.Query) > 0 {
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		address += separator + credentials.Query.Encode()
	}
	made, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if r.Body == nil {
		made.Body, made.GetBody, made.ContentLength = nil, nil, 0
	}
	made.Header = r.Header.Clone()
	made.Header.Set("User-Agent", c.UserAgent)
	for name, values := range credentials.Header {
		made.Header[name] = values
	}
	if credentials.Cookie != "" {
		cookies := credentials.Cookie
		if own := made.Header.Get("Cookie"); own != "" {
			cookies = own + "; " + cookies
		}
		made.Header.Set("Cookie", cookies)
	}
	return made, nil
}

// redirects returns the rule for redirects: a read follows them, without
// credentials to another origin, and never from https to http. A write follows
// none that would send it again elsewhere.
func redirects(credentials Credentials, readOnly bool) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		first := via[0].URL
		same := next.URL.Scheme == first.Scheme && next.URL.Host == first.Host
		switch {
		case len(via) > maxRedirects, via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https":
			return http.ErrUseLastResponse
		case !readOnly && !same:
			return http.ErrUseLastResponse
		}
		next.Header.Del("Referer") // it would tell the former URL's query
		if same {
			return nil
		}
		for name := range credentials.Header {
			next.Header.Del(name)
		}
		next.Header.Del("Cookie")
		next.Header.Del("Authorization")
		return nil
	}
}

// read reads an answer's body.
func (c *Client) read(got *http.Response, cancel context.CancelCauseFunc) (*response.Answer, error) {
	a := &response.Answer{Status: got.StatusCode, Header: got.Header}
	stream := response.IsStream(strings.ToLower(got.Header.Get("Content-Type")))
	timer := time.AfterFunc(c.BodyTimeout, func() { cancel(errStalled) })
	defer timer.Stop()
	buffer := make([]byte, 32<<10)
	for {
		n, err := got.Body.Read(buffer)
		a.Body = append(a.Body, buffer[:n]...)
		tooLarge := int64(len(a.Body)) > c.MaxBody
		switch {
		case tooLarge && !stream && !a.Failed(): // the beginning of an error says enough
			return nil, errTooLarge
		case errors.Is(err, io.EOF) && !tooLarge:
			return a, nil
		case tooLarge, err != nil && stream && len(a.Body) > 0:
			a.Cut = true
			return a, nil
		case err != nil:
			return nil, err
		case n > 0 && !stream:
			timer.Reset(c.BodyTimeout)
		}
	}
}

// failure is the error of a request without a whole answer.
func (c *Client) failure(ctx context.Context, err error, sent, readOnly bool) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(err, errTooLarge) && readOnly:
		return sdk.Errorf(sdk.Unsupported, "the answer has more than %d bytes: ask for less, with filters or smaller pages", c.MaxBody)
	case errors.Is(err, errTooLarge):
		e := sdk.Errorf(sdk.Internal, "the call was carried out, and its answer has more than %d bytes", c.MaxBody)
		e.Effect = sdk.EffectUnknown
		return e
	case errors.Is(cause, errNoHeaders):
		return lost(fmt.Sprintf("the API sent no answer within %s", c.HeaderTimeout), sent, readOnly)
	case errors.Is(cause, errStalled):
		return lost(fmt.Sprintf("the API began an answer and sent no more of it for %s", c.BodyTimeout), sent, readOnly)
	case ctx.Err() != nil && sent:
		return ctx.Err()
	}
	return lost(fmt.Sprintf("the API cannot be reached: %v", withoutURL(err)), sent, readOnly)
}

// lost is the error of a request whose answer was lost.
func lost(message string, sent, readOnly bool) error {
	if readOnly || !sent {
		e := sdk.Errorf(sdk.Unavailable, "%s", message)
		e.Retryable = true
		e.Effect = sdk.EffectNone
		return e
	}
	// Of all codes this one has the host find out, or ask, before the program goes on.
	e := sdk.Errorf(sdk.Timeout, "%s; the call may have taken effect", message)
	e.Effect = sdk.EffectUnknown
	return e
}

// withoutURL takes the URL from an error, whose query may have a credential.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
