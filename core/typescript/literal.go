package typescript

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLiteral is the length in bytes up to which a value is written as a type.
const maxLiteral = 200

// literal returns the type that has one JSON value.
func literal(n node) *expr {
	text := n.compact()
	if n.isString() {
		text = quote(n.text())
	}
	if len(text) > maxLiteral {
		return widened(n)
	}
	return word(printable(text))
}

// widened returns the primitive type of a JSON value.
func widened(n node) *expr {
	switch {
	case n.isString():
		return word("string")
	case n.is("true"), n.is("false"):
		return word("boolean")
	case n.is("null"):
		return null
	case n.isObject(), n.isArray():
		return unknown
	}
	return word("number")
}

// key returns a property's name as it is written: quoted where it is no identifier.
func key(name string) string {
	if bare(name) {
		return name
	}
	return quote(name)
}

// bare reports whether a property's name needs no quotes; reserved words need none.
func bare(name string) bool {
	for i, r := range name {
		if i == 0 && !starts(r) || !continues(r) {
			return false
		}
	}
	return name != ""
}

// quote returns a JavaScript string literal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteString(`\` + string(r))
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteString(escaped(r))
		}
	}
	b.WriteByte('"')
	return b.String()
}

// printable escapes what must not stand raw in a line, in text where it can only be inside a string literal.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(escaped(r))
	}
	return b.String()
}

// escaped returns r, escaped if it controls, reorders or cannot be seen.
func escaped(r rune) string {
	switch {
	case r > 0xFFFF && !unicode.IsPrint(r):
		return fmt.Sprintf(`\u{%x}`, r)
	case r == utf8.RuneError || !unicode.IsPrint(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
