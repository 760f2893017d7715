package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// bringUp makes the current process usable, or finds out why it cannot be.
func (s *Supervisor) bringUp(ctx context.Context, configured bool) error {
	c, err := s.running(ctx)
	if err != nil || !configured {
		return err
	}
	return s.configure(ctx, c)
}

// running returns a process that has described itself and has not been
// configured: the current one, or a new one when that is gone or of an older
// configuration, which a process takes only once.
func (s *Supervisor) running(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	c := s.current
	keep := c != nil && !c.leaving() && c.configured == 0
	s.mu.Unlock()
	if keep {
		return c, nil
	}
	if c != nil {
		s.retire(ctx, c)
	}
	if err := s.pause(ctx); err != nil {
		return nil, s.unavailable(failure{cause: err})
	}
	return s.launch(ctx)
}

// retire returns when a former process is gone and counted.
func (s *Supervisor) retire(ctx context.Context, c *connection) {
	if !c.leaving() {
		s.stop(ctx, c)
	}
	<-c.gone
}

// pause waits as long as the connector is held back.
func (s *Supervisor) pause(ctx context.Context) error {
	s.mu.Lock()
	wait, _ := s.backoff.wait(time.Now())
	s.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errCalledOff
	}
}

// launch starts a new process and makes it the current one.
func (s *Supervisor) launch(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	s.incarnation++
	incarnation := s.incarnation
	s.mu.Unlock()
	t := &tail{}
	c, err := s.find(ctx, t)
	if err != nil {
		f := failure{cause: err, stderr: t.last()}
		s.fail(incarnation, f)
		return nil, s.unavailable(f)
	}
	c.incarnation, c.tail, c.about = incarnation, t, s.hider.description(c.about)
	s.mu.Lock()
	s.current, s.about = c, *c.about
	s.mu.Unlock()
	s.work.Go(func() { s.tend(c) })
	s.spec.Logger.Debug("the connector was started", "pid", c.process.processID(), "incarnation", incarnation,
		"name", c.about.Name, "version", c.about.Version)
	return c, nil
}

// find looks the binary up, anew each time, and launches it.
func (s *Supervisor) find(ctx context.Context, t *tail) (*connection, error) {
	path, err := Find(s.spec.Plugin, s.spec.Dirs)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.path = path
	s.mu.Unlock()
	return launch(ctx, &s.spec, path, func() *logScreen {
		return &logScreen{log: s.spec.Logger, hider: s.hider, tail: t}
	})
}

// tend accompanies a process to its end, and counts an end that nobody asked for.
func (s *Supervisor) tend(c *connection) {
	defer close(c.gone)
	c.tend(s.spec.Logger)
	if !c.wasAsked() {
		s.fail(c.incarnation, failure{cause: c.death(), stderr: c.tail.last()})
	}
}

// configure hands the configuration to a process that has none.
func (s *Supervisor) configure(ctx context.Context, c *connection) error {
	s.mu.Lock()
	request, number := s.request, s.wanted
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, s.spec.ConfigureTimeout)
	defer cancel()
	if err := c.connector.Configure(ctx, &request); err != nil {
		return s.unconfigured(ctx, c, s.hider.error(err))
	}
	s.welcome(c, number)
	s.work.Go(func() { s.follow(c) })
	return nil
}

// welcome opens a configured process to calls.
func (s *Supervisor) welcome(c *connection, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.configured = number
	if s.failed == c.incarnation {
		return // it has ended meanwhile
	}
	s.failure = nil
	s.notify(wire.Change{MethodsChanged: c.incarnation > 1})
}

// follow hands on what a process reports until its connection ends.
func (s *Supervisor) follow(c *connection) {
	err := c.connector.Watch(context.Background(), func(change wire.Change) {
		change.Health = s.hider.text(change.Health)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.current == c && !c.leaving() {
			s.notify(change)
		}
	})
	if err != nil && !c.leaving() {
		s.spec.Logger.Debug("the connector does not report changes", "reason", s.hider.text(err.Error()))
	}
}

var errCalledOff = errors.New("the start was called off")

// unconfigured ends a process that could not be configured, and says why.
func (s *Supervisor) unconfigured(ctx context.Context, c *connection, err error) error {
	refusal, refused := errors.AsType[*wire.Error](err)
	cause := fmt.Errorf("it could not be configured: %w", err)
	switch {
	case refused:
		cause = refusedCause(refusal)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		cause = fmt.Errorf("it was not configured within %v", s.spec.ConfigureTimeout)
	case ctx.Err() != nil:
		cause = errCalledOff
	case c.process.awaitExit(exitNotice):
		cause = fmt.Errorf("it ended while it was being configured: %s", c.process.ending())
	}
	f := failure{cause: cause, stderr: c.tail.last()}
	s.fail(c.incarnation, f)
	s.stop(ctx, c)
	if refused {
		return refusal
	}
	return s.unavailable(f)
}

// refusedCause puts a refusal in words without wrapping it: as an *wire.Error
// it would pass for the connector's answer to a call that was never sent.
func refusedCause(refusal *wire.Error) error {
	return fmt.Errorf("it refused its configuration: %s", refusal.Error())
}
