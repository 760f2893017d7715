package main

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/wire"
)

// BenchmarkCall compares a call through the connector with the same call by the
// SDK's client, to one server in this process.
func BenchmarkCall(b *testing.B) {
	s := mcp.NewServer(&mcp.Implementation{Name: "quick"}, nil)
	s.AddTool(&mcp.Tool{Name: "m", InputSchema: anyObject}, returns(&mcp.CallToolResult{StructuredContent: json.RawMessage(`{"rows":[1,2,3]}`)}))
	b.Run("client", func(b *testing.B) {
		ours, theirs := mcp.NewInMemoryTransports()
		session, err := s.Connect(b.Context(), theirs, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer session.Close()
		client, err := mcp.NewClient(&mcp.Implementation{Name: "client"}, nil).Connect(b.Context(), ours, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer client.Close()
		for b.Loop() {
			if _, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: "m"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("connector", func(b *testing.B) {
		c := newConnector(serving(s))
		made := c.sdk()
		made.Logger = hclog.NewNullLogger()
		mounted, err := made.InProcess()
		if err != nil {
			b.Fatal(err)
		}
		if err := mounted.Configure(b.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{"command":"/bin/sh"}`)}); err != nil {
			b.Fatal(err)
		}
		defer func() {
			if err := c.close(b.Context()); err != nil {
				b.Error(err)
			}
		}()
		call := &wire.Call{ExecutionID: "e", Seq: "0", Method: "m", Args: json.RawMessage("{}")}
		for b.Loop() {
			if _, err := mounted.Invoke(b.Context(), call, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
