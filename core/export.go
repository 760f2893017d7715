package core

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/schema"
)

// exportFormat is the version of what Export writes.
const exportFormat = 1

// exportHead is the first line of an execution's export. The events follow, one a line, and then an exportEnd.
type exportHead struct {
	Format    int    `json:"format"`
	Execution string `json:"execution"`
	Status    string `json:"status"`
	// Redacted says that values were taken out, so that the execution cannot go on elsewhere.
	Redacted   bool            `json:"redacted,omitempty"`
	Namespaces json.RawMessage `json:"namespaces"` // what the program sees
}

// exportEnd is the last line: without it the export is cut.
type exportEnd struct {
	Execution string `json:"execution"`
	Events    int64  `json:"events"`
}

// redacted stands for a value that was taken out.
const redacted = "[redacted]"

// Export returns an execution's journal as JSON lines: a head, its events, an end. What the schemas of its methods mark
// as writeOnly is taken out of arguments, results and what was noted for reverts; where a method is not there to be asked,
// all of these are. A damaged journal is an error; one that is not there is a *NotFoundError.
func (h *Host) Export(ctx context.Context, id string) ([]byte, error) {
	h.registry.load(ctx)
	state, err := h.state(ctx, id)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, &NotFoundError{ID: id}
	}
	if err != nil {
		return nil, fmt.Errorf("read execution %s: %w", id, err)
	}
	namespaces, err := h.store.Blob(ctx, state.Begun.Namespaces)
	if err != nil {
		return nil, fmt.Errorf("read the namespaces of execution %s: %w", id, err)
	}
	out := exportHead{Format: exportFormat, Execution: id, Status: string(state.Status), Namespaces: namespaces}
	var lines bytes.Buffer
	var count int64
	for e, err := range h.store.Read(ctx, id, 0) {
		if err != nil {
			return nil, fmt.Errorf("read execution %s: %w", id, err)
		}
		if count == state.Next {
			break // it was written after the state was read
		}
		count++
		body, changed := h.redact(state, e.Body)
		out.Redacted = out.Redacted || changed
		e.Body = body
		p, err := journal.EncodePortable(id, e)
		if err != nil {
			return nil, err
		}
		if err := writeLine(&lines, p); err != nil {
			return nil, err
		}
	}
	var whole bytes.Buffer
	if err := writeLine(&whole, out); err != nil {
		return nil, err
	}
	whole.Write(lines.Bytes())
	if err := writeLine(&whole, exportEnd{Execution: id, Events: count}); err != nil {
		return nil, err
	}
	return whole.Bytes(), nil
}

// writeLine writes one line of JSON, in which what was JSON already stays as it is.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// redact takes out of an event what its method's schemas mark, and reports whether there was anything.
func (h *Host) redact(s *journal.State, body journal.Body) (journal.Body, bool) {
	switch b := body.(type) {
	case *journal.Issued:
		c := *b
		changed := h.conceal(&c.Args, s.Calls[b.Seq], inputOf)
		if changed {
			c.Preview = redacted
		}
		return &c, changed
	case *journal.Reissued:
		c := *b
		args := s.Calls[b.Seq].Issued.Args
		changed := b.Preview != "" && h.conceal(&args, s.Calls[b.Seq], inputOf)
		if changed {
			c.Preview = redacted
		}
		return &c, changed
	case *journal.Decided:
		c := *b
		args := h.conceal(&c.Args, s.Calls[b.Seq], inputOf)
		result := h.conceal(&c.Result, s.Calls[b.Seq], outputOf)
		return &c, args || result
	case *journal.Started:
		c := *b
		changed := h.conceal(&c.Before, s.Calls[b.Seq], outputOf)
		return &c, changed
	case *journal.Outcome:
		c := *b
		changed := h.conceal(&c.Value, s.Calls[b.Seq], outputOf)
		return &c, changed
	}
	return body, false
}

// The two schemas of a method.
const (
	inputOf  = false
	outputOf = true
)

// conceal replaces a value of a call by one without what the schema marks.
func (h *Host) conceal(value *[]byte, c *journal.Call, output bool) bool {
	if *value == nil || c == nil || c.Issued.Connector == sandbox.Platform {
		return false
	}
	m, err := h.registry.Lookup(c.Issued.Connector, c.Issued.Method)
	if err != nil {
		*value, err = json.Marshal(redacted) // what is not there cannot be asked what is secret
		return err == nil
	}
	text := m.InputSchema
	if output {
		text = m.OutputSchema
	}
	s, err := schema.Compile(text)
	if err != nil || s == nil || !s.Secret(nil) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(*value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return false
	}
	v, changed := replaceSecrets(s, v, nil, redacted)
	if !changed {
		return false
	}
	text, err = json.Marshal(v)
	if err != nil {
		return false
	}
	*value = text
	return true
}

// ImportRequest brings an execution that Export has written.
type ImportRequest struct {
	Text []byte `json:"text"`
	// Live takes an execution that has not ended, too. It goes on here as soon as it is resumed or decided on: it must
	// not go on where it comes from, for its effects would happen twice. That is a decision: it comes with the approvals
	// that it has.
	Live bool `json:"live,omitempty"`
}

// Import keeps one execution that Export has written, in one step. One that is here already, that has not ended although
// Live is not set, or that can neither go on nor be undone because values were taken out of it, is not kept, nor is a
// text that is not whole: the reply says why.
func (h *Host) Import(ctx context.Context, req ImportRequest) (*Reply, error) {
	r := &importer{lines: bufio.NewScanner(bytes.NewReader(req.Text))}
	r.lines.Buffer(nil, len(req.Text)+1)
	whole, err := r.read()
	switch {
	case err != nil:
	case r.head.Redacted:
		err = errors.New("values were taken out of the execution when it was exported, without which it can neither go on nor be undone; a backup has them")
	case !r.state.Status.Terminal() && !req.Live:
		err = errors.New("the execution has not ended: it would go on here, and must not go on where it comes from")
	}
	id := r.head.Execution
	if err != nil {
		return &Reply{ExecutionID: id, Message: fmt.Sprintf("Line %d: %v.", r.number, err)}, nil
	}
	store, ok := h.store.(journal.Importer)
	if !ok {
		return &Reply{ExecutionID: id, Message: "This host's journal store takes no executions from elsewhere."}, nil
	}
	defer h.locks.lock(id)()
	err = store.Import(ctx, whole)
	switch {
	case errors.Is(err, journal.ErrConflict):
		return &Reply{ExecutionID: id, Message: fmt.Sprintf("Execution %s is here already.", id)}, nil
	case err != nil:
		return nil, fmt.Errorf("keep execution %s: %w", id, err)
	}
	return &Reply{ExecutionID: id, Status: string(r.state.Status), Changed: true, Message: "Imported."}, nil
}

// importer reads the lines of one execution.
type importer struct {
	lines  *bufio.Scanner
	number int
	head   exportHead
	state  *journal.State
}

// next reads a line into v.
func (r *importer) next(v any) error {
	r.number++
	if !r.lines.Scan() {
		if err := r.lines.Err(); err != nil {
			return err
		}
		return errors.New("the export is cut: its end is missing")
	}
	if err := json.Unmarshal(r.lines.Bytes(), v); err != nil {
		return fmt.Errorf("it is not of an export: %w", err)
	}
	return nil
}

// read checks the whole, and makes it what can be imported.
func (r *importer) read() (whole journal.Batch, err error) {
	if err := r.next(&r.head); err != nil {
		return whole, err
	}
	switch {
	case r.head.Execution == "" || r.head.Format == 0:
		return whole, errors.New("it does not begin an execution's export")
	case r.head.Format > exportFormat:
		return whole, fmt.Errorf("it has format %d, and this version reads formats up to %d: %w", r.head.Format, exportFormat, journal.ErrNewer)
	}
	r.state = journal.NewState(r.head.Execution)
	var events []journal.Event
	for {
		var line struct {
			journal.Portable
			Events *int64 `json:"events"`
		}
		if err := r.next(&line); err != nil {
			return whole, err
		}
		if line.Execution != r.head.Execution {
			return whole, errors.New("it is of another execution")
		}
		if line.Events != nil {
			if err := r.ended(*line.Events); err != nil {
				return whole, err
			}
			return journal.Whole(r.head.Execution, events, [][]byte{r.head.Namespaces})
		}
		e, err := journal.DecodePortable(&line.Portable)
		if err == nil {
			err = r.state.Apply(e)
		}
		if err != nil {
			return whole, err
		}
		events = append(events, e)
	}
}

// ended checks the end.
func (r *importer) ended(events int64) error {
	switch {
	case events != r.state.Next || r.state.Begun == nil:
		return fmt.Errorf("%d events are missing", events-r.state.Next)
	case !bytes.Equal(sandbox.Digest(r.head.Namespaces), r.state.Begun.Namespaces):
		return errors.New("the namespaces are not those with which the execution began")
	case string(r.state.Status) != r.head.Status:
		return fmt.Errorf("its events make it %s, not %s", r.state.Status, r.head.Status)
	case r.lines.Scan():
		r.number++
		return errors.New("something follows the execution's end")
	}
	return nil
}
