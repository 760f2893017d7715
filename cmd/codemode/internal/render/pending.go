package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

// listedLines bounds the arguments and the preview of one call in a listing.
const listedLines = 12

// Pending lists calls that wait for a person, by their executions. Long values are cut unless whole is set.
func (p Page) Pending(list []core.Pending, whole bool) string {
	w := &writer{Page: p}
	if len(list) == 0 {
		w.line("Nothing waits for a person.")
		return w.String()
	}
	for i, c := range list {
		if i == 0 || c.ExecutionID != list[i-1].ExecutionID {
			w.heading("Execution " + inline(c.ExecutionID))
		}
		w.gap()
		w.call(c, limit(whole))
		w.field(2, "digest", c.Digest)
	}
	if p.Advice {
		w.gap()
		w.goOn(list)
	}
	return w.String()
}

func limit(whole bool) int {
	if whole {
		return 0
	}
	return listedLines
}

// Call tells one waiting call whole, for a decision about it.
func (p Page) Call(c core.Pending) string {
	w := &writer{Page: p}
	w.call(c, 0)
	return w.String()
}

// Record tells one call that no pass waits for, for a decision about it.
func (p Page) Record(c engine.CallRecord) string {
	w := &writer{Page: p}
	state := w.status(inline(strings.ReplaceAll(c.State, "_", " ")))
	if c.RevertInDoubt {
		state += ", " + w.paint(red, "its revert in doubt")
	}
	w.line(fmt.Sprintf("[%s] %s  %s", inline(c.Seq), w.paint(bold, inline(c.Connector+"."+c.Method)), state))
	w.labelled(2, "args", value(c.Args, w.width()-2-labelWidth))
	if c.Error != nil {
		w.field(2, "error", c.Error.Message)
	}
	w.field(2, "note", c.Note)
	return w.String()
}

// Edited tells one waiting call whole as it would be executed with an approver's own arguments.
func (p Page) Edited(c core.Pending, args json.RawMessage) string {
	w := &writer{Page: p}
	own := c.Args
	if c.Preview != "" {
		c.Note = strings.TrimSpace(c.Note + "\nThe preview is left out: it told of the program's own arguments.")
	}
	c.Args, c.Preview = args, ""
	w.call(c, 0)
	w.labelled(2, "instead of", value(own, w.width()-2-labelWidth))
	return w.String()
}

// call writes a waiting call; its arguments and preview have at most so many lines, 0: all.
func (w *writer) call(c core.Pending, most int) {
	w.line(fmt.Sprintf("[%s] %s  %s", inline(c.Seq), w.paint(bold, inline(c.Connector+"."+c.Method)), w.mark(c)))
	w.labelled(2, "args", bounded(value(c.Args, w.width()-2-labelWidth), most))
	if c.Preview != "" {
		w.labelled(2, "preview", bounded(wrap(c.Preview, w.width()-2-labelWidth), most))
	}
	w.field(2, "why", why(c))
	w.field(2, "note", c.Note)
	if c.Line > 0 {
		w.field(2, "line", fmt.Sprintf("%d of the program", c.Line))
	}
	if c.ExpiresAt != nil {
		w.field(2, "expires", w.at(*c.ExpiresAt))
	}
}

// mark says what kind of decision a call waits for, and whether it can be undone.
func (w *writer) mark(c core.Pending) string {
	undo := w.paint(red, "irreversible")
	switch {
	case c.Revertible:
		undo = "revertible"
	case c.ReadOnly:
		undo = "read only"
	}
	if c.Kind == engine.PendingInDoubt {
		return w.paint(yellow, "in doubt") + ", " + undo
	}
	return undo
}

func why(c core.Pending) string {
	if c.Reason == "" {
		return c.Rule
	}
	return c.Reason + "\n(" + c.Rule + ")"
}

// goOn tells a person the commands that decide.
func (w *writer) goOn(list []core.Pending) {
	approvals := map[string]bool{}
	for _, c := range list {
		id, seq := inline(c.ExecutionID), inline(c.Seq)
		switch {
		case c.Kind == engine.PendingInDoubt:
			w.labelled(0, "settle", []string{"codemode settle " + id + " " + seq, "  " + flags(c.Settle)})
		case !approvals[id]:
			approvals[id] = true
			w.labelled(0, "approve", []string{"codemode approve " + id})
			w.labelled(0, "reject", []string{"codemode reject " + id + " " + seq + ` --note "..."`})
		}
	}
}

// settleFlags are the flags that say what words of a settlement mean.
var settleFlags = map[string]string{
	core.SettleAgain: "--again", core.SettleDone: "--result JSON", core.SettleNotDone: "--not-done", core.SettleEnd: "--end",
}

// flags lists the flags for these words, the last behind an "or".
func flags(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = settleFlags[word]
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return strings.Join(list, "")
}
