package worker

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/sandbox"
)

// tampering is what a program may do to the language and to what it finds of the host in it.
var tampering = map[string]string{
	"built-ins":   `for (const c of [Object, Array, String, Number, Promise, Map, Set, Date, RegExp, JSON, Math, Error]) for (const k of Reflect.ownKeys(c)) try { c[k] = () => { throw "gone" } } catch {}`,
	"prototypes":  `for (const c of [Object, Array, String, Number, Promise, Map, Set, Date, RegExp, Error, Function]) for (const k of Reflect.ownKeys(c.prototype)) try { c.prototype[k] = () => { throw "gone" } } catch {}`,
	"globals":     `for (const k of Reflect.ownKeys(globalThis)) try { delete globalThis[k] } catch {}`,
	"setters":     `for (const k of ["seq", "connector", "method", "args", "value", "error", "turn", "result", "then", "0"]) try { Object.defineProperty(Object.prototype, k, { get() { throw "got" }, set() { throw "set" }, configurable: false }) } catch {}`,
	"toJSON":      `Object.prototype.toJSON = () => "forged"; Array.prototype.toJSON = () => "forged"; String.prototype.toJSON = () => "forged"`,
	"then":        `Object.prototype.then = function (f) { f("forged") }`,
	"iterators":   `Array.prototype[Symbol.iterator] = function* () { for (;;) yield "forged" }; Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: false })`,
	"species":     `Object.defineProperty(Promise, Symbol.species, { get() { return function (f) { f(() => {}, () => {}) } } }); Object.defineProperty(Array, Symbol.species, { value: Object })`,
	"frozen":      `Object.freeze(globalThis); Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Promise.prototype)`,
	"namespaces":  `for (const o of [files, codemode, files.read, codemode.step, env]) { for (const k of ["read", "step", "call", "constructor", "__proto__"]) try { o[k] = () => "forged" } catch {} try { Object.setPrototypeOf(o, { read: 1 }) } catch {} }`,
	"stacks":      `Error.prepareStackTrace = () => { throw "stack" }; Error.stackTraceLimit = 1e9; Object.defineProperty(Error.prototype, "stack", { get() { throw "stack" } })`,
	"constructor": `const found = []; const walk = (o, d) => { if (d > 4 || (typeof o !== "object" && typeof o !== "function") || o === null) return; for (const k of Reflect.ownKeys(o)) try { const v = o[k]; if (typeof v === "function" && v.constructor) try { found.push(v.constructor("return 1")()) } catch {} walk(v, d + 1) } catch {} }; walk(globalThis, 0); if (found.length) throw "code was made"`,
	"counting":    `globalThis.seen = (globalThis.seen ?? 0) + 1; Object.prototype.seen = 1; Array.prototype.push.seen = 1`,
}

// TestTamperingStaysInItsProgram: the next program in the same child finds the language as it is, whatever one did to it.
func TestTamperingStaysInItsProgram(t *testing.T) {
	p := open(t, Options{Warm: 1})
	const probe = `const got = await files.read({ n: [1, "a", { b: 2n }] });
		return [got, [3, 1, 2].sort(), JSON.stringify({ a: [1] }), new Date(0).toISOString(), "aXb".replace(/x/i, "-"), typeof seen, [].push.seen ?? 0,
			Object.keys(globalThis).length > 0, Object.isFrozen(Object.prototype), new URL("https://a/b").host, (1234.5).toLocaleString()]`
	want := value(t, complete(t, begin(t, p, probe)))
	if !strings.Contains(want, "1970-01-01") {
		t.Fatalf("the probe comes to %s", want)
	}
	pids := map[int]bool{}
	for name, text := range tampering {
		t.Run(name, func(t *testing.T) {
			s := begin(t, p, text+"\nconst answer = files.read({ a: 1 }); return 'done'").(*session)
			turn, err := s.Resume(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(value(t, turn))
			for _, c := range turn.Calls {
				if c.Connector != "files" || c.Method != "read" || !json.Valid(c.Args) {
					t.Errorf("the call %+v was forged", c)
				}
			}
			pids[s.child.cmd.Process.Pid] = true
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got := value(t, complete(t, begin(t, p, probe))); got != want {
				t.Errorf("the next program:\n got %s\nwant %s", got, want)
			}
		})
	}
	if len(pids) == len(tampering) {
		t.Error("no child served twice")
	}
}

// TestChildStopsReading: a child that neither reads nor answers holds the host no longer than its program's time.
func TestChildStopsReading(t *testing.T) {
	p := open(t, Options{})
	s := begin(t, p, "await files.read({}); return 1").(*session)
	if _, err := s.Resume(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.child.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	large := []byte(`"` + strings.Repeat("x", 1<<20) + `"`) // more than a pipe holds
	turn, err := s.Resume(t.Context(), []sandbox.Completion{{Seq: "0", Connector: "files", Method: "read", At: epoch, Value: large}})
	if err != nil || turn.Exceeded == nil || turn.Exceeded.Limit != "cpu" {
		t.Errorf("got %+v, %v", turn, err)
	}
	if got := value(t, complete(t, begin(t, p, "return 'next'"))); got != `"next"` {
		t.Errorf("the next program: %s", got)
	}
}

// TestLastWords: what Go's runtime wrote when it gave up tells the limit.
func TestLastWords(t *testing.T) {
	t.Parallel()
	for wrote, want := range map[string]string{
		"": "",
		"runtime: goroutine stack exceeds 67108864-byte limit\n":                                                       "stack",
		"fatal error: runtime: out of memory\n\ngoroutine 1":                                                           "memory",
		"fatal error: runtime: cannot allocate memory":                                                                 "memory",
		"runtime: failed to create new OS thread (have 9 already; errno=11)":                                           "memory",
		"panic: runtime error: makeslice: len out of range":                                                            "memory",
		"SIGSEGV: segmentation violation\nPC=0x439cfd m=0 sigcode=1 addr=0x0\n\nruntime.(*spanQueue).tryDrain(0x400?)": "memory",
		"panic: runtime error: index out of range [1] with length 1":                                                   "",
	} {
		if got := limitIn(wrote); got != want {
			t.Errorf("%q: got %q, want %q", wrote, got, want)
		}
	}
}

// TestHardEndTellsTheLastCall: nobody can ask a killed child for its line; the last outcome that it was given is known.
func TestHardEndTellsTheLastCall(t *testing.T) {
	p := open(t, Options{})
	p.grace = 100 * time.Millisecond
	for text, want := range map[string]string{
		"\n" + `await files.read({}); return new Uint8Array(4e9).length`: "after the outcome of files.read (line 2, column 13)",
		`return new Uint8Array(4e9).length`:                              "before the outcome of any call",
	} {
		turn := complete(t, begin(t, p, text))
		if turn.Exceeded == nil || turn.Exceeded.Limit != "memory" || !strings.Contains(turn.Exceeded.Message, want) {
			t.Errorf("got %+v, want %s", turn.Exceeded, want)
		}
	}
}
