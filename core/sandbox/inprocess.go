package sandbox

import (
	"context"
	"errors"
	"fmt"

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
func New() Sandbox { return inProcess{} }

type inProcess struct{}

func (inProcess) Compile(ctx context.Context, src program.Source) (*program.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return program.Compile(src)
}

func (inProcess) Start(ctx context.Context, spec Spec) (Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if spec.Program == nil {
		return nil, errors.New("start session: no program")
	}
	s, err := newSession(spec)
	if err != nil {
		return nil, err
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
