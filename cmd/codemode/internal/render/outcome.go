package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// Outcome tells what a run, or a decision that ran a pass, came to.
func (p Page) Outcome(o *core.Outcome) string {
	w := &writer{Page: p}
	switch {
	case o.Message != "":
		return p.Reply(&core.Reply{ExecutionID: o.ExecutionID, Status: o.Status, Changed: o.Changed, Message: o.Message})
	case o.ErrorType == engine.ErrorState:
		w.block(0, "Nothing was changed. "+o.Error)
	case o.Status == string(journal.StatusError):
		w.failed(o)
	case o.Status == string(journal.StatusPaused):
		w.paused(o)
	default:
		w.line("Execution " + inline(o.ExecutionID) + " " + w.status(inline(o.Status)) + ".")
	}
	w.console(o.Logs)
	if o.Status == string(journal.StatusCompleted) {
		w.heading("Result")
		w.lines(2, value(o.Result, w.width()-2))
	}
	w.left(o)
	return w.String()
}

// left tells what a person has still to decide or to find out.
func (w *writer) left(o *core.Outcome) {
	if len(o.Pending) > 0 {
		w.waiting(o.Pending)
		return
	}
	doubtful := slices.DeleteFunc(slices.Clone(o.Calls), func(c engine.CallRecord) bool { return c.State != string(journal.CallInDoubt) })
	if len(doubtful) == 0 || o.Status == string(journal.StatusRunning) {
		return
	}
	w.heading("In doubt")
	for _, c := range doubtful {
		w.block(2, fmt.Sprintf("[%s] %s.%s  %s", c.Seq, c.Connector, c.Method, c.Note))
	}
	w.gap()
	w.block(0, "Nobody knows whether this has taken effect. Look at the service itself.")
	if w.Advice {
		w.labelled(0, "settle", []string{
			"codemode settle " + inline(o.ExecutionID) + " " + inline(doubtful[0].Seq), "  --result JSON or --not-done records what you find",
		})
	}
}

func (w *writer) failed(o *core.Outcome) {
	w.line(fmt.Sprintf("Execution %s ended in %s (%s).", inline(o.ExecutionID), w.paint(red, "error"), inline(o.ErrorType)))
	w.block(2, errorText(o))
	d := o.ErrorDetail
	if d != nil && d.Line > 0 && !strings.Contains(o.Error, fmt.Sprintf("line %d", d.Line)) {
		w.line(fmt.Sprintf("  at line %d, column %d of the program", d.Line, d.Column))
	}
}

// errorText is the error behind its name, where that tells something.
func errorText(o *core.Outcome) string {
	if o.ErrorType != engine.ErrorRuntime || o.ErrorDetail == nil {
		return o.Error
	}
	name := o.ErrorDetail.Name
	if name == "" || name == "Error" || strings.HasPrefix(o.Error, name) {
		return o.Error
	}
	return name + ": " + o.Error
}

func (w *writer) paused(o *core.Outcome) {
	w.line("Execution " + inline(o.ExecutionID) + " is " + w.paint(yellow, "paused") + ".")
	text := waits(len(o.Pending)) + " for a person."
	if o.Returned {
		text += " The program has already returned; nothing else is left."
	}
	w.block(2, text)
}

func waits(n int) string {
	if n == 1 {
		return "1 call waits"
	}
	return fmt.Sprintf("%d calls wait", n)
}

func (w *writer) console(logs []string) {
	if len(logs) == 0 {
		return
	}
	w.heading("Console")
	for _, l := range logs {
		w.block(2, l)
	}
}

func (w *writer) waiting(list []core.Pending) {
	w.heading("Waiting")
	for i, c := range list {
		if i > 0 {
			w.gap()
		}
		w.call(c, listedLines)
	}
	w.gap()
	if w.Advice {
		w.goOn(list)
		return
	}
	w.line("A person decides about this. Until then there is nothing to do here.")
}

// Reply tells what came of a decision that runs no pass.
func (p Page) Reply(r *core.Reply) string {
	w := &writer{Page: p}
	if !r.Changed {
		w.block(0, "Nothing was changed. "+r.Message)
		return w.String()
	}
	w.line("Execution " + inline(r.ExecutionID) + w.ending(r.Status) + ".")
	w.block(2, r.Message)
	return w.String()
}

// ending says how an execution stands, behind its id; nothing of one that is not there any more.
func (w *writer) ending(status string) string {
	switch s := w.status(inline(status)); status {
	case "":
		return ""
	case string(journal.StatusError):
		return " ended in " + s
	case string(journal.StatusPaused), string(journal.StatusRunning), string(journal.StatusRolledBack):
		return " is " + s
	default:
		return " " + s
	}
}
