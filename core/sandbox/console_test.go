package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"levels":           {`console.log("a"); console.info("b"); console.debug("c"); console.warn("d"); console.error("e"); console.trace("f")`, "log a\ninfo b\ndebug c\nwarn d\nerror e\ndebug Trace: f\n"},
		"several":          {`console.log("a", 1, null, undefined, true, 2n, Symbol("s"), -0)`, "log a 1 null undefined true 2n Symbol(s) -0\n"},
		"nothing":          {`console.log()`, "log \n"},
		"object":           {`console.log({a: 1, "b c": "x", [Symbol("k")]: [1, "y"]})`, "log { a: 1, 'b c': 'x', [Symbol(k)]: [ 1, 'y' ] }\n"},
		"quotes":           {`console.log(["it's", 'a "b"', "'\"", "\n"])`, `log [ "it's", 'a "b"', '\'"', '\n' ]` + "\n"},
		"depth":            {`console.log({a: {b: {c: {d: {e: {}}}}}, f: [[[[[1]]]]]})`, "log { a: { b: { c: { d: { e: [Object] } } } }, f: [ [ [ [ [Array] ] ] ] ] }\n"},
		"circular":         {`const o = {}; o.o = [o]; console.log(o)`, "log { o: [ [Circular] ] }\n"},
		"empty":            {`console.log({}, [], new Map(), new Set(), new Uint8Array())`, "log {} [] Map(0) {} Set(0) {} Uint8Array(0) []\n"},
		"Map and Set":      {`console.log(new Map([["a", {b: 1}]]), new Set([1, "x"]))`, "log Map(1) { 'a' => { b: 1 } } Set(2) { 1, 'x' }\n"},
		"bytes":            {`console.log(new Uint8Array([1, 2]), new ArrayBuffer(3), new DataView(new ArrayBuffer(4)))`, "log Uint8Array(2) [ 1, 2 ] ArrayBuffer { byteLength: 3 } DataView { byteLength: 4 }\n"},
		"class":            {`class A { x = 1 } console.log(new A(), A, () => {}, function f() {}, Object.create(null))`, "log A { x: 1 } [class A] [Function (anonymous)] [Function: f] [Object: null prototype] {}\n"},
		"error":            {`console.log(new TypeError("bad"), {e: new Error("in")}, Object.assign(new Error("x", {cause: "y"}), {code: 4}))`, "log TypeError: bad { e: [Error: in] } Error: x { code: 4, [cause]: 'y' }\n"},
		"built-ins":        {`console.log(new Date(0), new Date(NaN), /x/g, Promise.resolve(1), new Promise(() => {}))`, "log 1970-01-01T00:00:00.000Z Invalid Date /x/g Promise { <fulfilled> } Promise { <pending> }\n"},
		"getters stay":     {`console.log({get a() { throw 1 }, set b(x) {}, get c() { for (;;); }, set c(x) {}})`, "log { a: [Getter], b: [Setter], c: [Getter/Setter] }\n"},
		"holes":            {`console.log([1, , , 2], Object.assign([1], {a: 2}))`, "log [ 1, <2 empty items>, 2 ] [ 1, a: 2 ]\n"},
		"hostile":          {`console.log(new Proxy({}, {ownKeys() { throw 1 }}), {toString() { for (;;); }})`, "log [unreadable] { toString: [Function: toString] }\n"},
		"wide":             {`console.log({a: "x".repeat(50), b: "y".repeat(50), c: {d: 1}})`, "log {\n  a: '" + strings.Repeat("x", 50) + "',\n  b: '" + strings.Repeat("y", 50) + "',\n  c: { d: 1 }\n}\n"},
		"many items":       {`console.log(Array.from({length: 150}, (_, i) => 0).slice(0, 102).length, [...Array(102).keys()].pop())`, "log 102 101\n"},
		"format":           {`console.log("%s is %d (%i, %f) %j %o %% %c%s", "x", "1.5", 2.9, "3.5", {a: 1}, [1], "css", {b: 2}, "rest")`, "log x is 1.5 (2, 3.5) {\"a\":1} [ 1 ] % { b: 2 } rest\n"},
		"format leftovers": {`console.log("100% of %s %x"); console.log("%s %s", 1); console.log("a%", 1)`, "log 100% of %s %x\nlog 1 %s\nlog a% 1\n"},
		"table":            {`console.table([{a: 1, b: "x"}, {a: 22, c: null}]); console.table("x")`, "log | (index) | a  | b   | c    |\n|---------|----|-----|------|\n| 0       | 1  | 'x' |      |\n| 1       | 22 |     | null |\nlog x\n"},
		"groups":           {`console.group("g"); console.log("a\nb"); console.groupCollapsed(); console.log("c"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("d")`, "log g\nlog   a\n  b\nlog     c\nlog d\n"},
		"assert, count":    {`console.assert(1, "no"); console.assert(0); console.assert(0, "x %d", 1); console.count(); console.count("n"); console.count(); console.countReset(); console.count()`, "error Assertion failed\nerror Assertion failed: x 1\nlog default: 1\nlog n: 1\nlog default: 2\nlog default: 1\n"},
		"time":             {`console.time(); await files.read(); console.timeLog(undefined, "x"); console.timeEnd(); console.timeEnd(); console.clear()`, "log default: 1000ms x\nlog default: 1000ms\n"},
		"dir":              {`console.dir({a: 1}); console.dirxml(1)`, "log { a: 1 }\nlog 1\n"},
		"URL":              {`console.log(new URL("https://a.b/c?d=1"), [new URLSearchParams({a: 1})])`, "log URL { 'https://a.b/c?d=1' } [ URLSearchParams { 'a=1' } ]\n"},
		"namespace":        {`console.log(tracker)`, "log [Object: null prototype] {\n  list_issues: [Function: list_issues],\n  create_issue: [Function: create_issue]\n}\n"},
		"patched":          {`Array.prototype.join = String.prototype.slice = Map.prototype.forEach = () => "no"; console.log({a: new Map([[1, "2"]])})`, "log { a: Map(1) { 1 => '2' } }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, run(t, tt.js).console()); diff != "" {
				t.Errorf("console (-want +got):\n%s", diff)
			}
		})
	}
}

// TestConsoleIsBounded in its rendering, however large the value is.
func TestConsoleIsBounded(t *testing.T) {
	t.Parallel()
	h := run(t, `const o = {}; let p = o; for (let i = 0; i < 12; i++) p = {p, q: p, r: p};
		console.log(p); console.log(Array(1e6).fill("x")); console.log("y".repeat(1e6)); console.log(Array(2 ** 32 - 1))`)
	for _, l := range h.lines {
		if len(l.Text) > 100_000 {
			t.Errorf("a line of %d bytes: %.60s", len(l.Text), l.Text)
		}
	}
	if len(h.lines) != 4 || !strings.Contains(h.lines[1].Text, "... 999900 more items") || !strings.Contains(h.lines[2].Text, "... 990000 more characters") {
		t.Errorf("got %.200s", h.console())
	}
}

func TestConsoleAfter(t *testing.T) {
	t.Parallel()
	h := run(t, `console.log("a"); await files.read({}); console.log("b"); console.log("c"); await files.read({}); console.log("d")`)
	var got []int
	for _, l := range h.lines {
		got = append(got, l.After)
	}
	if !cmp.Equal(got, []int{0, 1, 1, 2}) {
		t.Errorf("got %v", got)
	}
}

// TestConsoleLimit: the oldest lines go, a note says so, and the program does not notice.
func TestConsoleLimit(t *testing.T) {
	t.Parallel()
	sp := spec(`for (let i = 0; i < 10; i++) console.log("line " + i); await files.read({}); console.error("é".repeat(20)); return 1`)
	sp.Limits.Console = 15
	h := start(t, sp).finish()
	want := "warn 8 earlier console lines (48 bytes) were dropped; the console keeps the last 15 bytes\n" +
		"log line 8\nlog line 9\n" + "error éééééééé... 25 more bytes\n"
	want = strings.Replace(want, "éééééééé...", "ééééééé...", 1)
	if diff := cmp.Diff(want, h.console()); diff != "" {
		t.Errorf("console (-want +got):\n%s", diff)
	}
	if h.value() != "1" || h.last.Usage.Console != 100 {
		t.Errorf("got %s, %+v", h.value(), h.last.Usage)
	}
}
