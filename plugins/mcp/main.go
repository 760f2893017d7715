// Command mcp is the connector to one MCP server that runs as a child process
// and speaks over its standard input and output. Each of the server's tools is
// a method, and its instructions are the connector's.
//
//	connector "files" {
//	  plugin = "mcp"
//	  config {
//	    command = "npx"
//	    args    = ["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"]
//	    env     = { PATH = env("PATH") }
//	    secrets = { API_TOKEN = env("API_TOKEN") }
//	    trusted = true
//	  }
//	}
//
// # The guard
//
// Every tool is a write that needs approval and may destroy, unless the
// configuration says that the server is trusted. Then its hints count: a tool
// with readOnlyHint is a read, destructiveHint = false and idempotentHint are
// believed. Rules and method blocks of the host's configuration go further.
//
// # The process
//
// The server is started when its tools are first listed and again with the next
// call after it has ended. It gets no environment but env and secrets. A read that was lost
// with the server fails and can be tried again; of a write that was lost nobody
// knows whether it happened, and the host asks.
package main

import (
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugin/sdk"
)

const version = "0.1.0"

func main() { sdk.Serve(New()) }

// New returns the connector.
func New() *sdk.Connector {
	return newConnector(func(c *Config, log hclog.Logger) (server, error) { return launch(c, log) }).sdk()
}
