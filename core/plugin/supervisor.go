package plugin

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Supervisor runs one connector's process when it is needed, and runs another
// after its death. It implements [wire.Connector] by handing each call to the
// process of the moment. It retries nothing: a call that dies with its process
// fails with a [*LostError], and whether it may be made again its caller knows.
//
// A Supervisor is safe for concurrent use. Close it in the end.
type Supervisor struct {
	spec   Spec
	hider  hider // for all that a process says, but results
	closed chan struct{}
	work   sync.WaitGroup // starts, and what tends processes

	mu          sync.Mutex
	request     wire.ConfigureRequest
	wanted      int         // the number of request; rises with each Configure
	current     *connection // the last process, which may be gone; nil: none
	start       *start      // under way; nil: none
	incarnation int         // of the last launch
	failed      int         // the last incarnation that was counted as failed
	failure     *failure    // the last one since a process was ready; nil: none
	backoff     backoff
	path        string
	about       wire.Description
	health      string
	watchers    map[*watcher]struct{}
}

// failure is why a process ended or never was ready.
type failure struct {
	cause  error
	stderr []string
}

// start is one attempt to have a process, which every caller that needs it awaits.
type start struct {
	wanted int // the supervisor's number of the configuration when it began
	cancel context.CancelFunc
	done   chan struct{}
	err    error // set before done is closed: a *LostError, or a *wire.Error that refuses the configuration
}

// New returns a supervisor for spec. It starts no process; the first call
// does. The error is for whoever wrote the configuration.
func New(spec Spec) (*Supervisor, error) {
	spec, err := spec.prepared()
	if err != nil {
		return nil, err
	}
	return &Supervisor{
		spec:     spec,
		hider:    newHider(spec.Secrets),
		closed:   make(chan struct{}),
		request:  wire.ConfigureRequest{Label: spec.Label, Config: spec.Config, Host: spec.Host},
		wanted:   1,
		backoff:  backoff{delays: restartDelays},
		watchers: map[*watcher]struct{}{},
	}, nil
}

// Close stops the process: it is asked to exit, and killed with its whole
// group after the Spec's grace or when ctx ends. Close returns when nothing is
// left of it, and every later call fails with [ErrClosed] as its cause.
func (s *Supervisor) Close(ctx context.Context) {
	s.mu.Lock()
	if !s.isClosed() {
		close(s.closed)
	}
	begun := s.start
	s.mu.Unlock()
	if begun != nil {
		begun.cancel()
		<-begun.done
	}
	s.mu.Lock()
	c := s.current
	s.mu.Unlock()
	if c != nil {
		s.stop(ctx, c)
	}
	s.work.Wait()
}

// Close closes several supervisors at once, so that it takes as long as the slowest.
func Close(ctx context.Context, supervisors ...*Supervisor) {
	var all sync.WaitGroup
	for _, s := range supervisors {
		all.Go(func() { s.Close(ctx) })
	}
	all.Wait()
}

// Restart makes sure that the process of the given incarnation is gone: if it
// still runs it is stopped as by Close. The next call starts another. Callers
// who must know that a late handler can no longer act use it.
func (s *Supervisor) Restart(ctx context.Context, incarnation int) {
	s.mu.Lock()
	c := s.current
	s.mu.Unlock()
	switch {
	case c == nil || c.incarnation != incarnation:
	case c.process.hasExited(): // by itself, which counts
		<-c.gone
	default:
		s.stop(ctx, c)
	}
}

// Incarnation is the number of launches so far; it names the process that runs
// now, or the one that ran last. It is 0 before the first launch.
func (s *Supervisor) Incarnation() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.incarnation
}

// Status tells people how the connector is.
func (s *Supervisor) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{
		Label: s.spec.Label, State: s.state(), Health: s.health, Path: s.path,
		Name: s.about.Name, Version: s.about.Version, Incarnation: s.incarnation,
	}
	if s.current != nil && !s.current.process.hasExited() {
		st.PID = s.current.process.processID()
	}
	if st.State == StateDown {
		st.Reason = s.failure.cause.Error() + quote(s.failure.stderr)
	}
	return st
}

func (s *Supervisor) state() State {
	switch {
	case s.isClosed():
		return StateClosed
	case s.start != nil:
		return StateStarting
	case s.ready(true):
		return StateReady
	case s.failure != nil:
		return StateDown
	}
	return StateIdle
}

func (s *Supervisor) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// ready says whether the current process can be used: described, and if asked for also configured.
func (s *Supervisor) ready(configured bool) bool {
	c := s.current
	return c != nil && !c.leaving() && (!configured || c.configured == s.wanted)
}

// acquire returns a process to call, and starts one if need be. It waits no
// longer than ctx; a start goes on without its callers. The error is a
// *LostError, or the *wire.Error by which the connector refused its configuration.
func (s *Supervisor) acquire(ctx context.Context, configured bool) (*connection, error) {
	first := s.configuration()
	for {
		if err := ctx.Err(); err != nil {
			return nil, s.unavailable(failure{cause: fmt.Errorf("the caller no longer waits: %w", err)})
		}
		c, begun, err := s.lookup(configured)
		if c != nil || err != nil {
			return c, err
		}
		select {
		case <-begun.done:
		case <-ctx.Done():
			return nil, s.unavailable(failure{cause: fmt.Errorf("it was not ready in time: %w", ctx.Err())})
		}
		// What became of an older configuration says nothing of this caller's.
		if begun.err != nil && begun.wanted >= first {
			return nil, begun.err
		}
	}
}

// configuration is the number of the configuration that is wanted now.
func (s *Supervisor) configuration() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted
}

// lookup returns the current process if it can be used, else the start to wait for.
func (s *Supervisor) lookup(configured bool) (*connection, *start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.isClosed():
		return nil, nil, s.unavailable(failure{cause: ErrClosed})
	case s.ready(configured):
		return s.current, nil, nil
	case s.start != nil:
		return nil, s.start, nil
	}
	if wait, open := s.backoff.wait(time.Now()); open {
		return nil, nil, s.heldBack(wait)
	}
	return nil, s.begin(configured), nil
}

// begin starts a start. The supervisor's lock is held, which keeps Close from
// missing it.
func (s *Supervisor) begin(configured bool) *start {
	ctx, cancel := context.WithCancel(context.Background())
	begun := &start{wanted: s.wanted, cancel: cancel, done: make(chan struct{})}
	s.start = begun
	s.work.Go(func() {
		defer cancel()
		err := s.bringUp(ctx, configured)
		s.mu.Lock()
		s.start, begun.err = nil, err
		s.mu.Unlock()
		close(begun.done)
	})
	return begun
}

// stop ends a process, now its supervisor's wish and no failure.
func (s *Supervisor) stop(ctx context.Context, c *connection) {
	if !c.stop(ctx, s.spec.Grace) {
		s.spec.Logger.Warn("the connector did not stop when asked and was killed", "pid", c.process.processID())
	}
}

// unavailable is the error of a call that was never sent.
func (s *Supervisor) unavailable(f failure) *LostError {
	return &LostError{Label: s.spec.Label, Cause: s.hider.error(f.cause), NotSent: true, Stderr: f.stderr}
}

// heldBack is the error of calls while the circuit is open. The lock is held.
func (s *Supervisor) heldBack(wait time.Duration) *LostError {
	cause := fmt.Errorf("it failed %d times within %v and is held back for another %v; the last time: %w",
		len(s.backoff.exits), exitWindow, wait.Round(time.Second), s.failure.cause)
	return s.unavailable(failure{cause: cause, stderr: s.failure.stderr})
}

// fail counts the failure of an incarnation, once. After Close nothing is one.
func (s *Supervisor) fail(incarnation int, f failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == incarnation || s.isClosed() {
		return
	}
	f.cause = s.hider.error(f.cause)
	s.failed, s.failure = incarnation, &f
	s.backoff.exited(time.Now())
	s.notify(wire.Change{Health: f.cause.Error()})
	s.spec.Logger.Error("the connector failed", "reason", f.cause.Error(), "incarnation", incarnation)
}
