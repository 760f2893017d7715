package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// previewLines and previewRunes bound how much of a text an approver is shown.
	previewLines = 40
	previewRunes = 4000
)

// preview is a text that a person decides on.
type preview struct{ lines []string }

func (p *preview) line(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// names adds a list, unless it is empty.
func (p *preview) names(what string, list []string) {
	if len(list) > 0 {
		p.line("%s: %s", what, strings.Join(list, ", "))
	}
}

// text adds a text of some length, apart from what is above it.
func (p *preview) text(text string) {
	if text != "" {
		p.line("")
		p.line("%s", excerpt(text, previewLines))
	}
}

// change adds what becomes of a value, unless it stays.
func (p *preview) change(what, from, to string) {
	if from != to {
		p.line("%s: %q -> %q", what, from, to)
	}
}

// body adds what changes in a text that people write.
func (p *preview) body(from, to string) {
	p.line("body:")
	p.line("%s", excerpt(difference(from+"\n", to+"\n"), previewLines))
}

func (p *preview) String() string { return strings.Join(p.lines, "\n") }

// excerpt is the beginning of a text, and how much is left out.
func excerpt(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	shown := lines[:min(len(lines), most)]
	kept := strings.Join(shown, "\n")
	if utf8.RuneCountInString(kept) > previewRunes {
		kept = string([]rune(kept)[:previewRunes])
		return fmt.Sprintf("%s\n[... %d characters in all]", kept, utf8.RuneCountInString(text))
	}
	if left := len(lines) - len(shown); left > 0 {
		return fmt.Sprintf("%s\n[... %d more lines]", kept, left)
	}
	return kept
}
