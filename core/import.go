package core

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
)

// maxExportLine bounds a line of an export: the largest event, as base64.
const maxExportLine = 2 * journal.MaxRecord

// Exported is one execution of an export.
type Exported struct {
	ID     string
	Events []journal.Event
	Blobs  [][]byte
	// State is what the events come to; nil: they cannot be followed, and Refused says why.
	State *journal.State
	// Refused says why a host does not take it; empty: it does, if it does not know its id.
	Refused string
}

// Imported is what an import has done.
type Imported struct {
	// Executions are those that are known now and were not before.
	Executions []string  `json:"executions"`
	Refused    []Refusal `json:"refused,omitempty"`
}

// Refusal is an execution that was not imported.
type Refusal struct {
	ExecutionID string `json:"executionId"`
	Reason      string `json:"reason"`
}

// ReadExport yields the executions of an export, one after the other. An export that is cut, or is none, ends it with
// an error.
func ReadExport(r io.Reader) iter.Seq2[*Exported, error] {
	return func(yield func(*Exported, error) bool) {
		lines := &exportReader{from: bufio.NewReaderSize(r, 64<<10)}
		if err := lines.head(); err != nil {
			yield(nil, fmt.Errorf("line %d: %w", lines.line, err))
			return
		}
		for {
			x, err := lines.execution()
			if err != nil {
				yield(nil, fmt.Errorf("line %d: %w", lines.line, err))
				return
			}
			if x == nil || !yield(x, nil) {
				return
			}
		}
	}
}

// exportReader reads an export line by line.
type exportReader struct {
	from *bufio.Reader
	line int
	read int // executions
}

var errCutExport = errors.New("the export ends too early: it was cut")

// next returns the next line. Nothing of it is quoted in an error.
func (r *exportReader) next() (l exportLine, err error) {
	for {
		text, err := r.text()
		if err != nil {
			return l, err
		}
		r.line++
		if text = compactLine(text); text == nil {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if d.Decode(&l) != nil || d.More() {
			return l, errors.New("this is no line of an export")
		}
		return l, nil
	}
}

// text reads up to the end of a line.
func (r *exportReader) text() (text []byte, err error) {
	for {
		part, err := r.from.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxExportLine:
			return nil, errors.New("the line is longer than any of an export")
		case err == nil, errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		case errors.Is(err, io.EOF):
			return nil, errCutExport
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (r *exportReader) head() error {
	l, err := r.next()
	switch {
	case errors.Is(err, errCutExport):
		return errors.New("the file is empty")
	case err != nil:
		return err
	case l.Journal != exportMark:
		return errors.New("this is no export of a journal")
	case l.Format > exportFormat:
		return fmt.Errorf("the export has format %d, and this version reads formats up to %d: %w", l.Format, exportFormat, journal.ErrNewer)
	}
	return nil
}

// execution reads the next one; nil: there was none any more.
func (r *exportReader) execution() (*Exported, error) {
	x := &Exported{}
	for {
		l, err := r.next()
		if err != nil {
			return nil, err
		}
		if l.Executions != nil {
			if x.ID != "" || *l.Executions != r.read {
				return nil, errCutExport
			}
			return nil, nil
		}
		if x.ID == "" {
			x.ID = l.Execution
		}
		if l.Execution != x.ID || x.ID == "" {
			return nil, errCutExport
		}
		if l.End != nil {
			if l.End.Events != int64(len(x.Events)) {
				return nil, errCutExport
			}
			r.read++
			x.judge(l.End.Damage)
			return x, nil
		}
		if err := x.take(l); err != nil {
			return nil, err
		}
	}
}

// take adds a line.
func (x *Exported) take(l exportLine) error {
	switch {
	case l.Blob != nil:
		x.Blobs = append(x.Blobs, l.Blob)
		return nil
	case l.Event == nil:
		return errors.New("this is no line of an export")
	}
	e, err := journal.DecodePortable(l.Event)
	if errors.Is(err, journal.ErrNewer) {
		return err
	}
	if err != nil {
		return fmt.Errorf("the event: %w", err)
	}
	if len(l.Redacted) > 0 {
		x.Refused = "secrets were left out of it when it was exported, without which it cannot be replayed or undone; a backup has them"
	}
	x.Events = append(x.Events, e)
	return nil
}

// judge says whether a host can take the execution.
func (x *Exported) judge(damage string) {
	whole, err := journal.Whole(x.ID, x.Events, x.Blobs)
	if err == nil {
		x.State, err = journal.Fold(x.ID, eventsOf(x.Events))
	}
	id, invalid := uuid.Parse(x.ID)
	switch {
	case invalid != nil || id.String() != x.ID:
		x.Refused = "its id is none that a host gives"
	case damage != "":
		x.Refused = "it was damaged when it was exported: " + damage
	case err != nil:
		x.Refused = err.Error()
	case x.Refused != "":
	case !x.State.Status.Terminal() && x.State.Status != journal.StatusPaused:
		x.Refused = "it was running when it was exported"
	case x.State.RollingBack:
		x.Refused = "it was being rolled back when it was exported"
	case !x.holds(whole.Events[0]):
		x.Refused = "the list of what it can call is missing"
	}
}

// holds reports whether the blob that the first event names is there.
func (x *Exported) holds(first journal.Event) bool {
	begun, ok := first.Body.(*journal.Begun)
	if !ok {
		return false
	}
	for _, blob := range x.Blobs {
		if bytes.Equal(sandbox.Digest(blob), begun.Namespaces) {
			return true
		}
	}
	return false
}

func eventsOf(list []journal.Event) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Import takes the executions of an export into the journal, each in one step. It is a decision: an execution that
// waits comes with the approvals that it has, and goes on here, so it must be gone where it came from. One whose id is
// known, that was running, that is damaged, or from which secrets were left out, is refused and hurts no other. Where
// the export itself is at fault, what was imported before stays and is returned beside the error.
func (h *Host) Import(ctx context.Context, r io.Reader) (*Imported, error) {
	done := &Imported{Executions: []string{}}
	store, ok := h.store.(journal.Importer)
	if !ok {
		return done, errors.New("this host's journal store takes no executions from elsewhere")
	}
	for x, err := range ReadExport(r) {
		if err != nil {
			return done, fmt.Errorf("import: %w", err)
		}
		reason, err := h.take(ctx, store, x)
		if err != nil {
			return done, fmt.Errorf("import execution %s: %w", x.ID, err)
		}
		if reason != "" {
			done.Refused = append(done.Refused, Refusal{ExecutionID: x.ID, Reason: reason})
			continue
		}
		done.Executions = append(done.Executions, x.ID)
	}
	return done, nil
}

// take imports one execution, or says why not.
func (h *Host) take(ctx context.Context, store journal.Importer, x *Exported) (refused string, err error) {
	if x.Refused != "" {
		return x.Refused, nil
	}
	defer h.locks.lock(x.ID)()
	whole, err := journal.Whole(x.ID, x.Events, x.Blobs)
	if err == nil {
		err = store.Import(ctx, whole)
	}
	if errors.Is(err, journal.ErrConflict) {
		return "an execution of this id is known already", nil
	}
	return "", err
}
