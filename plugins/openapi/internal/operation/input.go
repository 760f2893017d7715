package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/paging"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
	"github.com/codemode-go/codemode/plugins/openapi/internal/schema"
)

// FullArgument is the argument of every method with which it returns status
// and headers, too.
const FullArgument = "$full"

// fullSchema says readOnly so that declarations leave the argument out: every
// method has it, and the connector's instructions tell.
const fullSchema = `{"type":"boolean","readOnly":true}`

// ignored are the headers that OpenAPI has other places for, or that belong to the connection.
var ignored = []string{
	"accept", "content-type", "authorization", "host", "connection", "content-length", "transfer-encoding",
	"upgrade", "te", "trailer", "keep-alive", "proxy-authorization", "cookie",
}

// input writes the schema of the arguments and fills in the request's parameters.
func (b *builder) input(o *document.Operation, m *Method) json.RawMessage {
	s := b.factory.New(schema.In)
	properties := &object{}
	var required []string
	for _, p := range arguments(o) {
		m.Request.Parameters = append(m.Request.Parameters, p.Parameter)
		properties.add(p.Argument, described(s.Add(p.source.Schema), note(p.source)))
		if p.Required {
			required = append(required, p.Argument)
		}
	}
	if o.Body != nil && !takesNothing(o.Body) {
		m.Request.Body, m.Request.BodyRequired = media(o.Body), o.Body.Required
		properties.add(request.BodyArgument, described(b.body(s, o.Body, m.Request.Body), o.Body.Description))
		if o.Body.Required {
			required = append(required, request.BodyArgument)
		}
	}
	if len(m.Request.Body) > 1 {
		properties.add(request.MediaArgument, mediaTypes(m.Request.Body))
	}
	if m.Pages != nil {
		properties.add(paging.Argument, json.RawMessage(paging.Schema))
	}
	properties.add(FullArgument, json.RawMessage(fullSchema))
	root := &object{}
	// An approval is bound to this schema, and so to where the call goes.
	root.add("$comment", quote(o.Method+" "+m.Request.Server+o.Path))
	root.add("type", json.RawMessage(`"object"`))
	root.add("properties", properties.json())
	if len(required) > 0 {
		root.add("required", quoteAll(required))
	}
	root.add("additionalProperties", json.RawMessage("false"))
	root.add("$defs", s.Defs(b.limits.input))
	return root.json()
}

// takesNothing reports whether a body is optional and an object without
// properties, of which some documents have one for every GET.
func takesNothing(body *document.Body) bool {
	for _, m := range body.Media {
		properties := m.Schema.Get("properties")
		isEmpty := properties.IsObject() && len(properties.Raw()) == len("{}")
		if more := m.Schema.Get("additionalProperties"); !isEmpty || more.Exists() && !more.Is("false") || m.Schema.Get("allOf").Exists() {
			return false
		}
	}
	return !body.Required
}

// argument is a parameter with where it comes from.
type argument struct {
	request.Parameter
	source document.Parameter
}

// arguments gives each parameter the name of an argument: its own, where it is
// the first of that name and no other argument has it, else with its place
// behind it.
func arguments(o *document.Operation) []argument {
	taken := []string{FullArgument, paging.Argument, request.MediaArgument}
	if o.Body != nil {
		taken = append(taken, request.BodyArgument)
	}
	var list []argument
	for _, place := range []string{"path", "query", "querystring", "header", "cookie"} {
		for _, p := range o.Parameters {
			if p.In != place || place == "header" && slices.Contains(ignored, strings.ToLower(p.Name)) {
				continue
			}
			if place == "path" && !strings.Contains(o.Path, "{"+p.Name+"}") {
				continue // it has no place to go to
			}
			name := p.Name
			for slices.Contains(taken, name) {
				name += "_" + place
			}
			taken = append(taken, name)
			list = append(list, argument{request.Parameter{
				Argument: name, Name: p.Name, In: p.In, Required: p.Required, Style: p.Style,
				Reserved: p.Reserved, Segments: p.Segments, Content: p.Content,
			}, p})
		}
	}
	return list
}

// note is the description of a parameter.
func note(p document.Parameter) string {
	if p.Deprecated {
		return strings.TrimSpace("Deprecated. " + p.Description)
	}
	return p.Description
}

// media returns the forms of a body, those first that a program writes most easily.
func media(body *document.Body) []request.Media {
	var list []request.Media
	for _, m := range body.Media {
		valueType := schemaType(m.Schema)
		kind := request.KindOf(m.Type, valueType)
		list = append(list, request.Media{Type: m.Type, Kind: kind, Encoding: m.Encoding, Files: kind == request.Multipart && valueType != "object"})
	}
	slices.SortStableFunc(list, func(a, b request.Media) int { return int(a.Kind) - int(b.Kind) })
	// Other spellings of a form are no choice that means anything, but for patches.
	return slices.CompactFunc(list, func(a, b request.Media) bool {
		return a.Kind == request.JSON && b.Kind == request.JSON && !strings.Contains(a.Type, "patch") && !strings.Contains(b.Type, "patch")
	})
}

func schemaType(v document.Value) string {
	v, err := v.Resolve()
	if err != nil {
		return ""
	}
	if v.Get("type").IsString() {
		return v.Get("type").Text()
	}
	return "object" // or a composition of some
}

// body returns the schema of a body: of any of its forms.
func (b *builder) body(s *schema.Builder, body *document.Body, forms []request.Media) json.RawMessage {
	var list []json.RawMessage
	for _, form := range forms {
		i := slices.IndexFunc(body.Media, func(m document.Media) bool { return m.Type == form.Type })
		one := b.form(s, body.Media[i].Schema, form.Kind)
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return bytes.Equal(one, other) }) {
			list = append(list, one)
		}
	}
	return anyOf(list)
}

const binary = `{"type":"string","format":"binary"}`

// form returns the schema of one form of a body.
func (b *builder) form(s *schema.Builder, v document.Value, kind request.Kind) json.RawMessage {
	switch kind {
	case request.Text:
		return json.RawMessage(`{"type":"string"}`)
	case request.Bytes:
		return json.RawMessage(binary)
	case request.Multipart:
		return s.AddForm(v)
	}
	return s.Add(v)
}

func mediaTypes(forms []request.Media) json.RawMessage {
	var names []string
	for _, m := range forms {
		names = append(names, m.Type)
	}
	return fmt.Appendf(nil, `{"enum":%s,"default":%s}`, quoteAll(names), quote(names[0]))
}
