package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/mcp/internal/verbatim"
)

// tool is a tool as the server describes it.
type tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  hints           `json:"annotations"`
}

// hints are what the server says of a tool's effects.
type hints struct {
	ReadOnly    bool  `json:"readOnlyHint"`
	Idempotent  bool  `json:"idempotentHint"`
	Destructive *bool `json:"destructiveHint"` // nil is true
}

// methods lists the server's tools as methods.
func (c *connector) methods(ctx context.Context) ([]sdk.Method, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, c.hide.err(notStarted(err, err.Error()))
	}
	tools, err := listTools(ctx, s.client)
	if err != nil {
		return nil, c.hide.err(sdk.Errorf(sdk.Unavailable, "the MCP server does not list its tools: %v", err))
	}
	var methods []sdk.Method
	seen := map[string]bool{}
	for _, listed := range tools {
		t, err := readTool(listed)
		switch {
		case err != nil:
			c.log.Warn("a tool of the MCP server is left out", "tool", listed.Name, "reason", err)
		case seen[t.Name]:
			c.log.Warn("a tool of the MCP server is left out", "tool", t.Name, "reason", "there is another of this name")
		default:
			seen[t.Name] = true
			methods = append(methods, c.method(t))
		}
	}
	for _, m := range c.furtherMethods(s.client) {
		if seen[m.Name] {
			c.log.Warn("a tool of the MCP server stands in the place of the connector's own method", "tool", m.Name)
			continue
		}
		methods = append(methods, m)
	}
	return methods, nil
}

// furtherMethods are for what a server has beside its tools.
func (c *connector) furtherMethods(client *mcp.ClientSession) []sdk.RawMethod {
	has := client.InitializeResult().Capabilities
	var methods []sdk.RawMethod
	if has != nil && has.Resources != nil {
		methods = c.resourceMethods()
	}
	if has != nil && has.Prompts != nil {
		methods = append(methods, c.promptMethod())
	}
	return methods
}

// instructions are the server's, and its prompts.
func (c *connector) instructions(ctx context.Context) (string, error) {
	s, err := c.session(ctx)
	if err != nil {
		return "", c.hide.err(notStarted(err, err.Error()))
	}
	about := s.client.InitializeResult()
	if about.Capabilities == nil || about.Capabilities.Prompts == nil {
		return about.Instructions, nil
	}
	prompts, err := promptList(ctx, s.client)
	if err != nil {
		// Without them the tools are as good as with them.
		c.log.Warn("the MCP server does not list its prompts", "reason", c.hide.text(err.Error()))
	}
	return strings.TrimSpace(about.Instructions + "\n\n" + prompts), nil
}

// listTools reads all pages.
func listTools(ctx context.Context, client *mcp.ClientSession) ([]*mcp.Tool, error) {
	var tools []*mcp.Tool
	read := map[string]bool{}
	params := &mcp.ListToolsParams{}
	for {
		page, err := client.ListTools(ctx, params)
		if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == jsonrpc.CodeMethodNotFound {
			return nil, nil // a server that has no tools need not know the question
		}
		if err != nil {
			return nil, err
		}
		tools = append(tools, page.Tools...)
		if page.NextCursor == "" {
			return tools, nil
		}
		if read[page.NextCursor] {
			return nil, errors.New("its pages go round in circles")
		}
		read[page.NextCursor] = true
		params.Cursor = page.NextCursor
	}
}

// readTool reads a tool as the server wrote it.
func readTool(listed *mcp.Tool) (*tool, error) {
	t := &tool{}
	if err := json.Unmarshal(verbatim.Tool(listed), t); err != nil {
		return nil, fmt.Errorf("its description cannot be read: %w", err)
	}
	if t.Name == "" {
		return nil, errors.New("it has no name")
	}
	return t, nil
}

// method returns the method that calls t. What an untrusted server says never
// lowers the guard.
func (c *connector) method(t *tool) sdk.Method {
	m := sdk.RawMethod{
		Name:         t.Name,
		Description:  t.describe(),
		InputSchema:  present(t.InputSchema),
		OutputSchema: present(t.OutputSchema),
		Approval:     sdk.Required,
		Destructive:  true,
	}
	if c.config.givesEverything() {
		m.OutputSchema = nil // it describes the structured content alone
	}
	if c.config.Trusted {
		m.ReadOnly = t.Annotations.ReadOnly
		m.Idempotent = t.Annotations.Idempotent
		m.Destructive = !m.ReadOnly && (t.Annotations.Destructive == nil || *t.Annotations.Destructive)
	}
	if m.ReadOnly {
		m.Approval = sdk.NotRequired
	}
	m.Call = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		value, err := c.call(ctx, t.Name, m.ReadOnly, args)
		return value, c.hide.err(err)
	}
	return m
}

// describe returns the description; a tool without one has its title.
func (t *tool) describe() string {
	if t.Description == "" {
		return t.Title
	}
	return t.Description
}

// present returns nil for a schema that is null.
func present(schema json.RawMessage) json.RawMessage {
	if string(schema) == "null" {
		return nil
	}
	return schema
}
