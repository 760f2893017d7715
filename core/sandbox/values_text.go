package sandbox

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

func pathKey(key string) string {
	if isIdentifier(key) {
		return "." + key
	}
	return "[" + string(appendText(nil, key)) + "]"
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// appendString writes a string as JSON.stringify does: a surrogate without its
// other half, which UTF-8 cannot hold, is escaped.
func appendString(buf []byte, s goja.String) []byte {
	text := s.String()
	if !strings.ContainsRune(text, utf8.RuneError) {
		return appendText(buf, text)
	}
	buf = append(buf, '"')
	for i := 0; i < s.Length(); i++ {
		r := rune(s.CharAt(i))
		if utf16.IsSurrogate(r) {
			pair := utf8.RuneError
			if i+1 < s.Length() {
				pair = utf16.DecodeRune(r, rune(s.CharAt(i+1)))
			}
			if pair == utf8.RuneError {
				buf = fmt.Appendf(buf, `\u%04x`, r)
				continue
			}
			r = pair
			i++
		}
		buf = appendRune(buf, r)
	}
	return append(buf, '"')
}

func appendText(buf []byte, text string) []byte {
	buf = append(buf, '"')
	plain := 0
	for i := range len(text) {
		if c := text[i]; c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		buf = append(buf, text[plain:i]...)
		buf = appendRune(buf, rune(text[i]))
		plain = i + 1
	}
	buf = append(buf, text[plain:]...)
	return append(buf, '"')
}

func appendRune(buf []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(buf, '\\', byte(r))
	case '\b':
		return append(buf, `\b`...)
	case '\f':
		return append(buf, `\f`...)
	case '\n':
		return append(buf, `\n`...)
	case '\r':
		return append(buf, `\r`...)
	case '\t':
		return append(buf, `\t`...)
	}
	if r < 0x20 {
		return fmt.Appendf(buf, `\u%04x`, r)
	}
	return utf8.AppendRune(buf, r)
}
