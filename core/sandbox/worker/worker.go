// Package worker runs programs in child processes that the host can kill. A
// program can end its whole process from inside the engine, some native
// operations of the engine ignore every interrupt, and the parsers fall to
// hostile text; in a child all that costs one program its life, and the host,
// the journal and other programs feel nothing.
//
// A child is the host's own binary, started again: [Main] stands at the top of
// its main. It compiles and runs one program at a time, many in a row, each in a
// runtime of its own. Before it reads the first it takes from itself what no
// program may reach: files, network, processes, more memory than is allowed (see
// package walls).
//
// A child that dies although its program broke no limit is replaced, and the
// program is brought to where it was by handing it all completions again. If that
// child dies at the same place too, the program is taken to be the cause.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// Options make a [Pool]. The zero value is usable in a process whose main has called [Main].
type Options struct {
	// Binary is started as a child; its main calls Main. Empty: this process's own binary.
	Binary string
	// Limits are those of the programs to come. The memory of a child is twice Limits.Memory and 128 MiB.
	Limits sandbox.Limits
	// Warm is how many children stand ready; 2 if 0.
	Warm int
	// Reuse is how many texts and programs one child takes; 1 gives each a process of its own; 1,000 if 0.
	Reuse int
	// RequireWalls makes every use of the pool fail as long as a wall is missing.
	RequireWalls bool
	// Logger receives how children die; nil: nobody does.
	Logger hclog.Logger
}

// ErrNoBinary is returned by New where there is nothing to start as a child.
var ErrNoBinary = errors.New("this program cannot be started again as a sandbox process: its main does not call the sandbox's Main, and no binary is named")

// New returns a sandbox whose programs run in children of this process. They are started when they are needed.
func New(o Options) (*Pool, error) {
	if o.Binary == "" {
		if !inherited {
			return nil, ErrNoBinary
		}
		self, err := walls.Self()
		if err != nil {
			return nil, fmt.Errorf("find this program's own file: %w", err)
		}
		o.Binary = self
	}
	o.Warm, o.Reuse = cmp.Or(o.Warm, 2), cmp.Or(o.Reuse, 1_000)
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	p := &Pool{options: o, spawner: walls.New(), grace: grace, hard: setup{Memory: 2*o.Limits.Memory + 128<<20, CPU: max(lifetime, 8*o.Limits.CPU)}}
	if o.Limits.Memory == 0 {
		p.hard.Memory = 1 << 30
	}
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	p.work.Go(p.trim)
	return p, nil
}

// lifetime is the computing time that a child has at least; it is let go when half of it is used.
const lifetime = 10 * time.Minute

// grace is long enough for a busy machine: only a program that cannot be interrupted ever feels it.
const grace = 2 * time.Second

// compileTime is how long a child may compile one text.
const compileTime = 10 * time.Second

// Compile compiles in a child. A text that kills its compiler is a fault of the text.
func (p *Pool) Compile(ctx context.Context, src program.Source) (*program.Program, error) {
	var dead *death
	for range 2 {
		out, err := p.compile(ctx, src)
		if !errors.As(err, &dead) || ctx.Err() != nil {
			return out, err
		}
		p.options.Logger.Warn("a sandbox process ended while it compiled", "error", dead)
		if dead.limit != "" || errors.Is(dead, errSlow) {
			break
		}
	}
	return nil, &program.Error{Message: "the program is too large or too deeply nested to be compiled: split it into several, or pass large data as input"}
}

func (p *Pool) compile(ctx context.Context, src program.Source) (*program.Program, error) {
	c, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	res, err := c.exchange(ctx, compileTime, request{Compile: &src})
	if err != nil {
		return nil, err
	}
	out, err := answered(res, res.Compiled)
	if errors.Is(err, errFrame) {
		return nil, c.end(err)
	}
	if err != nil {
		c.dismiss()
		return nil, err
	}
	p.keep(c)
	if out.Fault != nil {
		return nil, out.Fault
	}
	return out.Program, nil
}

// Start prepares a session. A child is taken when the program first runs.
func (p *Pool) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	if spec.Program == nil {
		return nil, errors.New("start session: no program")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &session{pool: p, spec: spec, issued: map[string]sandbox.Call{}}, nil
}
