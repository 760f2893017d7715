package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// startLimit bounds the start of a server: npx may have to download it first.
const startLimit = 60 * time.Second

// server is one running MCP server. What its transport receives has the texts of
// the package verbatim.
type server interface {
	mcp.Transport
	// Stop ends the server and waits for its end. It may be called again.
	Stop()
	// Ending says how the server ended; empty while it runs.
	Ending() string
	// LastLines returns the last lines that the server has logged.
	LastLines() []string
}

// session is the connection to one server, until that server's end.
type session struct {
	server server
	client *mcp.ClientSession
	done   chan struct{} // closed when both have ended
}

// session returns a session with a running server, starting one if there is none.
func (c *connector) session(ctx context.Context) (*session, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	defer c.leave()
	switch {
	case c.closed:
		return nil, errClosed
	case c.live != nil && !c.live.ended():
		return c.live, nil
	}
	if err := c.setback.check(time.Now()); err != nil {
		return nil, err
	}
	s, err := c.connect(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.setback.add(err, time.Now())
			c.news.health("the MCP server cannot be started")
		}
		return nil, err
	}
	c.setback = setback{}
	c.news.health("")
	if c.live != nil {
		c.news.toolsChanged() // this one may have others
	}
	c.live = s
	return s, nil
}

// connect starts a server and greets it.
func (c *connector) connect(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	server, err := c.start(c.config, c.log)
	if err != nil {
		return nil, err
	}
	client, err := c.client.Connect(ctx, server, nil)
	if err != nil {
		err = greetingError(err, server.Ending()) // asked before Stop, which would give it an ending
		server.Stop()
		return nil, &startError{cause: err, lines: server.LastLines()}
	}
	s := &session{server: server, client: client, done: make(chan struct{})}
	go c.attend(s)
	return s, nil
}

// greetingError says why there is no session. A server that ended is the reason,
// unless it said one before: then it ended because the client hung up.
func greetingError(err error, ending string) error {
	if _, said := errors.AsType[*jsonrpc.Error](err); said || ending == "" {
		return err
	}
	return fmt.Errorf("it has ended: %s", ending)
}

// attend waits for the end of a session.
func (c *connector) attend(s *session) {
	defer close(s.done)
	lost := s.client.Wait()
	s.server.Stop()
	_ = s.client.Close() // frees what it holds; why it ended is known
	ending := s.server.Ending()
	cause := "the connection was closed"
	if lost != nil {
		cause = c.hide.text(lost.Error())
	}
	c.log.Info("the MCP server has ended", "how", ending, "cause", cause)
	c.news.health(fmt.Sprintf("the MCP server has ended (%s); the next call starts it again", ending))
}

// end ends the session and waits for its end.
func (s *session) end() {
	s.server.Stop()
	<-s.done
}

// settle ends a session that a failed call has found lost, so that the next call
// is not sent into it, too.
func (s *session) settle(ctx context.Context, err error) {
	if ctx.Err() == nil && isLost(err) && !unanswered(err) {
		s.end()
	}
}

func (s *session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}
