package sdk

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/invopop/jsonschema"
)

// direction says which way the values of a schema go.
type direction bool

const (
	// into a connector: a property that the type does not have is a mistake.
	into direction = true
	// out of a connector: a later version may have properties that this one has not.
	out direction = false
)

// schemas are those made already. A listing of methods would make them all anew, which takes most of its time.
var schemas sync.Map // schemaKey: madeSchema

type schemaKey struct {
	of  reflect.Type
	way direction
}

type madeSchema struct {
	schema json.RawMessage
	err    error
}

// schemaOf returns the JSON Schema of a Go type, or nil if any value fits it.
func schemaOf(t reflect.Type, d direction) (json.RawMessage, error) {
	key := schemaKey{t, d}
	known, ok := schemas.Load(key)
	if !ok {
		var m madeSchema
		m.schema, m.err = makeSchema(t, d)
		known, _ = schemas.LoadOrStore(key, m)
	}
	m := known.(madeSchema)
	return bytes.Clone(m.schema), m.err
}

func makeSchema(t reflect.Type, d direction) (schema json.RawMessage, err error) {
	defer func() {
		// The reflector panics on types that JSON has no form for, such as channels.
		if p := recover(); p != nil {
			schema, err = nil, fmt.Errorf("make a JSON Schema of %v: %v", t, p)
		}
	}()
	r := &jsonschema.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: d == out,
		Mapper:                    customSchema,
		Namer:                     namer(),
	}
	root, err := inlineRoot(r.ReflectFromType(t))
	if err != nil {
		return nil, fmt.Errorf("make a JSON Schema of %v: %w", t, err)
	}
	schema, err = encodePlain(root)
	if err != nil {
		return nil, fmt.Errorf("make a JSON Schema of %v: %w", t, err)
	}
	if anything := string(schema); anything == "true" || anything == "{}" {
		return nil, nil
	}
	return schema, nil
}

// inlineRoot puts the definition that the root refers to in the root's place.
// The reflector's own ExpandedStruct does the same, but leaves the references
// of a recursive type without their target.
func inlineRoot(root *jsonschema.Schema) (*jsonschema.Schema, error) {
	root.Version = ""
	name, isRef := strings.CutPrefix(root.Ref, "#/$defs/")
	if !isRef {
		return root, nil
	}
	defs := root.Definitions
	inlined := *defs[name]
	all, err := encodePlain(defs)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(all, []byte(strconv.Quote(root.Ref))) {
		delete(defs, name)
	}
	inlined.Definitions = defs
	return &inlined, nil
}

// namer names definitions. The reflector's own names are those of the types
// without their packages, so that two types could share one definition, and
// have brackets and slashes for generic types.
func namer() func(reflect.Type) string {
	names := map[reflect.Type]string{}
	taken := map[string]bool{}
	return func(t reflect.Type) string {
		if t.PkgPath() == "" {
			return ""
		}
		if name, ok := names[t]; ok {
			return name
		}
		base := definitionName(t)
		name := base
		for n := 2; taken[name]; n++ {
			name = base + strconv.Itoa(n)
		}
		names[t], taken[name] = name, true
		return name
	}
}

var (
	// noise in a type's name: the packages of type arguments, the numbers of types within functions.
	noise   = regexp.MustCompile(`[\w./~-]*[./]|·\d+`)
	notWord = regexp.MustCompile(`\W+`)
)

// definitionName is the type's name in letters, digits and underscores: Page[example.com/x.Issue] is Page_Issue.
func definitionName(t reflect.Type) string {
	name := noise.ReplaceAllString(t.Name(), "")
	return strings.Trim(notWord.ReplaceAllString(name, "_"), "_")
}

// customSchema knows the types whose JSON form is not that of their Go
// structure; nil leaves a type to the reflector.
func customSchema(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[json.RawMessage]():
		return nil
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[big.Int]():
		return &jsonschema.Schema{Type: "integer"}
	}
	switch {
	case speaks[interface{ JSONSchema() *jsonschema.Schema }](t), speaks[interface{ JSONSchemaExtend(*jsonschema.Schema) }](t):
		return nil
	case speaks[json.Marshaler](t), speaks[json.Unmarshaler](t):
		return &jsonschema.Schema{}
	case speaks[encoding.TextMarshaler](t), speaks[encoding.TextUnmarshaler](t):
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// speaks reports whether values of t, or pointers to them, implement I.
func speaks[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}
