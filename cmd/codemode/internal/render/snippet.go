package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

// The columns of a list of snippets. The description has what is left.
const (
	nameColumns    = 26
	versionColumns = 9
)

// Snippets lists saved programs, a line each.
func (p Page) Snippets(list []core.Snippet) string {
	w := &writer{Page: p}
	if len(list) == 0 {
		w.line("There are no snippets.")
		return w.String()
	}
	w.line(w.paint(faint, pad("NAME", nameColumns)+pad("VERSION", versionColumns)+pad("AGE", ageColumns)+"DESCRIPTION"))
	for _, s := range list {
		head := pad(inline(s.Name), nameColumns)
		if columns(inline(s.Name)) >= nameColumns { // a long name has a line of its own
			w.line(inline(s.Name))
			head = spaces(nameColumns)
		}
		head += pad(fmt.Sprint(s.Version), versionColumns) + pad(age(w.Now.Sub(s.Saved)), ageColumns)
		w.line(head + clip(s.Description, w.width()-columns(head)))
	}
	return w.String()
}

// Snippet tells a saved program in full.
func (p Page) Snippet(s core.Snippet) string {
	w := &writer{Page: p}
	w.line(w.paint(bold, "Snippet "+inline(s.Name)) + fmt.Sprintf("  version %d", s.Version))
	w.field(2, "about", s.Description)
	w.field(2, "saved", w.at(s.Saved))
	w.field(2, "by", s.By)
	w.field(2, "execution", s.ExecutionID)
	w.field(2, "connectors", strings.Join(s.Connectors, ", "))
	w.inputSchema(s.InputSchema)
	w.program(s.Source)
	return w.String()
}

func (w *writer) inputSchema(schema json.RawMessage) {
	if schema == nil {
		return
	}
	w.heading("Input")
	w.lines(2, value(schema, w.width()-2))
}

// SnippetToSave tells what would be saved, for a decision about it. known is the newest version under this name, if any.
func (p Page) SnippetToSave(req core.SaveRequest, d *core.Detail, known *core.Snippet) string {
	w := &writer{Page: p}
	w.line(w.paint(bold, "Snippet "+inline(req.Name)))
	w.field(2, "about", req.Description)
	w.field(2, "execution", d.ID)
	if d.Status != string(journal.StatusCompleted) {
		w.field(2, "note", "The execution is "+d.Status+", not completed.")
	}
	if known != nil {
		w.field(2, "replaces", fmt.Sprintf("version %d, which then runs no more", known.Version))
	}
	w.inputSchema(req.InputSchema)
	w.program(d.Source)
	return w.String()
}

// SnippetSaved tells that a program was saved.
func (p Page) SnippetSaved(s core.Snippet) string {
	w := &writer{Page: p}
	w.block(0, fmt.Sprintf("Saved as version %d of snippet %s.", s.Version, inline(s.Name)))
	return w.String()
}

// SnippetDeleted tells whether a snippet was deleted.
func (p Page) SnippetDeleted(name string, found bool) string {
	w := &writer{Page: p}
	if !found {
		w.block(0, fmt.Sprintf("Nothing was changed. There is no snippet %q.", name))
		return w.String()
	}
	w.block(0, "Snippet "+name+" is deleted, with all its versions.")
	return w.String()
}
