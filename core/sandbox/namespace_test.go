package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNamespace: a namespace has its methods and nothing else, and nothing changes it.
func TestNamespace(t *testing.T) {
	t.Parallel()
	for js, want := range map[string]string{
		`Object.keys(files)`:                                         `["read","write","delete"]`,
		`Object.getOwnPropertyNames(files)`:                          `["read","write","delete"]`,
		`Object.entries(files).map(([k]) => k)`:                      `["read","write","delete"]`,
		`Object.keys({...files})`:                                    `["read","write","delete"]`,
		`Object.keys(codemode)`:                                      `["search","describe","step","run"]`,
		`Object.keys(env)`:                                           `["files","tracker"]`,
		`env.files === files`:                                        `true`,
		`"read" in files`:                                            `true`,
		`["raed", "then", "constructor"].some((n) => n in files)`:    `false`,
		`Object.hasOwn(files, "read") && !Object.hasOwn(files, "x")`: `true`,
		`files.read === files.read && files.read.name`:               `"read"`,
		`Object.isFrozen(files) && Object.isFrozen(codemode)`:        `true`,
		`Object.freeze(files) === files`:                             `true`,
		`Object.getPrototypeOf(files)`:                               `null`,
		`[files.then, files.toJSON, files.constructor, files.__proto__, files[Symbol.iterator]].every((x) => x === undefined)`: `true`,
		`(await files) === files`:                                                      `true`,
		`typeof files.nothing`:                                                         `"function"`,
		`Reflect.set(files, "read", 1)`:                                                `false`,
		`Reflect.defineProperty(files, "x", {value: 1})`:                               `false`,
		`Reflect.deleteProperty(files, "read")`:                                        `false`,
		`Reflect.setPrototypeOf(files, {})`:                                            `false`,
		`Reflect.set(files, Symbol.iterator, 1)`:                                       `false`,
		`(() => { try { files.read = 1 } catch (e) { return e.name } })()`:             `"TypeError"`,
		`(() => { try { files = 1 } catch (e) { return e.name } })()`:                  `"TypeError"`,
		`(() => { try { env.files = 1 } catch (e) { return e.name } })()`:              `"TypeError"`,
		`Reflect.deleteProperty(globalThis, "files")`:                                  `false`,
		`(() => { const out = []; for (const k in files) out.push(k); return out })()`: `["read","write","delete"]`,
	} {
		if got := run(t, `return `+js).value(); got != want {
			t.Errorf("%s: got %s, want %s", js, got, want)
		}
	}
}

func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	for js, want := range map[string]string{
		`files.raed({})`:              `files has no method "raed"; did you mean files.read?`,
		`files.remove({})`:            `files has no method "remove"; Object.keys(files) lists its methods`,
		`tracker.listIssues({})`:      `tracker has no method "listIssues"; did you mean tracker.list_issues?`,
		`tracker.issue({})`:           `tracker has no method "issue"; did you mean tracker.list_issues or tracker.create_issue?`,
		`tracker.get_issues({})`:      `tracker has no method "get_issues"; did you mean tracker.list_issues?`,
		`codemode.serach("x")`:        `codemode has no method "serach"; did you mean codemode.search?`,
		`env.files["delete_all"]({})`: `files has no method "delete_all"; did you mean files.delete?`,
	} {
		h := run(t, "await "+js)
		if e := h.failure(); e.Name != "TypeError" || e.Message != want || len(h.calls) > 0 {
			t.Errorf("%s: %+v", js, e)
		}
	}
}

// TestThenIsWithheld: a method of that name would be called by every await.
func TestThenIsWithheld(t *testing.T) {
	t.Parallel()
	sp := spec(`await odd; return Object.keys(odd)`)
	sp.Namespaces = append(sp.Namespaces, Namespace{Name: "odd", Methods: []string{"then", "toJSON", "constructor", "__proto__", "toJSON"}})
	h := start(t, sp).finish()
	if got := h.value(); got != `["toJSON","constructor","__proto__"]` || len(h.calls) > 0 {
		t.Errorf("got %s", got)
	}
}

func TestMethodsAreValues(t *testing.T) {
	t.Parallel()
	h := run(t, `const {read} = files; const f = read.bind(null); await Promise.all([{a: 1}, {a: 2}].map((x) => f(x)));
		await Promise.resolve({a: 3}).then(files.read)`)
	h.value()
	var got []string
	for _, c := range h.calls {
		got = append(got, string(c.Args))
	}
	if diff := cmp.Diff([]string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, got); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
}

func TestGlobals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"nothing of a host":  {`["fetch", "process", "require", "module", "Buffer", "GoError", "host", "XMLHttpRequest", "WebAssembly"].filter((n) => n in globalThis)`, `[]`},
		"groupBy":            {`[Object.groupBy([1, 2, 3], (n) => n % 2 ? "odd" : "even"), Map.groupBy([1, 2], (n) => n > 1).get(true)]`, `[{"odd":[1,3],"even":[2]},[2]]`},
		"withResolvers":      {`await (() => { const {promise, resolve} = Promise.withResolvers(); resolve(1); return promise })()`, `1`},
		"try":                {`await Promise.try((x) => x, 1)`, `1`},
		"try that throws":    {`await Promise.try(() => { throw "x" }).catch((e) => e)`, `"x"`},
		"fromAsync":          {`await Array.fromAsync([1, Promise.resolve(2)], async (n) => n * 2)`, `[2,4]`},
		"fromAsync iterator": {`await Array.fromAsync({[Symbol.asyncIterator]() { let n = 0; return {next: async () => ({done: ++n > 2, value: n})} }})`, `[1,2]`},
		"fromAsync list":     {`await Array.fromAsync({length: 2, 0: "a", 1: "b"})`, `["a","b"]`},
		"symbols":            {`[Symbol.asyncIterator, Symbol.dispose, Symbol.asyncDispose].map(String)`, `["Symbol(Symbol.asyncIterator)","Symbol(Symbol.dispose)","Symbol(Symbol.asyncDispose)"]`},
		"queueMicrotask":     {`await new Promise((r) => queueMicrotask(() => r(1)))`, `1`},
		"base64":             {`[btoa("aÿ"), atob("Yf8="), atob(" Y f 8 ")]`, `["Yf8=","aÿ","aÿ"]`},
		"text":               {`[[...new TextEncoder().encode("é€")], new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 0xC3, 0xA9, 0xFF])), new TextDecoder("utf8", {ignoreBOM: true}).decode(new Uint8Array([0xEF, 0xBB, 0xBF]).buffer).length]`, `[[195,169,226,130,172],"é` + "\ufffd" + `",1]`},
		"text, fatal":        {`(() => { try { new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([255])) } catch (e) { return e.name } })()`, `"TypeError"`},
		"text, unknown":      {`(() => { try { new TextDecoder("latin1") } catch (e) { return e.name } })()`, `"RangeError"`},
		"clone":              {`(() => { const a = {d: new Date(5), m: new Map([[1, {x: 1}]]), s: new Set([2]), b: new Uint8Array([1, 2]).subarray(1), e: new TypeError("t", {cause: 1}), r: /x/g, l: [1, , 2]}; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, +c.d, c.m.get(1).x, c.m.get(1) !== a.m.get(1), c.s.has(2), [...c.b], c.e instanceof TypeError && c.e.message, c.e.cause, String(c.r), 1 in c.l] })()`, `[true,true,5,1,true,true,[2],"t",1,"/x/g",false]`},
		"clone, refused":     {`[() => 1, Symbol("s"), Promise.resolve(), new WeakMap()].map((x) => { try { structuredClone({x}) } catch (e) { return e.name } })`, `["DataCloneError","DataCloneError","DataCloneError","DataCloneError"]`},
		"performance":        {`[performance.now(), performance.timeOrigin === Date.now()]`, `[0,true]`},
		"Date":               {`[new Date() instanceof Date, Date.length, Date.name, typeof Date(), new Date(2024, 0, 31).toISOString(), new Date(0).getHours(), new Date(new Date(7)) - 0, class extends Date {}.name, new (class extends Date {})(9).getTime()]`, `[true,7,"Date","string","2024-01-31T00:00:00.000Z",0,7,"",9]`},
		"Date.parse":         {`["2024-01-02", "2024-01-02T03:04", "2024-01-02T03:04:05.5Z", "2024-01-02T03:04:05+02:00", "Jan 2, 2024 10:00", "Tue Jan 02 2024 10:00:00 GMT+0100", "nonsense"].map((s) => +new Date(s) === Date.parse(s) || Number.isNaN(Date.parse(s)) ? Date.parse(s) : "differs")`, `[1704153600000,1704164640000,1704164645500,1704157445000,1704189600000,1704186000000,null]`},
		"Date as text":       {`(() => { const d = new Date(Date.UTC(2024, 0, 2, 15, 4, 5)); return [d + "", d.toDateString(), d.toTimeString(), d.toLocaleString(), d.toLocaleDateString("de"), d.toLocaleTimeString(), d.getTimezoneOffset(), new Date(NaN) + ""] })()`, `["Tue Jan 02 2024 15:04:05 GMT+0000 (Coordinated Universal Time)","Tue Jan 02 2024","15:04:05 GMT+0000 (Coordinated Universal Time)","1/2/2024, 3:04:05 PM","2.1.2024","3:04:05 PM",0,"Invalid Date"]`},
		"Date setters":       {`(() => { const d = new Date(0); d.setHours(5, 6); d.setDate(2); return d.toISOString() })()`, `"1970-01-02T05:06:00.000Z"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := run(t, `return `+tt.js).value(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestEscapes: no way out, none to the host's objects, and none to code made of text.
func TestEscapes(t *testing.T) {
	t.Parallel()
	const refusedCode = `"EvalError"`
	for js, want := range map[string]string{
		`Function("return 1")()`:                            refusedCode,
		`new Function("return 1")`:                          refusedCode,
		`eval("1")`:                                         refusedCode,
		`(0, eval)("1")`:                                    refusedCode,
		`globalThis["ev" + "al"]("1")`:                      refusedCode,
		`(() => {}).constructor("return 1")`:                refusedCode,
		`(async () => {}).constructor("return 1")`:          refusedCode,
		`(function* () {}).constructor("yield 1")`:          refusedCode,
		`files.read.constructor("return 1")`:                refusedCode,
		`codemode.step.constructor.constructor("return 1")`: refusedCode,
		`Reflect.construct(Function, ["return 1"])`:         refusedCode,
		`Reflect.construct(Object.getPrototypeOf(async () => {}).constructor, ["1"], Object)`: refusedCode,
		`[].map.constructor("1")`:                                                                refusedCode,
		`console.log.constructor("1")`:                                                           refusedCode,
		`setTimeout.constructor("1")`:                                                            refusedCode,
		`class extends Function {}.constructor("1")`:                                             refusedCode,
		`new (class extends Function {})("1")`:                                                   refusedCode,
		`Object.getPrototypeOf(Object.getPrototypeOf(async () => {})).constructor("1")`:          refusedCode,
		`Object.getOwnPropertyDescriptor(Function.prototype, "constructor").value("1")`:          refusedCode,
		`Reflect.defineProperty(Function.prototype, "constructor", {value: 1})`:                  `false`,
		`(() => {}) instanceof Function`:                                                         `true`,
		`files.constructor`:                                                                      `undefined`,
		`codemode.constructor("return this")`:                                                    `"TypeError"`,
		`files.__proto__`:                                                                        `undefined`,
		`codemode.__journal`:                                                                     `"TypeError"`,
		`Object.getOwnPropertyNames(files.read).sort()`:                                          `["length","name"]`,
		`(() => { try { null.x } catch (e) { return Object.getOwnPropertyNames(e).sort() } })()`: `["message","stack"]`,
		`JSON.stringify(Object.getOwnPropertyNames(globalThis).filter((n) => /go|host|codemode_|__/i.test(n)))`: `"[]"`,
	} {
		got := run(t, `try { const v = `+js+`; return typeof v === "function" ? v() : v } catch (e) { return e.name }`).value()
		if got != want {
			t.Errorf("%s: got %s, want %s", js, got, want)
		}
	}
}

// TestStacksNameNothingOfTheHost: neither its files nor its functions.
func TestStacksNameNothingOfTheHost(t *testing.T) {
	t.Parallel()
	h := run(t, `const stacks = [new Error().stack]; try { files.read({get a() { throw new Error("x") }}) } catch (e) { stacks.push(e.stack) }
		try { crypto.getRandomValues(1) } catch (e) { stacks.push(e.stack) } try { files.nope() } catch (e) { stacks.push(e.stack) } return stacks`)
	for _, word := range []string{"github.com", ".go:", "/work", "sandbox."} {
		if strings.Contains(h.value(), word) {
			t.Errorf("%q is in %s", word, h.value())
		}
	}
}

// TestPatchedBuiltIns: a program that changes the built-ins changes what it does itself, never what the host issues.
func TestPatchedBuiltIns(t *testing.T) {
	t.Parallel()
	h := run(t, `const no = () => { throw new Error("patched") };
		Promise.prototype.then = no; Promise.resolve = no; Promise.reject = no; Promise = no;
		JSON.stringify = no; Object.keys = no; Array.prototype[Symbol.iterator] = no; Reflect.apply = no;
		Object.defineProperty(Object.prototype, "name", {set: no, get: no, configurable: true});
		Object.prototype.toJSON = () => ({forged: 1});
		await files.read({a: [1]}); await codemode.step("s", () => 1); setTimeout(() => {}, 5); codemode.search("x");
		delete Object.prototype.toJSON; delete Object.prototype.name; await files.read({b: 1})`)
	h.value()
	want := "0 files.read {\"forged\":1}\n1 codemode.step {\"name\":\"s\"}\n2 codemode.timer {\"delay\":5}\n3 codemode.search {\"query\":\"x\"}\n4 files.read {\"b\":1}\n"
	if diff := cmp.Diff(want, h.issued()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestSourceMapsAreNotRead from files that a text names.
func TestSourceMapsAreNotRead(t *testing.T) {
	t.Parallel()
	sp := spec("return 1")
	sp.Program.JS += "\n//# sourceMappingURL=file:///dev/stdin"
	if got := start(t, sp).finish().value(); got != "1" {
		t.Errorf("got %s", got)
	}
}
