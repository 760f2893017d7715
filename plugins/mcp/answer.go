package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asked is what a form of MCP's asks for.
type asked struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// answer answers a question of the server's from the configuration, or declines it. The SDK holds the answer against the form.
func (c *connector) answer(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	decline := func(why string) (*mcp.ElicitResult, error) {
		c.log.Warn("a question of the MCP server is declined", "why", why, "question", shorten(c.hide.text(r.Params.Message)))
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	if r.Params.URL != "" {
		return decline("it wants a person to visit an address")
	}
	schema, err := json.Marshal(r.Params.RequestedSchema)
	if err != nil {
		return decline("its form cannot be read")
	}
	var form asked
	if err := json.Unmarshal(schema, &form); err != nil {
		return decline("its form cannot be read")
	}
	for _, name := range form.Required {
		if _, ok := c.config.Answers[name]; !ok {
			return decline("answers has no " + name)
		}
	}
	content := map[string]any{}
	for name := range form.Properties {
		if value, ok := c.config.Answers[name]; ok {
			content[name] = value
		}
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}
