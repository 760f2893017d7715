package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
)

// Page is a part of the list of executions, newest first.
type Page struct {
	Executions []journal.Head `json:"executions"`
	Next       string         `json:"next,omitempty"` // the cursor of the next page
	// Unreadable are executions whose record cannot be decoded.
	Unreadable []string `json:"unreadable,omitempty"`
}

// ListRequest selects executions.
type ListRequest struct {
	Statuses []string `json:"statuses,omitempty"` // any of them; empty: all
	Limit    int      `json:"limit,omitempty"`    // 50 if 0
	Cursor   string   `json:"cursor,omitempty"`
}

// Executions lists executions, newest first.
func (h *Host) Executions(ctx context.Context, req ListRequest) (*Page, error) {
	q := journal.Query{Limit: req.Limit, Cursor: req.Cursor}
	for _, s := range req.Statuses {
		q.Statuses = append(q.Statuses, journal.Status(s))
	}
	p, err := h.store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list executions: %w", err)
	}
	return &Page{Executions: p.Heads, Next: p.Next, Unreadable: p.Unreadable}, nil
}

// heads yields the heads of all executions of these statuses.
func (h *Host) heads(ctx context.Context, statuses ...journal.Status) iter.Seq2[journal.Head, error] {
	return func(yield func(journal.Head, error) bool) {
		q := journal.Query{Statuses: statuses}
		for {
			p, err := h.store.List(ctx, q)
			if err != nil {
				yield(journal.Head{}, fmt.Errorf("list executions: %w", err))
				return
			}
			for _, head := range p.Heads {
				if !yield(head, nil) {
					return
				}
			}
			if p.Next == "" {
				return
			}
			q.Cursor = p.Next
		}
	}
}

// Pending lists the calls that wait for a person: of one execution, or of all if id is empty. A call in doubt waits
// also when its execution has ended, and a revert in doubt when a rollback has stopped over it.
func (h *Host) Pending(ctx context.Context, id string) ([]Pending, error) {
	if id != "" {
		s, err := h.state(ctx, id)
		if err != nil {
			return nil, err
		}
		return h.pendingOf(s), nil
	}
	list := []Pending{}
	for head, err := range h.heads(ctx) {
		if err != nil {
			return nil, err
		}
		if head.Waiting == 0 {
			continue
		}
		s, err := h.state(ctx, head.ID)
		if err != nil {
			h.logger.Error("execution cannot be read", "execution", head.ID, "error", err)
			continue
		}
		list = append(list, h.pendingOf(s)...)
	}
	return list, nil
}

// state folds what is stored of an execution.
func (h *Host) state(ctx context.Context, id string) (*journal.State, error) {
	s, err := journal.Fold(id, h.store.Read(ctx, id, 0))
	if errors.Is(err, journal.ErrNotFound) {
		return nil, &NotFoundError{ID: id}
	}
	return s, err
}

// NotFoundError says that there is no such execution.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no execution %q", e.ID) }

// Detail is an execution in full, for people.
type Detail struct {
	ID      string            `json:"id"`
	Status  string            `json:"status"`
	Created time.Time         `json:"created"`
	Updated time.Time         `json:"updated"`
	Caller  string            `json:"caller,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Task    string            `json:"task,omitempty"`
	Source  string            `json:"source"`
	Input   json.RawMessage   `json:"input,omitempty"`
	// Modules are what the program imports.
	Modules  []journal.Module `json:"modules,omitempty"`
	Passes   int              `json:"passes"`
	Outcome  *Outcome         `json:"outcome"`
	Timeline []Entry          `json:"timeline"`
	Logs     []string         `json:"logs,omitempty"`
	// Damage says that the journal ends early, and why; empty: it is whole.
	Damage string `json:"damage,omitempty"`
}

// Show tells an execution in full. A damaged one is told up to its last good event.
func (h *Host) Show(ctx context.Context, id string) (*Detail, error) {
	t := &timeline{}
	events := func(yield func(journal.Event, error) bool) {
		for e, err := range h.store.Read(ctx, id, 0) {
			if err == nil {
				t.add(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
	s, err := journal.Fold(id, events)
	var damaged *journal.DamagedError
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return nil, &NotFoundError{ID: id}
	case err != nil && (!errors.As(err, &damaged) || s.Begun == nil):
		return nil, fmt.Errorf("read execution %s: %w", id, err)
	}
	d := &Detail{
		ID: id, Status: string(s.Status), Created: s.Created, Updated: s.Updated, Caller: s.Begun.Caller,
		Labels: s.Begun.Labels, Task: s.Begun.Task, Source: s.Begun.Source, Modules: s.Begun.Modules, Passes: s.Passes,
		Outcome: h.outcomeOf(s), Timeline: t.entries, Logs: s.Logs,
	}
	d.Outcome.Pending = h.pendingOf(s) // also of an execution that has ended
	if s.Begun.HasInput {
		d.Input = s.Begun.Input
	}
	if damaged != nil {
		d.Damage = damaged.Error()
	}
	return d, nil
}

// Search finds methods by what people call things.
func (h *Host) Search(ctx context.Context, q catalog.Query) (*catalog.Results, error) {
	h.registry.load(ctx)
	r := h.registry.search(ctx, q)
	return &r, nil
}

// Describe tells of a namespace, a method or a type.
func (h *Host) Describe(ctx context.Context, target string) (*catalog.Description, error) {
	h.registry.load(ctx)
	d := h.registry.describe(ctx, target)
	return &d, nil
}
