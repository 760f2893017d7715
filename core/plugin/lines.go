package plugin

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
)

// lineBytes bounds a line of a connector's output. A handshake line has about 1 KiB.
const lineBytes = 16 << 10

// lineWriter cuts what is written to it into lines and hands each on without
// its end. A longer line than limit is cut there and the rest of it dropped, so
// that a connector cannot make the host hold more. Write never fails: an error
// would close the connector's end of the pipe.
type lineWriter struct {
	limit int
	emit  func(line []byte)

	buf  []byte
	full bool // the line has reached limit and was handed on
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			w.add(p)
			return n, nil
		}
		w.add(p[:end])
		w.end()
		p = p[end+1:]
	}
}

func (w *lineWriter) add(p []byte) {
	if w.full {
		return
	}
	if room := w.limit - len(w.buf); len(p) > room {
		w.buf = append(w.buf, p[:room]...)
		w.emit(w.buf)
		w.buf, w.full = w.buf[:0], true
		return
	}
	w.buf = append(w.buf, p...)
}

// end finishes the current line.
func (w *lineWriter) end() {
	if !w.full {
		w.emit(bytes.TrimSuffix(w.buf, []byte("\r")))
	}
	w.buf, w.full = w.buf[:0], false
}

// flush hands on a last line that has no end.
func (w *lineWriter) flush() {
	if len(w.buf) > 0 {
		w.end()
	}
}

// tail keeps the last lines of a stream.
type tail struct {
	mu    sync.Mutex
	lines []string
}

// Bounds of what a tail keeps: lines, and bytes of each.
const (
	tailLines     = 20
	tailLineBytes = 500
)

func (t *tail) add(line string) {
	if len(line) > tailLineBytes {
		line = strings.ToValidUTF8(line[:tailLineBytes], "") + "..."
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == tailLines {
		t.lines = t.lines[1:]
	}
	t.lines = append(t.lines, line)
}

// last returns a copy, oldest first.
func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

// clean makes a text of the connector's safe to show in a terminal: escape
// sequences, other control and format characters and invalid UTF-8 become U+FFFD.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
