package main

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/auth"
)

// Config is the connector's config block.
type Config struct {
	Spec     string `json:"spec" jsonschema:"minLength=1" jsonschema_description:"The document: a file, or an https or http URL. It is read when the connector starts."`
	Checksum string `json:"checksum,omitempty" jsonschema:"pattern=^sha256:[0-9a-f]{64}$" jsonschema_description:"The document's SHA-256; another document is refused."`

	BaseURL         string            `json:"base_url,omitempty" jsonschema_description:"The API's address, in the place of all servers that the document names."`
	ServerVariables map[string]string `json:"server_variables,omitempty" jsonschema_description:"Values of variables in the document's servers."`

	Credentials map[string]auth.Credential `json:"credentials,omitempty" jsonschema_description:"Credentials by the names of the document's security schemes; of another name, they need a type and go with every request."`
	Headers     map[string]string          `json:"headers,omitempty" jsonschema_description:"Headers of every request, which replace the connector's own. Credentials belong elsewhere: these are shown."`
	UserAgent   string                     `json:"user_agent,omitempty" jsonschema_description:"The User-Agent header; codemode-openapi and its version without it."`
	// IdempotencyHeader, say Idempotency-Key, makes writes repeatable.
	IdempotencyHeader string `json:"idempotency_header,omitempty" jsonschema_description:"The header in which the API takes a key that makes a repeated write count once. With it every write is idempotent."`

	HeaderTimeout string `json:"header_timeout,omitempty" jsonschema:"default=30s" jsonschema_description:"How long the API may take to begin an answer."`
	BodyTimeout   string `json:"body_timeout,omitempty" jsonschema:"default=30s" jsonschema_description:"How long an answer may pause, and how long a stream of events or lines is read."`
	MaxResponse   int    `json:"max_response,omitempty" jsonschema:"minimum=1,default=1000000" jsonschema_description:"The most bytes of an answer to a read. Recorded values have a limit of a million characters."`
	MaxPages      int    `json:"max_pages,omitempty" jsonschema:"minimum=1,default=100" jsonschema_description:"The most pages that one call with $all asks for."`

	Request bool `json:"request,omitempty" jsonschema:"default=false" jsonschema_description:"Offer the method request, which calls an operation by its HTTP method and path. It always asks for approval, and rules on the operations' own methods do not see it."`

	// Made of the above by resolve.
	specURL                    *url.URL // nil: a file
	headerTimeout, bodyTimeout time.Duration
}

// maxWritten is the most bytes of an answer to a write, whose result is known to matter even if it is large.
const maxWritten = 16 << 20

// resolve checks the configuration and reports, all at once, what is wrong.
func (c *Config) resolve() error {
	var wrong []sdk.Diagnostic
	refuse := func(err error, path ...string) {
		if err != nil {
			wrong = append(wrong, sdk.Diagnostic{Path: path, Summary: err.Error()})
		}
	}
	refuse(c.findSpec(), "spec")
	if c.BaseURL != "" {
		base, err := parseURL(c.BaseURL)
		if err == nil && (base.RawQuery != "" || base.Fragment != "") {
			err = errors.New("an API's address has neither a query nor a fragment")
		}
		refuse(err, "base_url")
	}
	var err error
	c.headerTimeout, err = duration(c.HeaderTimeout)
	refuse(err, "header_timeout")
	c.bodyTimeout, err = duration(c.BodyTimeout)
	refuse(err, "body_timeout")
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		refuse(checkHeader(name, c.Headers[name]), "headers", name)
	}
	if c.IdempotencyHeader != "" {
		refuse(checkHeader(c.IdempotencyHeader, ""), "idempotency_header")
	}
	c.setDefaults()
	refuse(checkHeader("User-Agent", c.UserAgent), "user_agent")
	return diagnosed(wrong)
}

func (c *Config) setDefaults() {
	if c.MaxResponse == 0 {
		c.MaxResponse = 1_000_000
	}
	if c.MaxPages == 0 {
		c.MaxPages = 100
	}
	if c.UserAgent == "" {
		c.UserAgent = "codemode-openapi/" + version
	}
}

// diagnosed is the error of a configuration; nil if nothing is wrong.
func diagnosed(wrong []sdk.Diagnostic) error {
	if len(wrong) == 0 {
		return nil
	}
	refused := sdk.Errorf(sdk.InvalidArgument, "the API cannot be offered as it is configured")
	refused.Diagnostics = wrong
	return refused
}

// findSpec finds out whether the document is on the web or a file.
func (c *Config) findSpec() error {
	if strings.Contains(c.Spec, "://") {
		parsed, err := parseURL(c.Spec)
		c.specURL = parsed
		return err
	}
	path, err := filepath.Abs(c.Spec)
	c.Spec = path
	return err
}

func parseURL(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	switch {
	case err != nil, parsed.Host == "", parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil, errors.New("this is no https or http URL")
	case parsed.User != nil:
		return nil, errors.New("credentials do not belong into a URL: see credentials")
	}
	return parsed, nil
}

// duration reads a duration; without one it is 30 s.
func duration(text string) (time.Duration, error) {
	if text == "" {
		return 30 * time.Second, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf(`this is no duration: write "30s" or "2m"`)
	}
	return d, nil
}

func checkHeader(name, value string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return fmt.Errorf("%q is no name of a header", name)
	case !httpguts.ValidHeaderFieldValue(value):
		return errors.New("a header must not have line breaks")
	case http.CanonicalHeaderKey(name) == "Host":
		return errors.New("the host follows from base_url")
	}
	return nil
}
