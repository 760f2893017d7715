package main

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/github/internal/transport"
)

const (
	// publicURL is the base URL of github.com's API.
	publicURL = "https://api.github.com/"
	// usualConcurrency is modest: GitHub's secondary limits punish bursts.
	usualConcurrency = 4
)

// Config is the connector's config block.
type Config struct {
	Token string `json:"token,omitempty" jsonschema_extras:"writeOnly=true" jsonschema_description:"A personal access token, fine-grained or classic. Either this or app."`
	App   *App   `json:"app,omitempty" jsonschema_description:"A GitHub App's installation, whose tokens the connector gets and renews. Either this or token."`

	BaseURL     string `json:"base_url,omitempty" jsonschema:"default=https://api.github.com/" jsonschema_description:"The API of a GitHub Enterprise Server: https://HOST/api/v3/."`
	Concurrency int    `json:"concurrency,omitempty" jsonschema:"minimum=1,maximum=50,default=4" jsonschema_description:"How many requests are under way at once."`

	RevertMerges bool `json:"revert_merges,omitempty" jsonschema:"default=false" jsonschema_description:"Let a rollback answer a merge with a pull request that reverts it. Without this a merge stays."`
}

// App names an installation of a GitHub App.
type App struct {
	ID             int64  `json:"id" jsonschema:"minimum=1" jsonschema_description:"The App's ID."`
	InstallationID int64  `json:"installation_id" jsonschema:"minimum=1" jsonschema_description:"The installation's ID, the last part of its settings' address."`
	PrivateKey     string `json:"private_key" jsonschema:"minLength=1" jsonschema_extras:"writeOnly=true" jsonschema_description:"The App's private key in PEM form; file(\"app.pem\") reads one."`
}

// open makes the client, or says what is wrong with the configuration.
func (c *Config) open(base http.RoundTripper) (*github.Client, error) {
	api, err := c.api()
	if err != nil {
		return nil, refused("base_url", err)
	}
	tokens, err := c.tokens(api, base)
	if err != nil {
		return nil, err
	}
	concurrency := c.Concurrency
	if concurrency == 0 {
		concurrency = usualConcurrency
	}
	baseURL := api.String()
	return github.NewClient(
		github.WithURLs(&baseURL, nil),
		github.WithUserAgent("codemode-connector-github/"+version),
		github.WithTransport(transport.New(transport.Options{API: api, Tokens: tokens, Concurrency: concurrency, Base: base})),
	)
}

// api returns the base URL, with the slash at its end that requests need.
func (c *Config) api() (*url.URL, error) {
	text := c.BaseURL
	if text == "" {
		text = publicURL
	}
	if !strings.HasSuffix(text, "/") {
		text += "/"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is no URL")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, errors.New("it must begin with https:// and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("it must be an address without user, query or fragment")
	}
	return u, nil
}

func (c *Config) tokens(api *url.URL, base http.RoundTripper) (transport.TokenSource, error) {
	token := strings.TrimSpace(c.Token)
	switch {
	case token != "" && c.App != nil:
		return nil, refused("app", errors.New("token is set, too: one of them has to go"))
	case token != "":
		return transport.Static(token), nil
	case c.App == nil:
		return nil, refused("token", errors.New("neither token nor app is set; is the environment variable it comes from empty?"))
	}
	app, err := transport.NewApp(c.App.ID, c.App.InstallationID, []byte(c.App.PrivateKey), api.String(), base)
	if err != nil {
		return nil, refused("app.private_key", errors.New("it is no RSA private key in PEM form"))
	}
	return app, nil
}

// refused is the error of a configuration that is wrong at a path.
func refused(path string, err error) error {
	e := sdk.Errorf(sdk.InvalidArgument, "GitHub cannot be reached as it is configured")
	e.Diagnostics = []sdk.Diagnostic{{Path: strings.Split(path, "."), Summary: err.Error()}}
	return e
}
