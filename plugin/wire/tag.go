package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

var (
	// tagKey matches the only key of an object that is a tag ("$bytes",
	// "$bigint") or, with more dollars, data that would look like one.
	tagKey = regexp.MustCompile(`^\$+(bytes|bigint)$`)
	digits = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
)

// Untag translates a tagged JSON value to plain JSON: {"$bytes": B} becomes the
// base64 string B, {"$bigint": D} the number D, and an escaped look-alike
// ({"$$bytes": ...}) loses one dollar. A tag that holds something else stays
// as it is. A value without tags is returned unchanged, not copied.
func Untag(value json.RawMessage) (json.RawMessage, error) {
	return rewriteTags(value, untagged)
}

// Escape gives one dollar more to whatever in a plain JSON value looks like a
// tag, so that data stays data. A value without such objects is returned
// unchanged, not copied.
func Escape(value json.RawMessage) (json.RawMessage, error) {
	return rewriteTags(value, func(key string, inner json.RawMessage) json.RawMessage {
		return object("$"+key, inner)
	})
}

func untagged(key string, inner json.RawMessage) json.RawMessage {
	var s string
	isString := json.Unmarshal(inner, &s) == nil && inner[0] == '"'
	switch {
	case key == "$bytes" && isString:
		return inner
	case key == "$bigint" && isString && digits.MatchString(s):
		return json.RawMessage(s)
	case key == "$bytes", key == "$bigint":
		return object(key, inner)
	}
	return object(key[1:], inner)
}

func object(key string, inner json.RawMessage) json.RawMessage {
	return fmt.Appendf(nil, `{"%s":%s}`, key, inner)
}

// rewriteTags replaces every object whose only key is tagKey's by what rewrite
// makes of key and (rewritten) inner value.
func rewriteTags(value json.RawMessage, rewrite func(key string, inner json.RawMessage) json.RawMessage) (json.RawMessage, error) {
	// Nearly every value has none, and a look at its bytes shows it: the key
	// has a dollar, as it is or as an escape.
	if !bytes.Contains(value, []byte(`$`)) && !bytes.Contains(value, []byte(`\u0024`)) {
		return value, nil
	}
	if !json.Valid(value) {
		return nil, fmt.Errorf("read tags: the value is not JSON")
	}
	r := &tagRewriter{in: json.NewDecoder(bytes.NewReader(value)), rewrite: rewrite}
	r.in.UseNumber()
	return r.value()
}

// tagRewriter copies one JSON value from a token stream. Its input is valid.
type tagRewriter struct {
	in      *json.Decoder
	rewrite func(key string, inner json.RawMessage) json.RawMessage
}

func (r *tagRewriter) value() (json.RawMessage, error) {
	token, err := r.in.Token()
	if err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return r.object()
	case json.Delim('['):
		return r.array()
	}
	return scalar(token)
}

func (r *tagRewriter) object() (json.RawMessage, error) {
	out := []byte{'{'}
	var key string
	var inner json.RawMessage
	members := 0
	for ; r.in.More(); members++ {
		token, err := r.in.Token()
		if err != nil {
			return nil, fmt.Errorf("read tags: %w", err)
		}
		if inner, err = r.value(); err != nil {
			return nil, err
		}
		name, err := scalar(token)
		if err != nil {
			return nil, err
		}
		key, _ = token.(string)
		out = appendItem(out, members, append(append(name, ':'), inner...))
	}
	if _, err := r.in.Token(); err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	if members == 1 && tagKey.MatchString(key) {
		return r.rewrite(key, inner), nil
	}
	return append(out, '}'), nil
}

func (r *tagRewriter) array() (json.RawMessage, error) {
	out := []byte{'['}
	for n := 0; r.in.More(); n++ {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		out = appendItem(out, n, item)
	}
	if _, err := r.in.Token(); err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	return append(out, ']'), nil
}

// appendItem appends the nth item of an object or array.
func appendItem(out []byte, n int, item []byte) []byte {
	if n > 0 {
		out = append(out, ',')
	}
	return append(out, item...)
}

// scalar encodes a string, number, boolean or null without HTML's escapes.
func scalar(token json.Token) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(token); err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
