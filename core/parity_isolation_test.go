package core_test

import "testing"

// A program's world holds what is documented and the language itself, and nothing through which it could reach, name
// or write what the host keeps.
func TestProgramsReachNothingOfTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	out := w.run(`
		const standard = new Set(["globalThis", "Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined",
			"Boolean", "String", "Symbol", "Date", "Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError",
			"SyntaxError", "TypeError", "URIError", "JSON", "Math", "Intl", "ArrayBuffer", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array",
			"Uint32Array", "Int32Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigUint64Array", "BigInt64Array", "DataView", "Map",
			"BigInt", "Set", "WeakMap", "WeakSet", "WeakRef", "Proxy", "Reflect", "decodeURI", "decodeURIComponent", "encodeURI",
			"encodeURIComponent", "escape", "unescape", "isFinite", "isNaN", "eval", "Iterator", "SharedArrayBuffer", "Atomics"]);
		// What is made when it is first named stands on the global object's prototype until then.
		const names = [...Object.getOwnPropertyNames(globalThis), ...Object.getOwnPropertyNames(Object.getPrototypeOf(globalThis))];
		return names.filter((name) => !standard.has(name)).sort()`)
	w.is(out, "completed", `["AbortController","AbortSignal","CustomEvent","DOMException","Event","EventTarget","TextDecoder","TextEncoder",`+
		`"URL","URLSearchParams","atob","btoa","clearInterval","clearTimeout","codemode","console",`+
		`"crypto","items","performance","queueMicrotask","setInterval","setTimeout","structuredClone"]`)
}

// Nor does it find a way by the objects that it is handed.
func TestNamespacesCannotBeForged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	out := w.run(`
		const seen = [];
		const hidden = ["record", "journal", "decide", "apply", "outcome", "emit", "dispatch", "approve", "timer", "__record"];
		const tries = {
			own: () => [Object.getOwnPropertyNames(codemode), Object.getPrototypeOf(codemode), Object.getOwnPropertySymbols(codemode).length],
			constructor: () => [codemode.constructor, items.constructor, codemode.__proto__, items.__proto__],
			call: () => hidden.filter((m) => { try { return codemode[m]({seq: "0"}) || true } catch { return false } }),
			replace: () => { codemode.step = null },
			define: () => [Reflect.defineProperty(items, "forged", {value: 1}), Reflect.deleteProperty(codemode, "step"), Reflect.setPrototypeOf(items, {})],
			globals: () => { globalThis.items = 1 },
			names: () => Reflect.deleteProperty(globalThis, "codemode") || Reflect.defineProperty(globalThis, "codemode", {value: 1}),
		};
		for (const name in tries) { try { seen.push([name, tries[name]()]) } catch (e) { seen.push([name, e.name]) } }
		return seen`)
	w.is(out, "completed", `[["own",[["search","describe","step","run"],null,0]],["constructor",[null,null,null,null]],["call",[]],`+
		`["replace","TypeError"],["define",[false,false,false]],["globals","TypeError"],["names",false]]`)
	same(t, "calls", calls(out), []string{})
}

// Whatever a program does to the language's own objects, the journal holds its calls as it made them.
func TestPoisonedPrototypesDoNotReachTheJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`
		for (const [name, value] of [["seq", "99"], ["Seq", "99"], ["state", "applied"], ["connector", "codemode"], ["method", "step"], ["error", "x"], ["value", 1]])
			Object.defineProperty(Object.prototype, name, {get: () => value, set() {}, configurable: true});
		Array.prototype.push = () => { throw new Error("push") };
		JSON.stringify = () => "{}"; JSON.parse = () => "forged";
		Promise.prototype.then = function () { return new Promise(() => {}) };
		const added = await items.add({id: 5});
		await items.remove({id: 1});
		return [added, await codemode.step("s", () => "stepped")]`)
	w.is(out, "paused", "1")
	w.restart()
	done := w.approve(out.ExecutionID)
	w.is(done, "completed", `["added 5","stepped"]`)
	w.effectsAre("add 5", "remove 1")
	same(t, "calls", calls(done), []string{"0 items.add applied", "1 items.remove applied", "2 codemode.step applied"})
	for i, want := range []string{`{"id":5}`, `{"id":1}`, `{"name":"s"}`} {
		if got := string(done.Calls[i].Args); got != want {
			t.Errorf("call %d was recorded with %s, want %s", i, got, want)
		}
	}
}
