package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
)

const searchDescription = "Finds methods that programs can call, by what people call things. Programs can do the same: codemode.search."

const describeDescription = "Describes a namespace, a method, a type or a snippet, with TypeScript declarations. Programs can do the same: codemode.describe."

var searchInput = json.RawMessage(`{"type":"object","properties":{` +
	`"text":{"type":"string","description":"What you want to do, in a few words; empty lists all."},` +
	`"connector":{"type":"string","description":"Only this namespace."},` +
	`"limit":{"type":"integer","description":"How many at most: 10 if left out, 50 at most."},` +
	`"cursor":{"type":"string","description":"Goes on where an earlier search ended."}},` +
	`"additionalProperties":false}`)

var describeInput = json.RawMessage(`{"type":"object","properties":{` +
	`"target":{"type":"string","description":"namespace, namespace#tag, namespace.method, namespace:Type or a snippet's name."}},` +
	`"required":["target"],"additionalProperties":false}`)

func (s *Server) search(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var q catalog.Query
	if err := decode(req.Params.Arguments, &q); err != nil {
		return s.reply(engine.StateError("", `The tool `+ToolSearch+` takes one object: {"text": "...", "connector"?: "...", "limit"?: 10, "cursor"?: "..."}.`)), nil
	}
	r, err := s.host.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	return found(r)
}

func (s *Server) describe(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Target string `json:"target"`
	}
	if err := decode(req.Params.Arguments, &args); err != nil || args.Target == "" {
		return s.reply(engine.StateError("", `The tool `+ToolDescribe+` takes one object: {"target": "..."}.`)), nil
	}
	d, err := s.host.Describe(ctx, args.Target)
	if err != nil {
		return nil, err
	}
	return found(d)
}

// found is data that was looked up, with the same as text.
func found(v any) (*mcp.CallToolResult, error) {
	text, err := plainJSON(v)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: v, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

// plainJSON writes JSON without the escapes that are for HTML pages: models read it.
func plainJSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("write the answer: %w", err)
	}
	return b.String(), nil
}
