package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// value tells a JSON value in lines, whole: on one line if it fits, else indented. What is shown are the value's own
// tokens, byte for byte, with a line break behind each \n of a string, where its text has one.
func value(raw json.RawMessage, most int) []string {
	if raw == nil {
		return []string{"undefined"}
	}
	var short, long bytes.Buffer
	if json.Compact(&short, raw) != nil || json.Indent(&long, raw, "", "  ") != nil {
		return wrap(string(raw), most) // no JSON: nothing is hidden all the same
	}
	if line := Safe(short.String()); columns(line) <= most && len(afterBreaks(line)) == 1 {
		return []string{line}
	}
	var lines []string
	for line := range strings.SplitSeq(long.String(), "\n") {
		lines = append(lines, valueLine(Safe(line), most)...)
	}
	return lines
}

// valueLine breaks one line of indented JSON.
func valueLine(line string, most int) []string {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	next := spaces(min(indent+4, most/2))
	var lines []string
	for _, piece := range afterBreaks(line) {
		for piece != "" {
			prefix := ""
			if len(lines) > 0 {
				prefix = next
			}
			head := cut(piece, most-len(prefix))
			lines = append(lines, prefix+head)
			piece = piece[len(head):]
		}
	}
	return lines
}

// afterBreaks splits a line of JSON behind each \n that stands for a line break.
func afterBreaks(line string) []string {
	var pieces []string
	start := 0
	for i := 0; i < len(line)-1; i++ {
		if line[i] != '\\' {
			continue
		}
		i++ // what is escaped
		if line[i] == 'n' && i+1 < len(line) && line[i+1] != '"' {
			pieces = append(pieces, line[start:i+1])
			start = i + 1
		}
	}
	return append(pieces, line[start:])
}

// bounded keeps the beginning of a long listing and says how much is left out.
func bounded(lines []string, most int) []string {
	if most <= 0 || len(lines) <= most {
		return lines
	}
	left := len(lines) - most + 1
	return append(lines[:most-1:most-1], fmt.Sprintf("… (%s more)", plural(left, "line")))
}
