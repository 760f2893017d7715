package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
)

// free is a request by method and path.
type free struct {
	Method  string                     `json:"method"`
	Path    string                     `json:"path"`
	Query   map[string]json.RawMessage `json:"query"`
	Headers map[string]json.RawMessage `json:"headers"`
	Body    json.RawMessage            `json:"body"`
}

const freeSchema = `{"type":"object","properties":{` +
	`"method":{"type":"string","description":"GET, POST, ..."},` +
	`"path":{"type":"string","description":"The path behind the server's address, encoded: /repos/acme/site."},` +
	`"query":{"type":"object"},"headers":{"type":"object"},"body":true},"required":["method","path"],"additionalProperties":false}`

// requestMethod offers the operations by method and path. Each call is judged
// as the call of the operation that it is; as a method of its own it may be any
// of them, so it declares the worst. What no operation matches is refused.
func (a *api) requestMethod() sdk.Method {
	return sdk.RawMethod{
		Name: operation.RequestName, Description: "Call an operation by its HTTP method and path. Prefer the operation's own method.",
		InputSchema: json.RawMessage(freeSchema), Approval: sdk.Required, Destructive: true,
		Call: func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
			m, own, err := a.match(args)
			if err != nil {
				return nil, err
			}
			return a.call(ctx, m, own)
		},
		Resolve: func(_ context.Context, args json.RawMessage) (string, json.RawMessage, error) {
			m, own, err := a.match(args)
			if err != nil {
				return "", nil, err
			}
			return m.Name, own, nil
		},
		Preview: func(_ context.Context, args json.RawMessage) (string, error) {
			m, own, err := a.match(args)
			if err != nil {
				return "", err
			}
			return "Calls " + m.Name + " with " + string(own) + ". " + m.Description, nil
		},
	}
}

// match finds the operation that a request is, and its arguments.
func (a *api) match(args json.RawMessage) (*operation.Method, json.RawMessage, error) {
	var f free
	if err := json.Unmarshal(args, &f); err != nil {
		return nil, nil, sdk.Errorf(sdk.InvalidArgument, "the arguments are not {method, path, query?, headers?, body?}")
	}
	path, query, _ := strings.Cut(f.Path, "?")
	if query != "" {
		return nil, nil, sdk.Errorf(sdk.InvalidArgument, "put the query into query, not into path")
	}
	var best *operation.Method
	var values map[string]string
	for _, m := range a.set.Methods {
		if m.Request.Method != strings.ToUpper(f.Method) || m.Request.Query != "" {
			continue
		}
		// Of several, the one with the fewest values: /users/me goes before /users/{id}.
		if found, ok := matchPath(&m.Request, path); ok && (best == nil || len(found) < len(values)) {
			best, values = m, found
		}
	}
	if best == nil {
		return nil, nil, sdk.Errorf(sdk.NotFound, "no operation is %s %s", f.Method, path)
	}
	own, err := f.arguments(&best.Request, values)
	return best, own, err
}

// matchPath returns the values of a template's names in a path.
func matchPath(t *request.Template, path string) (map[string]string, bool) {
	wanted, given := strings.Split(t.Path, "/"), strings.Split(path, "/")
	if len(wanted) != len(given) {
		return nil, false
	}
	values := map[string]string{}
	for i, segment := range wanted {
		name, isName := strings.CutPrefix(segment, "{")
		if name, closed := strings.CutSuffix(name, "}"); isName && closed && given[i] != "" {
			value, err := url.PathUnescape(given[i])
			if err != nil {
				return nil, false
			}
			values[name] = value
		} else if segment != given[i] {
			return nil, false
		}
	}
	return values, true
}

// arguments writes a request's parts as the arguments of its operation.
func (f *free) arguments(t *request.Template, path map[string]string) (json.RawMessage, error) {
	own := map[string]json.RawMessage{}
	for _, p := range t.Parameters {
		switch p.In {
		case "path":
			own[p.Argument], _ = json.Marshal(path[p.Name]) // a string always has a JSON form
		case "query":
			take(own, p.Argument, f.Query, p.Name)
		case "header":
			take(own, p.Argument, f.Headers, p.Name)
		}
	}
	for name := range f.Query {
		return nil, sdk.Errorf(sdk.InvalidArgument, "the operation has no query parameter %q", name)
	}
	for name := range f.Headers {
		return nil, sdk.Errorf(sdk.InvalidArgument, "the operation has no header %q", name)
	}
	if f.Body != nil {
		own[request.BodyArgument] = f.Body
	}
	return json.Marshal(own)
}

// take moves a value from one map to another.
func take(to map[string]json.RawMessage, argument string, from map[string]json.RawMessage, name string) {
	if value, ok := from[name]; ok {
		to[argument] = value
		delete(from, name)
	}
}
