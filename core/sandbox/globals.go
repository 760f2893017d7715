package sandbox

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// standing lists the globals of every program, as an error message names them.
var standing = []string{"input", "env", "codemode", "console"}

var alsoStanding = []string{
	"setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "structuredClone",
	"performance", "crypto", "atob", "btoa", "TextEncoder", "TextDecoder",
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

// host returns the functions that the prelude builds on.
func (s *session) host() *goja.Object {
	host := s.vm.NewObject()
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{
		"emit":         s.emit,
		"elapsed":      func(goja.FunctionCall) goja.Value { return s.vm.ToValue(s.elapsed()) },
		"kindOf":       s.kindOf,
		"promiseState": s.promiseState,
		"fillRandom":   s.fillRandom,
		"encodeText":   s.encodeText,
		"decodeText":   s.decodeText,
	} {
		_ = define(host, name, s.function(name, f))
	}
	_ = define(host, "timeOrigin", s.vm.ToValue(s.spec.Start.UnixMilli()))
	return host
}

// function makes a native function. Unnamed, it would bear the name of the Go function.
func (s *session) function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := s.vm.ToValue(f).(*goja.Object)
	_ = o.DefineDataProperty("name", s.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// install defines the globals that are made in Go: those of the host's calls and two codecs.
func (s *session) install() error {
	global := s.vm.GlobalObject()
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{
		"setTimeout":    s.setTimeout,
		"clearTimeout":  s.clearTimer,
		"setInterval":   s.setInterval,
		"clearInterval": s.clearTimer,
		"atob":          s.atob,
		"btoa":          s.btoa,
	} {
		err := global.DefineDataProperty(name, s.function(name, f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
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
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if !call.Argument(2).ToBoolean() {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	return s.vm.ToValue(text)
}

func (s *session) atob(call goja.FunctionCall) goja.Value {
	text := strings.Map(dropSpace, call.Argument(0).String())
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		panic(s.realm.typeError(s.vm, "atob was given text that is not base64"))
	}
	units := make([]uint16, len(data))
	for i, b := range data {
		units[i] = uint16(b)
	}
	return goja.StringFromUTF16(units)
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
			panic(s.realm.typeError(s.vm, "btoa takes characters up to U+00FF; encode the text with TextEncoder first"))
		}
		data[i] = byte(unit)
	}
	return s.vm.ToValue(base64.StdEncoding.EncodeToString(data))
}
