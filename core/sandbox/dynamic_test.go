package sandbox

import "testing"

// TestDynamicCode: where it is allowed, eval and Function are the language's own, and reach no more than the program.
func TestDynamicCode(t *testing.T) {
	t.Parallel()
	for js, want := range map[string]string{
		`eval("1 + 1")`:                                                                     `2`,
		`(0, eval)("typeof files")`:                                                         `"object"`,
		`new Function("a", "b", "return a + b")(1, 2)`:                                      `3`,
		`Function("return this")() === globalThis`:                                          `true`,
		`await (async () => {}).constructor("return await files.read({})")()`:               `{}`,
		`[...(function* () {}).constructor("yield 1; yield 2")()]`:                          `[1,2]`,
		`(() => {}).constructor === Function`:                                               `true`,
		`eval("Object.keys(globalThis).includes('GoError')")`:                               `false`,
		`(() => { try { eval("a b") } catch (e) { return e.name } })()`:                     `"SyntaxError"`,
		`(() => { try { eval("throw new Error('x')") } catch (e) { return e.message } })()`: `"x"`,
	} {
		sp := spec("return " + js)
		sp.DynamicCode = true
		if got := start(t, sp).finish().value(); got != want {
			t.Errorf("%s: got %s, want %s", js, got, want)
		}
	}
}
