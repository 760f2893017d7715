package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// promptMethod is that of a server that has prompts.
func (c *connector) promptMethod() sdk.RawMethod {
	return sdk.RawMethod{
		Name:        "get_prompt",
		Description: "Get a prompt of the MCP server, filled in: its messages are texts for a model.",
		Tags:        []string{"prompts"},
		ReadOnly:    true,
		Approval:    c.readApproval(),
		InputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"],"additionalProperties":false}`),
		Call: c.guarded(func(ctx context.Context, client *mcp.ClientSession, args json.RawMessage) (any, error) {
			in := &mcp.GetPromptParams{}
			if err := json.Unmarshal(args, in); err != nil {
				return nil, sdk.Errorf(sdk.InvalidArgument, "the arguments of a prompt are strings")
			}
			got, err := client.GetPrompt(ctx, in)
			if err != nil {
				return nil, err
			}
			raw, err := json.Marshal(map[string]any{"description": got.Description, "messages": got.Messages})
			if err != nil {
				return nil, fmt.Errorf("encode a prompt: %w", err)
			}
			return wire.Escape(raw)
		}),
	}
}

// promptList tells a model of the prompts, a line each; empty: there are none.
func promptList(ctx context.Context, client *mcp.ClientSession) (string, error) {
	var lines []string
	for p, err := range client.Prompts(ctx, nil) {
		if err != nil {
			return "", err
		}
		lines = append(lines, "- "+promptLine(p))
	}
	if len(lines) == 0 {
		return "", nil
	}
	return "Prompts, for get_prompt:\n" + strings.Join(lines, "\n"), nil
}

// promptLine is name(argument, optional?): description.
func promptLine(p *mcp.Prompt) string {
	var arguments []string
	for _, a := range p.Arguments {
		name := a.Name
		if !a.Required {
			name += "?"
		}
		arguments = append(arguments, name)
	}
	line := p.Name + "(" + strings.Join(arguments, ", ") + ")"
	description := p.Description
	if description == "" {
		description = p.Title
	}
	if description != "" {
		line += ": " + strings.Join(strings.Fields(description), " ")
	}
	return line
}
