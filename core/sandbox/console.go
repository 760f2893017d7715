package sandbox

import (
	"fmt"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// console keeps the lines of one turn, the latest ones when there are too many.
type console struct {
	limit   int // bytes; 0: no bound
	after   int // completions delivered so far
	lines   []Line
	size    int // bytes of lines
	written int // bytes ever written

	droppedLines, droppedBytes int
}

// emit is the host side of console: it takes a level and a rendered text.
func (s *session) emit(call goja.FunctionCall) goja.Value {
	if !s.stopped.Load() {
		s.console.write(call.Argument(0).String(), call.Argument(1).String())
	}
	return goja.Undefined()
}

func (c *console) write(level, text string) {
	c.written += len(text)
	if c.limit > 0 && len(text) > c.limit {
		text = fmt.Sprintf("%s... %d more bytes", cut(text, c.limit), len(text)-c.limit)
	}
	c.lines = append(c.lines, Line{Level: level, Text: text, After: c.after})
	c.size += len(text)
	for c.limit > 0 && c.size > c.limit && len(c.lines) > 1 {
		c.size -= len(c.lines[0].Text)
		c.droppedLines++
		c.droppedBytes += len(c.lines[0].Text)
		c.lines = c.lines[1:]
	}
}

// cut shortens text to at most n bytes without tearing a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// take returns the lines of the turn, behind a note about those that went.
func (c *console) take() []Line {
	lines := c.lines
	if c.droppedLines > 0 {
		note := fmt.Sprintf("%d earlier console lines (%d bytes) were dropped; the console keeps the last %d bytes",
			c.droppedLines, c.droppedBytes, c.limit)
		lines = append([]Line{{Level: "warn", Text: note, After: lines[0].After}}, lines...)
	}
	c.lines, c.size, c.droppedLines, c.droppedBytes = nil, 0, 0, 0
	return lines
}
