package worker

import (
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

// natives are operations of the engine that no interrupt reaches, or that end the process that they run in. Each is one
// expression or the body of a program; what it comes to on a fast machine, if to anything, does not matter.
var natives = map[string]string{
	"repeat":               `'x'.repeat(2 ** 30).length`,
	"repeat without end":   `'x'.repeat(2 ** 53 - 1).length`,
	"double":               `let s = 'x'; for (;;) s += s`,
	"pad":                  `'x'.padStart(2 ** 30, 'ab').length`,
	"pad without end":      `'x'.padEnd(2 ** 53 - 1).length`,
	"replace":              `'x'.repeat(1e5).replaceAll('x', 'y'.repeat(1e5)).length`,
	"replace by parts":     `'x'.repeat(1e5).replace(/x/g, "$'$'$'").length`,
	"upper case":           `'x'.repeat(1e8).toUpperCase().length`,
	"normalize":            `'\u0958'.repeat(3e7).normalize('NFD').length`,
	"char codes":           `String.fromCharCode.apply(null, Array(1e8).fill(65)).length`,
	"join":                 `Array(1e8).join('xxxxxxxxxx').length`,
	"lookahead":            `/^(?=(a+)+$)/.test('a'.repeat(40) + 'b')`,
	"backreference":        `/^(a+)+\1$/.test('a'.repeat(40) + 'b')`,
	"pattern":              `new RegExp('('.repeat(1e6) + ')'.repeat(1e6)).test('')`,
	"pattern that repeats": `new RegExp('(?=' + '(a{1000}){1000}'.repeat(1000) + ')').test('a')`,
	"bigint from text":     `String(BigInt('9'.repeat(3e6))).length`,
	"bigint power":         `String(3n ** 100000000n).length`,
	"bigint shift":         `String(1n << (2n ** 33n)).length`,
	"bigint shift far":     `String(1n << (2n ** 62n)).length`,
	"bigint as uint":       `String(BigInt.asUintN(2 ** 53 - 1, -1n)).length`,
	"fill":                 `Array(1e9).fill(0).length`,
	"fill typed":           `new Uint8Array(1e9).fill(1).length`,
	"typed":                `new Uint8Array(4e9).length`,
	"buffer without end":   `new ArrayBuffer(2 ** 53 - 1).byteLength`,
	"indexOf":              `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
	"includes":             `Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`,
	"forEach":              `Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})`,
	"reverse":              `Array.prototype.reverse.call({ length: 2 ** 53 - 1 }).length`,
	"sparse fill":          `const a = []; a.length = 2 ** 32 - 1; return a.fill(0).length`,
	"sparse sort":          `const a = []; a.length = 2 ** 32 - 1; return a.sort().length`,
	"sparse concat":        `const a = []; a.length = 2 ** 32 - 2; return [].concat(a, a).length`,
	"from":                 `Array.from({ length: 2 ** 32 - 1 }).length`,
	"spread":               `Math.max(...Array(1e8))`,
	"keys":                 `Object.keys(new Uint8Array(3e8)).length`,
	"flat":                 `Array(3e7).fill([1, 2]).flat().length`,
	"flat deep":            nested + `return a.flat(Infinity)`,
	"print deep":           nested + `return String(a).length`,
	"stringify deep":       nested + `return JSON.stringify(a).length`,
	"clone deep":           nested + `return structuredClone(a).length`,
	"inspect deep":         nested + `console.log(a)`,
	"result deep":          nested + `return a`,
	"argument deep":        nested + `return await files.read({ a })`,
	"thrown deep":          `let e = new Error('x'); for (let i = 0; i < 2e6; i++) e = { cause: e, message: '' }; throw e`,
	"parse deep":           `JSON.parse('['.repeat(2e7))`,
	"parse deep and right": `JSON.parse('['.repeat(5e6) + ']'.repeat(5e6)).length`,
	"proxies":              `let p = {}; for (let i = 0; i < 3e6; i++) p = new Proxy(p, {}); return p.x`,
	"prototypes":           `let p = {}; for (let i = 0; i < 3e6; i++) p = Object.create(p); return p.x`,
	"bound functions":      `let f = () => 1; for (let i = 0; i < 3e6; i++) f = f.bind(null); return f()`,
	"instance of":          `let f = function () {}; for (let i = 0; i < 3e6; i++) f = f.bind(null); return {} instanceof f`,
	"promises":             `let p = Promise.resolve(); for (let i = 0; i < 3e6; i++) p = Promise.resolve({ then: p.then.bind(p) }); return await p`,
	"generators":           `let g = [1]; for (let i = 0; i < 1e6; i++) { const h = g; g = { *[Symbol.iterator]() { yield* h } } } return [...g].length`,
	"getters":              `let o = { v: 1 }; for (let i = 0; i < 1e6; i++) { const p = o; o = { get v() { return p.v } } } return o.v`,
	"collections":          `const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])`,
	"microtasks":           `const f = () => Promise.resolve().then(f); await f()`,
	"locale":               `Array(1e6).fill(1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' }).length`,
	"text":                 `new TextEncoder().encode('x'.repeat(2 ** 30)).length`,
	"base64":               `atob(btoa('x'.repeat(2 ** 28))).length`,
	"address":              `new URL('https://x/' + '../'.repeat(3e7)).href.length`,
	"query":                `new URLSearchParams('a=b&'.repeat(3e7)).size`,
	"evaluate deep":        `eval('['.repeat(1e6))`,
	"evaluate much":        `new Function('x;'.repeat(1e7))()`,
	"evaluate conditions":  `eval('a?b:'.repeat(1e6) + '1')`,
}

// nested builds an array as deep as memory allows.
const nested = `let a = []; for (let i = 0; i < 2e6; i++) a = [a]; `

// TestNativesCostOneProgram: whatever the engine cannot be interrupted in, or dies of, is one program's loss.
func TestNativesCostOneProgram(t *testing.T) {
	p := open(t, Options{})
	p.grace = 200 * time.Millisecond
	tight := limits
	tight.CPU = 200 * time.Millisecond
	for name, text := range natives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(text, ";") || strings.HasPrefix(text, "new Function") {
				text = "return " + text
			}
			compiled, err := p.Compile(t.Context(), program.Source{Text: text, Namespaces: map[string][]string{"files": {"read"}}})
			if err != nil {
				t.Fatalf("Compile: %v", err)
			}
			s, err := p.Start(t.Context(), sandbox.Spec{Program: compiled, Start: epoch, Namespaces: namespaces, Limits: tight, DynamicCode: true})
			if err != nil {
				t.Fatalf("Start: %v", err)
			}
			t.Log(value(t, complete(t, s)))
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if got := value(t, complete(t, begin(t, p, "return 'next'"))); got != `"next"` {
				t.Errorf("the next program: %s", got)
			}
		})
	}
}
