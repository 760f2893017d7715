package main

import (
	"context"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// progress hands what a server says of its calls to those who made them.
type progress struct {
	mu    sync.Mutex
	last  int
	calls map[string]context.Context // by token, while they run
}

// follow gives a call a token; forget ends its reports.
func (p *progress) follow(ctx context.Context, params *mcp.CallToolParams) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token := strconv.Itoa(p.last)
	params.SetProgressToken(token)
	if p.calls == nil {
		p.calls = map[string]context.Context{}
	}
	p.calls[token] = ctx
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, token)
	}
}

// heard takes a report. One of a call that has ended is dropped.
func (p *progress) heard(token any, message string, done, total float64) {
	name, ok := token.(string)
	if !ok {
		return
	}
	p.mu.Lock()
	ctx := p.calls[name]
	p.mu.Unlock()
	if ctx != nil {
		sdk.Progress(ctx, message, done, total)
	}
}
