// Package schema makes JSON Schemas (2020-12) of the schemas of an API
// description. Each stands by itself: what it refers to is in its $defs, once,
// up to a size; recursion stays a reference. Only keywords that say something
// of a value's form are kept, and only with values that they can have, so that
// every schema made here compiles.
package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

// Direction says which way a value goes.
type Direction int

// The directions. On the way in to the API, what is readOnly is left out, on
// the way out what is writeOnly.
const (
	In Direction = iota
	Out
)

// Factory makes the schemas of one document. It is not safe for concurrent use.
type Factory struct {
	dialect document.Dialect
	names   map[document.Ref]string
	owners  map[string]document.Ref
	known   [2]map[document.Ref]*fragment
}

// fragment is a translated schema with the references in it.
type fragment struct {
	text []byte
	refs []document.Ref
}

// NewFactory returns a factory for the schemas of a dialect.
func NewFactory(dialect document.Dialect) *Factory {
	return &Factory{
		dialect: dialect, names: map[document.Ref]string{}, owners: map[string]document.Ref{},
		known: [2]map[document.Ref]*fragment{{}, {}},
	}
}

// Builder collects what one schema consists of.
type Builder struct {
	factory *Factory
	way     Direction
	origin  document.Value // any value of the document, to follow references from
	queue   []document.Ref
	queued  map[document.Ref]bool
}

// New begins a schema.
func (f *Factory) New(way Direction) *Builder {
	return &Builder{factory: f, way: way, queued: map[document.Ref]bool{}}
}

// Add returns the translation of a schema; an absent one accepts anything.
// What it refers to is added to the definitions.
func (b *Builder) Add(v document.Value) json.RawMessage {
	if !v.Exists() {
		return json.RawMessage("true")
	}
	b.origin = v
	t := b.factory.translate(v, b.way)
	b.enqueue(t.refs)
	return t.text
}

// AddForm is Add for a form with files: a property that is a file may be its
// bytes, or say its name and type, too.
func (b *Builder) AddForm(v document.Value) json.RawMessage {
	target, err := v.Resolve()
	if err != nil || !target.IsObject() {
		return b.Add(v)
	}
	b.origin = target
	t := &translation{factory: b.factory, way: b.way, files: true}
	t.schema(target, nil, 0)
	b.enqueue(t.refs)
	return t.out.Bytes()
}

func (b *Builder) enqueue(refs []document.Ref) {
	for _, ref := range refs {
		if !b.queued[ref] {
			b.queued[ref] = true
			b.queue = append(b.queue, ref)
		}
	}
}

// leftOut stands for a definition beyond the bound: it accepts anything.
const leftOut = `{"$comment":"left out: the schema would be too large"}`

// Defs returns the object of all definitions, those that are referred to first
// before what they refer to. Beyond limit bytes they accept anything. It is nil
// if there are none.
func (b *Builder) Defs(limit int) json.RawMessage {
	var out bytes.Buffer
	for i := 0; i < len(b.queue); i++ {
		ref := b.queue[i]
		separate(&out, i, '{')
		writeString(&out, b.factory.name(ref))
		out.WriteByte(':')
		t := b.definition(ref)
		if out.Len()+len(t.text) > limit {
			out.WriteString(leftOut)
			continue
		}
		out.Write(t.text)
		b.enqueue(t.refs)
	}
	if out.Len() == 0 {
		return nil
	}
	out.WriteByte('}')
	return out.Bytes()
}

// separate writes what stands before the ith item of a list or an object.
func separate(out *bytes.Buffer, i int, open byte) {
	if i > 0 {
		open = ','
	}
	out.WriteByte(open)
}

// definition returns what a reference leads to. The translation is kept: most
// are part of many schemas.
func (b *Builder) definition(ref document.Ref) *fragment {
	known := b.factory.known[b.way]
	if t, ok := known[ref]; ok {
		return t
	}
	t := &fragment{text: []byte("true")}
	if target, err := b.origin.Follow(ref); err == nil {
		t = b.factory.translate(target, b.way)
	}
	known[ref] = t
	return t
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// name returns the name of a definition: the last part of its reference. A
// name that another reference has already gets a few digits of a hash.
func (f *Factory) name(ref document.Ref) string {
	if name, ok := f.names[ref]; ok {
		return name
	}
	name := baseName(ref)
	if owner, taken := f.owners[name]; taken && owner != ref {
		hash := sha256.Sum256([]byte(ref))
		name += "_" + hex.EncodeToString(hash[:4])
	}
	f.names[ref], f.owners[name] = name, ref
	return name
}

func baseName(ref document.Ref) string {
	file, pointer, _ := strings.Cut(string(ref), "#")
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	if pointer == "" { // a file of its own
		name, _, _ = strings.Cut(file[strings.LastIndexByte(file, '/')+1:], ".")
	}
	name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	return strings.Trim(notPlain.ReplaceAllString(name, "_"), "_")
}

func writeString(out *bytes.Buffer, s string) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)             // a string always has a JSON form
	out.Truncate(out.Len() - 1) // the newline
}
