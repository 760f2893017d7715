package sandbox

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// maxDepth bounds the nesting of a value that leaves the sandbox; what reads it may not go deeper.
const maxDepth = 1000

// encoder serializes one value of a program. It runs the program's getters and
// toJSON methods, so it works only where running JavaScript is allowed for; what
// they throw passes through as a panic, as in any native function.
type encoder struct {
	realm *realm
	vm    *goja.Runtime
	// root begins the path in errors.
	root string
	// lossy writes null for numbers and dates that JSON lacks.
	lossy bool
	// limit bounds the characters; 0: no bound.
	limit int
	// stop is set when the session is being interrupted. Native loops look at it.
	stop *atomic.Bool

	buf    []byte
	recent int // the length of buf at which the characters are counted again
	path   []string
	open   []*goja.Object
}

// valueError says which part of a value cannot leave the sandbox, and why.
type valueError struct{ path, what string }

func (e *valueError) Error() string { return e.path + " " + e.what }

// tooLargeError says that a value has more characters than the limit.
type tooLargeError struct{ root string }

func (e *tooLargeError) Error() string { return e.root + " is too large" }

// stoppedError ends a serialization that nobody waits for any more.
type stoppedError struct{}

func (stoppedError) Error() string { return "interrupted" }

// encode returns the JSON of v, or nil for undefined.
func (e *encoder) encode(v goja.Value) ([]byte, error) {
	if v == nil || goja.IsUndefined(v) {
		return nil, nil
	}
	if err := e.value(v); err != nil {
		return nil, err
	}
	return e.buf, e.count()
}

func (e *encoder) fail(format string, args ...any) error {
	return &valueError{path: e.root + strings.Join(e.path, ""), what: fmt.Sprintf(format, args...)}
}

// grown is called after every addition to buf.
func (e *encoder) grown() error {
	if e.stop.Load() {
		return stoppedError{}
	}
	if e.limit == 0 || len(e.buf) <= max(e.recent, e.limit) {
		return nil
	}
	return e.count()
}

// count holds the characters against the limit. Until the buffer has grown by
// what is left, another count could find nothing.
func (e *encoder) count() error {
	if e.limit == 0 || len(e.buf) <= e.limit {
		return nil
	}
	left := e.limit - utf8.RuneCount(e.buf)
	if left < 0 {
		return &tooLargeError{root: e.root}
	}
	e.recent = len(e.buf) + left
	return nil
}

func (e *encoder) write(text string) error {
	e.buf = append(e.buf, text...)
	return e.grown()
}

func (e *encoder) value(v goja.Value) error {
	switch v := v.(type) {
	case *goja.Object:
		return e.object(v, false)
	case goja.String:
		e.buf = appendString(e.buf, v)
		return e.grown()
	case *goja.Symbol:
		return e.fail("is a symbol, which JSON cannot carry")
	}
	switch {
	case goja.IsNull(v), goja.IsUndefined(v):
		return e.write("null")
	case goja.IsNaN(v), goja.IsInfinity(v):
		return e.missing("is " + v.String())
	case goja.IsBigInt(v):
		return e.write(`{"` + bigintTag + `":"` + v.String() + `"}`)
	}
	return e.write(v.String()) // a number or a boolean
}

// missing writes null for a value that JSON lacks, or refuses it.
func (e *encoder) missing(what string) error {
	if e.lossy {
		return e.write("null")
	}
	return e.fail("%s, which JSON cannot carry; use null or leave it out", what)
}

// object writes an object; converted says that it comes from a toJSON method.
func (e *encoder) object(o *goja.Object, converted bool) error {
	if e.stop.Load() {
		return stoppedError{}
	}
	if len(e.open) >= maxDepth {
		return e.fail("is nested deeper than %d levels", maxDepth)
	}
	for _, outer := range e.open {
		if outer == o {
			return e.fail("contains itself, which JSON cannot carry")
		}
	}
	e.open = append(e.open, o)
	defer func() { e.open = e.open[:len(e.open)-1] }()
	return e.byClass(o, converted)
}

func (e *encoder) byClass(o *goja.Object, converted bool) error {
	if name, ok := e.realm.namespaces[o]; ok {
		return e.fail("is the namespace %s; pass on what its methods return", name)
	}
	if _, ok := goja.AssertFunction(o); ok {
		return e.fail("is a function, which JSON cannot carry")
	}
	switch class := o.ClassName(); class {
	case "Array":
		return e.array(o)
	case "Date":
		return e.date(o)
	case "Error":
		return e.error(o)
	case "Number":
		return e.value(o.ToNumber())
	case "String":
		return e.value(o.ToString())
	case "Boolean":
		return e.value(e.vm.ToValue(o.Export()))
	case "Object", "Arguments":
		return e.byType(o, converted)
	case "RegExp":
		return e.fail("is a regular expression; pass its source as text")
	default:
		return e.fail("is a %s, which JSON cannot carry", class)
	}
}

var (
	typeArrayBuffer = reflect.TypeFor[goja.ArrayBuffer]()
	typePromise     = reflect.TypeFor[*goja.Promise]()
	typeMap         = reflect.TypeFor[[][2]any]()
	typeSet         = reflect.TypeFor[[]any]()
	typePlain       = reflect.TypeFor[map[string]any]()
	typeProxy       = reflect.TypeFor[goja.Proxy]()
)

// byType tells apart what the engine gives the class Object.
func (e *encoder) byType(o *goja.Object, converted bool) error {
	switch t := o.ExportType(); {
	case t == typeProxy && isArray(o):
		return e.array(o)
	case t == typePromise:
		return e.fail("is a promise; await it first")
	case t == typeMap:
		return e.mapping(o)
	case t == typeSet:
		return e.set(o)
	case t == typeArrayBuffer, t != nil && t.Kind() == reflect.Slice:
		return e.bytes(o)
	}
	if converted {
		return e.plain(o)
	}
	if toJSON, ok := callable(o.Get("toJSON")); ok {
		return e.convert(toJSON(goja.FunctionCall{This: o}))
	}
	return e.plain(o)
}

// isArray reports whether a proxy stands for an array.
func isArray(o *goja.Object) bool {
	for o != nil && o.ExportType() == typeProxy {
		o = o.Export().(goja.Proxy).Target()
	}
	return o != nil && o.ClassName() == "Array"
}

// convert writes what a toJSON method returned; a toJSON of that is not asked again.
func (e *encoder) convert(v goja.Value) error {
	if v == nil || goja.IsUndefined(v) {
		return e.write("null")
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return e.value(v)
	}
	if o == e.open[len(e.open)-1] {
		return e.byClass(o, true)
	}
	return e.object(o, true)
}

func (e *encoder) plain(o *goja.Object) error {
	keys := o.Keys()
	if len(keys) == 0 {
		if special, err := e.keyless(o); special || err != nil {
			return err
		}
	}
	m := e.begin()
	for _, key := range keys {
		if err := m.add(key, o.Get(key)); err != nil {
			return err
		}
	}
	return m.end()
}

// opaque are the tags of what has no properties of its own and would come out as {}.
var opaque = []string{
	"Generator", "WeakMap", "WeakSet", "Array Iterator", "Map Iterator", "Set Iterator", "String Iterator", "RegExp String Iterator",
}

// keyless looks at what nothing but the lack of keys gives away.
func (e *encoder) keyless(o *goja.Object) (special bool, err error) {
	if _, ok := e.realm.bytes(o); ok {
		return true, e.bytes(o) // a DataView
	}
	if tag := o.GetSymbol(goja.SymToStringTag); tag != nil && slices.Contains(opaque, tag.String()) {
		return true, e.fail("is a %s, which JSON cannot carry; make an array of it", tag)
	}
	return false, nil
}

func (e *encoder) array(o *goja.Object) error {
	length := o.Get("length").ToInteger()
	e.buf = append(e.buf, '[')
	for i := range length {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		if err := e.item(i, o); err != nil {
			return err
		}
	}
	return e.write("]")
}

func (e *encoder) item(i int64, o *goja.Object) error {
	index := strconv.FormatInt(i, 10)
	v := o.Get(index)
	if v == nil {
		return e.write("null") // a hole
	}
	e.path = append(e.path, "["+index+"]")
	err := e.value(v)
	e.path = e.path[:len(e.path)-1]
	return err
}

func (e *encoder) date(o *goja.Object) error {
	at, ok := o.Export().(time.Time)
	if !ok {
		return e.missing("is an invalid date")
	}
	return e.write(`"` + isoDate(at.UTC()) + `"`)
}

// isoDate is Date.prototype.toISOString.
func isoDate(at time.Time) string {
	year := at.Year()
	rest := at.Format("-01-02T15:04:05.000Z")
	if year >= 0 && year <= 9999 {
		return fmt.Sprintf("%04d", year) + rest
	}
	return fmt.Sprintf("%+07d", year) + rest
}

func (e *encoder) error(o *goja.Object) error {
	m := e.begin()
	for _, key := range []string{"name", "message"} {
		if err := m.add(key, o.Get(key)); err != nil {
			return err
		}
	}
	keys := o.Keys()
	if e.realm.hasOwn(o, "cause") {
		keys = append(keys, "cause")
	}
	for _, key := range keys {
		if key == "name" || key == "message" {
			continue
		}
		if err := m.add(key, o.Get(key)); err != nil {
			return err
		}
	}
	return m.end()
}

func (e *encoder) set(o *goja.Object) error {
	return e.array(e.realm.items(e.vm, o))
}

func (e *encoder) mapping(o *goja.Object) error {
	items := e.realm.items(e.vm, o)
	seen := map[string]bool{}
	m := e.begin()
	for i := range items.Get("length").ToInteger() / 2 {
		key := items.Get(strconv.FormatInt(2*i, 10))
		name := key.String()
		if !goja.IsString(key) && !goja.IsNumber(key) || seen[name] {
			return e.fail("is a Map whose keys do not make an object; pass [...map] instead")
		}
		seen[name] = true
		if err := m.add(name, items.Get(strconv.FormatInt(2*i+1, 10))); err != nil {
			return err
		}
	}
	return m.end()
}

func (e *encoder) bytes(o *goja.Object) error {
	data, ok := e.realm.bytes(o)
	if !ok {
		return e.fail("is a %s, which JSON cannot carry", o.ExportType())
	}
	if size := base64.StdEncoding.EncodedLen(len(data)); e.limit > 0 && size > e.limit {
		return &tooLargeError{root: e.root}
	}
	e.buf = append(e.buf, `{"`+bytesTag+`":"`...)
	e.buf = base64.StdEncoding.AppendEncode(e.buf, data)
	return e.write(`"}`)
}

// members writes the properties of one object.
type members struct {
	e     *encoder
	n     int
	first int    // where the first key begins in buf
	key   string // the last key
}

func (e *encoder) begin() *members {
	e.buf = append(e.buf, '{')
	return &members{e: e, first: len(e.buf) + 1}
}

func (m *members) add(key string, v goja.Value) error {
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	e := m.e
	if m.n > 0 {
		e.buf = append(e.buf, ',')
	}
	m.n++
	m.key = key
	e.buf = appendText(e.buf, key)
	e.buf = append(e.buf, ':')
	e.path = append(e.path, pathKey(key))
	err := e.value(v)
	e.path = e.path[:len(e.path)-1]
	return err
}

// end closes the object. One that looks like a tag is marked as data.
func (m *members) end() error {
	e := m.e
	if m.n == 1 && isTag(m.key) {
		e.buf = append(e.buf, 0)
		copy(e.buf[m.first+1:], e.buf[m.first:])
		e.buf[m.first] = '$'
	}
	return e.write("}")
}
