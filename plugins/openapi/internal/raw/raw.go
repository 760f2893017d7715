// Package raw reads JSON without decoding it. A document of 20 MB has millions
// of values, and most are never looked at.
package raw

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// Value is one JSON value as it is written in a valid JSON text, without white
// space around it. The nil Value is absent. Nothing here may be asked of an
// invalid text: see json.Valid.
type Value []byte

// Kind is the value's first character, which says what it is; 0: absent.
func (v Value) Kind() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.Kind() == '{' }

// Text returns the string that v is; "" if it is none.
func (v Value) Text() string {
	if v.Kind() != '"' {
		return ""
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	var s string
	_ = json.Unmarshal(v, &s) // a string of a valid text
	return s
}

// Members yields the members of an object, in order; none for another value.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if !v.IsObject() {
			return
		}
		for i := space(v, 1); v[i] != '}'; {
			end := skip(v, i)
			key := Value(v[i:end]).Text()
			i = space(v, space(v, end)+1) // behind the colon
			end = skip(v, i)
			if !yield(key, v[i:end]) {
				return
			}
			i = next(v, end)
		}
	}
}

// Items yields the items of an array; none for another value.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != '[' {
			return
		}
		for i := space(v, 1); v[i] != ']'; {
			end := skip(v, i)
			if !yield(v[i:end]) {
				return
			}
			i = next(v, end)
		}
	}
}

// Get returns the member of a name; of several, the first.
func (v Value) Get(name string) Value {
	for key, value := range v.Members() {
		if key == name {
			return value
		}
	}
	return nil
}

// next returns where what follows a value at end begins: behind a comma, or at the closing bracket.
func next(b []byte, end int) int {
	end = space(b, end)
	if b[end] == ',' {
		return space(b, end+1)
	}
	return end
}

// space returns the first place from i on that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skip returns the end of the value that begins at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipContainer(b, i)
	}
	for i < len(b) && !strings.ContainsRune(",]} \n\r\t", rune(b[i])) {
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

func skipContainer(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// Texts yields the strings that are values of members called key, anywhere in
// a text. It looks for the key itself, which is faster than to walk the values.
func Texts(text Value, key string) iter.Seq[string] {
	quoted := []byte(`"` + key + `"`)
	return func(yield func(string) bool) {
		for rest := text; ; {
			i := bytes.Index(rest, quoted)
			if i < 0 {
				return
			}
			rest = rest[space(rest, i+len(quoted)):]
			if len(rest) == 0 || rest[0] != ':' {
				continue
			}
			start := space(rest, 1)
			value := rest[start:skip(rest, start)]
			if value.Kind() == '"' && !yield(value.Text()) {
				return
			}
		}
	}
}
