package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message of a server, in bytes.
const maxMessage = mcp.DefaultMaxLineLength

// connection exchanges JSON-RPC messages with a process, one on each line.
type connection struct {
	process *Process
	lines   *bufio.Reader // of standard output; the reader alone uses it

	writing sync.Mutex
	broken  error // a message was cut off; no other can follow it
}

func newConnection(p *Process) *connection {
	return &connection{process: p, lines: bufio.NewReaderSize(p.stdout, 64<<10)}
}

// Read returns the next message. It ends with the process, not with a context.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		if message, err := jsonrpc.DecodeMessage(line); err == nil {
			return message, nil
		}
		stray := &lineWriter{limit: lineBytes, emit: c.process.command.Stray}
		stray.add(line)
		stray.flush()
	}
}

// line reads one line.
func (c *connection) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := c.lines.ReadSlice('\n')
		if len(line)+len(piece) > maxMessage {
			return nil, fmt.Errorf("%w: it sent a message of more than %d bytes", ErrGone, maxMessage)
		}
		line = append(line, piece...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("%w: its output has ended", ErrGone)
		}
	}
}

// Write sends a message. A server that does not read lets it wait until ctx
// ends; if that cuts a message off, the connection is of no more use.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := errors.Join(c.broken, ctx.Err()); err != nil {
		return err
	}
	written, err := c.write(ctx, append(data, '\n'))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && written == 0:
		return ctx.Err()
	}
	c.broken = fmt.Errorf("%w: a message to it was cut off", ErrGone)
	c.process.signal(syscall.SIGKILL)
	return fmt.Errorf("%w: it does not take messages", ErrGone)
}

// write writes to the process until ctx ends.
func (c *connection) write(ctx context.Context, data []byte) (int, error) {
	stdin := c.process.stdin
	if err := stdin.SetWriteDeadline(time.Time{}); err != nil {
		return 0, err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = stdin.SetWriteDeadline(time.Unix(1, 0)) // an error says that it is closed already
	})
	n, err := stdin.Write(data)
	if !stop() {
		<-interrupted // or the next message would meet this one's deadline
	}
	return n, err
}

// Close ends the server.
func (c *connection) Close() error {
	c.process.Stop()
	return nil
}

// SessionID is empty: a process is its own session.
func (c *connection) SessionID() string { return "" }
