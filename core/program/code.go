package program

import (
	"strings"
	"unicode/utf8"
)

// code is a program's text, on the lines and columns that it has in what the model wrote.
type code struct {
	text  string   // prose and fences are blank
	model []string // the lines that the model wrote
	// module is the name of the module that the text is; empty: it is the program.
	module string
}

// position is a place in the model's text: both from 1, columns in UTF-16 units as JavaScript counts them.
type position struct{ line, column int }

// fault returns an error that points to a place.
func (c *code) fault(at position, message string) *Error {
	if at.line < 1 {
		return &Error{Message: message, Module: c.module}
	}
	at.line = min(at.line, len(c.model))
	return &Error{Message: message, Module: c.module, Line: at.line, Column: at.column, Source: c.model[at.line-1]}
}

// at returns the position of a byte offset of the text.
func (c *code) at(offset int) position {
	before := c.text[:min(offset, len(c.text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return position{line: strings.Count(before, "\n") + 1, column: units(before[start:]) + 1}
}

// start returns the position of the first character that is not blank, or the zero position.
func (c *code) start() position {
	trimmed := strings.TrimLeft(c.text, " \t\n")
	if trimmed == "" {
		return position{}
	}
	return c.at(len(c.text) - len(trimmed))
}

// units counts UTF-16 units.
func units(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// byteColumn turns a column in UTF-16 units, from 0, into one in bytes.
func byteColumn(line string, column int) int {
	for i, r := range line {
		if column <= 0 {
			return i
		}
		column--
		if r > 0xFFFF {
			column--
		}
	}
	return len(line)
}
