package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/google/go-cmp/cmp"
)

// TestArguments says how a value leaves the sandbox: the bytes as issued.
func TestArguments(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"key order as written":         {`{b: 1, a: 2, 1: 3}`, `{"1":3,"b":1,"a":2}`},
		"undefined property":           {`{a: undefined, b: 1}`, `{"b":1}`},
		"undefined item and hole":      {`{a: [undefined, , 1]}`, `{"a":[null,null,1]}`},
		"numbers":                      {`{a: [0, -0, 1.5, 1e21, 1e-7, 9007199254740993]}`, `{"a":[0,0,1.5,1e+21,1e-7,9007199254740992]}`},
		"null, booleans":               {`{a: null, b: true, c: false}`, `{"a":null,"b":true,"c":false}`},
		"escapes":                      {`{a: "\"\\\b\f\n\r\t\u0001\u2028é😀"}`, `{"a":"\"\\\b\f\n\r\t\u0001` + "\u2028é😀" + `"}`},
		"lone surrogates":              {`{a: "\ud800x\udc00", b: "\ud83d\ude00\ufffd\ud800"}`, `{"a":"\ud800x\udc00","b":"😀` + "\ufffd" + `\ud800"}`},
		"bigint":                       {`{a: -12345678901234567890n}`, `{"a":{"$bigint":"-12345678901234567890"}}`},
		"Uint8Array":                   {`{a: new Uint8Array([1, 2, 255])}`, `{"a":{"$bytes":"AQL/"}}`},
		"only the visible bytes":       {`{a: new Uint8Array([1, 2, 3, 4]).subarray(1, 3)}`, `{"a":{"$bytes":"AgM="}}`},
		"ArrayBuffer":                  {`{a: new Uint8Array([1, 2]).buffer}`, `{"a":{"$bytes":"AQI="}}`},
		"DataView":                     {`{a: new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1)}`, `{"a":{"$bytes":"Ag=="}}`},
		"Uint16Array":                  {`{a: new Uint16Array([1, 258])}`, `{"a":{"$bytes":"AQACAQ=="}}`},
		"empty bytes":                  {`{a: new Uint8Array()}`, `{"a":{"$bytes":""}}`},
		"Date":                         {`{a: new Date(0)}`, `{"a":"1970-01-01T00:00:00.000Z"}`},
		"Date of a far year":           {`{a: new Date(Date.UTC(12345, 0, 1)), b: new Date(-1e14)}`, `{"a":"+012345-01-01T00:00:00.000Z","b":"-001199-02-15T14:13:20.000Z"}`},
		"Set":                          {`{a: new Set([3, "x"])}`, `{"a":[3,"x"]}`},
		"Map":                          {`{a: new Map([["x", 1], [2, {y: 1}]])}`, `{"a":{"x":1,"2":{"y":1}}}`},
		"Error":                        {`{a: Object.assign(new RangeError("m", {cause: new Error("c")}), {code: "x"})}`, `{"a":{"name":"RangeError","message":"m","code":"x","cause":{"name":"Error","message":"c"}}}`},
		"boxed":                        {`{a: [new Number(1), new String("s"), new Boolean(false)]}`, `{"a":[1,"s",false]}`},
		"toJSON":                       {`{a: {toJSON() { return {b: 1} }}, c: {toJSON: 1}, e: {toJSON() {}}}`, `{"a":{"b":1},"c":{"toJSON":1},"e":null}`},
		"toJSON of toJSON":             {`{a: {toJSON() { return {toJSON: 1, b: {toJSON() { return 2 }}} }}, c: {toJSON() { return [this.x] }, x: {toJSON() { return 3 }}}}`, `{"a":{"toJSON":1,"b":2},"c":[3]}`},
		"toJSON returning itself":      {`{a: new (class { x = 1; toJSON() { return this } })()}`, `{"a":{"x":1}}`},
		"class instance":               {`new (class { x = 1; #y = 2; m() {} })`, `{"x":1}`},
		"getter":                       {`{get a() { return 7 }}`, `{"a":7}`},
		"not enumerable":               {`Object.defineProperty({a: 1}, "b", {value: 2})`, `{"a":1}`},
		"Proxy of an array":            {`{a: new Proxy([1, 2], {})}`, `{"a":[1,2]}`},
		"same object twice":            {`(() => { const o = {}; return {a: o, b: o} })()`, `{"a":{},"b":{}}`},
		"own __proto__":                {`JSON.parse('{"__proto__": {"x": 1}}')`, `{"__proto__":{"x":1}}`},
		"looks like bytes":             {`{a: {$bytes: "AQI="}}`, `{"a":{"$$bytes":"AQI="}}`},
		"looks like a bigint":          {`{$bigint: "1"}`, `{"$$bigint":"1"}`},
		"looks like an escape":         {`{a: {$$$bytes: 1}}`, `{"a":{"$$$$bytes":1}}`},
		"tag with another key":         {`{a: {$bytes: "AQI=", b: 1}}`, `{"a":{"$bytes":"AQI=","b":1}}`},
		"tag with a dropped key":       {`{a: {b: undefined, $bytes: "AQI="}}`, `{"a":{"$$bytes":"AQI="}}`},
		"no tag":                       {`{a: {$bytesx: 1}, b: {$: 1}, c: {$$: 1}}`, `{"a":{"$bytesx":1},"b":{"$":1},"c":{"$$":1}}`},
		"no arguments":                 {``, `{}`},
		"undefined":                    {`undefined`, `{}`},
		"BigInt.prototype.toJSON lies": {`(BigInt.prototype.toJSON = () => 1, {a: 2n})`, `{"a":{"$bigint":"2"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := run(t, "await files.read("+tt.js+")")
			h.value()
			if got := string(h.calls[0].Args); got != tt.want {
				t.Errorf("args of %s\n got %s\nwant %s", tt.js, got, tt.want)
			}
			if !cmp.Equal(h.calls[0].Digest, Digest([]byte(tt.want))) {
				t.Error("the digest is not of these bytes")
			}
		})
	}
}

// TestRefusedArguments: the error names the path, and no number is used up.
func TestRefusedArguments(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"function":           {`{a: [{b() {}}]}`, "args.a[0].b is a function"},
		"symbol":             {`{a: Symbol("x")}`, "args.a is a symbol"},
		"cycle":              {`(() => { const o = {}; o.self = {o}; return o })()`, "args.self.o contains itself"},
		"NaN":                {`{"a b": NaN}`, `args["a b"] is NaN`},
		"Infinity":           {`{a: [1, -Infinity]}`, "args.a[1] is -Infinity"},
		"invalid date":       {`{a: new Date("x")}`, "args.a is an invalid date"},
		"promise":            {`{a: files.write}`, "args.a is a function"},
		"promise value":      {`{a: Promise.resolve(1)}`, "args.a is a promise; await it first"},
		"regular expression": {`{a: /x/}`, "args.a is a regular expression"},
		"iterator":           {`{a: (function* () {})()}`, "args.a is a Generator"},
		"WeakMap":            {`{a: new WeakMap()}`, "args.a is a WeakMap"},
		"odd Map":            {`{a: new Map([[{}, 1]])}`, "args.a is a Map whose keys do not make an object"},
		"colliding Map":      {`{a: new Map([[1, 1], ["1", 2]])}`, "args.a is a Map whose keys do not make an object"},
		"namespace":          {`{a: tracker}`, "args.a is the namespace tracker"},
		"too deep":           {`(() => { let o = {}; for (let i = 0; i < 1100; i++) o = {o}; return o })()`, "is nested deeper than 1000 levels"},
		"text":               {`"x"`, "files.read takes one plain object"},
		"array":              {`[]`, "files.read takes one plain object"},
		"null":               {`null`, "files.read takes one plain object"},
		"Map itself":         {`new Map()`, "files.read takes one plain object"},
		"DataView itself":    {`new DataView(new ArrayBuffer(1))`, "files.read takes one plain object"},
		"a promise itself":   {`Promise.resolve({})`, "it was given a promise, which must be awaited first"},
		"function itself":    {`() => {}`, "files.read takes one plain object"},
		"two":                {`{}, {}`, "files.read takes one object with named arguments, not several"},
		"toJSON to a text":   {`{toJSON() { return "x" }}`, "serializes to something else"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := run(t, `const p = files.read(`+tt.js+`); await p.catch((e) => { if (!(e instanceof TypeError)) throw 1; console.log(e.message) });
				await files.read({after: 1})`)
			h.value()
			if got := h.console(); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got, want := h.issued(), "0 files.read {\"after\":1}\n"; got != want {
				t.Errorf("calls: got %q, want %q", got, want)
			}
		})
	}
}

// TestThrowingGetter: what a getter of the arguments throws is the program's own error.
func TestThrowingGetter(t *testing.T) {
	t.Parallel()
	h := run(t, `try { files.read({get a() { throw new Error("mine") }}) } catch (e) { return e.message }`)
	if got := h.value(); got != `"mine"` {
		t.Errorf("got %s", got)
	}
}

// TestResults says how a program's final value leaves the sandbox.
func TestResults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"nothing":      {``, "undefined"},
		"undefined":    {`return undefined`, "undefined"},
		"null":         {`return null`, "null"},
		"text":         {`return "x"`, `"x"`},
		"NaN":          {`return {a: NaN, b: [Infinity], c: new Date("x")}`, `{"a":null,"b":[null],"c":null}`},
		"bytes":        {`return new Uint8Array([1])`, `{"$bytes":"AQ=="}`},
		"bigint":       {`return 1n`, `{"$bigint":"1"}`},
		"looks tagged": {`return {$bytes: "AQ=="}`, `{"$$bytes":"AQ=="}`},
		"large":        {`return "x".repeat(3_000_000).length`, `3000000`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := run(t, tt.js).value(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestResultsThatCannotLeave(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"function":  {`return {a: {b: () => 1}}`, "result.a.b is a function"},
		"namespace": {`return files`, "result is the namespace files"},
		"codemode":  {`return {c: codemode}`, "result.c is the namespace codemode"},
		"cycle":     {`const a = []; a.push(a); return a`, "result[0] contains itself"},
		"getter":    {`return {get a() { throw new RangeError("mine") }}`, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := run(t, tt.js).failure(); !strings.Contains(got.Message, tt.want) {
				t.Errorf("got %q, want %q", got.Message, tt.want)
			}
		})
	}
}

// TestDecode says what a program gets to see of JSON.
func TestDecode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, js, want string }{
		"key order":            {`{"b":1,"a":2}`, `return Object.keys(v)`, `["b","a"]`},
		"plain object":         {`{"a":{}}`, `return Object.getPrototypeOf(v.a) === Object.prototype && Array.isArray([v]) `, `true`},
		"bytes":                {`{"a":{"$bytes":"AQI="}}`, `return v.a instanceof Uint8Array && [...v.a]`, `[1,2]`},
		"bigint":               {`{"a":{"$bigint":"-5"}}`, `return v.a === -5n`, `true`},
		"escaped tag":          {`{"$$bytes":"AQI="}`, `return Object.keys(v)`, `["$bytes"]`},
		"tag of no base64":     {`{"$bytes":"!"}`, `return Object.keys(v)`, `["$bytes"]`},
		"tag of no text":       {`{"$bytes":1}`, `return Object.keys(v)`, `["$bytes"]`},
		"tag of no digits":     {`{"$bigint":"0x1"}`, `return typeof v`, `"object"`},
		"__proto__ is data":    {`{"__proto__":{"polluted":1}}`, `return [v.polluted === undefined, {}.polluted === undefined, Object.keys(v)]`, `[true,true,["__proto__"]]`},
		"then is data":         {`{"then":1}`, `return (await v).then`, `1`},
		"huge number":          {`[1e400, 12345678901234567890]`, `return v.map(String)`, `["Infinity","12345678901234567000"]`},
		"minus zero":           {`-0`, `return Object.is(v, -0)`, `true`},
		"escapes":              {`"\u0041\ud83d\ude00\n\/"`, `return v === "A😀\n/"`, `true`},
		"lone surrogate":       {`"\ud800"`, `return v.charCodeAt(0)`, `55296`},
		"white space":          {" [ 1 , { \"a\" : [ ] } ] ", `return v`, `[1,{"a":[]}]`},
		"a setter in between":  {`{"a":1}`, `return v.a`, `1`},
		"nothing is undefined": {``, `return v === undefined`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, spec(`Object.defineProperty(Object.prototype, "a", {set() { throw 1 }, configurable: true});
				const v = await files.read(); `+tt.js))
			h.answer = func(Call) (string, *Error) { return tt.in, nil }
			if got := h.finish().value(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	sp := spec(`return [input.b, input.n === 3n, Object.keys(env)]`)
	sp.Input = []byte(`{"b":{"$bytes":"AQ=="},"n":{"$bigint":"3"}}`)
	if got, want := start(t, sp).finish().value(), `[{"$bytes":"AQ=="},true,["files","tracker"]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInputThatIsNoJSON(t *testing.T) {
	t.Parallel()
	sp := spec(``)
	sp.Input = []byte(`{`)
	if _, err := start(t, sp).session.Resume(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "read input") {
		t.Errorf("got %v", err)
	}
}

// TestDecodedForm: the program gets the recorded form, never the value it was made of.
func TestDecodedForm(t *testing.T) {
	t.Parallel()
	h := run(t, `const at = new Date(5); const seen = await codemode.step("s", () => ({at, m: new Map([["k", 1]])}));
		return [typeof seen.at, seen.m instanceof Map, seen.m.k]`)
	if got, want := h.value(), `["string",false,1]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzDecode holds the builder against the engine's own JSON.parse.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"a":[1,2.5,-0,1e3,true,false,null,"x\u00e9\n"]}`, `{"b":1,"a":2,"b":3,"1":4}`, ` [ 1 , 2 ] `,
		`"\ud83d\ude00"`, `{"__proto__":1}`, `123456789012345678901234567890`, `1e400`, `{"a":{"b":{"c":[[[]]]}}}`, `"é"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := bare(t)
		v, err := s.realm.decode(s.vm, []byte(text))
		if !json.Valid([]byte(text)) {
			if err == nil && text != "" {
				t.Fatalf("decoded what is not JSON: %q", text)
			}
			return
		}
		if err != nil || strings.Contains(text, "$") || strings.Contains(text, `\u`) || strings.Contains(text, "\ufffd") {
			return // tags and surrogates differ on purpose
		}
		parsed, err := engineJSON(s, "parse", s.vm.ToValue(text))
		if err != nil {
			return // the engine refuses numbers that are out of range
		}
		if got, want := engineText(t, s, v), engineText(t, s, parsed); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	})
}

func engineJSON(s *session, method string, v goja.Value) (goja.Value, error) {
	f, _ := goja.AssertFunction(s.vm.GlobalObject().Get("JSON").ToObject(s.vm).Get(method))
	return f(goja.Undefined(), v)
}

func engineText(t *testing.T, s *session, v goja.Value) string {
	t.Helper()
	text, err := engineJSON(s, "stringify", v)
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// FuzzRoundTrip: what comes in goes out as the same data.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,true,false,null,"x"]}`, `{"$bytes":"AQI="}`, `{"$$bytes":"AQI="}`, `{"$bigint":"12"}`, `{"$$$bigint":1}`,
		`{"$bytes":1}`, `"\ud800"`, `{"a":{"$bytes":""}}`, `[{"$bigint":"-0"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := bare(t)
		once, ok := through(t, s, text)
		if !ok {
			return
		}
		twice, ok := through(t, s, once)
		if !ok || once != twice {
			t.Errorf("%q came out as %s, and that as %s", text, once, twice)
		}
	})
}

func through(t *testing.T, s *session, text string) (string, bool) {
	t.Helper()
	v, err := s.realm.decode(s.vm, []byte(text))
	if err != nil || v == goja.Undefined() {
		return "", false
	}
	e := &encoder{realm: s.realm, vm: s.vm, root: "value", lossy: true, stop: &s.stopped}
	out, err := e.encode(v)
	if err != nil {
		t.Fatalf("encode what was decoded of %q: %v", text, err)
	}
	if !json.Valid(out) {
		t.Fatalf("%q came out as %s, which is not JSON", text, out)
	}
	return string(out), true
}

func TestValueLimit(t *testing.T) {
	t.Parallel()
	sp := spec(`await files.read({text: "é".repeat(input)})`)
	sp.Limits.Value = 100
	for size, exceeded := range map[int]bool{89: false, 90: true} { // {"text":""} has 11 characters
		sp.Input = fmt.Appendf(nil, "%d", size)
		h := start(t, sp).finish()
		if got := h.last.Exceeded != nil; got != exceeded {
			t.Errorf("%d characters: exceeded is %v", size+11, got)
		}
		if exceeded && (h.last.Exceeded.Limit != "value" || !strings.Contains(h.last.Exceeded.Message, "store the data elsewhere")) {
			t.Errorf("got %+v", h.last.Exceeded)
		}
	}
}
