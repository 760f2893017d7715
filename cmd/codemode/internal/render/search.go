package render

import (
	"fmt"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

// Search lists what a search found.
func (p Page) Search(r *catalog.Results) string {
	w := &writer{Page: p}
	for i, m := range r.Results {
		if i > 0 {
			w.gap()
		}
		w.line(w.paint(bold, inline(m.Path)) + w.standing(m))
		w.block(2, m.Description)
		w.block(2, m.Signature)
	}
	if len(r.Results) == 0 {
		w.line("Nothing was found.")
	}
	if r.Note != "" {
		w.block(0, r.Note)
	}
	if r.Truncated {
		w.gap()
		w.line(fmt.Sprintf("%d of %d; more with --cursor %s", len(r.Results), r.Total, inline(r.Cursor)))
	}
	if len(r.Unavailable) > 0 {
		w.heading("Not available now")
		for _, u := range r.Unavailable {
			w.block(2, u.Connector+": "+u.Reason)
		}
	}
	return w.String()
}

// standing says what policy makes of a method.
func (w *writer) standing(m catalog.Result) string {
	switch {
	case m.Denied:
		return "  " + w.paint(red, "denied")
	case m.RequiresApproval:
		return "  " + w.paint(yellow, "needs approval")
	}
	return ""
}

// Description shows a page of the catalog.
func (p Page) Description(d *catalog.Description) string {
	w := &writer{Page: p}
	w.block(0, d.Text())
	return w.String()
}

// Skipped lists what a connector could not offer.
func (p Page) Skipped(s *core.Skipped) string {
	w := &writer{Page: p}
	w.line(fmt.Sprintf("%s offers %d methods, and %d cannot be offered.", inline(s.Connector), s.Offered, len(s.Skipped)))
	for _, m := range s.Skipped {
		w.gap()
		w.line(w.paint(bold, inline(m.Name)))
		w.block(2, m.Reason)
	}
	return w.String()
}
