package main

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// errIdle ends a call of which its server has said nothing for too long.
var errIdle = errors.New("the MCP server has reported nothing for too long")

// progress hands what a server says of its calls to those who made them.
type progress struct {
	mu    sync.Mutex
	last  int
	calls map[string]*following // by token, while they run
}

// following is one call that a server may report of.
type following struct {
	ctx   context.Context
	idle  *time.Timer // ends the call after limit; nil: nothing does
	limit time.Duration
}

// follow gives a call a token, and ends it with errIdle once the server has said nothing of it for so long; zero: never.
// forget ends its reports.
func (p *progress) follow(ctx context.Context, params *mcp.CallToolParams, idle time.Duration) (followed context.Context, forget func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	f := &following{ctx: ctx, limit: idle}
	if idle > 0 {
		f.idle = time.AfterFunc(idle, func() { cancel(errIdle) })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token := strconv.Itoa(p.last)
	params.SetProgressToken(token)
	if p.calls == nil {
		p.calls = map[string]*following{}
	}
	p.calls[token] = f
	return ctx, func() {
		if f.idle != nil {
			f.idle.Stop()
		}
		cancel(nil)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, token)
	}
}

// heard takes a report, which begins the time without one anew. One of a call that has ended is dropped.
func (p *progress) heard(token any, message string, done, total float64) {
	name, ok := token.(string)
	if !ok {
		return
	}
	p.mu.Lock()
	f := p.calls[name]
	if f != nil && f.idle != nil && f.ctx.Err() == nil {
		f.idle.Reset(f.limit)
	}
	p.mu.Unlock()
	if f != nil {
		sdk.Progress(f.ctx, message, done, total)
	}
}
