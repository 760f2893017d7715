package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// Each value goes to a connector and back, lies in the journal of a paused execution, and is read again by another
// host. The program sees the same before and after, and the connector is not asked twice.
func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		value, wire string // as the program writes it, and as it travels
		look, want  string // what the program sees of the value v that comes back
	}{
		"bytes":        {`new Uint8Array([1, 2, 255])`, `{"$bytes":"AQL/"}`, `[v instanceof Uint8Array, [...v]]`, `[true,[1,2,255]]`},
		"no bytes":     {`new Uint8Array()`, `{"$bytes":""}`, `[v instanceof Uint8Array, v.length]`, `[true,0]`},
		"nested bytes": {`[{deep: [new Uint8Array([7])]}]`, `[{"deep":[{"$bytes":"Bw=="}]}]`, `[v[0].deep[0] instanceof Uint8Array, v[0].deep[0][0]]`, `[true,7]`},
		"an ArrayBuffer": {`new Uint8Array([1, 2]).buffer`, `{"$bytes":"AQI="}`,
			`[v instanceof Uint8Array, [...v]]`, `[true,[1,2]]`},
		"a view":          {`new Uint8Array([1, 2, 3, 4]).subarray(1, 3)`, `{"$bytes":"AgM="}`, `[[...v], v.buffer.byteLength]`, `[[2,3],2]`},
		"a DataView":      {`new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1)`, `{"$bytes":"Ag=="}`, `[...v]`, `[2]`},
		"a bigint":        {`-12345678901234567890n`, `{"$bigint":"-12345678901234567890"}`, `[typeof v, String(v)]`, `["bigint","-12345678901234567890"]`},
		"a mix":           {`{n: 1n, b: new Uint8Array([1]), s: "x"}`, `{"n":{"$bigint":"1"},"b":{"$bytes":"AQ=="},"s":"x"}`, `[v.n === 1n, v.b[0], v.s]`, `[true,1,"x"]`},
		"null":            {`null`, `null`, `v === null`, `true`},
		"a look-alike":    {`{$bytes: "AQL/"}`, `{"$$bytes":"AQL/"}`, `[v instanceof Uint8Array, v.$bytes]`, `[false,"AQL/"]`},
		"another":         {`[{$bigint: "5"}, {$$bytes: 1}]`, `[{"$$bigint":"5"},{"$$$bytes":1}]`, `[v[0].$bigint, v[1].$$bytes]`, `["5",1]`},
		"not alone":       {`{$bytes: "AQL/", more: 1}`, `{"$bytes":"AQL/","more":1}`, `[v.$bytes, v.more]`, `["AQL/",1]`},
		"a Date":          {`new Date(0)`, `"1970-01-01T00:00:00.000Z"`, `typeof v`, `"string"`},
		"a Map":           {`new Map([["a", 1]])`, `{"a":1}`, `[v instanceof Map, v.a]`, `[false,1]`},
		"a Set":           {`new Set([1, 2])`, `[1,2]`, `v`, `[1,2]`},
		"undefined parts": {`{a: undefined, b: [undefined, 1]}`, `{"b":[null,1]}`, `["a" in v, v.b]`, `[false,[null,1]]`},
		"__proto__":       {`JSON.parse('{"__proto__": {"polluted": 1}}')`, `{"__proto__":{"polluted":1}}`, `[v.polluted === undefined, Object.keys(v)]`, `[true,["__proto__"]]`},
		"odd text":        {`"é😀\u2028\ud800\"\\"`, `"é😀` + "\u2028" + `\ud800\"\\"`, `v === "é😀\u2028\ud800\"\\"`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := newVault(t)
			out := w.run(`
				const look = (v) => (` + test.look + `);
				const {v} = await vault.echo({v: ` + test.value + `});
				const stepped = await codemode.step("make", () => (` + test.value + `));
				const before = [look(v), look(stepped)];
				await items.remove({id: 1});
				return [before, [look(v), look(stepped)]]`)
			w.is(out, "paused", "2")
			same(t, "received", v.received(), []string{`echo {"v":` + test.wire + `}`})
			w.restart()
			pair := "[" + test.want + "," + test.want + "]"
			w.is(w.approve(out.ExecutionID), "completed", "["+pair+","+pair+"]")
			same(t, "received after the replay", v.received(), []string{`echo {"v":` + test.wire + `}`})
		})
	}
}

// A connector with typed handlers gets bytes as bytes.
func TestBytesReachATypedHandler(t *testing.T) {
	t.Parallel()
	w, _ := newVault(t)
	w.is(w.run(`return await vault.sum({data: new Uint8Array([9, 1, 2, 9]).subarray(1, 3)})`), "completed", "3")
}

// Arguments have names, bytes among them: a value that stands alone is refused before anything happens.
func TestBytesWithoutANameAreRefused(t *testing.T) {
	t.Parallel()
	w, v := newVault(t)
	out := w.run(`try { await vault.put(new Uint8Array([1])) } catch (e) { return [e.name, e.message] }`)
	if out.Status != "completed" || !strings.Contains(string(out.Result), "one plain object with named arguments") {
		t.Errorf("%s %s", out.Status, out.Result)
	}
	same(t, "received", v.received(), nil)
}

// Binary that was read before a pause is binary again on disk and in another process's hands.
func TestBytesOutliveAPauseOnDisk(t *testing.T) {
	t.Parallel()
	w, v := newVault(t, onDisk(t.TempDir()))
	v.gives(`{"file":{"$bytes":"AQL/"},"size":{"$bigint":"18446744073709551616"}}`)
	out := w.run(`const r = await vault.read({}); await items.remove({id: 1}); return [r.file instanceof Uint8Array, r.file, r.size + 1n]`)
	w.is(out, "paused", "1")
	v.gives(`{"file":"something else"}`)
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", `[true,{"$bytes":"AQL/"},{"$bigint":"18446744073709551617"}]`)
	same(t, "received", v.received(), []string{"read {}"})
}

// No value and null are two things: from a connector, from a step and at the end, before a pause and after.
func TestUndefinedIsNotNull(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ gives, literal, want string }{
		"undefined": {"", "undefined", `["undefined","undefined","undefined","undefined"]`},
		"null":      {"null", "null", `["null","null","null","null"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := newVault(t)
			v.gives(test.gives)
			out := w.run(`
				const a = await vault.read({}), b = await codemode.step("s", () => ` + test.literal + `);
				const before = [String(a), String(b)];
				await items.remove({id: 1});
				return [...before, String(a), String(b)]`)
			w.is(out, "paused", "2")
			w.restart()
			w.is(w.approve(out.ExecutionID), "completed", test.want)
			result := w.run("return " + test.literal).Result
			if (result == nil) != (test.gives == "") || result != nil && string(result) != "null" {
				t.Errorf("the final result is %q", result)
			}
		})
	}
}

// What JSON cannot carry never becomes an approximation: it is refused with the path to it, and nothing is called.
func TestWhatCannotTravelIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ value, want string }{
		"cycle":    {`(() => { const o = {list: []}; o.list.push(o); return o })()`, `.list[0] contains itself`},
		"function": {`{a: [{b() {}}]}`, `.a[0].b is a function`},
		"symbol":   {`{a: Symbol("x")}`, `.a is a symbol`},
		"NaN":      {`{"a b": NaN}`, `["a b"] is NaN`},
		"promise":  {`{a: Promise.resolve(1)}`, `.a is a promise`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := newVault(t)
			out := w.run(`
				const seen = [];
				await vault.put({v: ` + test.value + `}).catch((e) => seen.push(e.message));
				await codemode.step("s", () => (` + test.value + `)).catch((e) => seen.push(e.message));
				return seen`)
			var seen []string
			if err := json.Unmarshal(out.Result, &seen); err != nil || len(seen) != 2 {
				t.Fatalf("%v: %s %s", err, out.Result, out.Error)
			}
			for i, root := range []string{"args.v", "value"} {
				if !strings.Contains(seen[i], root+test.want) {
					t.Errorf("got %q, want %q", seen[i], root+test.want)
				}
			}
			same(t, "received", v.received(), nil)
			same(t, "calls", calls(out), []string{"0 codemode.step failed"})
		})
	}
}

// The first pass sees what a replay will see: values in their recorded form, never the live ones they were made of.
func TestFirstPassSeesTheRecordedForm(t *testing.T) {
	t.Parallel()
	w, _ := newVault(t)
	out := w.run(`
		const live = {at: new Date(0), inner: {n: 1}};
		const got = await codemode.step("s", () => live);
		const {v} = await vault.echo({v: live});
		live.inner.n = 2;
		const seen = [typeof got.at, typeof v.at, got.inner.n, v.inner.n, got === live];
		console.log(JSON.stringify(seen));
		await items.remove({id: 1});
		return seen`)
	w.is(out, "paused", "2")
	const want = `["string","string",1,1,false]`
	same(t, "first pass", out.Logs, []string{want})
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", want)
}

// The bytes that were judged, shown and bound to the decision are the bytes that the connector receives, across a
// restart, with their order of keys.
func TestShownBytesAreExecuted(t *testing.T) {
	t.Parallel()
	w, v := newVault(t, onDisk(t.TempDir()))
	out := w.run(`
		const args = {z: 1, a: [1.50, 1e21, "<é>"], n: 5n, gone: undefined, m: {y: 1, b: 2}};
		const p = vault.seal(args);
		args.z = 2; args.a.push("later");      // too late
		return await p`)
	w.is(out, "paused", "0")
	const want = `{"z":1,"a":[1.5,1e+21,"<é>"],"n":{"$bigint":"5"},"m":{"y":1,"b":2}}`
	if got := string(out.Pending[0].Args); got != want {
		t.Errorf("shown %s", got)
	}
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", want)
	same(t, "received", v.received(), []string{"seal " + want})
}

// Control travels outside of values: nothing in a result can pause, end or divert a program.
func TestResultsAreNeverControl(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"pause":      `{"status":"paused","pending":[{"seq":"0"}],"__pause":true,"__codemode_pause__":true}`,
		"error":      `{"error":"boom","errorType":"divergence","$error":1}`,
		"completion": `{"Seq":"1","Result":{},"Diverged":{"Seq":"0"},"Exceeded":{"Limit":"cpu"}}`,
		"thenable":   `{"then":"x","catch":1}`,
		"tags":       `{"$$bytes":"x"}`,
		"replayed":   `{"replay":true,"decision":"replay","result":1,"state":"applied"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := newVault(t)
			v.gives(value)
			out := w.run(`const a = await vault.read({}); await items.remove({id: 1}); return [a, await vault.echo({a})]`)
			w.is(out, "paused", "1")
			w.restart()
			w.is(w.approve(out.ExecutionID), "completed", `[`+value+`,{"a":`+value+`}]`)
		})
	}
}

// Sizes are counted in characters of the JSON, whatever they take in bytes or UTF-16 units.
func TestSizesAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ length, want string }{
		"at the limit":   {"999_998", "completed"}, // and two quotes
		"one beyond it":  {"999_999", "error"},
		"far beyond it":  {"3_000_000", "error"},
		"well within it": {"10", "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newVault(t)
			out := w.run(`const s = await codemode.step("s", () => "😀".repeat(` + test.length + `)); return s.length`)
			if out.Status != test.want {
				t.Fatalf("%s %s", out.Status, out.Error)
			}
			if out.Status == "error" && (out.ErrorDetail.Limit != "value" || len(w.recorded(out.ExecutionID).Deliveries) != 0) {
				t.Errorf("%+v", out.ErrorDetail)
			}
		})
	}
}

// A final value that cannot be serialized is the program's error, told with the path, and recorded as such.
func TestFinalValueThatCannotTravel(t *testing.T) {
	t.Parallel()
	w, _ := newVault(t)
	out := w.run(`const a = {}; a.self = a; return a`)
	w.is(out, "error", "runtime", "result.self contains itself")
	d, err := w.host.Show(context.Background(), out.ExecutionID)
	if err != nil || d.Status != "error" || d.Outcome.Result != nil {
		t.Errorf("%+v, %v", d, err)
	}
}
