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
		color := green
		switch f.State {
		case core.FindingWarning:
			warnings++
			color = yellow
		case core.FindingFault:
			faults++
			color = red
		}
		w.finding(f, color)
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

// finding writes one finding: its state, what was looked at, and what was seen, on one line if that is short.
func (w *writer) finding(f core.Finding, color string) {
	const states, subjects = 9, 24
	subject := inline(f.Subject)
	head := "  " + w.paint(color, f.State) + spaces(states-len(f.State)) + subject
	seen := wrap(f.Text, w.width()-2-states-subjects)
	if len(seen) == 1 && len(subject) < subjects {
		w.line(head + spaces(subjects-len(subject)) + seen[0])
		return
	}
	w.line(head)
	w.block(2+states, f.Text)
}
