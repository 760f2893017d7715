package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// OAuthConfig is a client that is registered at the server's authorization server.
type OAuthConfig struct {
	ClientID     string `json:"client_id" jsonschema:"minLength=1" jsonschema_description:"The client's identifier."`
	ClientSecret string `json:"client_secret" jsonschema:"minLength=1" jsonschema_extras:"writeOnly=true" jsonschema_description:"The client's secret."`
	Issuer       string `json:"issuer,omitempty" jsonschema_description:"The authorization server; another that the MCP server names does not get the secret. Without it, the one that the MCP server names."`
}

// authLimit bounds each request for a token.
const authLimit = 30 * time.Second

// authorizer gets tokens by a client's own credentials (OAuth 2.1 client
// credentials). They stay in this process's memory.
type authorizer struct {
	mu      sync.Mutex // the SDK's handler has none
	handler *extauth.ClientCredentialsHandler
}

var _ auth.OAuthHandler = (*authorizer)(nil)

// authError says why there is no token.
type authError struct{ cause error }

func (e *authError) Error() string {
	return "the MCP server's authorization server gives no token: " + e.cause.Error()
}
func (e *authError) Unwrap() error { return e.cause }

func newAuthorizer(c *OAuthConfig) (*authorizer, error) {
	handler, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{
			ClientID: c.ClientID, Issuer: c.Issuer, ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: c.ClientSecret},
		},
		HTTPClient: &http.Client{Timeout: authLimit},
	})
	if err != nil {
		return nil, err
	}
	return &authorizer{handler: handler}, nil
}

// TokenSource implements auth.OAuthHandler.
func (a *authorizer) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.handler.TokenSource(ctx)
}

// Authorize implements auth.OAuthHandler. The source that it makes outlives ctx
// and renews its token later.
func (a *authorizer) Authorize(ctx context.Context, r *http.Request, resp *http.Response) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.handler.Authorize(context.WithoutCancel(ctx), r, resp); err != nil {
		return &authError{cause: err}
	}
	return nil
}

// checkOAuth refuses what cannot be used together.
func (c *Config) checkOAuth() error {
	switch {
	case c.OAuth == nil:
		return nil
	case c.Transport == transportSSE:
		return errors.New("the transport sse does not know it: write a token as a header of secrets")
	case c.header().Get("Authorization") != "":
		return errors.New("there is an Authorization header, too: one of them has to go")
	}
	return nil
}
