package typescript

import (
	"bytes"
	"encoding/json"
)

// node is one value of a valid JSON document. It keeps the order of an
// object's members and decodes one level at a time, so that a large set of
// definitions costs nothing until it is used.
type node []byte

// member is one member of an object.
type member struct {
	key   string
	value node
}

// object is an object's members in their order.
type object []member

// parse returns the document's root; false if it is not valid JSON.
func parse(raw json.RawMessage) (node, bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	return node(bytes.TrimSpace(raw)), true
}

func (n node) isObject() bool      { return len(n) > 0 && n[0] == '{' }
func (n node) isArray() bool       { return len(n) > 0 && n[0] == '[' }
func (n node) isString() bool      { return len(n) > 0 && n[0] == '"' }
func (n node) is(word string) bool { return string(n) == word }

// object returns the members; nil if n is not an object.
func (n node) object() object {
	if !n.isObject() {
		return nil
	}
	var members object
	i := space(n, 1)
	for n[i] != '}' {
		end := skip(n, i)
		key := node(n[i:end]).text()
		i = space(n, space(n, end)+1) // over the colon
		end = skip(n, i)
		members = append(members, member{key, n[i:end]})
		i = next(n, end)
	}
	return members
}

// items returns the elements; nil if n is not an array.
func (n node) items() []node {
	if !n.isArray() {
		return nil
	}
	var elements []node
	i := space(n, 1)
	for n[i] != ']' {
		end := skip(n, i)
		elements = append(elements, n[i:end])
		i = next(n, end)
	}
	return elements
}

// text returns a string's content; empty if n is not a string.
func (n node) text() string {
	if !n.isString() {
		return ""
	}
	content := n[1 : len(n)-1]
	if bytes.IndexByte(content, '\\') < 0 && ascii(content) {
		return string(content)
	}
	var s string
	if json.Unmarshal(n, &s) != nil {
		return ""
	}
	return s
}

// compact returns the JSON text without white space.
func (n node) compact() string {
	var b bytes.Buffer
	if json.Compact(&b, n) != nil {
		return ""
	}
	return b.String()
}

// get returns a member's value; nil if there is none. Of several the last counts.
func (o object) get(key string) node {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].key == key {
			return o[i].value
		}
	}
	return nil
}

func (o object) hasAny(keys ...string) bool {
	for _, key := range keys {
		if o.get(key) != nil {
			return true
		}
	}
	return false
}

// strings returns the strings in the array under key.
func (o object) strings(key string) []string {
	var list []string
	for _, item := range o.get(key).items() {
		if item.isString() {
			list = append(list, item.text())
		}
	}
	return list
}

// skip returns the index behind the value that starts at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	for i < len(b) && bytes.IndexByte([]byte(" \t\r\n,:]}"), b[i]) < 0 {
		i++
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return i
}

// next returns the index of the next element, or of the closing bracket.
func next(b []byte, i int) int {
	i = space(b, i)
	if b[i] == ',' {
		i = space(b, i+1)
	}
	return i
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
