package document

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// Value is one value of a document, read when it is asked for. The zero Value
// is absent; everything can be asked of it.
type Value struct {
	file *file
	node raw.Value
}

// Exists reports whether there is such a value.
func (v Value) Exists() bool { return v.node != nil }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.node.IsObject() }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return v.node.Kind() == '[' }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { return v.node.Kind() == '"' }

// Raw returns the value's JSON, which must not be changed; nil if it is absent.
func (v Value) Raw() json.RawMessage { return json.RawMessage(v.node) }

// Text returns the string that the value is, else "".
func (v Value) Text() string { return v.node.Text() }

// Is reports whether the value's JSON is this literal: true, false, null.
func (v Value) Is(literal string) bool { return string(v.node) == literal }

// Get returns a member of an object. It follows no reference.
func (v Value) Get(name string) Value { return Value{v.file, v.node.Get(name)} }

// fields returns the members of an object by name, for whoever asks for
// several: each Get is a look through the whole object.
func (v Value) fields() fields {
	all := fields{}
	for name, n := range v.node.Members() {
		if _, twice := all[name]; !twice {
			all[name] = Value{v.file, n}
		}
	}
	return all
}

type fields map[string]Value

// Members yields the members of an object, in the order of the document.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for name, n := range v.node.Members() {
			if !yield(name, Value{v.file, n}) {
				return
			}
		}
	}
}

// Items yields the items of an array.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for n := range v.node.Items() {
			if !yield(Value{v.file, n}) {
				return
			}
		}
	}
}

// Texts returns the strings among an array's items.
func (v Value) Texts() []string {
	var list []string
	for item := range v.Items() {
		if item.IsString() {
			list = append(list, item.Text())
		}
	}
	return list
}

// With returns another value in the place of v: references in text, which must
// be valid JSON, are read as if they stood in v's file.
func (v Value) With(text json.RawMessage) Value { return Value{v.file, raw.Value(text)} }

// Ref is where a reference leads: a file of the document, "#", and a JSON
// pointer. References that mean one place are equal.
type Ref string

// Pointer returns the JSON pointer.
func (r Ref) Pointer() string {
	_, pointer, _ := strings.Cut(string(r), "#")
	return pointer
}

// Ref returns where the value's $ref leads, without looking whether there is
// something; false if the value is no reference.
func (v Value) Ref() (Ref, bool) {
	if !v.IsObject() {
		return "", false
	}
	text := v.node.Get("$ref")
	if text.Kind() != '"' {
		return "", false
	}
	return v.file.ref(text.Text()), true
}

// Follow returns what a reference leads to.
func (v Value) Follow(ref Ref) (Value, error) { return v.file.document.at(ref) }

// Resolve follows references until it meets a value that is none.
func (v Value) Resolve() (Value, error) {
	for range maxHops {
		ref, ok := v.Ref()
		if !ok {
			return v, nil
		}
		next, err := v.Follow(ref)
		if err != nil {
			return Value{}, err
		}
		v = next
	}
	return Value{}, fmt.Errorf("the reference %s goes round in circles", v.node.Get("$ref").Text())
}

// maxHops is the number of references in a row that are taken for a circle.
const maxHops = 32

// text returns what a description or a title says, also where it is a reference to a file of text.
func (v Value) text() string {
	if target, err := v.Resolve(); err == nil {
		return target.Text()
	}
	return ""
}

// tokens splits a JSON pointer.
func tokens(pointer string) []string {
	if pointer == "" || pointer == "/" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts
}

// child returns what a pointer's token leads to in n.
func child(n raw.Value, token string) raw.Value {
	if n.Kind() != '[' {
		return n.Get(token)
	}
	i := 0
	for item := range n.Items() {
		if strconv.Itoa(i) == token {
			return item
		}
		i++
	}
	return nil
}
