package operation

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
	"github.com/codemode-go/codemode/plugins/openapi/internal/schema"
)

// object writes a JSON object member by member.
type object struct{ out bytes.Buffer }

// add adds a member; one without a value is left out.
func (o *object) add(name string, value json.RawMessage) {
	if value == nil {
		return
	}
	separator := byte(',')
	if o.out.Len() == 0 {
		separator = '{'
	}
	o.out.WriteByte(separator)
	o.out.Write(quote(name))
	o.out.WriteByte(':')
	o.out.Write(value)
}

func (o *object) json() json.RawMessage {
	if o.out.Len() == 0 {
		return json.RawMessage("{}")
	}
	o.out.WriteByte('}')
	return o.out.Bytes()
}

func quote(s string) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a JSON form
	return bytes.TrimSpace(out.Bytes())
}

func quoteAll(list []string) json.RawMessage {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = string(quote(s))
	}
	return json.RawMessage("[" + strings.Join(parts, ",") + "]")
}

// anyOf accepts what one of the schemas accepts.
func anyOf(list []json.RawMessage) json.RawMessage {
	if len(list) == 1 {
		return list[0]
	}
	return append(append(json.RawMessage(`{"anyOf":[`), bytes.Join(anyBytes(list), []byte(","))...), "]}"...)
}

func anyBytes(list []json.RawMessage) [][]byte {
	parts := make([][]byte, len(list))
	for i, item := range list {
		parts[i] = item
	}
	return parts
}

// described puts a description before what a schema says, unless it has one.
func described(s json.RawMessage, description string) json.RawMessage {
	const longest = 400
	description = schema.Shorten(schema.Plain(description), longest)
	if description == "" || raw.Value(s).Get("description") != nil {
		return s
	}
	head := append(json.RawMessage(`{"description":`), quote(description)...)
	if string(s) == "true" || string(s) == "{}" {
		return append(head, '}')
	}
	return append(append(head, ','), s[1:]...)
}
