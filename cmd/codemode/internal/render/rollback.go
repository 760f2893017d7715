package render

import (
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

// Rollback gives a rollback's account.
func (p Page) Rollback(r *core.Rollback) string {
	w := &writer{Page: p}
	if r.Message != "" {
		w.block(0, r.Message)
	}
	w.reverts(w.paint(green, "Reverted"), r.Reverted)
	w.reverts(w.paint(red, "Not reverted: the revert failed"), r.Failed)
	w.reverts(w.paint(red, "In doubt: settle these, then roll back again"), r.InDoubt)
	w.reverts(w.paint(yellow, "Not reverted: the connector is not there"), r.Missing)
	w.reverts("Stays as it is: there is no revert", r.NoRevert)
	if r.Status != "" {
		w.gap()
		w.line("Execution " + inline(r.ExecutionID) + " is " + w.status(inline(r.Status)) + " now.")
	}
	return w.String()
}

// RollbackPlan tells what a rollback would do.
func (p Page) RollbackPlan(r *core.Rollback) string {
	w := &writer{Page: p}
	if r.Message != "" {
		w.block(0, r.Message)
	}
	w.reverts("Would be reverted, in this order", r.Reverted)
	w.reverts(w.paint(red, "Could not be reverted"), r.Failed)
	w.reverts(w.paint(red, "In doubt: to be settled first"), r.InDoubt)
	w.reverts(w.paint(yellow, "Could not be reverted: the connector is not there"), r.Missing)
	w.reverts("Would stay as it is: there is no revert", r.NoRevert)
	return w.String()
}

func (w *writer) reverts(heading string, list []engine.RevertRecord) {
	if len(list) == 0 {
		return
	}
	w.gap()
	w.line(heading)
	for _, r := range list {
		w.line("  [" + inline(r.Seq) + "] " + inline(r.Connector+"."+r.Method))
		if r.Args != nil {
			w.lines(6, bounded(value(r.Args, w.width()-6), 2))
		}
		if r.Reason != "" {
			w.block(6, r.Reason)
		}
	}
}
