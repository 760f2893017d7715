package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/engine"
)

// retryTime is how long a station waits before it tries again to reach a host.
const retryTime = time.Second

// leavingTime is how long a process that leaves may keep the journal: it waits for calls that have started.
const leavingTime = 2 * time.Minute

// station is the way to the host for a process that serves as long as it lasts: the host of whoever has the journal
// open, until that process goes; then the station opens the journal itself, or joins who was faster. As the holder of
// the journal it continues what was left running. It is safe for concurrent use.
type station struct {
	app    *app
	guest  *config.Config
	logger hclog.Logger

	ctx  context.Context // of what the station does beside requests
	stop context.CancelFunc
	work sync.WaitGroup

	// broken receives what the operating system says of broken pipes. Unheard, it would end the process, together with what
	// it runs for a client that is no more.
	broken chan os.Signal

	reaching sync.Mutex // held while the host is reached anew
	mu       sync.Mutex // guards at
	at       *session
}

// newStation reaches the host. The caller closes the station.
func (a *app) newStation(ctx context.Context) (*station, error) {
	guest, err := a.load(true)
	if err != nil {
		return nil, err
	}
	logger, err := a.logger()
	if err != nil {
		return nil, err
	}
	st := &station{app: a, guest: guest, logger: logger.Named("station"), broken: make(chan os.Signal, 1)}
	st.ctx, st.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := st.renew(ctx, nil); err != nil {
		st.stop()
		return nil, err
	}
	signal.Notify(st.broken, syscall.SIGPIPE)
	st.work.Go(st.stand)
	return st, nil
}

// now is where the host is.
func (st *station) now() *session {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.at
}

// renew reaches the host anew, unless somebody else has since the session was found to be of no use.
func (st *station) renew(ctx context.Context, old *session) error {
	st.reaching.Lock()
	defer st.reaching.Unlock()
	if st.now() != old {
		return nil
	}
	s := &session{close: func(context.Context) {}, leave: func() {}}
	app := *st.app
	if old != nil {
		app.patience = leavingTime
	}
	if err := app.connect(ctx, s, st.guest); err != nil {
		return err
	}
	if err := st.sameHouse(s); err != nil {
		return err
	}
	if s.maintain != nil {
		st.work.Go(func() { s.maintain(st.ctx) })
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.at = s
	return nil
}

// sameHouse says why a holder cannot be joined.
func (st *station) sameHouse(s *session) error {
	if s.holder == nil {
		return nil
	}
	h, g := s.holder.Holder(), control.Holder{
		Version: control.Version, Identity: control.Identity{Config: st.guest.Path, Fingerprint: st.guest.Fingerprint()},
	}
	if h.Version != g.Version || h.Fingerprint != g.Fingerprint {
		return &control.MismatchError{Holder: h, Guest: g}
	}
	return nil
}

// stand stands by while another process has the journal, to follow it when it goes.
func (st *station) stand() {
	for {
		at := st.now()
		if at.holder == nil {
			return // it is ours, until the end
		}
		if at.holder.Gone(st.ctx) != nil {
			return
		}
		err := st.renew(st.ctx, at)
		if err == nil {
			continue
		}
		if st.ctx.Err() == nil {
			st.logger.Error("the host cannot be reached; it is tried again", "error", err)
		}
		select {
		case <-time.After(retryTime):
		case <-st.ctx.Done():
			return
		}
	}
}

// close gives the host up. As the holder of the journal it waits for what other processes have asked of it, unless ctx
// has ended: then they take over what runs.
func (st *station) close(ctx context.Context) {
	defer signal.Stop(st.broken)
	st.stop()
	st.work.Wait()
	if ctx.Err() != nil {
		st.now().leave()
		return
	}
	st.now().close(ctx)
}

// gone reports whether an answer means that the host of another process has left, or has died.
func gone(s *session, err error) bool {
	var lost *control.LostError
	return s.holder != nil && (errors.Is(err, control.ErrNoHolder) || errors.Is(err, engine.ErrStopped) || errors.As(err, &lost))
}

// at asks the host, and the next one if that is gone. The question must be one that can be asked twice.
func at[T any](ctx context.Context, st *station, question func(*session) (T, error)) (T, error) {
	for {
		s := st.now()
		answer, err := question(s)
		if !gone(s, err) {
			return answer, err
		}
		if err := st.renew(ctx, s); err != nil {
			return answer, err
		}
	}
}

// Run runs a program. When the process that runs it goes, the execution is continued by the next one, and not begun
// twice: the request names it.
func (st *station) Run(ctx context.Context, req core.RunRequest) (*core.Outcome, error) {
	for {
		s := st.now()
		out, err := s.service.Run(ctx, req)
		if !gone(s, err) {
			return out, err
		}
		if err := st.renew(ctx, s); err != nil {
			return nil, err
		}
		out, err = st.outcome(ctx, req.ID)
		var missing *core.NotFoundError
		if errors.As(err, &missing) && ctx.Err() == nil {
			continue // nothing had begun that left a trace
		}
		return out, err
	}
}

// Approve allows waiting calls. A decision that a process took with it, or has carried out, is found in the journal.
func (st *station) Approve(ctx context.Context, req core.ApproveRequest) (*core.Outcome, error) {
	if file := st.guest.Approvals.SecretFile; file != "" {
		secret, err := control.ReadSecret(file)
		if err != nil {
			return nil, err
		}
		ctx = control.WithSecret(ctx, secret)
	}
	for again := false; ; again = true {
		s := st.now()
		out, err := s.service.Approve(ctx, req)
		switch {
		case gone(s, err):
			if err := st.renew(ctx, s); err != nil {
				return nil, err
			}
		case err == nil && again && out.ErrorType == engine.ErrorState:
			return st.outcome(ctx, req.ExecutionID)
		default:
			return out, err
		}
	}
}

// outcome is what an execution comes to, which another process began.
func (st *station) outcome(ctx context.Context, id string) (*core.Outcome, error) {
	out, err := st.Resume(ctx, id)
	if err != nil && ctx.Err() != nil {
		st.Cancel(id, context.Cause(ctx))
		return nil, err
	}
	if err != nil || out.ErrorType != engine.ErrorState {
		return out, err
	}
	d, err := st.Show(ctx, id) // there was nothing to continue
	if err != nil {
		return nil, err
	}
	d.Outcome.Logs = d.Logs
	return d.Outcome, nil
}
