package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// session is one pass of a program in a runtime of its own.
type session struct {
	spec  Spec
	vm    *goja.Runtime
	realm *realm
	parts map[string]*goja.Object // of the prelude, that have run
	env   *goja.Object

	frames  frames
	pending map[string]*pending // issued and not yet delivered, by seq
	skipped map[string]bool     // steps that have a recorded outcome
	running []*frame            // steps whose function runs, in the order of their issue
	timers  map[int64]*timer
	console console

	started   bool
	result    *goja.Promise // of the program
	settled   bool          // and reported
	delivered int
	now       time.Time
	lastSkip  string // the last skipped step, in words

	rejected []*rejection
	issued   int // calls of every kind
	timersIn int // timers among them
	meter    meter
	heap     *heapShare

	turn  Turn
	turns int // Resumes so far, the current one included
	// stopped is set when the program is being ended from outside. It is read by
	// native loops and by the functions of the host, which then do nothing.
	stopped atomic.Bool
	closed  bool
	lost    error // why the session cannot go on
}

var _ Session = (*session)(nil)

// newWorld builds of a session what is the same for every program.
func newWorld(dynamicCode bool) (*session, error) {
	s := &session{
		vm:      goja.New(),
		frames:  newFrames(),
		parts:   map[string]*goja.Object{},
		pending: map[string]*pending{},
		skipped: map[string]bool{},
		timers:  map[int64]*timer{},
	}
	s.vm.SetParserOptions(parser.WithDisableSourceMaps)
	s.vm.SetTimeSource(func() time.Time { return s.now })
	var err error
	if s.realm, err = newRealm(s.vm, s.host(dynamicCode)); err != nil {
		return nil, err
	}
	return s, s.complete()
}

// begin makes it a program's; nothing of the program runs.
func (s *session) begin(spec Spec) error {
	s.spec, s.now, s.console, s.heap = spec, spec.Start.UTC(), console{limit: spec.Limits.Console}, openHeap()
	for _, seq := range spec.Steps {
		s.skipped[seq] = true
	}
	if err := s.install(); err != nil {
		s.heap.close()
		return err
	}
	s.vm.SetRandSource(s.random)
	s.vm.SetAsyncContextTracker(&s.frames)
	s.vm.SetPromiseRejectionTracker(s.trackRejection)
	if s.spec.Limits.Stack > 0 {
		s.vm.SetMaxCallStackSize(s.spec.Limits.Stack)
	}
	return nil
}

// Resume hands over the completions, in two parts: those that replay what is
// recorded have a time limit of their own.
func (s *session) Resume(ctx context.Context, completions []Completion) (Turn, error) {
	if err := s.usable(ctx); err != nil {
		return Turn{}, err
	}
	s.turns++
	recorded := min(max(0, s.spec.Replayed-s.delivered), len(completions))
	replaying := s.delivered < s.spec.Replayed
	if replaying {
		if err := s.phase(ctx, true, completions[:recorded]); err != nil {
			return Turn{}, err
		}
	}
	if s.alive() && (!replaying || recorded < len(completions)) {
		if err := s.phase(ctx, false, completions[recorded:]); err != nil {
			return Turn{}, err
		}
	}
	return s.endTurn(), nil
}

func (s *session) usable(ctx context.Context) error {
	if s.closed {
		return errors.New("resume session: it is closed")
	}
	if s.lost != nil {
		return fmt.Errorf("resume session: it has ended: %w", s.lost)
	}
	return ctx.Err()
}

// alive reports whether the program may still run.
func (s *session) alive() bool { return s.lost == nil && !s.stopped.Load() }

// phase runs the program under one time limit.
func (s *session) phase(ctx context.Context, replay bool, completions []Completion) error {
	err := s.timed(ctx, replay, func() error {
		if err := s.start(); err != nil {
			return err
		}
		for _, c := range completions {
			if err := s.deliver(c); err != nil || !s.alive() {
				return err
			}
		}
		return s.explainRejections()
	})
	if err != nil {
		s.lost = err
	}
	return err
}

// start runs the program up to its first wait, once.
func (s *session) start() error {
	if s.started {
		return nil
	}
	s.started = true
	input, err := s.realm.decode(s.vm, s.spec.Input)
	if err != nil {
		return fmt.Errorf("read input: %w", err)
	}
	main, err := load(sourceName, s.spec.Program) // under the limits: the engine computes constants as it compiles
	if err != nil {
		return err
	}
	entry, err := s.entry(main)
	if err != nil {
		return err
	}
	if s.result, err = s.run(s.frames.root, entry, input, s.env); err != nil {
		return err
	}
	return s.settle()
}

// entry evaluates a compiled program to the function that it is. Nothing of the model's runs.
func (s *session) entry(p *goja.Program) (goja.Value, error) {
	entry, err := s.vm.RunProgram(p)
	if thrown, ok := errors.AsType[*goja.Exception](err); ok {
		failure, err := s.explain(thrown.Value())
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("load program: %s", failure.Message)
	}
	if err != nil {
		return nil, err
	}
	if _, ok := goja.AssertFunction(entry); !ok {
		return nil, errors.New("load program: it is not a function")
	}
	return entry, nil
}

// run calls a function of the program from outside, in a frame, and lets every
// microtask run. The promise is of the function's outcome.
func (s *session) run(f *frame, fn goja.Value, args ...any) (*goja.Promise, error) {
	s.frames.enter(f)
	v, err := s.realm.run(goja.Undefined(), s.leaving(), fn, s.vm.NewArray(args...))
	if err != nil {
		return nil, err
	}
	return v.Export().(*goja.Promise), nil
}

// leaving is the function by which the prelude says that a frame's function has
// returned, before any microtask runs.
func (s *session) leaving() goja.Value {
	return s.vm.ToValue(func(goja.FunctionCall) goja.Value {
		s.frames.leave()
		return goja.Undefined()
	})
}

// settle looks, once the program is idle, at what has come to an end.
func (s *session) settle() error {
	for _, f := range s.running {
		if err := s.settleStep(f); err != nil {
			return err
		}
	}
	s.running = stillRunning(s.running)
	if s.settled || s.result.State() == goja.PromiseStatePending {
		return nil
	}
	s.settled = true
	return s.settleMain()
}

func (s *session) settleMain() error {
	s.forget(s.result)
	if s.result.State() == goja.PromiseStateRejected {
		failure, err := s.explain(s.result.Result())
		if err != nil {
			return err
		}
		s.turn.Result = &Result{Error: failure}
		return nil
	}
	e := &encoder{realm: s.realm, vm: s.vm, root: "result", lossy: true, stop: &s.stopped}
	value, failure, err := s.serialize(e, s.result.Result())
	if err != nil {
		return err
	}
	s.turn.Result = &Result{Value: value, Error: failure}
	return nil
}

// elapsed is performance.now: milliseconds since the start, by the program's time.
func (s *session) elapsed() float64 {
	return float64(s.now.Sub(s.spec.Start)) / float64(time.Millisecond)
}

func (s *session) endTurn() Turn {
	t := s.turn
	s.turn = Turn{}
	t.Console = s.console.take()
	t.Unhandled = s.unhandled()
	t.Usage = Usage{CPU: s.meter.live, Replay: s.meter.replay, Calls: s.issued, Console: s.console.written}
	if t.Diverged != nil {
		s.lost = errors.New("the replay diverged")
	} else if t.Exceeded != nil {
		s.lost = errors.New("a limit was exceeded")
	}
	return t
}

// Close drops the runtime. It never fails and may be called again.
func (s *session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.stopped.Store(true)
	s.heap.close()
	s.vm, s.realm, s.parts, s.env, s.result = nil, nil, nil, nil, nil
	s.pending, s.timers, s.running, s.rejected = nil, nil, nil, nil
	return nil
}
