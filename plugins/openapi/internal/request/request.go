// Package request turns the arguments of a call into an HTTP request, exactly
// as an operation's description says.
package request

import (
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// The arguments that are no parameters.
const (
	BodyArgument  = "body"
	MediaArgument = "$contentType"
)

// Template is how one operation is asked.
type Template struct {
	Method string
	Server string // a URL without a slash at its end
	// Path is the template, Query what the document writes behind it.
	Path, Query string
	Parameters  []Parameter
	// Body are the forms of the body, the preferred one first; none: there is no body.
	Body         []Media
	BodyRequired bool
	// Accept is the header's value.
	Accept string
}

// Parameter is one parameter and the argument that it is given by.
type Parameter struct {
	Argument string
	Name, In string
	Required bool
	Style    document.Style
	Reserved bool
	Segments bool
	Content  string // the media type; "": by style
}

// Media is one form of a body.
type Media struct {
	Type     string
	Kind     Kind
	Encoding map[string]document.Encoding
	// Files says that a form of several parts is described as a file, or a list of files, without the name of a part.
	Files bool
}

// Request is a request without credentials.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte // nil: none
}

// Build makes the request of a call. args is one JSON object, nil an empty
// one; options are names that it may have besides.
func (t *Template) Build(args json.RawMessage, options ...string) (*Request, error) {
	given, err := t.read(args, options)
	if err != nil {
		return nil, err
	}
	path, err := t.path(given)
	if err != nil {
		return nil, err
	}
	query, err := t.query(given)
	if err != nil {
		return nil, err
	}
	r := &Request{Method: t.Method, URL: t.Server + path, Header: http.Header{}}
	if query != "" {
		r.URL += "?" + query
	}
	if err := t.headers(r, given); err != nil {
		return nil, err
	}
	return r, t.body(r, given)
}

// read checks the names of the arguments and returns their values.
func (t *Template) read(args json.RawMessage, options []string) (map[string]raw.Value, error) {
	given := map[string]raw.Value{}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if !json.Valid(args) || args[0] != '{' {
		return nil, sdk.Errorf(sdk.InvalidArgument, "the arguments are no JSON object")
	}
	allowed := append(t.arguments(), options...)
	for name, value := range raw.Value(args).Members() {
		if !slices.Contains(allowed, name) {
			return nil, sdk.Errorf(sdk.InvalidArgument, "there is no argument %q; there are: %s", name, strings.Join(allowed, ", "))
		}
		given[name] = value
	}
	return given, t.missing(given)
}

// arguments lists the names that a call can have.
func (t *Template) arguments() []string {
	var names []string
	for _, p := range t.Parameters {
		names = append(names, p.Argument)
	}
	if len(t.Body) > 0 {
		names = append(names, BodyArgument)
	}
	if len(t.Body) > 1 {
		names = append(names, MediaArgument)
	}
	return names
}

// missing reports required arguments that are not given.
func (t *Template) missing(given map[string]raw.Value) error {
	var names []string
	for _, p := range t.Parameters {
		if p.Required && given[p.Argument] == nil {
			names = append(names, p.Argument)
		}
	}
	if t.BodyRequired && given[BodyArgument] == nil {
		names = append(names, BodyArgument)
	}
	if len(names) == 0 {
		return nil
	}
	return sdk.Errorf(sdk.InvalidArgument, "missing: %s", strings.Join(names, ", "))
}

// in yields the given parameters of a place, in the document's order.
func (t *Template) in(place string, given map[string]raw.Value) iter.Seq2[Parameter, raw.Value] {
	return func(yield func(Parameter, raw.Value) bool) {
		for _, p := range t.Parameters {
			if value := given[p.Argument]; p.In == place && value != nil && !yield(p, value) {
				return
			}
		}
	}
}

func (t *Template) path(given map[string]raw.Value) (string, error) {
	var replacements []string
	for p, value := range t.in("path", given) {
		text, err := p.pathText(value)
		if err != nil {
			return "", err
		}
		replacements = append(replacements, "{"+p.Name+"}", text)
	}
	path := escapeTemplate(strings.NewReplacer(replacements...).Replace(t.Path))
	if climbs(path) {
		return "", sdk.Errorf(sdk.InvalidArgument, `a path value must not make a segment "." or ".."`)
	}
	return path, nil
}

func (t *Template) query(given map[string]raw.Value) (string, error) {
	var parts []string
	if t.Query != "" {
		parts = append(parts, t.Query)
	}
	for p, value := range t.in("query", given) {
		if part := p.queryText(value); part != "" {
			parts = append(parts, part)
		}
	}
	for p, value := range t.in("querystring", given) {
		part, err := p.wholeQuery(value)
		if err != nil {
			return "", err
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "&"), nil
}

func (t *Template) headers(r *Request, given map[string]raw.Value) error {
	if t.Accept != "" {
		r.Header.Set("Accept", t.Accept)
	}
	for p, value := range t.in("header", given) {
		text, err := p.headerText(value)
		if err != nil {
			return err
		}
		r.Header.Set(p.Name, text)
	}
	var cookies []string
	for p, value := range t.in("cookie", given) {
		if text := p.cookieText(value); text != "" {
			cookies = append(cookies, text)
		}
	}
	if len(cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	return nil
}
