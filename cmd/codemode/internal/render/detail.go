package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// Detail tells an execution in full, with what happened in it line by line.
func (p Page) Detail(d *core.Detail) string {
	w := &writer{Page: p}
	w.line(w.paint(bold, "Execution "+inline(d.ID)) + "  " + w.status(inline(d.Status)))
	w.field(2, "created", w.at(d.Created))
	w.field(2, "updated", w.at(d.Updated))
	w.field(2, "caller", d.Caller)
	w.field(2, "labels", labels(d.Labels))
	w.field(2, "task", d.Task)
	w.field(2, "passes", fmt.Sprint(d.Passes))
	w.field(2, "modules", modules(d.Modules))
	w.field(2, "damage", d.Damage)
	w.program(d.Source)
	if d.Input != nil {
		w.heading("Input")
		w.lines(2, value(d.Input, w.width()-2))
	}
	w.timeline(d)
	w.console(d.Logs)
	w.end(d.Outcome)
	return w.String()
}

// modules names the modules of a program, each with the beginning of its hash.
func modules(list []journal.Module) string {
	var names []string
	for _, m := range list {
		names = append(names, fmt.Sprintf("%s (sha256:%.6x)", m.Name, m.Hash))
	}
	return strings.Join(names, ", ")
}

func labels(m map[string]string) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, k+"="+m[k])
	}
	return strings.Join(list, " ")
}

// program writes the model's text with the line numbers that errors name.
func (w *writer) program(source string) {
	const margin = 7
	w.heading("Program")
	for i, line := range strings.Split(strings.TrimRight(source, "\n"), "\n") {
		for j, part := range wrap(line, w.width()-margin) {
			number := ""
			if j == 0 {
				number = fmt.Sprint(i + 1)
			}
			w.line(w.paint(faint, fmt.Sprintf("%5s", number)) + "  " + part)
		}
	}
}

// The columns of the timeline.
const (
	timeColumns = 14
	seqColumns  = 6
)

func (w *writer) timeline(d *core.Detail) {
	calls := map[string]engine.CallRecord{}
	if d.Outcome != nil {
		for _, c := range d.Outcome.Calls {
			calls[c.Seq] = c
		}
	}
	w.heading("Timeline")
	day := ""
	for _, e := range d.Timeline {
		at := w.in(e.At)
		if today := at.Format("2006-01-02"); today != day {
			day = today
			w.line("  " + w.paint(faint, day))
		}
		w.entry(at.Format("15:04:05.000"), e, calls[e.Seq])
	}
}

// entry writes one event, and below it what went into a call or came out of it, in a line.
func (w *writer) entry(at string, e core.Entry, c engine.CallRecord) {
	const margin = 2 + timeColumns + seqColumns
	for i, l := range wrap(e.Text, w.width()-margin) {
		if i == 0 {
			w.line("  " + pad(at, timeColumns) + pad(inline(e.Seq), seqColumns) + l)
			continue
		}
		w.line(spaces(margin) + l)
	}
	var raw json.RawMessage
	switch {
	case e.Kind == "issued" && c.Proposed != nil:
		raw = c.Proposed
	case e.Kind == "issued":
		raw = c.Args
	case e.Kind == "decided":
		raw = e.Args
	case e.Kind == "outcome" && c.Error == nil:
		raw = c.Result
	}
	if raw != nil {
		w.line(spaces(margin+2) + w.paint(faint, clip(string(raw), w.width()-margin-2)))
	}
}

// end tells what the execution has come to, or waits for.
func (w *writer) end(o *core.Outcome) {
	switch {
	case o == nil:
	case o.Status == string(journal.StatusCompleted):
		w.heading("Result")
		w.lines(2, value(o.Result, w.width()-2))
	case o.Error != "":
		w.heading("Error (" + inline(o.ErrorType) + ")")
		w.block(2, errorText(o))
	}
	if o != nil {
		w.left(o)
	}
}

// Applied lists the calls that have taken effect, the last one first, for a decision to undo them.
func (p Page) Applied(d *core.Detail) string {
	w := &writer{Page: p}
	w.line("Execution " + inline(d.ID) + "  " + w.status(inline(d.Status)))
	none := true
	for _, c := range slices.Backward(callsOf(d)) {
		if c.State != string(journal.CallApplied) || c.Connector == platform || c.ReadOnly {
			continue
		}
		if none {
			none = false
			w.line("These calls have taken effect; a rollback reverts them, the last one first:")
		}
		head := "  [" + inline(c.Seq) + "] " + inline(c.Connector+"."+c.Method) + " "
		if !c.Revertible {
			head += "(cannot be reverted) "
		}
		w.line(head + w.paint(faint, clip(string(c.Args), w.width()-columns(head))))
	}
	if none {
		w.line("No call of it has an effect that stands.")
	}
	return w.String()
}

func callsOf(d *core.Detail) []engine.CallRecord {
	if d.Outcome == nil {
		return nil
	}
	return d.Outcome.Calls
}

// platform is the connector of steps, timers and searches, which have no effect outside.
const platform = "codemode"
