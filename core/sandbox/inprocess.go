package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/codemode-go/codemode/core/program"
)

// Version names the engine and the prelude. A replay under another version is
// tried all the same; if it diverges, the two versions are the likely cause.
const Version = "goja-20260917113740 prelude-2"

// sourceName is the file name under which a program's own frames appear in stacks.
const sourceName = "program"

// New returns the sandbox that runs programs in this process. It can be used
// from several goroutines; each of its sessions by one at a time.
func New() *InProcess { return &InProcess{} }

// InProcess is a sandbox that runs programs in this process.
type InProcess struct {
	mu    sync.Mutex
	ahead *session // no program's yet; nil: none is prepared
}

var _ Sandbox = (*InProcess)(nil)

func (*InProcess) Compile(ctx context.Context, src program.Source) (*program.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return program.Compile(src)
}

func (p *InProcess) Start(ctx context.Context, spec Spec) (Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if spec.Program == nil {
		return nil, errors.New("start session: no program")
	}
	s, err := p.world(spec.DynamicCode)
	if err != nil {
		return nil, err
	}
	if err := s.begin(spec); err != nil {
		return nil, err
	}
	return s, nil
}

// Preload compiles the whole prelude, which otherwise happens part by part when a program first needs one.
func Preload() error {
	for name, program := range preludePrograms {
		if _, err := program(); err != nil {
			return fmt.Errorf("prelude %s: %w", name, err)
		}
	}
	return nil
}

// Prepare builds the world of the next session ahead of time, unless that has been done: a third of what a small program
// takes in all. It is for a process that has nothing else to do.
func (p *InProcess) Prepare() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ahead != nil {
		return nil
	}
	s, err := newWorld(false)
	if err != nil {
		return err
	}
	p.ahead = s
	return nil
}

// world takes what was prepared, or builds a new one.
func (p *InProcess) world(dynamicCode bool) (*session, error) {
	p.mu.Lock()
	s := p.ahead
	if !dynamicCode {
		p.ahead = nil
	}
	p.mu.Unlock()
	if s == nil || dynamicCode {
		return newWorld(dynamicCode)
	}
	return s, nil
}

// load compiles the text for the engine. A source map that is not inline is
// refused, for the engine's own loader would open any file that the text names.
func load(name string, p *program.Program) (*goja.Program, error) {
	ast, err := goja.Parse(name, p.JS, parser.WithSourceMapLoader(denySourceMap))
	if err != nil {
		return nil, fmt.Errorf("load program: parse it: %w", err)
	}
	main, err := goja.CompileAST(ast, false)
	if err != nil {
		return nil, fmt.Errorf("load program: compile it: %w", err)
	}
	return main, nil
}

func denySourceMap(string) ([]byte, error) {
	return nil, errors.New("only an inline source map is read")
}
