// Package auth knows the configured credentials and which of them an
// operation's request carries.
package auth

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/client"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

// Credential is one configured credential. Which fields count depends on the
// type, which the document's security scheme of the same name gives.
type Credential struct {
	Type string `json:"type,omitempty" jsonschema:"enum=bearer,enum=basic,enum=api_key,enum=oauth2" jsonschema_description:"What it is. Needed only where the document has no security scheme of this name; then every request carries it."`

	Token  string `json:"token,omitempty" jsonschema_extras:"writeOnly=true" jsonschema_description:"The token of bearer, or the key of api_key."`
	Prefix string `json:"prefix,omitempty" jsonschema_description:"The word before a bearer token; Bearer without it."`
	In     string `json:"in,omitempty" jsonschema:"enum=header,enum=query,enum=cookie" jsonschema_description:"Where api_key goes."`
	Name   string `json:"name,omitempty" jsonschema_description:"The name of api_key's header, query parameter or cookie."`

	Username string `json:"username,omitempty" jsonschema_description:"The user of basic."`
	Password string `json:"password,omitempty" jsonschema_extras:"writeOnly=true" jsonschema_description:"The password of basic."`

	ClientID     string   `json:"client_id,omitempty" jsonschema_description:"The client of oauth2."`
	ClientSecret string   `json:"client_secret,omitempty" jsonschema_extras:"writeOnly=true" jsonschema_description:"The secret of oauth2's client."`
	RefreshToken string   `json:"refresh_token,omitempty" jsonschema_extras:"writeOnly=true" jsonschema_description:"A refresh token of oauth2; without it the client's own credentials are used."`
	TokenURL     string   `json:"token_url,omitempty" jsonschema_description:"Where oauth2's tokens come from; the document's own without it."`
	Scopes       []string `json:"scopes,omitempty" jsonschema_description:"The scopes that oauth2 asks for."`
}

// Set is all credentials. It is safe for concurrent use.
type Set struct {
	named map[string]*credential // of the document's schemes
	// always are those that the document does not know, by name.
	always []*credential
}

// credential is a credential that is complete.
type credential struct {
	Credential
	oauth *oauth // nil: its token does not change
}

// Fault is what is wrong with a credential.
type Fault struct{ Name, Field, Text string }

// New completes the configured credentials by the document's schemes. base is
// what a relative token URL is relative to; nil: nothing.
func New(configured map[string]Credential, schemes map[string]document.Scheme, base *url.URL, tokens *http.Client) (*Set, []Fault) {
	s := &Set{named: map[string]*credential{}}
	var faults []Fault
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		scheme, known := schemes[name]
		c := &credential{Credential: configured[name]}
		if !known && c.Type == "" {
			faults = append(faults, Fault{name, "type", fmt.Sprintf("the document has no security scheme %q; it has: %s. Use one of them, or set type", name, list(schemes))})
			continue
		}
		c.complete(scheme)
		if field, text := c.fault(); text != "" {
			faults = append(faults, Fault{name, field, text})
			continue
		}
		if c.Type == "oauth2" && c.Token == "" {
			c.oauth = newOAuth(c.Credential, base, tokens)
		}
		if known {
			s.named[name] = c
		} else {
			s.always = append(s.always, c)
		}
	}
	return s, faults
}

func list(schemes map[string]document.Scheme) string {
	if len(schemes) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(schemes)), ", ")
}

// complete takes from the document what the configuration does not say.
func (c *credential) complete(scheme document.Scheme) {
	or := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	switch scheme.Type {
	case "apiKey":
		or(&c.Type, "api_key")
		or(&c.In, scheme.In)
		or(&c.Name, scheme.Name)
	case "oauth2":
		or(&c.Type, "oauth2")
		or(&c.TokenURL, scheme.TokenURL)
	case "http":
		if scheme.HTTP == "basic" {
			or(&c.Type, "basic")
		} else if scheme.HTTP != "bearer" {
			or(&c.Prefix, scheme.HTTP)
		}
	}
	or(&c.Type, "bearer")
	or(&c.Prefix, "Bearer")
}

// fault says which field a credential lacks.
func (c *credential) fault() (field, text string) {
	switch {
	case c.Type == "bearer" && c.Token == "", c.Type == "api_key" && c.Token == "":
		return "token", "a token is needed"
	case c.Type == "api_key" && c.Name == "":
		return "name", "the name of the header, query parameter or cookie is needed"
	case c.Type == "api_key" && !slices.Contains([]string{"header", "query", "cookie"}, c.In):
		return "in", "header, query or cookie is needed"
	case c.Type == "basic" && c.Username == "" && c.Password == "":
		return "username", "a username and a password are needed"
	case c.Type == "oauth2" && c.Token == "" && c.ClientID == "":
		return "client_id", "a client is needed, or a token"
	case c.Type == "oauth2" && c.Token == "" && c.TokenURL == "":
		return "token_url", "the document does not say where tokens come from"
	}
	for _, secret := range []string{c.Token, c.Username, c.Password} {
		if strings.ContainsAny(secret, "\r\n\x00") {
			return "token", "a credential must not have line breaks; trim what comes from a file: trimspace(file(...))"
		}
	}
	return "", ""
}

// choose returns the credentials of a request: those that the document does not
// know, and those of the first alternative for which all are there. Where the
// document says nothing of an operation, all are.
func (s *Set) choose(security [][]string) []*credential {
	chosen := slices.Clone(s.always)
	if security == nil {
		for _, name := range slices.Sorted(maps.Keys(s.named)) {
			chosen = append(chosen, s.named[name])
		}
		return chosen
	}
	for _, together := range security {
		var all []*credential
		for _, name := range together {
			if c := s.named[name]; c != nil {
				all = append(all, c)
			}
		}
		if len(all) == len(together) && len(all) > 0 {
			return append(chosen, all...)
		}
	}
	return chosen
}

// For returns what a request to an operation carries.
func (s *Set) For(ctx context.Context, security [][]string) (client.Credentials, error) {
	carried := client.Credentials{Header: http.Header{}, Query: url.Values{}}
	for _, c := range s.choose(security) {
		if err := c.add(ctx, &carried); err != nil {
			return client.Credentials{}, err
		}
	}
	return carried, nil
}

// Renew forgets the tokens that a request to an operation carried, and reports
// whether there were any that can be had anew.
func (s *Set) Renew(security [][]string) bool {
	renewed := false
	for _, c := range s.choose(security) {
		if c.oauth != nil {
			c.oauth.forget()
			renewed = true
		}
	}
	return renewed
}

func (c *credential) add(ctx context.Context, carried *client.Credentials) error {
	switch c.Type {
	case "basic":
		pair := base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
		carried.Header.Set("Authorization", "Basic "+pair)
	case "api_key":
		c.addKey(carried)
	default:
		token := c.Token
		if c.oauth != nil {
			var err error
			if token, err = c.oauth.token(ctx); err != nil {
				return err
			}
		}
		carried.Header.Set("Authorization", c.Prefix+" "+token)
	}
	return nil
}

func (c *credential) addKey(carried *client.Credentials) {
	switch c.In {
	case "query":
		carried.Query.Set(c.Name, c.Token)
	case "cookie":
		if carried.Cookie != "" {
			carried.Cookie += "; "
		}
		carried.Cookie += c.Name + "=" + url.QueryEscape(c.Token)
	default:
		carried.Header.Set(c.Name, c.Token)
	}
}

// Secrets lists what must not be shown.
func (s *Set) Secrets() []string {
	all := slices.Clone(s.always)
	for _, c := range s.named {
		all = append(all, c)
	}
	var secrets []string
	for _, c := range all {
		secrets = append(secrets, c.Token, c.Password, c.ClientSecret, c.RefreshToken)
		if c.Type == "basic" {
			secrets = append(secrets, c.Username+":"+c.Password)
		}
		if c.oauth != nil {
			secrets = append(secrets, c.oauth.secrets()...)
		}
	}
	return secrets
}
