package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/codemode-go/codemode/plugins/mcp/internal/result"
	"github.com/codemode-go/codemode/plugins/mcp/internal/verbatim"
)

// call calls a tool. What JSON lacks becomes what MCP can carry: bytes a base64
// string, a big integer a number.
func (c *connector) call(ctx context.Context, name string, readOnly bool, args json.RawMessage) (json.RawMessage, error) {
	params := &mcp.CallToolParams{Name: name}
	if args != nil {
		plain, err := wire.Untag(args)
		if err != nil {
			return nil, sdk.Errorf(sdk.InvalidArgument, "the arguments are not JSON")
		}
		params.Arguments = plain
	}
	s, err := c.session(ctx)
	if err != nil {
		return nil, notStarted(err, summary(err))
	}
	ctx, forget := c.follow(ctx, params, c.config.idle)
	defer forget()
	answer, err := s.client.CallTool(ctx, params)
	if err != nil {
		s.settle(ctx, err)
		return nil, failure(ctx, err, readOnly)
	}
	return c.unwrap(ctx, verbatim.Result(answer))
}

// unwrap returns the value of a tool's result, or its error.
func (c *connector) unwrap(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	r, err := result.Parse(raw)
	if err != nil {
		return nil, err
	}
	if r.Failed() {
		return nil, toolFailed(r)
	}
	if c.config.givesEverything() {
		return r.Everything()
	}
	if unsaid := r.Unsaid(); unsaid != "" {
		sdk.Logger(ctx).Info("the tool said more than its structured content", "more", shorten(c.hide.text(unsaid)))
	}
	return r.Value(c.config.parsesText())
}

// shorten bounds a text for the log.
func shorten(text string) string {
	const longest = 1000
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}
