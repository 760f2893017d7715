package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnswers: what a server asks for is answered as it is configured, and declined where an answer is missing.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ schema, want string }{
		"all":             {`{"type":"object","properties":{"sure":{"type":"boolean"},"name":{"type":"string"}},"required":["sure"]}`, `accept {"name":"Ada","sure":true}`},
		"optional":        {`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}`, `accept {"name":"Ada"}`},
		"missing":         {`{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}`, `decline null`},
		"of another type": {`{"type":"object","properties":{"name":{"type":"integer"}},"required":["name"]}`, `does not match`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mount(t, with(func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				said, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult)
				if !ok {
					ask := &mcp.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(test.schema)}
					return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": ask}}, nil
				}
				content, err := json.Marshal(said.Content)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said.Action + " " + string(content)}}}, err
			}), map[string]any{"answers": map[string]any{"sure": true, "name": "Ada"}})
			got, err := invoke(t, c, "m", "{}")
			var said string
			switch {
			case err != nil:
				said = err.Error()
			default:
				if err := json.Unmarshal([]byte(got), &said); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.Contains(said, test.want) {
				t.Errorf("got %s, want %s", said, test.want)
			}
		})
	}
}
