// Package result turns what an MCP tool answered into what a program gets.
//
//   - Structured content is the value.
//   - Otherwise texts are, joined by newlines: as JSON if the whole is a JSON
//     object or array and nobody has turned that off, else as a string. "1.10"
//     stays a string. So does the answer of a tool that has an output schema
//     and yet sends no structured content.
//   - Otherwise, where there are images, audio or resources, the value is
//     {content: [...]} with all parts, their bytes as bytes.
//   - No content at all is undefined.
//
// [Result.Everything] is the alternative that leaves nothing out and parses no text.
//
// A result that says that it is an error is one, with the texts as its message.
package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Result is the result of one call of a tool.
type Result struct {
	content    []part
	structured json.RawMessage // nil: none
	failed     bool
	legacy     json.RawMessage // the whole value, in the protocol's first version; nil: none
}

// Parse reads a result's JSON.
func Parse(raw json.RawMessage) (*Result, error) {
	var fields struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
		ToolResult        json.RawMessage   `json:"toolResult"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		// The text of the decoder's error may quote the result.
		return nil, fmt.Errorf("the MCP server's answer is no result of a tool")
	}
	r := &Result{structured: present(fields.StructuredContent), failed: fields.IsError, legacy: present(fields.ToolResult)}
	for _, c := range fields.Content {
		if p, ok := parsePart(c); ok {
			r.content = append(r.content, p)
		}
	}
	return r, nil
}

// present returns nil for null: many servers write null where they have nothing.
func present(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Failed reports whether the tool says that it failed. Then [Result.Failure] counts, else [Result.Value].
func (r *Result) Failed() bool { return r.failed }

// Value returns the program's value, with tags for what JSON lacks; nil is undefined.
func (r *Result) Value(parseText bool) (json.RawMessage, error) {
	switch {
	case r.structured != nil:
		return wire.Escape(r.structured)
	case len(r.content) == 0 && r.legacy != nil:
		return wire.Escape(r.legacy)
	case len(r.content) == 0:
		return nil, nil
	case !r.allText():
		return r.parts()
	}
	text := r.text()
	if parseText && isComposite(text) {
		return wire.Escape(json.RawMessage(text))
	}
	return Encode(text)
}

// Everything returns all that the tool answered, {content: [...]} and with it
// structuredContent where there is some, with tags for what JSON lacks.
func (r *Result) Everything() (json.RawMessage, error) {
	if len(r.content) == 0 && r.legacy != nil {
		return wire.Escape(r.legacy)
	}
	content, err := r.values()
	if err != nil {
		return nil, err
	}
	all := map[string]any{"content": content}
	if r.structured != nil {
		if all["structuredContent"], err = wire.Escape(r.structured); err != nil {
			return nil, err
		}
	}
	return Encode(all)
}

// Failure returns what a failed tool said: its texts, and whatever else it
// sent, as JSON with tags; nil: nothing.
func (r *Result) Failure() (message string, details json.RawMessage, err error) {
	message = r.text()
	if strings.TrimSpace(message) == "" {
		message = "Tool call failed"
	}
	switch {
	case r.structured != nil:
		details, err = wire.Escape(r.structured)
	case !r.allText():
		details, err = r.parts()
	}
	return message, details, err
}

// Unsaid returns what the result holds beside a value that is its structured
// content: texts that say something else, and the kinds of other parts. It is
// empty if the value says it all.
func (r *Result) Unsaid() string {
	if r.structured == nil {
		return ""
	}
	var unsaid []string
	for _, p := range r.content {
		switch {
		case p.kind != kindText:
			unsaid = append(unsaid, "["+p.kind+"]")
		case strings.TrimSpace(p.text) != "" && !says(r.structured, p.text):
			unsaid = append(unsaid, p.text)
		}
	}
	return strings.Join(unsaid, "\n")
}

// allText reports whether no part is anything but text.
func (r *Result) allText() bool {
	for _, p := range r.content {
		if p.kind != kindText {
			return false
		}
	}
	return true
}

// text joins the texts.
func (r *Result) text() string {
	var texts []string
	for _, p := range r.content {
		if p.kind == kindText {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n")
}

// parts returns {content: [...]}.
func (r *Result) parts() (json.RawMessage, error) {
	content, err := r.values()
	if err != nil {
		return nil, err
	}
	return Encode(map[string]any{"content": content})
}

// values returns the value of each part.
func (r *Result) values() ([]json.RawMessage, error) {
	content := make([]json.RawMessage, len(r.content))
	for i, p := range r.content {
		var err error
		if content[i], err = p.value(); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// isComposite reports whether the whole text is one JSON object or array.
func isComposite(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed))
}

// Encode encodes without HTML's escapes.
func Encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a tool's result: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
