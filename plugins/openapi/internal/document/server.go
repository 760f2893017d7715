package document

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Server is one address of an API.
type Server struct {
	URL       string // a template; it may be relative to the document's own
	Variables map[string]Variable
}

// Variable is a name in a server's template.
type Variable struct {
	Default string
	Enum    []string
}

// servers returns the servers of the first level that has any.
func (d *Document) servers(levels ...fields) []Server {
	for _, level := range levels {
		if list := readServers(level["servers"]); len(list) > 0 {
			return list
		}
	}
	if list := readServers(d.field("servers")); len(list) > 0 {
		return list
	}
	return []Server{{URL: "/"}}
}

func readServers(v Value) []Server {
	var list []Server
	for item := range v.Items() {
		item, err := item.Resolve()
		if err != nil || item.Get("url").Text() == "" {
			continue
		}
		s := Server{URL: item.Get("url").Text(), Variables: map[string]Variable{}}
		for name, variable := range item.Get("variables").Members() {
			s.Variables[name] = Variable{Default: literal(variable.Get("default")), Enum: variable.Get("enum").Texts()}
		}
		list = append(list, s)
	}
	return list
}

// literal returns a string, or the text of a number or a boolean that should have been one.
func literal(v Value) string {
	if v.IsString() || !v.Exists() {
		return v.Text()
	}
	return string(v.Raw())
}

// Address returns the server's URL with these variables, or their defaults, resolved against
// base, the document's own address. It has no trailing slash.
func (s Server) Address(variables map[string]string, base *url.URL) (string, error) {
	text := s.URL
	for _, name := range TemplateNames(text) {
		value, given := variables[name]
		variable := s.Variables[name]
		if !given {
			value = variable.Default
		}
		if value == "" && !given {
			return "", fmt.Errorf("the server %s needs a value for %q: set server_variables, or base_url", s.URL, name)
		}
		if len(variable.Enum) > 0 && !slices.Contains(variable.Enum, value) {
			return "", fmt.Errorf("the server %s has no %s %q; it has %s", s.URL, name, value, strings.Join(variable.Enum, ", "))
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	address, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the server %s is no URL", text)
	}
	if base != nil {
		address = base.ResolveReference(address)
	}
	if (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return "", fmt.Errorf("the server %s does not say where it is: set base_url", text)
	}
	address.RawQuery, address.Fragment = "", ""
	return strings.TrimRight(address.String(), "/"), nil
}
