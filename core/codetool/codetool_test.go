package codetool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core/codetool"
	"github.com/codemode-go/codemode/core/sandbox/worker"
	"github.com/codemode-go/codemode/plugin/sdk"
)

func TestMain(m *testing.M) {
	worker.Main()
	goleak.VerifyTestMain(m)
}

type pair struct {
	A int `json:"a"`
	B int `json:"b"`
}

type note struct {
	Text string `json:"text"`
}

// world is what the functions of the tests work on.
type world struct {
	secret string

	mu    sync.Mutex
	notes []string
}

func (w *world) namespaces() []codetool.Namespace {
	return []codetool.Namespace{
		{Name: "math", Functions: []sdk.Method{
			read("add", func(_ context.Context, p pair) (int, error) { return p.A + p.B, nil }),
			read("divide", func(_ context.Context, p pair) (int, error) {
				if p.B == 0 {
					return 0, &sdk.Error{Code: sdk.InvalidArgument, Message: "no division by 0", Retryable: true, Details: json.RawMessage(`{"b":0}`)}
				}
				return p.A / p.B, nil
			}),
			read("fail", func(context.Context, struct{}) (int, error) { return 0, errors.New("boom") }),
			read("crash", func(context.Context, struct{}) (int, error) { panic("inside") }),
		}},
		{Name: "notes", Functions: []sdk.Method{
			sdk.Func[note, int]{Name: "write-note", Approval: sdk.NotRequired, Call: w.write},
			read("read", func(context.Context, struct{}) ([]string, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				return append([]string(nil), w.notes...), nil
			}),
			read("signed", func(context.Context, struct{}) (int, error) { return len(w.secret), nil }),
			read("nothing", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }),
			sdk.Func[note, int]{Name: "burn", Approval: sdk.Required, Call: func(context.Context, note) (int, error) {
				panic("a function that needs approval was called")
			}},
			sdk.RawMethod{Name: "echo", ReadOnly: true, Call: func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil }},
			sdk.RawMethod{Name: "broken", ReadOnly: true, Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage("{"), nil
			}},
		}},
	}
}

func (w *world) write(_ context.Context, n note) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, n.Text)
	return len(w.notes), nil
}

// read is a function that changes nothing.
func read[I, O any](name string, call func(context.Context, I) (O, error)) sdk.Method {
	return sdk.Func[I, O]{Name: name, Description: "Reads " + name + ".", ReadOnly: true, Call: call}
}

func newTool(t *testing.T, o codetool.Options) *codetool.Tool {
	t.Helper()
	tool, err := codetool.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// failure returns a program's error, which must be one.
func failure(t *testing.T, err error) *codetool.Error {
	t.Helper()
	var failed *codetool.Error
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, which is no failure of a program", err)
	}
	return failed
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ code, want string }{
		"a function's value":        {`async () => 42`, `42`},
		"an expression":             {`1 + 1`, `2`},
		"in a fence":                {"```js\n1 + 1\n```", `2`},
		"TypeScript":                {`const n: number = 3; n`, `3`},
		"nothing":                   {`async () => {}`, ``},
		"null":                      {`null`, `null`},
		"arguments and value":       {`await math.add({a: 3, b: 4})`, `7`},
		"one after the other":       {`const s = await math.add({a: 1, b: 2}); await math.add({a: s, b: 10})`, `13`},
		"all at once":               {`await Promise.all([math.add({a: 1, b: 1}), math.add({a: 2, b: 2}), notes.nothing()])`, `[2,4,null]`},
		"a secret stays outside":    {`[await notes.signed(), typeof process, typeof w]`, `[9,"undefined","undefined"]`},
		"undefined":                 {`(await notes.nothing()) === undefined`, `true`},
		"bytes and bigints":         {`const r = await notes.echo({b: new Uint8Array([1, 2]), n: 5n}); [r.b instanceof Uint8Array, r.b.length, r.n === 5n]`, `[true,2,true]`},
		"keys keep their order":     {`await notes.echo({z: 1, a: 2, "1": 3})`, `{"1":3,"z":1,"a":2}`},
		"an error can be caught":    {`try { await math.fail() } catch (e) { e.message + ", but " + await math.add({a: 1, b: 1}) }`, `"boom, but 2"`},
		"an error has its parts":    {`try { await math.divide({a: 1, b: 0}) } catch (e) { [e.name, e.code, e.message, e.retryable, e.details] }`, `["CallError","invalid_argument","no division by 0",true,{"b":0}]`},
		"a panic is an error":       {`try { await math.crash() } catch (e) { [e.code, e.message.includes("inside")] }`, `["internal",false]`},
		"an answer that is no JSON": {`try { await notes.broken() } catch (e) { [e.code, e.message] }`, `["internal","notes.broken answered with something that is not JSON"]`},
		"no network":                {`typeof fetch === "undefined" && Object.keys(env)`, `["math","notes"]`},
		"a step runs at once":       {`await codemode.step("seed", async () => 1 + await math.add({a: 1, b: 1}))`, `3`},
		"a step fails":              {`try { await codemode.step("s", () => { throw new RangeError("no") }) } catch (e) { e.name + e.message }`, `"RangeErrorno"`},
		"search":                    {`(await codemode.search("add")).results.map(r => r.path)`, `["math.add","notes.write_note"]`},
		"search by object":          {`(await codemode.search({text: "", connector: "math", limit: 2})).total`, `4`},
		"a wrong search":            {`try { await codemode.search({txt: 1}) } catch (e) { [e.code, e.message.includes("txt")] }`, `["invalid_argument",true]`},
		"describe":                  {`const d = await codemode.describe("math.add"); [d.kind, d.types.includes("function add")]`, `["method",true]`},
		"a wrong describe":          {`try { await codemode.describe({}) } catch (e) { e.name }`, `"TypeError"`},
		"there are no snippets":     {`await codemode.run("greet", {})`, `{"error":"There is no snippet named \"greet\": nothing is saved here."}`},
		"a call that nobody awaits": {`notes["write_note"]({text: "x"}).then(() => notes.write_note({text: "y"})); 1`, `1`},
		"input is there":            {`input === undefined && Object.keys(env).join()`, `"math,notes"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{secret: "unspoken!"}
			got, err := newTool(t, codetool.Options{Namespaces: w.namespaces()}).Run(t.Context(), test.code)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Value) != test.want {
				t.Errorf("got %s, want %s", got.Value, test.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		code string
		want codetool.Error
	}{
		"it throws": {
			"1;\nthrow new Error('boom')",
			codetool.Error{Type: codetool.ErrorRuntime, Message: "boom", Line: 2, Column: 7},
		},
		"a function fails": {
			`await math.fail()`,
			codetool.Error{Type: codetool.ErrorRuntime, Name: "CallError", Code: "internal", Message: "boom", Line: 1, Column: 12},
		},
		"no program": {
			`await (`,
			codetool.Error{Type: codetool.ErrorCompile, Message: "syntax error: the program ends too early; something in it is not closed or not finished", Line: 1, Column: 8},
		},
		"no such function": {
			`await math.sub({})`,
			codetool.Error{Type: codetool.ErrorCompile, Message: `math has no method "sub"; it has add, divide, fail, crash`, Line: 1, Column: 12},
		},
		"wrong arguments": {
			`await math.add({a: "1", b: 2, c: 3})`,
			codetool.Error{Type: codetool.ErrorRuntime, Name: "CallError", Code: "invalid_argument",
				Message: `math.add was not called: a: got string, want integer; c: unknown property (allowed: a, b)`, Line: 1, Column: 12},
		},
		"two arguments": {
			`await math.add(...[1, 2])`,
			codetool.Error{Type: codetool.ErrorRuntime, Name: "TypeError", Message: `math.add takes one object with named arguments, not several arguments`, Line: 1, Column: 12},
		},
		"a global that is not there": {
			`host.add()`,
			codetool.Error{Type: codetool.ErrorRuntime, Name: "ReferenceError", Line: 1, Column: 1,
				Message: "host is not defined; in scope are input, env, codemode, console, math, notes, setTimeout, clearTimeout, setInterval, " +
					"clearInterval, queueMicrotask, structuredClone, performance, crypto, atob, btoa, TextEncoder, TextDecoder, " +
					"URL, URLSearchParams, Intl, AbortController; " +
					"arguments are named, as in {host: value}"},
		},
		"it waits for nothing": {
			`await new Promise(() => {})`,
			codetool.Error{Type: codetool.ErrorRuntime, Message: "the program waits for something that nobody can resolve: no call, step or timer of it is left; " +
				"look for a promise that is never resolved, or for an await on itself"},
		},
		"too many calls": {
			`for (let i = 0; i < 100; i++) await math.add({a: 1, b: i})`,
			codetool.Error{Type: codetool.ErrorLimit, Limit: "calls", Message: "the program made more than 20 calls", Line: 1, Column: 42},
		},
		"too large": {
			`"` + strings.Repeat("x", 1000) + `"`,
			codetool.Error{Type: codetool.ErrorLimit, Limit: "source",
				Message: "the program has 1002 bytes, 1000 at most; pass data by calls instead of writing it into the program"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := codetool.Options{Namespaces: new(world).namespaces(), Limits: codetool.Limits{Source: 1000}}
			o.Limits.Sandbox.Calls = 20
			got, err := newTool(t, o).Run(t.Context(), test.code)
			if got != nil {
				t.Errorf("there is a result: %s", got.Value)
			}
			if diff := cmp.Diff(&test.want, failure(t, err), cmp.AllowUnexported(codetool.Error{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestInvalidArgumentsAreNotSeen: a function hears nothing of a call that does not fit its schema.
func TestInvalidArgumentsAreNotSeen(t *testing.T) {
	t.Parallel()
	w := &world{}
	_, err := newTool(t, codetool.Options{Namespaces: w.namespaces()}).Run(t.Context(), `await notes.write_note({text: 1})`)
	if failed := failure(t, err); failed.Code != "invalid_argument" || len(w.notes) > 0 {
		t.Errorf("got %v, and the notes %q", err, w.notes)
	}
}

// TestApprovalIsLeftOut: a function that needs approval is in nothing that a model or
// a program sees, and cannot be called under any name.
func TestApprovalIsLeftOut(t *testing.T) {
	t.Parallel()
	tool := newTool(t, codetool.Options{Namespaces: new(world).namespaces()})
	if text := tool.Definition().Description; strings.Contains(text, "burn") || !strings.Contains(text, "function write_note") {
		t.Errorf("the description is\n%s", text)
	}
	got, err := tool.Run(t.Context(), `
		const name = ["burn"][0];
		const found = await codemode.search("burn");
		let message = "it was called";
		try { await notes[name]({text: ""}) } catch (e) { message = e.message.slice(0, 26) }
		[found.total, (await codemode.describe("notes.burn")).kind, Object.keys(notes).includes(name), message]`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `[0,"unknown",false,"notes has no method \"burn\""]`; string(got.Value) != want {
		t.Errorf("got %s, want %s", got.Value, want)
	}
	_, err = tool.Run(t.Context(), `await notes.burn({text: ""})`)
	if failed := failure(t, err); failed.Type != codetool.ErrorCompile {
		t.Errorf("got %v", err)
	}
}

// TestStateOutlivesPrograms: what functions keep is the same in every program.
func TestStateOutlivesPrograms(t *testing.T) {
	t.Parallel()
	w := &world{}
	tool := newTool(t, codetool.Options{Namespaces: w.namespaces()})
	for i := range 3 {
		got, err := tool.Run(t.Context(), `globalThis.seen = (globalThis.seen ?? 0) + 1; [seen, await notes.write_note({text: "x"})]`)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("[1,%d]", i+1); string(got.Value) != want {
			t.Errorf("got %s, want %s", got.Value, want)
		}
	}
}

// TestProgramsAtOnce: programs of one tool do not mix.
func TestProgramsAtOnce(t *testing.T) {
	t.Parallel()
	tool := newTool(t, codetool.Options{Namespaces: new(world).namespaces()})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			got, err := tool.Run(t.Context(), fmt.Sprintf(`console.log(%d); const s = await math.add({a: %d, b: 1}); await math.add({a: s, b: 1})`, i, i))
			if err != nil {
				t.Error(err)
				return
			}
			want := &codetool.Result{Value: fmt.Append(nil, i+2), Logs: []string{fmt.Sprint(i)}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	wg.Wait()
}

func TestCall(t *testing.T) {
	t.Parallel()
	tool := newTool(t, codetool.Options{})
	got, err := tool.Call(t.Context(), json.RawMessage(`{"code":"1 + 1"}`))
	if err != nil || string(got.Value) != "2" {
		t.Errorf("got %v, %v", got, err)
	}
	for name, args := range map[string]string{
		"no string":      `{"code":1}`,
		"no code":        `{}`,
		"something else": `{"code":"1","input":1}`,
		"no object":      `"1 + 1"`,
		"no JSON":        `1 + 1`,
		"nothing":        ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tool.Call(t.Context(), json.RawMessage(args))
			failed := failure(t, err)
			if failed.Type != codetool.ErrorState || !strings.HasPrefix(failed.Message, `nothing was run, because the tool takes one object with one string, {"code": "..."}: `) {
				t.Errorf("got %v", err)
			}
		})
	}
}
