package program

import (
	"reflect"
	"testing"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// everything has a call of f wherever the grammar allows an expression, and names in every kind of place.
const everything = `
f(); [f(), , ...f()]; x = f(); x += f(); f() + f(); f()[f()]; f(f()); f() ? f() : f(); f().a; f()?.a; f()?.[f()]; new (f())(f());
({ a: f(), [f()]: f(), ...f(), m() { f() }, get g() { return f() } }); (f(), f()); f` + "`${f()}`; `${f()}`" + `; -f(); typeof f();
({ a: x = f(), [f()]: y, ...z } = f()); [x = f(), , ...y] = f(); (a = f(), { b = f(), c: d = f() }, [e = f()], ...[g = f()]) => f();
function h(a = f(), ...[b = f()]) { f() } function* k() { yield f(); yield* f(); yield }
class A extends f() { a = f(); [f()] = f(); static { f() } [f()]() { f() } static b = f(); #c = f(); has(o) { return #c in f() } d() { this.#c; super.x } }
async () => { await f() }; async function l() { await f() }
{ f() } switch (f()) { case f(): f(); default: f() } try { f() } catch ({ a = f() }) { f() } finally { f() } try { f() } catch { f() }
do f(); while (f()); while (f()) f(); for (let i = f(); f(); f()) f(); for (var j = f(); ;) break; for (f(); ;) { break }
for (const o in f()) f(); for (var o of f()) f(); for (o.p of f()) f(); for (const { q = f() } of f()) f(); if (f()) f(); else f();
u: f(); function r() { return f() } function s() { throw f() } var v = f(), { w = f() } = f(); let t = f(); const [n = f()] = f(); new.target;
`

// TestWalkReachesEverything compares the walk with one that knows nothing of the grammar.
func TestWalkReachesEverything(t *testing.T) {
	t.Parallel()
	program, err := parser.ParseFile(nil, "", "function all() {"+everything+"}", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[ast.Node]bool{}
	callsIn(reflect.ValueOf(program.Body), want)
	if len(want) < 100 {
		t.Fatalf("the program has only %d calls", len(want))
	}
	var visit func(ast.Node)
	visit = func(n ast.Node) {
		delete(want, n)
		children(n, visit)
	}
	each(program.Body, visit)
	for n := range want {
		t.Errorf("children does not reach the call at %d: %.40s", n.Idx0(), everything[max(0, int(n.Idx0())-len("function all() {")-10):])
	}

	callsIn(reflect.ValueOf(program.Body), want)
	for _, c := range resolve(program).calls {
		delete(want, c)
	}
	for n := range want {
		t.Errorf("resolve does not reach the call at %d: %.40s", n.Idx0(), everything[max(0, int(n.Idx0())-len("function all() {")-10):])
	}
}

func callsIn(v reflect.Value, found map[ast.Node]bool) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if c, ok := v.Interface().(*ast.CallExpression); ok {
			found[c] = true
		}
		callsIn(v.Elem(), found)
	case reflect.Slice:
		for i := range v.Len() {
			callsIn(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			callsIn(v.Field(i), found)
		}
	}
}
