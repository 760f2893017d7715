package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

// exportFormat is the version of what Export writes.
const exportFormat = 1

// exportLine is one line of an export: first Journal and Format, then for each execution its blobs, its events and its
// end, then Executions.
type exportLine struct {
	Journal  string     `json:"journal,omitempty"` // exportMark
	Format   int        `json:"format,omitempty"`
	Exported *time.Time `json:"exported,omitempty"`

	Execution string          `json:"execution,omitempty"`
	Blob      []byte          `json:"blob,omitempty"`
	Event     json.RawMessage `json:"event,omitempty"` // its portable form
	Redacted  []string        `json:"redacted,omitempty"`
	End       *exportEnd      `json:"end,omitempty"`

	// Executions is how many there are: without this last line, the export was cut.
	Executions *int `json:"executions,omitempty"`
}

const exportMark = "codemode"

// exportEnd says how an execution ends in the export.
type exportEnd struct {
	Events int64  `json:"events"`
	Damage string `json:"damage,omitempty"` // why there are no more
}

// Export writes an execution's journal, or all if id is empty, as lines of JSON that Import reads. What the schema of a
// method declares as sensitive (writeOnly) is left out of arguments and results; where the method cannot be asked, for
// its connector is not there, both are left out whole. An execution that is damaged is written up to its last good
// event. What a connector keeps for an execution, and snippets, are not part of it: Backup has all.
func (h *Host) Export(ctx context.Context, id string, w io.Writer) error {
	h.registry.load(ctx)
	ids := []string{id}
	if id == "" {
		var err error
		if ids, err = h.allIDs(ctx); err != nil {
			return err
		}
	} else if _, err := h.store.Head(ctx, id); errors.Is(err, journal.ErrNotFound) {
		return &NotFoundError{ID: id}
	}
	x := &exporter{h: h, to: json.NewEncoder(w)}
	x.to.SetEscapeHTML(false)
	now := time.Now().UTC()
	if err := x.to.Encode(exportLine{Journal: exportMark, Format: exportFormat, Exported: &now}); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	written := 0
	for _, id := range ids {
		err := x.execution(ctx, id)
		if errors.Is(err, journal.ErrNotFound) {
			continue // it has been deleted meanwhile
		}
		if err != nil {
			return fmt.Errorf("export execution %s: %w", id, err)
		}
		written++
	}
	if err := x.to.Encode(exportLine{Executions: &written}); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// allIDs lists all executions, also those whose head cannot be read.
func (h *Host) allIDs(ctx context.Context) (ids []string, err error) {
	q := journal.Query{}
	for {
		p, err := h.store.List(ctx, q)
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

// exporter writes executions.
type exporter struct {
	h  *Host
	to *json.Encoder
}

func (x *exporter) execution(ctx context.Context, id string) error {
	end := exportEnd{}
	redact := redactor{h: x.h, calls: map[string]*secrecy{}}
	for e, err := range x.h.store.Read(ctx, id, 0) {
		if err == nil {
			err = x.event(ctx, id, e, &redact)
		}
		var damaged *journal.DamagedError
		if errors.As(err, &damaged) || errors.Is(err, journal.ErrNewer) {
			end.Damage = err.Error()
			break
		}
		if err != nil {
			return err
		}
		end.Events++
	}
	return x.to.Encode(exportLine{Execution: id, End: &end})
}

func (x *exporter) event(ctx context.Context, id string, e journal.Event, redact *redactor) error {
	if b, ok := e.Body.(*journal.Begun); ok {
		blob, err := x.h.store.Blob(ctx, b.Namespaces)
		if err != nil {
			return err
		}
		if err := x.to.Encode(exportLine{Execution: id, Blob: blob}); err != nil {
			return err
		}
	}
	line := exportLine{Execution: id}
	e.Body, line.Redacted = redact.body(ctx, e.Body)
	var err error
	if line.Event, err = journal.EncodePortable(e); err != nil {
		return err
	}
	return x.to.Encode(line)
}

// compactLine is a line without the white space around it; nil: there was nothing else.
func compactLine(line []byte) []byte {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	return line
}
