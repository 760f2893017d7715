package main

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugins/mcp/internal/stdio"
)

// process is a server that runs as a child process.
type process struct {
	*stdio.Process
	tail *tail
}

// launch starts the configured server. Its lines go to the log.
func launch(c *Config, log hclog.Logger) (*process, error) {
	hide := hider(c.Env)
	t := &tail{}
	p, err := stdio.Start(stdio.Command{
		Path: c.Command, Args: c.Args, Dir: c.Dir, Env: c.environ(),
		Stderr: func(line string) {
			line = hide.Replace(line)
			t.add(line)
			log.Info("MCP server: " + line)
		},
		Stray: func(line string) {
			log.Warn("the MCP server has printed something that is no message", "line", hide.Replace(line))
		},
	})
	if err != nil {
		return nil, err
	}
	return &process{Process: p, tail: t}, nil
}

// LastLines implements server.
func (p *process) LastLines() []string { return p.tail.lines() }

// hider replaces the values of the environment, which may be secrets, in what
// the server prints. Short ones are not looked for: hiding every "1" would leave
// nothing to read. The PATH is none.
func hider(env map[string]string) *strings.Replacer {
	const shortest = 4
	values := slices.SortedFunc(maps.Keys(env), func(a, b string) int { return len(env[b]) - len(env[a]) })
	var pairs []string
	for _, name := range values {
		if value := env[name]; name != "PATH" && len(value) >= shortest {
			pairs = append(pairs, value, "[hidden]")
		}
	}
	return strings.NewReplacer(pairs...)
}

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
