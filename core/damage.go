package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/core/journal"
)

// Damage is what is known to be wrong with a journal.
type Damage struct {
	// Lost says what may be missing of the journal as a whole; empty: nothing, or a person has confirmed it. Until then
	// what began before is shown and not continued, while new executions run.
	Lost string `json:"lost,omitempty"`
	// Executions are those of which something cannot be read. They hurt no other.
	Executions []DamagedExecution `json:"executions,omitempty"`
	// Sound is how many executions can be read whole.
	Sound int `json:"sound"`
	// Waiting is how many executions do not go on before what is lost is confirmed.
	Waiting int `json:"waiting,omitempty"`
}

// DamagedExecution is an execution that can be read up to an event.
type DamagedExecution struct {
	ID    string `json:"executionId"`
	After int64  `json:"after"` // the last good event; -1: none
	Cause string `json:"cause"`
}

// damageable is a store that knows when it has lost something.
type damageable interface {
	Damage() error
	Confirm(ctx context.Context) error
}

// Examine reads every execution and tells what is damaged.
func (h *Host) Examine(ctx context.Context) (*Damage, error) {
	d := &Damage{Lost: h.lost()}
	ids, err := h.allIDs(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		s, err := journal.Fold(id, h.store.Read(ctx, id, 0))
		var damaged *journal.DamagedError
		switch {
		case errors.As(err, &damaged):
			d.Executions = append(d.Executions, DamagedExecution{ID: id, After: damaged.After, Cause: damaged.Cause})
		case errors.Is(err, journal.ErrNewer):
			d.Executions = append(d.Executions, DamagedExecution{ID: id, After: s.Next - 1, Cause: err.Error()})
		case errors.Is(err, journal.ErrNotFound): // deleted meanwhile
		case err != nil:
			return nil, fmt.Errorf("read execution %s: %w", id, err)
		default:
			d.Sound++
			if d.Lost != "" && !s.Status.Terminal() {
				d.Waiting++
			}
		}
	}
	return d, nil
}

// lost is what may be missing of the journal as a whole.
func (h *Host) lost() string {
	store, ok := h.store.(damageable)
	if !ok {
		return ""
	}
	err := store.Damage()
	if damaged := (*journal.DamagedError)(nil); errors.As(err, &damaged) {
		return damaged.Cause
	}
	return ""
}

// ConfirmDamage accepts, for a person, that something may be missing of the journal: from now on it is taken for what it
// holds, and what waited for this can be continued. The reply says whether there was anything to confirm.
func (h *Host) ConfirmDamage(ctx context.Context, by Decider) (*Reply, error) {
	lost := h.lost()
	store, ok := h.store.(damageable)
	if !ok || lost == "" {
		return &Reply{Message: "Nothing is missing of the journal that nobody has confirmed."}, nil
	}
	if err := store.Confirm(ctx); err != nil {
		return nil, fmt.Errorf("confirm the damage: %w", err)
	}
	h.logger.Warn("a person has confirmed that the journal may lack events", "by", by.By, "via", by.Via, "lost", lost)
	return &Reply{Changed: true, Message: "Confirmed: the journal is taken for what it holds. What waited for this can be continued."}, nil
}

// warnOfDamage tells operators what the journal has lost.
func (h *Host) warnOfDamage() {
	if lost := h.lost(); lost != "" {
		h.logger.Error("the journal may lack events: what began before is not continued until a person confirms with codemode doctor --confirm", "lost", lost)
	}
}

// room says why no execution can begin; nil: there is space for it.
func (h *Host) room() error {
	store, ok := h.store.(interface{ Room() error })
	if !ok {
		return nil
	}
	return store.Room()
}
