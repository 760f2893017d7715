package main

import (
	"errors"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// resolveURL checks what concerns a server with a url.
func (c *Config) resolveURL(refuse func(err error, path ...string)) {
	address, err := url.Parse(c.URL)
	switch {
	case err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https"):
		refuse(errors.New("this is no address like https://example.com/mcp"), "url")
	case address.User != nil:
		refuse(errors.New("it holds credentials, which would be shown: write them as a header of secrets"), "url")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		refuse(checkHeader(name, c.Headers[name]), "headers", name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		refuse(c.checkSecretHeader(name), "secrets", name)
	}
	refuse(c.checkOAuth(), "oauth")
	needCommand := errors.New("this is for a server with a command")
	if len(c.Args) > 0 {
		refuse(needCommand, "args")
	}
	if len(c.Env) > 0 {
		refuse(needCommand, "env")
	}
	if c.Dir != "" {
		refuse(needCommand, "dir")
	}
}

// checkSecretHeader refuses a header that no request can have, or would have twice.
func (c *Config) checkSecretHeader(name string) error {
	for other := range c.Headers {
		if strings.EqualFold(other, name) {
			return errors.New("it stands in headers, too: one of them has to go")
		}
	}
	return checkHeader(name, c.Secrets[name])
}

// checkHeader refuses what is no header, and those that are the protocol's.
func checkHeader(name, value string) error {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("this is no name of a header")
	case !httpguts.ValidHeaderFieldValue(strings.TrimSpace(value)):
		return errors.New("the value holds what no header can")
	case canonical == "Host", canonical == "Content-Type", canonical == "Content-Length", canonical == "Accept", strings.HasPrefix(canonical, "Mcp-"):
		return errors.New("this header is the protocol's own")
	}
	return nil
}

// header returns Headers and Secrets as they are sent.
func (c *Config) header() http.Header {
	all := http.Header{}
	for _, headers := range []map[string]string{c.Headers, c.Secrets} {
		for name, value := range headers {
			all.Set(name, strings.TrimSpace(value))
		}
	}
	return all
}
