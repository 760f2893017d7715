package truncate

import (
	"bytes"
	"iter"
)

// The functions of this file read compact JSON that is known to be valid.

// parts yields the items of an array, without keys, or the members of an object; a
// key has its quotes.
func parts(container []byte) iter.Seq2[[]byte, []byte] {
	keyed := container[0] == '{'
	return func(yield func(key, value []byte) bool) {
		for at := 1; at < len(container)-1; {
			var key []byte
			if keyed {
				end := stringEnd(container, at)
				key, at = container[at:end], end+len(":")
			}
			end := valueEnd(container, at)
			if !yield(key, container[at:end]) {
				return
			}
			at = end + len(",")
		}
	}
}

// valueEnd returns the index behind the value that begins at an index.
func valueEnd(text []byte, at int) int {
	switch text[at] {
	case '"':
		return stringEnd(text, at)
	case '[', '{':
		return containerEnd(text, at)
	}
	if n := bytes.IndexAny(text[at:], ",]}"); n >= 0 {
		return at + n
	}
	return len(text)
}

func containerEnd(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		at++
		if depth == 0 {
			break
		}
	}
	return at
}

func stringEnd(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}
