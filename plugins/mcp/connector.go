package main

import (
	"context"
	"errors"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// connector keeps one MCP server running for as long as somebody calls it.
type connector struct {
	start func(*Config, hclog.Logger) (server, error)
	news  *news
	progress

	// Set by configure.
	client *mcp.Client
	config *Config
	hide   hider // of the secrets
	log    hclog.Logger

	// turn is held by whoever looks for a session or makes one; it guards what follows.
	turn    chan struct{}
	live    *session // nil before the first
	closed  bool
	setback setback
}

func newConnector(start func(*Config, hclog.Logger) (server, error)) *connector {
	return &connector{start: start, news: newNews(), turn: make(chan struct{}, 1)}
}

// newClient returns the client of a configured connector.
func (c *connector) newClient() *mcp.Client {
	options := &mcp.ClientOptions{
		// Not the SDK's default: a client that has roots and then lists none
		// makes some servers give up the folders that they were started with.
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.news.toolsChanged() },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.heard(r.Params.ProgressToken, c.hide.text(r.Params.Message), r.Params.Progress, r.Params.Total)
		},
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { c.news.toolsChanged() },
	}
	if len(c.config.Answers) > 0 {
		options.ElicitationHandler = c.answer
	}
	return mcp.NewClient(&mcp.Implementation{Name: "codemode", Version: version}, options)
}

// sdk returns the connector for a host.
func (c *connector) sdk() *sdk.Connector {
	return &sdk.Connector{
		Name:                "mcp",
		Version:             version,
		Configure:           sdk.Config(c.configure),
		DynamicMethods:      c.methods,
		DynamicInstructions: c.instructions,
		Watch:               c.news.watch,
		Close:               c.close,
	}
}

// configure checks the configuration. It starts nothing, so that what is wrong
// with the server itself does not look like a fault of the configuration.
func (c *connector) configure(ctx context.Context, config Config) error {
	if err := config.resolve(); err != nil {
		return err
	}
	c.config, c.hide, c.log = &config, config.secretsHider(), sdk.Logger(ctx)
	c.client = c.newClient()
	return nil
}

// close ends the server. No call starts another one.
func (c *connector) close(ctx context.Context) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	defer c.leave()
	c.closed = true
	if c.live != nil {
		c.live.end()
	}
	return nil
}

// take takes the turn.
func (c *connector) take(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *connector) leave() { <-c.turn }

var errClosed = errors.New("the connector is closed")
