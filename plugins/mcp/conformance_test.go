package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/sdk/sdktest"
)

// shelfServer is a server with a read, a write and a tool that fails.
func shelfServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "shelf", Version: "1"}, &mcp.ServerOptions{Instructions: "A shelf."})
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`)
	s.AddTool(&mcp.Tool{Name: "get", Description: "Get a thing.", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, says(`{"name":"book"}`))
	s.AddTool(&mcp.Tool{Name: "put", Description: "Put a thing there.", InputSchema: schema}, says("done"))
	s.AddTool(&mcp.Tool{Name: "fail", Description: "Fail.", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "not with " + os.Getenv("TOKEN")}}}, nil
	})
	return s
}

func init() {
	roles["shelf"] = func() {
		if err := shelfServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// TestConformance holds the connector to what a host relies on, in process and as
// a process; its server is a process each time.
func TestConformance(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	thing := args{"name": "book"}
	sdktest.Run(t, func(t *testing.T) sdktest.World {
		return sdktest.World{Connector: New(), Config: args{
			"command": self, "trusted": true, "env": args{roleVar: "shelf", "GORACE": "atexit_sleep_ms=0"}, "secrets": args{"TOKEN": token},
		}}
	}, sdktest.Options{
		Path: self, HostChecks: true, Secrets: []string{token}, Untried: []string{"fail"},
		Refused: []any{args{}, args{"command": ""}, args{"command": "/nowhere/server"}},
		Calls: []sdktest.Call{
			{Method: "get", Args: thing},
			{Method: "put", Args: thing},
			{Method: "fail", Args: thing, Fails: sdk.Internal},
		},
	})
}
