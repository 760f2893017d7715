package render

import "github.com/codemode-go/codemode/core"

// Diagnosis is what a look at this machine has found.
type Diagnosis struct {
	Version  string         `json:"version"`
	Config   string         `json:"config"`
	Findings []core.Finding `json:"findings"`
}

// Diagnosis tells what was found, by section.
func (p Page) Diagnosis(d Diagnosis) string {
	w := &writer{Page: p}
	w.line("codemode " + inline(d.Version))
	w.block(0, d.Config)
	section, faults, warnings := "", 0, 0
	for _, f := range d.Findings {
		if f.Section != section {
			section = f.Section
			w.gap()
			w.line(w.paint(bold, section))
		}
		mark := w.paint(green, "ok")
		switch f.State {
		case core.FindingWarning:
			warnings++
			mark = w.paint(yellow, "warning")
		case core.FindingFault:
			faults++
			mark = w.paint(red, "fault")
		}
		w.line("  " + inline(f.Subject) + "  " + mark)
		w.block(4, f.Text)
	}
	w.gap()
	switch {
	case faults > 0:
		w.line(plural(faults, "fault") + " to mend.")
	case warnings > 0:
		w.line("No faults, " + plural(warnings, "warning") + ".")
	default:
		w.line("All is well.")
	}
	return w.String()
}
