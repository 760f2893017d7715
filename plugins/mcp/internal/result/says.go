package result

import (
	"encoding/json"
	"reflect"
	"strings"
)

// says reports whether structured content holds what a text says: servers
// repeat it as a text for clients that know no structured content, whole or
// the one property that matters.
func says(structured json.RawMessage, text string) bool {
	var value any
	if !decode(structured, &value) {
		return false
	}
	if same(value, text) {
		return true
	}
	object, _ := value.(map[string]any)
	for _, property := range object {
		if same(property, text) {
			return true
		}
	}
	return false
}

// same reports whether a text is a value, as it is or in JSON.
func same(value any, text string) bool {
	if s, ok := value.(string); ok && strings.TrimSpace(s) == strings.TrimSpace(text) {
		return true
	}
	var said any
	return decode([]byte(text), &said) && reflect.DeepEqual(value, said)
}

// decode decodes JSON with its numbers as they are written.
func decode(raw []byte, into *any) bool {
	if !json.Valid(raw) {
		return false
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	return d.Decode(into) == nil
}
