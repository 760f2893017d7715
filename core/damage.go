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
type damageable interface{ Damage() error }

// Examine reads every execution and tells what is damaged.
func (h *Host) Examine(ctx context.Context) (*Damage, error) { return examine(ctx, h.store) }

func examine(ctx context.Context, store journal.Store) (*Damage, error) {
	d := &Damage{Lost: lostOf(store)}
	ids, err := allIDs(ctx, store)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		s, err := journal.Fold(id, store.Read(ctx, id, 0))
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

// allIDs lists all executions, also those whose head cannot be read.
func allIDs(ctx context.Context, store journal.Store) (ids []string, err error) {
	q := journal.Query{}
	for {
		p, err := store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list executions: %w", err)
		}
		for _, head := range p.Heads {
			ids = append(ids, head.ID)
		}
		ids = append(ids, p.Unreadable...)
		if p.Next == "" {
			return ids, nil
		}
		q.Cursor = p.Next
	}
}

// lostOf is what may be missing of a journal as a whole.
func lostOf(store journal.Store) string {
	d, ok := store.(damageable)
	if !ok {
		return ""
	}
	err := d.Damage()
	if damaged := (*journal.DamagedError)(nil); errors.As(err, &damaged) {
		return damaged.Cause
	}
	return ""
}

// warnOfDamage tells operators what the journal has lost.
func (h *Host) warnOfDamage() {
	if lost := lostOf(h.store); lost != "" {
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
