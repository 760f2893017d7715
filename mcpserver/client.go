package mcpserver

import (
	"cmp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateless is the first protocol version in which a server asks by its answer, and the client calls again; before, it
// sends requests of its own while the call lasts.
const stateless = "2026-07-28"

// client is who makes a call, and what it can do.
type client struct {
	session *mcp.ServerSession
	name    string // its own; "mcp" if it has none
	caller  string // who asks, as executions record it
	asks    bool   // it can ask its person
	retries bool   // questions go by the call's answer
	token   any    // of its progress notifications; nil: it wants none
}

func (s *Server) clientOf(req *mcp.CallToolRequest) *client {
	c := &client{session: req.Session, token: req.Params.GetProgressToken(), retries: true}
	if p := req.Session.InitializeParams(); p != nil {
		c.retries = p.ProtocolVersion >= stateless
		if p.ClientInfo != nil {
			c.name = p.ClientInfo.Name
		}
		if p.Capabilities != nil && p.Capabilities.Elicitation != nil {
			e := p.Capabilities.Elicitation
			c.asks = e.Form != nil || e.URL == nil // one that names no mode has the older, the form
		}
	}
	c.asks = c.asks && !s.options.NoElicitation
	c.name = cmp.Or(c.name, "mcp")
	c.caller = cmp.Or(s.options.Caller, c.name)
	return c
}
