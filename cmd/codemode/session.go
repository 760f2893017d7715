package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/journal/badger"
)

// session is a command's way to the host: the one of the process that has the journal open, or one of its own, which
// others can reach as long as it lasts.
type session struct {
	service control.Service
	// holder is the host of another process, own the one of this process; the other is nil.
	holder *control.Client
	own    control.Host
	// cancel ends a running execution, and reports whether it was running.
	cancel func(ctx context.Context, id string, cause error) (bool, error)
	// unattended says that decisions need no person at a terminal.
	unattended bool
	// secret says that decisions need the secret of the configuration.
	secret bool
	// kept is how many executions that have ended the configuration keeps.
	kept int
	// again reaches the host anew, after the one that was reached is gone.
	again func(context.Context) error
	// close gives the host up. It waits for what other processes have asked of it.
	close func(context.Context)
	// leave gives a host of this process up without waiting for others: what runs is left for whoever comes next.
	leave func()
	// maintain does, beside a host of this process, what a process that serves owes the journal; nil: it is another's.
	maintain func(context.Context)
}

// ask asks the host. Where the process that had it is gone, the next one that has it is asked: it did not hear the question.
func ask[T any](ctx context.Context, s *session, question func(control.Service) (T, error)) (T, error) {
	for {
		answer, err := question(s.service)
		if !errors.Is(err, control.ErrNoHolder) {
			return answer, err
		}
		if err := s.again(ctx); err != nil {
			return answer, err
		}
	}
}

// drive asks for something that runs a pass of an execution, and cancels the execution when ctx ends.
func drive[T any](ctx context.Context, a *app, s *session, id string, question func(context.Context, control.Service) (T, error)) (T, error) {
	defer onInterrupt(ctx, func() { a.interrupted(ctx, s, id) })()
	return ask(ctx, s, func(svc control.Service) (T, error) { return question(context.WithoutCancel(ctx), svc) })
}

// onInterrupt calls do as soon as ctx ends. The function that it returns ends the watch, and waits for a do that has begun.
func onInterrupt(ctx context.Context, do func()) (end func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		do()
	})
	return func() {
		if !stop() {
			<-done
		}
	}
}

// cancelling says what an interrupt waits for.
const cancelling = "Cancelling. What has started is awaited and recorded; interrupt again to leave at once."

// cancelTime bounds how long an interrupt waits for the host's word.
const cancelTime = 5 * time.Second

// interrupted cancels an execution for a person.
func (a *app) interrupted(ctx context.Context, s *session, id string) {
	timed, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer done()
	found, err := s.cancel(timed, id, context.Cause(ctx))
	switch {
	case err != nil:
		a.say("The execution could not be cancelled: " + err.Error())
	case found:
		a.say(cancelling)
	}
}

// reach finds the configuration and reaches its host.
func (a *app) reach(ctx context.Context) (*session, error) {
	guest, err := a.load(true)
	if err != nil {
		return nil, err
	}
	s := &session{
		unattended: guest.Approvals.Unattended, secret: guest.Approvals.SecretFile != "",
		kept: guest.Runtime.MaxExecutions, close: func(context.Context) {},
	}
	s.again = func(ctx context.Context) error { return a.connect(ctx, s, guest) }
	return s, s.again(ctx)
}

// connect becomes a guest of the process that has the journal open, or opens it.
func (a *app) connect(ctx context.Context, s *session, guest *config.Config) error {
	run := filepath.Join(guest.Runtime.Data, "run")
	as := control.Identity{Config: guest.Path, Fingerprint: guest.Fingerprint()}
	timed, cancel := context.WithTimeoutCause(ctx, a.patience, errNoAnswer)
	defer cancel()
	for {
		client, unreached := control.Dial(ctx, run, as)
		if unreached == nil {
			s.service, s.holder, s.cancel = client, client, client.Cancel
			return nil
		}
		err := a.hold(ctx, s, run, as)
		var locked *badger.LockedError
		if !errors.As(err, &locked) {
			return err
		}
		if !errors.Is(unreached, control.ErrNoHolder) {
			return unreached
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-timed.Done():
			return fmt.Errorf("%w: %w", context.Cause(timed), err)
		}
	}
}

// errNoAnswer says that a process has the journal and has not begun to serve it, nor given it up.
var errNoAnswer = errors.New("the process that has the journal open cannot be reached; wait for it, or stop it, and try again")

// hold opens the journal in this process, and serves the host to others.
func (a *app) hold(ctx context.Context, s *session, run string, as control.Identity) error {
	c, o, err := a.configured()
	if err != nil {
		return err
	}
	host, err := core.Open(ctx, c, o)
	if err != nil {
		return err
	}
	var served control.Host = host
	if c.Approvals.SecretFile != "" {
		served = control.Guard(host, c.Approvals.SecretFile)
	}
	server, err := control.Serve(ctx, control.Options{Dir: run, Host: served, Identity: as, Logger: o.Logger.Named("control")})
	if err != nil {
		return errors.Join(err, host.Close())
	}
	s.service, s.own, s.maintain = served, served, host.Maintain
	s.cancel = func(_ context.Context, id string, cause error) (bool, error) { return host.Cancel(id, cause), nil }
	s.close = func(ctx context.Context) { a.giveUp(ctx, server, host) }
	s.leave = func() {
		now, cancel := context.WithCancel(context.WithoutCancel(ctx))
		cancel()
		a.part(now, server, host)
	}
	return nil
}

// giveUp ends a host of this process, after its guests' requests have ended. An interrupt ends the waiting.
func (a *app) giveUp(ctx context.Context, server *control.Server, host *core.Host) {
	if n := server.Guests(); n > 0 {
		a.say(fmt.Sprintf("Waiting for %d request(s) of other processes; interrupt to leave.", n))
	}
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx) // the interrupt was for the command itself
	}
	a.part(ctx, server, host)
}

// part stops serving, for which it waits until ctx ends, and closes the host.
func (a *app) part(ctx context.Context, server *control.Server, host *core.Host) {
	if err := server.Shutdown(ctx); err != nil && ctx.Err() == nil {
		a.say("The control socket was not closed well: " + err.Error())
	}
	if err := host.Close(); err != nil {
		a.say("The journal was not closed well: " + err.Error())
	}
	server.Wait()
}
