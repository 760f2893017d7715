// Command mcp is the connector to one MCP server: one that runs as a child process
// and speaks over its standard input and output, or one that is reached over HTTP.
// Each of the server's tools is a method, and its instructions are the connector's.
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
	return newConnector(reach).sdk()
}

// reach returns the configured server, started if it is one to start.
func reach(c *Config, log hclog.Logger) (server, error) {
	if c.URL != "" {
		return dial(c)
	}
	return launch(c, log)
}
