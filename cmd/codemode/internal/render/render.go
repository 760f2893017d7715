// Package render writes what the command line shows people: plain text that
// reads at 80 columns. Whatever comes from programs, connectors or people goes
// through [Safe] and is wrapped here and not by the terminal, so that it can
// neither steer the terminal nor pass for a line of ours.
package render

import (
	"strings"
	"time"
)

// Page is how a text is set.
type Page struct {
	Width  int            // columns; 80 if 0
	Colour bool           // escape sequences for emphasis
	Zone   *time.Location // of times; nil: the local one
	Now    time.Time      // from which ages are counted
	// Advice says that the reader is a person at a terminal, who is told the commands to go on with. A program that
	// reads along may act for a model, which must not be told how to approve.
	Advice bool
}

const (
	defaultWidth = 80
	minWidth     = 40
)

func (p Page) width() int {
	if p.Width == 0 {
		return defaultWidth
	}
	return max(p.Width, minWidth)
}

// The emphases.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	faint  = "2"
)

// paint sets text in an emphasis.
func (p Page) paint(emphasis, text string) string {
	if !p.Colour || text == "" {
		return text
	}
	return "\x1b[" + emphasis + "m" + text + "\x1b[0m"
}

// status sets an execution's status, or a call's state, in its colour.
func (p Page) status(s string) string {
	switch s {
	case "completed", "applied":
		return p.paint(green, s)
	case "paused", "pending", "running", "in_doubt":
		return p.paint(yellow, s)
	case "error", "rejected", "failed":
		return p.paint(red, s)
	}
	return s
}

// at tells a time, with its date.
func (p Page) at(t time.Time) string { return p.in(t).Format("2006-01-02 15:04:05") }

func (p Page) in(t time.Time) time.Time {
	if p.Zone == nil {
		return t.Local()
	}
	return t.In(p.Zone)
}

// writer collects lines.
type writer struct {
	Page
	b strings.Builder
}

func (w *writer) String() string { return w.b.String() }

// line writes one line that is made of safe parts.
func (w *writer) line(text string) {
	w.b.WriteString(strings.TrimRight(text, " "))
	w.b.WriteByte('\n')
}

// gap writes an empty line, unless it would be the first.
func (w *writer) gap() {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
}

// heading opens a section.
func (w *writer) heading(text string) {
	w.gap()
	w.line(w.paint(bold, text))
}

// block writes foreign text, wrapped and indented.
func (w *writer) block(indent int, text string) {
	w.lines(indent, wrap(text, w.width()-indent))
}

// lines writes safe lines at an indent.
func (w *writer) lines(indent int, lines []string) {
	for _, l := range lines {
		w.line(spaces(indent) + l)
	}
}

// labelWidth is the column in which fields have their text, counted from the label's.
const labelWidth = 11

// field writes foreign text behind its label; nothing if there is none.
func (w *writer) field(indent int, label, text string) {
	if text != "" {
		w.labelled(indent, label, wrap(text, w.width()-indent-labelWidth))
	}
}

// labelled writes safe lines behind a label.
func (w *writer) labelled(indent int, label string, lines []string) {
	for i, l := range lines {
		name := spaces(labelWidth)
		if i == 0 {
			name = w.paint(faint, label) + spaces(labelWidth-len(label))
		}
		w.line(spaces(indent) + name + l)
	}
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
