package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

// terminal are the statuses of executions that have ended.
var terminal = []journal.Status{journal.StatusCompleted, journal.StatusError, journal.StatusRejected, journal.StatusRolledBack}

// Delete removes an execution with all that belongs to it. One whose pass runs here is not removed, nor one whose
// rollback has begun and not ended; one that waits is. The reply says whether it was.
func (h *Host) Delete(ctx context.Context, id string) (*Reply, error) {
	defer h.locks.lock(id)()
	head, err := h.store.Head(ctx, id)
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return &Reply{ExecutionID: id, Message: fmt.Sprintf("There is no execution %q.", id)}, nil
	case err != nil:
		return nil, err
	case h.running(id) != nil:
		return &Reply{ExecutionID: id, Status: string(head.Status), Message: "The execution is running."}, nil
	}
	if !head.Status.Terminal() {
		switch others, err := h.lease.others(ctx, head); {
		case err != nil:
			return nil, err
		case others && head.Status == journal.StatusRunning:
			return &Reply{ExecutionID: id, Status: string(head.Status), Message: elsewhere}, nil
		}
	}
	held, err := h.rollingBack(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case held:
		return &Reply{ExecutionID: id, Status: string(head.Status), Message: "Its rollback has begun and not ended. Roll it back again, which goes on from there, and delete it then."}, nil
	}
	if !head.Status.Terminal() {
		h.round(ctx, id, journal.HookRound{Hook: journal.HookDispose, Status: string(journal.StatusRejected)})
	}
	if err := h.store.Delete(ctx, id); err != nil {
		return nil, fmt.Errorf("delete execution %s: %w", id, err)
	}
	return &Reply{ExecutionID: id, Changed: true, Message: "Deleted, with its journal: it cannot be shown or rolled back any more."}, nil
}

// rollingBack reports whether a rollback holds an execution: only its journal knows which calls it has reverted. One
// that cannot be read is held by none, for nothing can carry a rollback of it on.
func (h *Host) rollingBack(ctx context.Context, id string) (bool, error) {
	s, err := h.state(ctx, id)
	var damaged *journal.DamagedError
	switch {
	case errors.As(err, &damaged):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read execution %s: %w", id, err)
	}
	return s.RollingBack, nil
}

// Prune deletes executions that have ended, those beyond the newest keep and those older than Options.MaxAge, and
// returns the ids, also beside an error. What runs, waits or is being rolled back stays.
func (h *Host) Prune(ctx context.Context, keep int) ([]string, error) {
	pruned := []string{}
	kept := 0
	for head, err := range h.heads(ctx, terminal...) {
		if err != nil {
			return pruned, err
		}
		kept++
		old := h.options.MaxAge > 0 && time.Since(head.Updated) > h.options.MaxAge
		if kept <= keep && !old {
			continue
		}
		deleted, err := h.delete(ctx, head.ID)
		if err != nil {
			return pruned, fmt.Errorf("delete execution %s: %w", head.ID, err)
		}
		if deleted {
			pruned = append(pruned, head.ID)
		}
	}
	return pruned, nil
}

// delete removes an execution that has ended, unless another host has been faster or a rollback holds it.
func (h *Host) delete(ctx context.Context, id string) (bool, error) {
	defer h.locks.lock(id)()
	held, err := h.rollingBack(ctx, id)
	if held {
		return false, nil
	}
	if err == nil {
		err = h.store.Delete(ctx, id)
	}
	var gone *NotFoundError
	if errors.Is(err, journal.ErrNotFound) || errors.As(err, &gone) {
		return false, nil
	}
	return err == nil, err
}
