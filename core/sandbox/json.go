package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// parseJSON is JSON.parse without a reviver. The engine's own takes three times as long, refuses numbers beyond the
// range, loses halves of surrogate pairs, and its errors do not say where.
func (s *session) parseJSON(call goja.FunctionCall) goja.Value {
	text := []byte(call.Argument(0).String())
	if !json.Valid(text) {
		message := jsonFault(text)
		panic(s.realm.newError.call(s.vm.ToValue("SyntaxError"), s.vm.ToValue(message), s.vm.NewObject(), s.vm.ToValue("")))
	}
	d := decoder{realm: s.realm, vm: s.vm, text: text, plain: true}
	v, err := d.value()
	if err != nil {
		panic(s.realm.typeError(s.vm, err.Error()))
	}
	return v
}

// jsonFaults turns what encoding/json expected into the words that JavaScript engines use.
var jsonFaults = []struct{ expected, message string }{
	{"looking for beginning of object key string", "Expected double-quoted property name"},
	{"after object key:value pair", "Expected ',' or '}' after property value"},
	{"after object key", "Expected ':' after property name"},
	{"after array element", "Expected ',' or ']' after array element"},
	{"after top-level value", "Unexpected non-whitespace character after JSON"},
	{"in string escape code", "Bad escaped character"},
	{`in \u hexadecimal character escape`, "Bad Unicode escape"},
	{"in string literal", "Bad control character in string literal"},
}

// jsonFault says what is wrong with a text, and where.
func jsonFault(text []byte) string {
	var fault *json.SyntaxError
	err := json.Unmarshal(text, new(json.RawMessage))
	if !errors.As(err, &fault) {
		return "the JSON is not valid"
	}
	if strings.HasPrefix(fault.Error(), "unexpected end") {
		return "Unexpected end of JSON input"
	}
	before := string(text[:max(0, fault.Offset-1)])
	for _, f := range jsonFaults {
		if strings.Contains(fault.Error(), f.expected) {
			message := f.message
			if strings.HasSuffix(strings.TrimRight(before, " \t\r\n"), "{") {
				message = "Expected property name or '}'"
			}
			if message == "Unexpected non-whitespace character after JSON" {
				return message + " at " + textPlace(before)
			}
			return message + " in JSON at " + textPlace(before)
		}
	}
	if !strings.Contains(fault.Error(), "invalid character") {
		return "the JSON is not valid: " + fault.Error()
	}
	r, _ := utf8.DecodeRune(text[len(before):])
	return fmt.Sprintf("Unexpected token '%c', %s is not valid JSON, at %s", r, excerpt(string(text), len(before)), textPlace(before))
}

// textPlace is the place behind a text.
func textPlace(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	units := func(s string) int { return len(utf16.Encode([]rune(s))) }
	return fmt.Sprintf("position %d (line %d column %d)", units(before), strings.Count(before, "\n")+1, units(line)+1)
}

// excerpt quotes what stands around an offset.
func excerpt(text string, at int) string {
	const around = 10
	from, to := at-around, at+around
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	head, tail := "...", "..."
	if from <= 0 {
		from, head = 0, ""
	}
	if to >= len(text) {
		to, tail = len(text), ""
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return head + `"` + text[from:to] + `"` + tail
}
