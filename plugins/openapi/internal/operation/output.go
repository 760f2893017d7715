package operation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
	"github.com/codemode-go/codemode/plugins/openapi/internal/response"
	"github.com/codemode-go/codemode/plugins/openapi/internal/schema"
)

// output writes the schema of what a call returns: nil if the document does not say.
func (b *builder) output(o *document.Operation) json.RawMessage {
	s := b.factory.New(schema.Out)
	var list []json.RawMessage
	for _, r := range successes(o) {
		one := b.response(s, o, r)
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return bytes.Equal(one, other) }) {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		return nil
	}
	text := anyOf(list)
	if string(text) == "true" {
		return nil
	}
	defs := s.Defs(b.limits.output)
	if defs == nil {
		return text
	}
	if len(text) == 2 { // {}
		return text
	}
	return append(append(append(bytes.Clone(text[:len(text)-1]), `,"$defs":`...), defs...), '}')
}

// response is the schema of one response.
func (b *builder) response(s *schema.Builder, o *document.Operation, r document.Response) json.RawMessage {
	if len(r.Media) == 0 || o.Method == "HEAD" || r.Status == "204" {
		return json.RawMessage(`{"type":"null"}`)
	}
	best := slices.MinFunc(r.Media, func(a, b document.Media) int { return cmp.Compare(rank(a.Type), rank(b.Type)) })
	if response.IsStream(best.Type) {
		item := best.Item
		if !item.Exists() {
			item = best.Schema
		}
		return slices.Concat(json.RawMessage(`{"type":"array","items":`), s.Add(item), json.RawMessage(`}`))
	}
	switch {
	case request.KindOf(best.Type, schemaType(best.Schema)) == request.JSON, strings.Contains(best.Type, "*"):
		return s.Add(best.Schema)
	case request.KindOf(best.Type, "") == request.Text:
		return json.RawMessage(`{"type":"string"}`)
	}
	return json.RawMessage(binary)
}
