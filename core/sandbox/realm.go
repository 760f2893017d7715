package sandbox

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// native is a function of the program's world as Go calls it from within a native
// function: what it throws passes through as a panic, and no microtask runs before
// the outermost function has returned.
type native func(goja.FunctionCall) goja.Value

func (f native) call(args ...goja.Value) goja.Value {
	return f(goja.FunctionCall{This: goja.Undefined(), Arguments: args})
}

// realm is what the host keeps of a runtime: functions captured before any code of the program ran.
type realm struct {
	// run calls a function as enter does, from the host: microtasks run before it returns.
	run goja.Callable
	// enter calls a function and returns a promise of its outcome; leave is called in between.
	enter native
	// reject returns a promise rejected with an error.
	reject native
	// newError makes an error of a name, a message, properties and the lines of a stack.
	newError native
	// explain makes an object of strings of anything thrown.
	explain native

	// host and captured are what the other parts of the prelude are handed.
	host     *goja.Object
	captured goja.Value

	windowOf   native
	bytesOf    native
	eachOfMap  native
	ownsKey    native
	freeze     native
	namespaces map[*goja.Object]string
}

// newRealm runs the part of the prelude that every session needs, in a fresh runtime.
func newRealm(vm *goja.Runtime, host *goja.Object) (*realm, error) {
	program, err := preludePrograms["main"]()
	if err != nil {
		return nil, err
	}
	main, err := vm.RunProgram(program)
	if err != nil {
		return nil, fmt.Errorf("run prelude: %w", err)
	}
	start, ok := goja.AssertFunction(main)
	if !ok {
		return nil, errors.New("run prelude: it is no function")
	}
	v, err := start(goja.Undefined(), host)
	if err != nil {
		return nil, fmt.Errorf("run prelude: %w", err)
	}
	r, err := captured(v.ToObject(vm))
	if err != nil {
		return nil, err
	}
	r.host = host
	mapPrototype := vm.Get("Map").ToObject(vm).Get("prototype").ToObject(vm)
	r.eachOfMap, _ = callable(mapPrototype.Get("forEach"))
	return r, nil
}

func captured(functions *goja.Object) (*realm, error) {
	r := &realm{namespaces: map[*goja.Object]string{}}
	for name, f := range map[string]*native{
		"enter": &r.enter, "reject": &r.reject, "makeError": &r.newError, "explain": &r.explain,
		"window": &r.windowOf, "newBytes": &r.bytesOf, "hasOwn": &r.ownsKey, "freeze": &r.freeze,
	} {
		if *f, _ = callable(functions.Get(name)); *f == nil {
			return nil, fmt.Errorf("run prelude: it has no function %s", name)
		}
	}
	r.run, _ = goja.AssertFunction(functions.Get("enter"))
	r.captured = functions.Get("captured")
	return r, nil
}

// callable returns v as a function, if it is one.
func callable(v goja.Value) (native, bool) {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	if _, ok := goja.AssertFunction(o); !ok {
		return nil, false // exporting anything else would walk through it
	}
	if f, ok := o.Export().(func(goja.FunctionCall) goja.Value); ok {
		return f, true
	}
	return nil, false
}

// bytes returns what a typed array, a DataView or an ArrayBuffer shows; the slice is the memory itself.
func (r *realm) bytes(v goja.Value) ([]byte, bool) {
	window, ok := r.windowOf.call(v).(*goja.Object)
	if !ok {
		return nil, false
	}
	buffer, ok := window.Get("0").Export().(goja.ArrayBuffer)
	if !ok {
		return nil, false
	}
	all, from, n := buffer.Bytes(), window.Get("1").ToInteger(), window.Get("2").ToInteger()
	if from < 0 || n < 0 || from+n > int64(len(all)) {
		return nil, false // detached in between
	}
	return all[from : from+n], true
}

func (r *realm) newBytes(vm *goja.Runtime, data []byte) (v goja.Value, err error) {
	buffer := vm.ToValue(vm.NewArrayBuffer(data))
	if ex := vm.Try(func() { v = r.bytesOf.call(buffer) }); ex != nil {
		return nil, ex
	}
	return v, nil
}

// items returns the items of a Set, or the keys and values of a Map in turn.
func (r *realm) items(vm *goja.Runtime, collection *goja.Object) *goja.Object {
	var items []any
	if collection.ExportType() == typeMap {
		add := func(call goja.FunctionCall) goja.Value {
			items = append(items, call.Argument(1), call.Argument(0))
			return nil
		}
		r.eachOfMap(goja.FunctionCall{This: collection, Arguments: []goja.Value{vm.ToValue(add)}})
		return vm.NewArray(items...)
	}
	var set []goja.Value
	// Exporting a Set to a slice of values goes over its own list and cannot fail.
	_ = vm.ExportTo(collection, &set)
	for _, item := range set {
		items = append(items, item)
	}
	return vm.NewArray(items...)
}

func (r *realm) hasOwn(o *goja.Object, key string) bool {
	return r.ownsKey.call(o, goja.StringFromUTF16(appendUTF16(nil, []byte(key)))).ToBoolean()
}

func (r *realm) typeError(vm *goja.Runtime, message string) goja.Value {
	return r.newError.call(vm.ToValue("TypeError"), vm.ToValue(message), vm.NewObject(), vm.ToValue(""))
}
