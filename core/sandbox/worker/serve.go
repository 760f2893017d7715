package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// argv0 is the whole command line of a child.
const argv0 = "codemode-sandbox"

// inherited is set in a process whose main has called [Main]: it can be started again as a child.
var inherited bool

// Main makes this process a sandbox child if it was started as one; then it does not return. It belongs at the top of
// main, before anything else is done, and lets [New] start the same binary again as its children.
func Main() {
	if !IsChild() {
		inherited = true
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// IsChild reports whether this process was started as a sandbox child.
func IsChild() bool { return len(os.Args) == 1 && os.Args[0] == argv0 }

// server is the child's side: it answers one request at a time.
type server struct {
	sandbox sandbox.Sandbox
	session sandbox.Session
	in      io.Reader
	out     io.Writer
	frame   int64 // bytes of one frame, at most
}

// firstFrame bounds the frame that says what a child may use.
const firstFrame = 4 << 10

// serve answers requests until their stream ends, which is how a host lets a child go.
func serve(in io.Reader, out io.Writer) error {
	s := &server{sandbox: sandbox.New(), in: bufio.NewReader(in), out: out, frame: firstFrame}
	for {
		var req request
		err := readFrame(s.in, s.frame, &req)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		res, err := s.answer(req)
		if err != nil {
			return err
		}
		if err := writeFrame(s.out, res); err != nil {
			return err
		}
	}
}

// answer does what is asked. Its error ends the child; what only fails is in the response.
func (s *server) answer(req request) (*response, error) {
	switch ctx := context.Background(); {
	case req.Setup != nil:
		return s.setUp(req.Setup)
	case req.Compile != nil:
		return s.compile(ctx, *req.Compile), nil
	case req.Resume != nil:
		return s.resume(ctx, req.Resume), nil
	case req.Close:
		return s.close(), nil
	}
	return nil, errors.New("the request asks for nothing")
}

// setUp warms the process up, so that the first program finds it as the later ones do, and raises the walls.
func (s *server) setUp(limits *setup) (*response, error) {
	// A collector that runs seldom makes programs up to three times as fast; near the wall it runs often.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(limits.Memory * 7 / 10)
	debug.SetMaxStack(64 << 20)
	runtime.GOMAXPROCS(2)
	if err := s.warmUp(); err != nil {
		return nil, err
	}
	s.frame = limits.Memory
	return &response{Ready: &ready{
		Program: program.Version, Sandbox: sandbox.Version,
		Walls: walls.Raise(walls.Limits{Memory: shadow * limits.Memory, CPU: limits.CPU, Threads: threads}),
	}}, nil
}

// threads are many, for all children of a host that is root share them.
const threads = 4096

// warmUp runs a program.
func (s *server) warmUp() error {
	ctx := context.Background()
	p, err := s.sandbox.Compile(ctx, program.Source{Text: "const n: number = 1; return [n].map(x => x + 1)"})
	if err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	session, err := s.sandbox.Start(ctx, sandbox.Spec{Program: p})
	if err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	if _, err := session.Resume(ctx, nil); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	return session.Close()
}

func (s *server) compile(ctx context.Context, src program.Source) *response {
	p, err := s.sandbox.Compile(ctx, src)
	if fault, ok := errors.AsType[*program.Error](err); ok {
		return &response{Compiled: &compiled{Fault: fault}}
	}
	if err != nil {
		return &response{Failed: err.Error()}
	}
	return &response{Compiled: &compiled{Program: p}}
}

func (s *server) resume(ctx context.Context, r *resume) *response {
	if r.Start != nil {
		if s.session != nil {
			return &response{Failed: "the former session is not closed"}
		}
		session, err := s.sandbox.Start(ctx, *r.Start)
		if err != nil {
			return &response{Failed: err.Error()}
		}
		s.session = session
	}
	if s.session == nil {
		return &response{Failed: "there is no session"}
	}
	turn, err := s.session.Resume(ctx, r.Completions)
	if err != nil {
		return &response{Failed: err.Error()}
	}
	return &response{Turn: &turn}
}

// muchHeap is the live heap at which a child looks, between two sessions, how much of it is garbage.
const muchHeap = 48 << 20

func (s *server) close() *response {
	if s.session != nil {
		if err := s.session.Close(); err != nil {
			return &response{Failed: err.Error()}
		}
		s.session = nil
	}
	if sandbox.LiveHeap() > muchHeap {
		debug.FreeOSMemory()
	}
	return &response{Closed: &closed{Heap: sandbox.LiveHeap(), CPU: processTime()}}
}
