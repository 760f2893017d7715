package render

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/codemode-go/codemode/internal/safetext"
)

// Safe returns text with everything escaped that a terminal, or a reader, could be tricked with; see [safetext.Escape].
func Safe(text string) string { return safetext.Escape(text) }

// columns is the width of safe text on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// tab is what a tab becomes: as wide as any, wherever it stands.
const tab = "    "

// wrap breaks foreign text into safe lines of at most so many columns: at its own line breaks, else between words, else
// within a word. A line that goes on keeps the indent of its beginning.
func wrap(text string, most int) []string {
	var lines []string
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", tab)
	for line := range strings.SplitSeq(strings.TrimRight(Safe(text), "\n"), "\n") {
		lines = append(lines, wrapLine(line, most)...)
	}
	return lines
}

func wrapLine(line string, most int) []string {
	line = strings.TrimRight(line, " ")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	indent = min(indent, most/2)
	line = spaces(indent) + strings.TrimLeft(line, " ")
	var lines []string
	for columns(line) > most {
		head := cut(line, most)
		if space := strings.LastIndexByte(head, ' '); space > indent && !strings.HasPrefix(line[len(head):], " ") {
			head = head[:space]
		}
		lines = append(lines, strings.TrimRight(head, " "))
		line = spaces(indent) + strings.TrimLeft(line[len(head):], " ")
	}
	return append(lines, line)
}

// cut returns the beginning of a text that has at most so many columns, and at least one character.
func cut(text string, most int) string {
	n := 0
	for i, r := range text {
		n += runeColumns(r)
		if n > most && i > 0 {
			return text[:i]
		}
	}
	return text
}

// clip returns foreign text as one line of at most so many columns.
func clip(text string, most int) string {
	text = Safe(strings.Join(strings.Fields(text), " "))
	if columns(text) <= most {
		return text
	}
	return cut(text, most-1) + "…"
}

// pad fills safe text up to a column.
func pad(text string, to int) string { return text + spaces(to-columns(text)) }

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// inline returns foreign text safe within a line.
func inline(text string) string { return strings.ReplaceAll(Safe(text), "\n", `\n`) }
