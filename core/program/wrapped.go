package program

import (
	"encoding/json"
	"regexp"
	"strings"
)

// looksLikeCode matches what a string has that holds a program.
var looksLikeCode = regexp.MustCompile(`=>|\bawait\s|\breturn\b|\bconst\s|\n`)

// checkWrapped refuses JSON that has the program inside, or that is a tool call: as a program it would only return itself.
func (c *code) checkWrapped() error {
	text := strings.TrimSpace(c.text)
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil && looksLikeCode.MatchString(inner) {
		return c.fault(c.start(), "this is a string with a program inside; send the program's text itself, without quotes and escapes")
	}
	var members map[string]json.RawMessage
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &members) != nil {
		return nil
	}
	if code, ok := members["code"]; ok && len(members) == 1 && json.Unmarshal(code, &inner) == nil {
		return c.fault(c.start(), "this is JSON with the program inside; send the program's text itself")
	}
	if len(members) == 2 && has(members, "tool", "name", "method", "function") && has(members, "arguments", "args", "parameters", "params", "input") {
		return c.fault(c.start(), "this is a tool call as JSON, not a program; write: await namespace.method({ name: value })")
	}
	return nil
}

func has(members map[string]json.RawMessage, names ...string) bool {
	for _, name := range names {
		if _, ok := members[name]; ok {
			return true
		}
	}
	return false
}
