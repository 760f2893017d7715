package sandbox

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// standing lists the globals of every program, as an error message names them.
var standing = []string{"input", "env", "codemode", "console"}

var alsoStanding = []string{
	"setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "structuredClone",
	"performance", "crypto", "atob", "btoa", "TextEncoder", "TextDecoder", "URL", "URLSearchParams", "Intl", "AbortController",
}

// inScope says what a program can name, for a model that named something else.
func (s *session) inScope() string {
	names := slices.Clone(standing)
	for _, ns := range s.spec.Namespaces {
		names = append(names, ns.Name)
	}
	names = append(names, alsoStanding...)
	return strings.Join(names, ", ")
}

// hostFunctions are what the prelude builds on. No program sees them.
var hostFunctions map[string]func(*session, goja.FunctionCall) goja.Value

func init() { // the functions run parts of the prelude, which look here
	hostFunctions = map[string]func(*session, goja.FunctionCall) goja.Value{
		"part":    func(s *session, call goja.FunctionCall) goja.Value { return s.part(call.Argument(0).String()) },
		"console": func(s *session, _ goja.FunctionCall) goja.Value { return s.part("console") },
		"emit":    (*session).emit,
		"elapsed": func(s *session, _ goja.FunctionCall) goja.Value { return s.vm.ToValue(s.elapsed()) },
		"kindOf":  (*session).kindOf,
		"items":   (*session).items,
		"isIdentifier": func(s *session, call goja.FunctionCall) goja.Value {
			return s.vm.ToValue(isIdentifier(call.Argument(0).String()))
		},
		"isIndex":      (*session).isIndex,
		"dateText":     (*session).dateText,
		"promiseState": (*session).promiseState,
		"fillRandom":   (*session).fillRandom,
		"encodeText":   (*session).encodeText,
		"decodeText":   (*session).decodeText,
		"decodeStream": (*session).decodeStream,
		"wellFormed":   func(s *session, call goja.FunctionCall) goja.Value { return s.vm.ToValue(call.Argument(0).String()) },
		"patternFault": (*session).patternFault,
		"parseJSON":    (*session).parseJSON,
		"pattern":      (*session).pattern,
		"parseURL":     (*session).parseURL,
		"setURL":       (*session).setURL,
		"parseQuery":   (*session).parseQuery,
		"formatQuery":  (*session).formatQuery,
		"numberFormat": (*session).numberFormat,
		"dateFormat":   (*session).dateFormat,
		"hasLocale":    (*session).hasLocale,
		"collator":     (*session).collator,
		"plural":       (*session).plural,
	}
}

// hostObject makes the functions when the prelude asks for them.
type hostObject struct {
	s    *session
	made map[string]goja.Value
}

var _ goja.DynamicObject = hostObject{}

func (s *session) host(dynamicCode bool) *goja.Object {
	return s.vm.NewDynamicObject(hostObject{s, map[string]goja.Value{"dynamicCode": s.vm.ToValue(dynamicCode)}})
}

func (h hostObject) Get(name string) goja.Value {
	if name == "timeOrigin" {
		return h.s.vm.ToValue(h.s.spec.Start.UnixMilli())
	}
	v := h.made[name]
	if f := hostFunctions[name]; v == nil && f != nil {
		v = h.s.function(name, func(call goja.FunctionCall) goja.Value { return f(h.s, call) })
		h.made[name] = v
	}
	return v
}

func (h hostObject) Set(name string, v goja.Value) bool {
	h.made[name] = v
	return true
}

func (h hostObject) Has(name string) bool { return h.Get(name) != nil }
func (hostObject) Delete(string) bool     { return false }
func (hostObject) Keys() []string         { return nil }

// function makes a native function. Unnamed, it would bear the name of the Go function.
func (s *session) function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := s.vm.ToValue(f).(*goja.Object)
	_ = o.DefineDataProperty("name", s.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// install defines the globals that are made in Go: those of the host's calls and two codecs.
func (s *session) install() error {
	global := s.vm.GlobalObject()
	for _, g := range []struct {
		name string
		f    func(goja.FunctionCall) goja.Value
	}{
		{"setTimeout", s.setTimeout}, {"clearTimeout", s.clearTimer},
		{"setInterval", s.setInterval}, {"clearInterval", s.clearTimer},
		{"atob", s.atob}, {"btoa", s.btoa},
	} {
		err := global.DefineDataProperty(g.name, s.function(g.name, g.f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		if err != nil {
			return err
		}
	}
	if err := s.fix(global, Platform, s.codemode()); err != nil {
		return err
	}
	s.env = s.vm.CreateObject(nil)
	for _, ns := range s.spec.Namespaces {
		if global.Get(ns.Name) != nil {
			return fmt.Errorf("start session: the name %q is taken", ns.Name)
		}
		o := s.namespace(ns, func(method string, args []goja.Value) goja.Value {
			return s.callMethod(ns.Name, method, args)
		})
		if err := s.fix(global, ns.Name, o); err != nil {
			return err
		}
		if err := s.fix(s.env, ns.Name, o); err != nil {
			return err
		}
	}
	return nil
}

// fix defines a property that cannot be changed.
func (s *session) fix(on *goja.Object, name string, v goja.Value) error {
	return on.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
}

// kindOf names the built-in class of an object that has one, without running anything of the object's.
func (s *session) kindOf(call goja.FunctionCall) goja.Value {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok {
		return s.vm.ToValue("")
	}
	kind := o.ClassName()
	if kind == "Object" {
		kind = kinds[o.ExportType()]
	}
	return s.vm.ToValue(kind)
}

var kinds = map[reflect.Type]string{typeMap: "Map", typeSet: "Set", typePromise: "Promise", typeArrayBuffer: "ArrayBuffer"}

func (s *session) promiseState(call goja.FunctionCall) goja.Value {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok || o.ExportType() != typePromise {
		return goja.Undefined()
	}
	state := "pending"
	switch o.Export().(*goja.Promise).State() {
	case goja.PromiseStateFulfilled:
		state = "fulfilled"
	case goja.PromiseStateRejected:
		state = "rejected"
	}
	return s.vm.ToValue(state)
}

// items lists what a Map or a Set holds.
func (s *session) items(call goja.FunctionCall) goja.Value {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok {
		return s.vm.NewArray()
	}
	return s.realm.items(s.vm, o)
}

func (s *session) isIndex(call goja.FunctionCall) goja.Value {
	text := call.Argument(0).String()
	n, err := strconv.ParseUint(text, 10, 32)
	return s.vm.ToValue(err == nil && strconv.FormatUint(n, 10) == text)
}

func (s *session) dateText(call goja.FunctionCall) goja.Value {
	at, ok := call.Argument(0).Export().(time.Time)
	if !ok {
		return s.vm.ToValue("Invalid Date")
	}
	return s.vm.ToValue(isoDate(at.UTC()))
}

func (s *session) encodeText(call goja.FunctionCall) goja.Value {
	v, err := s.realm.newBytes(s.vm, []byte(call.Argument(0).String()))
	if err != nil {
		panic(s.realm.typeError(s.vm, "the text could not be encoded"))
	}
	return v
}

func (s *session) decodeText(call goja.FunctionCall) goja.Value {
	data, ok := s.realm.bytes(call.Argument(0))
	if !ok {
		panic(s.realm.typeError(s.vm, "TextDecoder.decode takes a typed array or an ArrayBuffer"))
	}
	if call.Argument(1).ToBoolean() && !utf8.Valid(data) {
		panic(s.realm.typeError(s.vm, "the bytes are not valid utf-8"))
	}
	return s.vm.ToValue(decoded(data, call.Argument(2).ToBoolean()))
}

// decoded reads UTF-8 as the WHATWG does: one replacement for each maximal part of a broken sequence.
func decoded(data []byte, keepBOM bool) string {
	if !keepBOM {
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	}
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			size = max(1, len(data)-len(bytes.TrimPrefix(data, partial(data))))
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String()
}

// partial returns what the data begins with of a character that could still become a valid one.
func partial(data []byte) []byte {
	for n := min(3, len(data)); n > 1; n-- {
		if !utf8.FullRune(data[:n]) {
			return data[:n]
		}
	}
	return nil
}

// decodeStream decodes what is left of the last piece and a new one. It returns the text and what is left of it,
// which is nothing at the end of the stream.
func (s *session) decodeStream(call goja.FunctionCall) goja.Value {
	left, _ := s.realm.bytes(call.Argument(0))
	piece, ok := s.realm.bytes(call.Argument(1))
	if !ok {
		panic(s.realm.typeError(s.vm, "TextDecoder.decode takes a typed array or an ArrayBuffer"))
	}
	data := append(bytes.Clone(left), piece...)
	var rest []byte
	if call.Argument(2).ToBoolean() {
		for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
			if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					data, rest = data[:len(data)-n], tail
				}
				break
			}
		}
	}
	if call.Argument(3).ToBoolean() && !utf8.Valid(data) {
		panic(s.realm.typeError(s.vm, "the bytes are not valid utf-8"))
	}
	remaining, err := s.realm.newBytes(s.vm, bytes.Clone(rest))
	if err != nil {
		panic(err)
	}
	return s.vm.NewArray(decoded(data, call.Argument(4).ToBoolean()), remaining)
}

func (s *session) atob(call goja.FunctionCall) goja.Value {
	text := strings.Map(dropSpace, call.Argument(0).String())
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		panic(s.invalidCharacter("atob was given text that is not base64"))
	}
	units := make([]uint16, len(data))
	for i, b := range data {
		units[i] = uint16(b)
	}
	return goja.StringFromUTF16(units)
}

// invalidCharacter is what browsers throw here.
func (s *session) invalidCharacter(message string) goja.Value {
	return s.realm.newError.call(s.vm.ToValue("InvalidCharacterError"), s.vm.ToValue(message), s.vm.NewObject(), s.vm.ToValue(""))
}

func dropSpace(r rune) rune {
	if strings.ContainsRune(" \t\n\f\r", r) {
		return -1
	}
	return r
}

func (s *session) btoa(call goja.FunctionCall) goja.Value {
	text := call.Argument(0).ToString().(goja.String)
	data := make([]byte, text.Length())
	for i := range data {
		unit := text.CharAt(i)
		if unit > 0xFF {
			panic(s.invalidCharacter("btoa takes characters up to U+00FF; encode the text with TextEncoder, and call toBase64() on the bytes"))
		}
		data[i] = byte(unit)
	}
	return s.vm.ToValue(base64.StdEncoding.EncodeToString(data))
}
