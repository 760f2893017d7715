package mcpserver

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
)

// The addresses of what can be read.
const (
	executionsURI = "codemode://executions"
	snippetsURI   = "codemode://snippets"
	asJSON        = "application/json"
)

// read returns what stands under the rest of an address; nil: nothing does.
type read func(ctx context.Context, rest string) (any, error)

// addResources registers what clients can read.
func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		URI: executionsURI, Name: "executions", Title: "Executions", MIMEType: asJSON, Description: "The newest executions, and how they stand.",
	}, reads(executionsURI, func(ctx context.Context, _ string) (any, error) { return s.host.Executions(ctx, core.ListRequest{}) }))
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: executionsURI + "/{executionId}", Name: "execution", Title: "Execution", MIMEType: asJSON,
		Description: "One execution in full: its program, its calls and what was decided.",
	}, reads(executionsURI, s.readExecution))
	s.mcp.AddResource(&mcp.Resource{
		URI: snippetsURI, Name: "snippets", Title: "Snippets", MIMEType: asJSON, Description: "The saved programs.",
	}, reads(snippetsURI, func(ctx context.Context, _ string) (any, error) { return s.host.Snippets(ctx) }))
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: snippetsURI + "/{name}", Name: "snippet", Title: "Snippet", MIMEType: asJSON,
		Description: "One saved program, its newest version.",
	}, reads(snippetsURI, s.readSnippet))
}

// reads is the handler of the addresses that begin in one way.
func reads(base string, f read) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI
		rest, err := url.PathUnescape(strings.TrimPrefix(strings.TrimPrefix(uri, base), "/"))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		v, err := f(ctx, rest)
		if err != nil {
			return nil, err
		}
		if v == nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		text, err := plainJSON(v)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: asJSON, Text: text}}}, nil
	}
}

func (s *Server) readExecution(ctx context.Context, id string) (any, error) {
	d, err := s.host.Show(ctx, id)
	var missing *core.NotFoundError
	if errors.As(err, &missing) {
		return nil, nil
	}
	return d, err
}

func (s *Server) readSnippet(ctx context.Context, name string) (any, error) {
	snippet, err := s.host.Snippet(ctx, name, 0)
	var missing *core.SnippetError
	if errors.As(err, &missing) {
		return nil, nil
	}
	return snippet, err
}
