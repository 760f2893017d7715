package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugins/mcp/internal/stdio"
	"github.com/codemode-go/codemode/plugins/mcp/internal/verbatim"
)

// process is a server that runs as a child process.
type process struct {
	*stdio.Process
	tail *tail
}

// launch starts the configured server. Its lines go to the log.
func launch(c *Config, log hclog.Logger) (*process, error) {
	hide := c.printHider()
	t := &tail{}
	p, err := stdio.Start(stdio.Command{
		Path: c.Command, Args: c.Args, Dir: c.Dir, Env: c.environ(),
		Stderr: func(line string) {
			line = hide.text(line)
			t.add(line)
			log.Info("MCP server: " + line)
		},
		Stray: func(line string) {
			log.Warn("the MCP server has printed something that is no message", "line", hide.text(line))
		},
	})
	if err != nil {
		return nil, err
	}
	return &process{Process: p, tail: t}, nil
}

// Connect implements mcp.Transport.
func (p *process) Connect(ctx context.Context) (mcp.Connection, error) {
	return verbatim.Transport(p.Process).Connect(ctx)
}

// LastLines implements server.
func (p *process) LastLines() []string { return p.tail.lines() }

// tail keeps the last lines of a server.
type tail struct {
	mu   sync.Mutex
	last []string
}

// The bounds of a tail: lines, and bytes of each.
const (
	tailLines     = 10
	tailLineBytes = 500
)

func (t *tail) add(line string) {
	if len(line) > tailLineBytes {
		line = strings.ToValidUTF8(line[:tailLineBytes], "") + "..."
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.last) == tailLines {
		t.last = t.last[1:]
	}
	t.last = append(t.last, line)
}

// lines returns them, oldest first.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.last)
}
