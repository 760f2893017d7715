package codetool

import (
	"fmt"

	"github.com/codemode-go/codemode/core/sandbox"
)

// console keeps a program's console. Beyond the limit the oldest lines go: a console
// never ends a program.
type console struct {
	limit   int // bytes
	lines   []string
	size    int // bytes of lines
	dropped int
}

// line adds a line of the program: warnings and errors have their level in front.
func (c *console) line(l sandbox.Line) {
	text := l.Text
	if l.Level == "warn" || l.Level == "error" {
		text = "[" + l.Level + "] " + text
	}
	c.add(text)
}

// warn adds a line of the tool's own.
func (c *console) warn(format string, args ...any) {
	c.add("[warn] " + fmt.Sprintf(format, args...))
}

func (c *console) add(line string) {
	c.lines = append(c.lines, line)
	c.size += len(line)
	for c.size > c.limit && len(c.lines) > 1 {
		c.size -= len(c.lines[0])
		c.lines = c.lines[1:]
		c.dropped++
	}
}

// all returns the lines, behind a note about those that went.
func (c *console) all() []string {
	if c.dropped == 0 {
		return c.lines
	}
	note := fmt.Sprintf("[warn] %d earlier line(s) dropped: the console keeps the last %d bytes", c.dropped, c.limit)
	return append([]string{note}, c.lines...)
}
