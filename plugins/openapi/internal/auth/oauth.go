package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// oauth keeps one access token fresh.
type oauth struct {
	config  oauth2.Config
	tokens  *http.Client
	turn    chan struct{} // held by whoever gets a token: the others wait for it
	refresh string        // guarded by turn

	mu      sync.Mutex
	current *oauth2.Token
	seen    []string // tokens that an answer may still repeat
}

func newOAuth(c Credential, base *url.URL, tokens *http.Client) *oauth {
	address := c.TokenURL
	if parsed, err := url.Parse(address); err == nil && base != nil {
		address = base.ResolveReference(parsed).String()
	}
	return &oauth{
		config: oauth2.Config{
			ClientID: c.ClientID, ClientSecret: c.ClientSecret, Scopes: c.Scopes, Endpoint: oauth2.Endpoint{TokenURL: address},
		},
		tokens: tokens, turn: make(chan struct{}, 1), refresh: c.RefreshToken,
	}
}

// token returns a token that is good for now.
func (o *oauth) token(ctx context.Context) (string, error) {
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if t := o.known(); t.Valid() {
		return t.AccessToken, nil
	}
	t, err := o.fetch(context.WithValue(ctx, oauth2.HTTPClient, o.tokens))
	if err != nil {
		return "", tokenError(ctx, err)
	}
	o.keep(t)
	return t.AccessToken, nil
}

func (o *oauth) fetch(ctx context.Context) (*oauth2.Token, error) {
	if o.refresh == "" {
		c := clientcredentials.Config{ClientID: o.config.ClientID, ClientSecret: o.config.ClientSecret, TokenURL: o.config.Endpoint.TokenURL, Scopes: o.config.Scopes}
		return c.Token(ctx)
	}
	t, err := o.config.TokenSource(ctx, &oauth2.Token{RefreshToken: o.refresh}).Token()
	if err == nil && t.RefreshToken != "" {
		o.refresh = t.RefreshToken // some servers give each only once
	}
	return t, err
}

// tokenError is the error of a request that was not made, for want of a token.
// The server's own words may repeat what it was sent.
func tokenError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		said := refused.ErrorCode
		if said == "" && refused.Response != nil {
			said = refused.Response.Status
		}
		e := sdk.Errorf(sdk.Unauthenticated, "the token server refuses the configured client: %s", said)
		e.Effect = sdk.EffectNone
		return e
	}
	e := sdk.Errorf(sdk.Unavailable, "the token server cannot be reached")
	e.Retryable, e.Effect = true, sdk.EffectNone
	return e
}

func (o *oauth) known() *oauth2.Token {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.current
}

// keep remembers a token, and the one before it.
func (o *oauth) keep(t *oauth2.Token) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = []string{t.AccessToken, t.RefreshToken}
	if o.current != nil {
		o.seen = append(o.seen, o.current.AccessToken, o.current.RefreshToken)
	}
	o.current = t
}

// forget makes the next request get another token.
func (o *oauth) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.current != nil {
		o.current = &oauth2.Token{AccessToken: o.current.AccessToken, RefreshToken: o.current.RefreshToken, Expiry: longAgo}
	}
}

func (o *oauth) secrets() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen
}

// longAgo is the expiry of a token that is of no use any more.
var longAgo = time.Unix(1, 0)
