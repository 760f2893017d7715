package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

// maxDepth is the nesting at which a schema is taken for endless.
const maxDepth = 64

// The longest descriptions that are kept, in bytes, by direction.
var longestDescription = [2]int{In: 600, Out: 200}

// translate translates one schema; references in it stay references.
func (f *Factory) translate(v document.Value, way Direction) *fragment {
	t := &translation{factory: f, way: way}
	t.schema(v, nil, 0)
	return &fragment{text: bytes.Clone(t.out.Bytes()), refs: t.refs}
}

type translation struct {
	factory *Factory
	way     Direction
	files   bool // a file may say its name and type
	out     bytes.Buffer
	refs    []document.Ref
}

// schema writes a schema. hidden are names that a schema around it hides.
func (t *translation) schema(v document.Value, hidden []string, depth int) {
	switch {
	case v.Is("false"):
		t.out.WriteString("false")
	case !v.IsObject() || depth > maxDepth:
		t.out.WriteString("true")
	case t.files && isFile(v):
		t.file(v)
	case t.isNullable(v) && isComposed(v):
		t.out.WriteString(`{"anyOf":[`)
		t.object(v, false, hidden, depth)
		t.out.WriteString(`,{"type":"null"}]}`)
	default:
		t.object(v, t.isNullable(v), hidden, depth)
	}
}

// isFile reports whether a property of a form is a file.
func isFile(v document.Value) bool {
	return v.Get("format").Text() == "binary" || v.Get("type").Text() == "file" ||
		v.Get("contentMediaType").Text() == "application/octet-stream"
}

// file writes the schema of a file.
func (t *translation) file(v document.Value) {
	const data = `{"type":"string","format":"binary"}`
	t.out.WriteByte('{')
	if t.description(v.Get("description")) {
		t.out.WriteByte(',')
	}
	t.out.WriteString(`"anyOf":[` + data + `,{"type":"object","properties":{"data":` + data +
		`,"filename":{"type":"string"},"type":{"type":"string"}},"required":["data"],"additionalProperties":false}]}`)
}

// isNullable reports whether a schema of the older dialects accepts null beside its type.
func (t *translation) isNullable(v document.Value) bool {
	return t.factory.dialect != document.OpenAPI31 && (v.Get("nullable").Is("true") || v.Get("x-nullable").Is("true"))
}

func isComposed(v document.Value) bool {
	for name := range v.Members() {
		switch name {
		case "$ref", "allOf", "anyOf", "oneOf", "not":
			return true
		}
	}
	return false
}

// object writes the keywords of a schema.
func (t *translation) object(v document.Value, nullable bool, hidden []string, depth int) {
	hidden = append(slices.Clip(hidden), t.hiddenNames(v, 0)...)
	_, isRef := v.Ref()
	bare := isRef && t.factory.dialect != document.OpenAPI31 // siblings of $ref mean nothing there
	before := t.out.Len()
	for name, value := range v.Members() {
		if bare && name != "$ref" && name != "description" {
			continue
		}
		mark := t.out.Len()
		t.out.WriteByte(',')
		if !t.keyword(v, name, value, nullable, hidden, depth) {
			t.out.Truncate(mark)
		}
	}
	if t.out.Len() == before {
		t.out.WriteString("{}")
		return
	}
	t.out.Bytes()[before] = '{'
	t.out.WriteByte('}')
}

// keyword writes one keyword and reports whether it did.
func (t *translation) keyword(owner document.Value, name string, v document.Value, nullable bool, hidden []string, depth int) bool {
	switch name {
	case "$ref":
		return t.ref(owner)
	case "type":
		return t.types(v, nullable)
	case "enum":
		return t.enum(v, nullable)
	case "properties":
		return t.table(name, v, hidden, depth)
	case "required":
		return t.required(v, hidden)
	case "items":
		return t.items(v, depth)
	case "additionalProperties", "not":
		return (v.IsObject() || v.Is("true") || v.Is("false")) && t.sub(name, v, nil, depth)
	case "allOf":
		return t.list(name, v, hidden, depth)
	case "anyOf", "oneOf":
		return t.list(name, v, nil, depth)
	case "description":
		return t.description(v)
	case "minimum", "maximum":
		if owner.Get("exclusive" + strings.ToUpper(name[:1]) + name[1:]).Is("true") {
			name = "exclusive" + strings.ToUpper(name[:1]) + name[1:]
		}
		return t.copyIf(isNumber(v), name, v)
	case "exclusiveMinimum", "exclusiveMaximum":
		return t.copyIf(isNumber(v), name, v)
	case "multipleOf":
		return t.copyIf(isNumber(v) && positive.Match(v.Raw()), name, v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return t.copyIf(count.Match(v.Raw()), name, v)
	case "pattern", "format":
		return t.copyIf(v.IsString(), name, v)
	case "uniqueItems", "deprecated":
		return t.copyIf(v.Is("true"), name, v)
	case "default":
		return t.copyIf(true, name, v)
	}
	return t.factory.dialect == document.OpenAPI31 && t.newer(name, v, depth)
}

// newer writes a keyword that OpenAPI has since 3.1.
func (t *translation) newer(name string, v document.Value, depth int) bool {
	isSchema := v.IsObject() || v.Is("true") || v.Is("false")
	switch name {
	case "const":
		return t.copyIf(true, name, v)
	case "prefixItems":
		return t.list(name, v, nil, depth)
	case "contains", "propertyNames", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems":
		return isSchema && t.sub(name, v, nil, depth)
	case "patternProperties", "dependentSchemas":
		return t.table(name, v, nil, depth)
	case "minContains", "maxContains":
		return t.copyIf(count.Match(v.Raw()), name, v)
	case "contentEncoding", "contentMediaType":
		return t.copyIf(v.IsString(), name, v)
	}
	return false
}

var (
	count    = regexp.MustCompile(`^[0-9]{1,15}$`)
	positive = regexp.MustCompile(`^[0-9.eE+-]*[1-9]`)
)

func isNumber(v document.Value) bool {
	raw := v.Raw()
	return len(raw) > 0 && len(raw) < 30 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// key writes a keyword's name.
func (t *translation) key(name string) {
	writeString(&t.out, name)
	t.out.WriteByte(':')
}

func (t *translation) copyIf(fits bool, name string, v document.Value) bool {
	if fits {
		t.key(name)
		_ = json.Compact(&t.out, v.Raw()) // it is valid
	}
	return fits
}

func (t *translation) sub(name string, v document.Value, hidden []string, depth int) bool {
	t.key(name)
	t.schema(v, hidden, depth+1)
	return true
}

// ref writes a reference to a definition; one that leads nowhere says nothing.
func (t *translation) ref(owner document.Value) bool {
	ref, _ := owner.Ref()
	if _, err := owner.Resolve(); err != nil {
		return false
	}
	t.refs = append(t.refs, ref)
	t.key("$ref")
	writeString(&t.out, "#/$defs/"+t.factory.name(ref))
	return true
}

var typeNames = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

func (t *translation) types(v document.Value, nullable bool) bool {
	names := v.Texts()
	if v.IsString() {
		names = []string{v.Text()}
	}
	if len(names) == 1 && names[0] == "file" { // of Swagger 2.0
		t.out.WriteString(`"type":"string","format":"binary"`)
		return true
	}
	var kept []string
	for _, name := range names {
		if slices.Contains(typeNames, name) && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 || len(kept) < len(names) && v.IsString() {
		return false
	}
	if nullable && !slices.Contains(kept, "null") {
		kept = append(kept, "null")
	}
	t.key("type")
	if len(kept) == 1 {
		writeString(&t.out, kept[0])
		return true
	}
	t.out.WriteString(`["` + strings.Join(kept, `","`) + `"]`)
	return true
}

func (t *translation) enum(v document.Value, nullable bool) bool {
	n := 0
	for item := range v.Items() {
		nullable = nullable && !item.Is("null")
		n++
	}
	if n == 0 {
		return false
	}
	t.copyIf(true, "enum", v)
	if nullable {
		t.out.Truncate(t.out.Len() - 1)
		t.out.WriteString(",null]")
	}
	return true
}

// table writes an object whose members are schemas, without those that are hidden.
func (t *translation) table(name string, v document.Value, hidden []string, depth int) bool {
	if !v.IsObject() {
		return false
	}
	t.key(name)
	t.out.WriteByte('{')
	before := t.out.Len()
	for member, schema := range v.Members() {
		if slices.Contains(hidden, member) {
			continue
		}
		if t.out.Len() > before {
			t.out.WriteByte(',')
		}
		t.key(member)
		t.schema(schema, nil, depth+1)
	}
	t.out.WriteByte('}')
	return true
}

// required writes the names of the properties that are required this way.
func (t *translation) required(v document.Value, hidden []string) bool {
	var names []string
	for _, name := range v.Texts() {
		if !slices.Contains(hidden, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return false
	}
	t.key("required")
	for i, name := range names {
		separate(&t.out, i, '[')
		writeString(&t.out, name)
	}
	t.out.WriteByte(']')
	return true
}

// items writes the schema of a list's items; a list of schemas is a tuple.
func (t *translation) items(v document.Value, depth int) bool {
	if v.IsArray() {
		return t.list("prefixItems", v, nil, depth)
	}
	return (v.IsObject() || v.Is("true") || v.Is("false")) && t.sub("items", v, nil, depth)
}

func (t *translation) list(name string, v document.Value, hidden []string, depth int) bool {
	t.key(name)
	i := 0
	for item := range v.Items() {
		separate(&t.out, i, '[')
		i++
		t.schema(item, hidden, depth+1)
	}
	t.out.WriteByte(']')
	return i > 0
}

func (t *translation) description(v document.Value) bool {
	text := Shorten(Plain(v.Text()), longestDescription[t.way])
	if text == "" {
		return false
	}
	t.key("description")
	writeString(&t.out, text)
	return true
}

// hiddenNames lists the properties that do not go this way, also those of a schema that v extends.
func (t *translation) hiddenNames(v document.Value, depth int) []string {
	const deepest = 4
	mark := [2]string{In: "readOnly", Out: "writeOnly"}[t.way]
	var names []string
	for name, property := range v.Get("properties").Members() {
		if target, err := property.Resolve(); property.Get(mark).Is("true") || err == nil && target.Get(mark).Is("true") {
			names = append(names, name)
		}
	}
	for base := range v.Get("allOf").Items() {
		if base, err := base.Resolve(); err == nil && depth < deepest {
			names = append(names, t.hiddenNames(base, depth+1)...)
		}
	}
	return names
}
