package truncate

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// shorten returns a form of a compact value with at most room characters; false:
// there is none.
func shorten(value []byte, room, depth int) ([]byte, bool) {
	size := utf8.RuneCount(value)
	if size <= room {
		return value, true
	}
	switch value[0] {
	case '"':
		return clip(value, room)
	case '[', '{':
		return thin(value, room, depth)
	case 't', 'f', 'n':
		return nil, false
	}
	return fitting(quoted(fmt.Sprintf("… [a number of %d characters]", size)), room)
}

// clip shortens a string. It tears no escape and no surrogate pair.
func clip(value []byte, room int) ([]byte, bool) {
	inside := value[1 : len(value)-1]
	total := 0
	for rest := inside; len(rest) > 0; rest = rest[first(rest):] {
		total++
	}
	room -= 2 + utf8.RuneCountInString(moreCharacters(total))
	if room < 0 {
		return nil, false
	}
	kept, end := 0, 0
	for end < len(inside) {
		n := first(inside[end:])
		if room -= utf8.RuneCount(inside[end : end+n]); room < 0 {
			break
		}
		kept, end = kept+1, end+n
	}
	short := append([]byte{'"'}, inside[:end]...)
	short = append(short, moreCharacters(total-kept)...)
	return append(short, '"'), true
}

// first returns the length in bytes of the first character of a string's inside. An
// escape is one, and so are two that make a surrogate pair.
func first(inside []byte) int {
	switch {
	case inside[0] != '\\':
		_, n := utf8.DecodeRune(inside)
		return n
	case inside[1] != 'u':
		return len(`\n`)
	case surrogate(inside, 0xd800) && surrogate(inside[6:], 0xdc00):
		return len(`\ud83d\ude00`)
	}
	return len(`\u2026`)
}

// surrogate reports whether a string's inside begins with the escape of a surrogate
// from a range of 1,024.
func surrogate(inside []byte, from uint64) bool {
	if len(inside) < 6 || inside[0] != '\\' || inside[1] != 'u' {
		return false
	}
	n, err := strconv.ParseUint(string(inside[2:6]), 16, 16)
	return err == nil && n >= from && n < from+0x400
}

// moreCharacters ends a text of which n characters are left out.
func moreCharacters(n int) string { return "… [" + counted(n, "character") + "]" }

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d more %s", n, noun)
}

// quoted returns a text without special characters as JSON.
func quoted(text string) []byte { return []byte(`"` + text + `"`) }

func fitting(value []byte, room int) ([]byte, bool) {
	return value, utf8.RuneCount(value) <= room
}
