package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/core/journal"
)

// Delete removes an execution with all that belongs to it. One whose pass runs here is not removed; one that waits is.
// The reply says whether it was.
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
		h.round(ctx, id, journal.HookRound{Hook: journal.HookDispose, Status: string(journal.StatusRejected)})
	}
	if err := h.store.Delete(ctx, id); err != nil {
		return nil, fmt.Errorf("delete execution %s: %w", id, err)
	}
	return &Reply{ExecutionID: id, Changed: true, Message: "Deleted, with its journal: it cannot be shown or rolled back any more."}, nil
}

// Prune deletes executions that have ended, all but the newest keep of them, and returns the ids. What runs or waits
// stays.
func (h *Host) Prune(ctx context.Context, keep int) ([]string, error) {
	pruned := []string{}
	kept := 0
	for head, err := range h.heads(ctx, terminal...) {
		if err != nil {
			return pruned, err
		}
		if kept++; kept <= keep {
			continue
		}
		if err := h.delete(ctx, head.ID); err != nil {
			return pruned, fmt.Errorf("delete execution %s: %w", head.ID, err)
		}
		pruned = append(pruned, head.ID)
	}
	return pruned, nil
}
