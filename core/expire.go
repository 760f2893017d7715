package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// DefaultExpiry is the age at which ExpirePaused ends an execution by default, counted from its last event.
const DefaultExpiry = 24 * time.Hour

// ExpirePaused ends executions whose last event is older than age: paused ones as rejected, and running ones that
// nobody runs as errors. It returns their ids. One that cannot be ended hurts no other: the errors of all are joined.
func (h *Host) ExpirePaused(ctx context.Context, age time.Duration) ([]string, error) {
	before := time.Now().Add(-age)
	var expired []string
	var errs []error
	for head, err := range h.heads(ctx, journal.StatusRunning, journal.StatusPaused) {
		if err != nil {
			return expired, errors.Join(append(errs, err)...)
		}
		if !head.Updated.Before(before) {
			continue
		}
		ended, err := h.expire(ctx, head.ID, before)
		if err != nil {
			errs = append(errs, fmt.Errorf("expire execution %s: %w", head.ID, err))
		}
		if ended {
			expired = append(expired, head.ID)
		}
	}
	return expired, errors.Join(errs...)
}

// expire ends an execution, unless it runs or something has happened in it since it was listed.
func (h *Host) expire(ctx context.Context, id string, before time.Time) (bool, error) {
	defer h.locks.lock(id)()
	head, err := h.store.Head(ctx, id)
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case !head.Updated.Before(before) || h.running(id) != nil:
		return false, nil
	}
	x, _, err := h.owner(ctx, id)
	if err != nil || x == nil {
		return false, err
	}
	expired, err := x.Expire()
	if overtaken(err) {
		return false, nil // another host has just done something in it
	}
	if expired && err == nil {
		h.hook(ctx, x)
	}
	return expired, err
}

// pendingOf lists the calls of an execution that wait for a person, and until when they do.
func (h *Host) pendingOf(s *journal.State) []Pending {
	list := engine.PendingOf(s)
	for i := range list {
		list[i].ExpiresAt = h.expiresAt(s)
	}
	return list
}

// outcomeOf tells a state as an outcome.
func (h *Host) outcomeOf(s *journal.State) *Outcome {
	out := engine.OutcomeOf(s)
	if out.Pending != nil {
		out.Pending = h.pendingOf(s)
	}
	return out
}

// expiresAt is when a paused execution has waited for Options.PausedTTL; nil: it waits for as long as it takes.
func (h *Host) expiresAt(s *journal.State) *time.Time {
	if h.options.PausedTTL <= 0 || s.Status != journal.StatusPaused || s.RollingBack {
		return nil
	}
	at := s.Updated.Add(h.options.PausedTTL)
	return &at
}
