package mcpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionTimeout is how long a client over HTTP may be silent before its session is forgotten. Its executions go on.
const sessionTimeout = time.Hour

// ServeStdio serves one client over a pair of streams, which it closes, until the client ends its stream and all that
// it has asked for is done. When ctx ends, no call is taken any more, and those under way are waited for: closing the
// host ends them.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	// The connection must outlive ctx, whose end would be the end of every call.
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), &mcp.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return endOfStream(err)
	case <-ctx.Done():
		err := session.Close()
		<-ended // what it says is that the answers of the last calls had nowhere to go
		return err
	}
}

// endOfStream is the error of a connection that has ended. That the client has ended it, or is no more, is none.
func endOfStream(err error) error {
	for _, end := range []error{io.EOF, mcp.ErrConnectionClosed, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, end) {
			return nil
		}
	}
	return err
}

// Handler serves any number of clients over streamable HTTP. Requests to a local address that name another host, as
// pages in a browser can be made to send them, are refused; so are requests of pages from elsewhere.
func (s *Server) Handler() http.Handler {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		EventStore: mcp.NewMemoryEventStore(nil), SessionTimeout: sessionTimeout,
	})
	return http.NewCrossOriginProtection().Handler(h)
}
