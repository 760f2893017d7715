package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugins/mcp/internal/verbatim"
)

// remote is a server that is reached over HTTP. What runs of it here is the connection.
type remote struct {
	transport mcp.Transport
	pool      *http.Transport

	mu     sync.Mutex
	cancel context.CancelFunc // ends what the connection has open
	conn   mcp.Connection     // nil before Connect
	ended  bool
}

// dial returns the configured server. Nothing is sent before Connect.
func dial(c *Config) (*remote, error) {
	endpoint, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read the MCP server's address: %w", err)
	}
	pool := http.DefaultTransport.(*http.Transport).Clone()
	client := &http.Client{
		Transport:     verbatim.HTTP(&requests{next: pool, endpoint: endpoint, header: c.header(), authorized: c.OAuth != nil}),
		CheckRedirect: stayAt(endpoint),
	}
	r := &remote{pool: pool}
	if c.Transport == transportSSE {
		r.transport = &mcp.SSEClientTransport{Endpoint: c.URL, HTTPClient: client, MaxEventSize: maxEvent}
		return r, nil
	}
	streamable := &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: client, MaxEventSize: maxEvent}
	if c.OAuth != nil {
		if streamable.OAuthHandler, err = newAuthorizer(c.OAuth); err != nil {
			return nil, err
		}
	}
	r.transport = streamable
	return r, nil
}

// maxEvent bounds one message of a server, in bytes.
const maxEvent = 64 << 20

// Connect implements mcp.Transport. The connection outlives ctx.
func (r *remote) Connect(ctx context.Context) (mcp.Connection, error) {
	kept, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	conn, err := r.transport.Connect(kept)
	if err != nil {
		cancel()
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conn, r.cancel = conn, cancel
	return conn, nil
}

// Stop implements server: it ends the connection, and the session that the server keeps for it.
func (r *remote) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended && r.conn != nil {
		_ = r.conn.Close() // a server that is gone has no session to end
		r.cancel()
	}
	r.ended = true
	r.pool.CloseIdleConnections()
}

// Ending implements server.
func (r *remote) Ending() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return "the connection is closed"
	}
	return ""
}

// LastLines implements server: what a server over HTTP logs stays there.
func (r *remote) LastLines() []string { return nil }
