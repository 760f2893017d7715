package render

import (
	"fmt"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

// The columns of a listing. The title has what is left.
const (
	idColumns     = 38
	statusColumns = 13 // with the number of calls that wait for a person
	ageColumns    = 5
)

// Executions lists executions, a line each.
func (p Page) Executions(page *core.Page) string {
	w := &writer{Page: p}
	if len(page.Executions) == 0 && len(page.Unreadable) == 0 {
		w.line("There are no executions.")
		return w.String()
	}
	w.line(w.paint(faint, pad("ID", idColumns)+pad("STATUS", statusColumns)+pad("AGE", ageColumns)+"TITLE"))
	for _, h := range page.Executions {
		w.execution(h)
	}
	for _, id := range page.Unreadable {
		w.line(pad(inline(id), idColumns) + w.paint(red, "unreadable"))
	}
	if page.Next != "" {
		w.gap()
		w.line("There are more: --cursor " + inline(page.Next))
	}
	return w.String()
}

func (w *writer) execution(h journal.Head) {
	status, waiting := inline(string(h.Status)), ""
	if h.Waiting > 0 {
		waiting = fmt.Sprintf(" (%d)", h.Waiting)
	}
	left := w.width() - idColumns - statusColumns - ageColumns
	w.line(pad(inline(h.ID), idColumns) + w.status(status) + pad(waiting, statusColumns-columns(status)) +
		pad(age(w.Now.Sub(h.Created)), ageColumns) + clip(h.Title, left))
}

// age tells a duration in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}

// Ended lists the executions that were expired or deleted, as done says.
func (p Page) Ended(done string, ids []string) string {
	w := &writer{Page: p}
	if len(ids) == 0 {
		w.line("No execution was " + done + ".")
		return w.String()
	}
	for _, id := range ids {
		w.line(inline(id))
	}
	w.line(plural(len(ids), "execution") + " " + done + ".")
	return w.String()
}
