package core

import (
	"context"
	"errors"
	"time"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// maintainEvery is how often a serving process looks for what is too old.
const maintainEvery = time.Minute

// Maintain does what a process that serves owes the journal, until ctx ends or the host is closed: first it recovers,
// as ResumeAll does but without waiting for the passes; then, once a minute, it ends what has waited for longer than
// Options.PausedTTL and deletes what has ended, by Options.MaxExecutions and Options.MaxAge. What goes wrong is logged.
// The caller runs it beside its other work, once a host, and waits for it.
func (h *Host) Maintain(ctx context.Context) {
	ctx, end, err := h.begin(ctx)
	if err != nil {
		return
	}
	defer end()
	h.adopt(ctx)
	again := time.NewTicker(maintainEvery)
	defer again.Stop()
	for {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
		if h.lease != nil {
			h.adopt(ctx) // what a host that has died meanwhile left behind
		}
		if err := h.expireDue(ctx); err != nil && ctx.Err() == nil {
			h.logger.Error("not everything that has waited for too long is ended", "error", err)
		}
		h.prune()
	}
}

// adopt continues what other hosts have left behind, without waiting for the passes.
func (h *Host) adopt(ctx context.Context) {
	err := h.recover(ctx, func(id string) error {
		_, refused, err := h.resume(ctx, id)
		if refused != nil {
			h.logger.Warn("execution is not continued", "execution", id, "reason", refused.Error)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		h.logger.Error("not everything that was left behind is continued", "error", err)
	}
}

// ResumeAll resumes, one after the other, what former processes left behind, and returns the outcomes, also beside an
// error. What has waited for longer than Options.PausedTTL is ended before, and hooks that were missed are caught up
// on. One that cannot be continued hurts no other: the errors of all are joined.
func (h *Host) ResumeAll(ctx context.Context) ([]*Outcome, error) {
	var outcomes []*Outcome
	err := h.recover(ctx, func(id string) error {
		out, err := h.Resume(ctx, id)
		if err == nil {
			outcomes = append(outcomes, out)
		}
		return err
	})
	return outcomes, err
}

// recover expires what is due, catches up on hooks, and hands on each execution that a pass would do something for.
func (h *Host) recover(ctx context.Context, resume func(id string) error) error {
	h.registry.load(ctx)
	errs := []error{h.expireDue(ctx)}
	for head, err := range h.heads(ctx) {
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if others, err := h.lease.others(ctx, head); err != nil || others {
			errs = append(errs, err)
			continue // its host does it
		}
		if err := h.catchUp(ctx, head.ID); err != nil {
			h.logger.Error("hooks are not caught up on", "execution", head.ID, "error", err)
		}
	}
	for head, err := range h.heads(ctx, journal.StatusRunning, journal.StatusPaused) {
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if others, err := h.lease.others(ctx, head); err != nil || others {
			errs = append(errs, err)
			continue // its host does it
		}
		state, err := journal.Fold(head.ID, h.store.Read(ctx, head.ID, 0))
		if err != nil {
			h.logger.Error("execution cannot be continued", "execution", head.ID, "error", err)
			continue
		}
		if !hasWork(state) {
			continue
		}
		if err := resume(head.ID); err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil || errors.Is(err, engine.ErrStopped) {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// expireDue ends what has waited for longer than the options allow.
func (h *Host) expireDue(ctx context.Context) error {
	if h.options.PausedTTL <= 0 {
		return nil
	}
	_, err := h.ExpirePaused(ctx, h.options.PausedTTL)
	return err
}
