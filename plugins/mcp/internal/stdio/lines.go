package stdio

import "bytes"

// lineBytes bounds a line that goes to the log.
const lineBytes = 16 << 10

// lineWriter cuts what is written to it into lines. A line that is longer than
// limit ends there, and the rest of it is dropped. Write never fails: an error
// would end the server's output.
type lineWriter struct {
	limit int
	emit  func(line string)

	buf []byte
	cut bool // the current line was handed on already
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		w.add(line)
		if !ended {
			return n, nil
		}
		w.flush()
		p = rest
	}
}

func (w *lineWriter) add(p []byte) {
	if w.cut {
		return
	}
	if room := w.limit - len(w.buf); len(p) > room {
		w.buf = append(w.buf, p[:room]...)
		w.flush()
		w.cut = true
		return
	}
	w.buf = append(w.buf, p...)
}

// flush ends the current line; empty ones are not handed on.
func (w *lineWriter) flush() {
	if line := bytes.TrimSpace(w.buf); len(line) > 0 {
		w.emit(string(line))
	}
	w.buf, w.cut = w.buf[:0], false
}
