package document

import "strings"

// Scheme is one way to prove who calls.
type Scheme struct {
	Type string // apiKey, http, oauth2, openIdConnect, mutualTLS
	// In and Name place an apiKey: header, query or cookie.
	In, Name string
	// HTTP is the scheme of type http, in lower case: basic, bearer, ...
	HTTP string
	// TokenURL is that of OAuth 2's flows; that of client credentials goes first. It may be relative.
	TokenURL string
}

// schemes reads the security schemes.
func (d *Document) schemes() map[string]Scheme {
	all := d.field("components").Get("securitySchemes")
	if d.Dialect == Swagger2 {
		all = d.field("securityDefinitions")
	}
	schemes := map[string]Scheme{}
	for name, v := range all.Members() {
		if v, err := v.Resolve(); err == nil {
			schemes[name] = readScheme(v)
		}
	}
	return schemes
}

func readScheme(v Value) Scheme {
	s := Scheme{
		Type: v.Get("type").Text(), In: v.Get("in").Text(), Name: v.Get("name").Text(),
		HTTP: strings.ToLower(v.Get("scheme").Text()), TokenURL: v.Get("tokenUrl").Text(),
	}
	if s.Type == "basic" { // of Swagger 2.0
		s.Type, s.HTTP = "http", "basic"
	}
	for _, flow := range []string{"clientCredentials", "password", "authorizationCode", "deviceAuthorization"} {
		if url := v.Get("flows").Get(flow).Get("tokenUrl").Text(); url != "" && s.TokenURL == "" {
			s.TokenURL = url
		}
	}
	return s
}

// security reads the requirements of the first level that says something.
func security(levels ...Value) [][]string {
	for _, level := range levels {
		if !level.IsArray() {
			continue
		}
		alternatives := [][]string{}
		for item := range level.Items() {
			together := []string{}
			for name := range item.Members() {
				together = append(together, name)
			}
			alternatives = append(alternatives, together)
		}
		return alternatives
	}
	return nil
}
