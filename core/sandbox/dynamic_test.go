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

// TestPreparedWorlds: what is built ahead of time is for programs of the usual kind, and is used once.
func TestPreparedWorlds(t *testing.T) {
	t.Parallel()
	p := New()
	for _, tt := range []struct {
		dynamic bool
		want    string
	}{{true, `[2,0,"UTC"]`}, {false, `["EvalError",0,"UTC"]`}, {false, `["EvalError",0,"UTC"]`}} {
		if err := p.Prepare(); err != nil {
			t.Fatal(err)
		}
		sp := spec(`globalThis.seen = (globalThis.seen ?? -1) + 1; const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
			if (performance.timeOrigin !== Date.now()) throw new Error("another time"); try { return [eval("1 + 1"), seen, zone] } catch (e) { return [e.name, seen, zone] }`)
		sp.DynamicCode = tt.dynamic
		s, err := p.Start(t.Context(), sp)
		if err != nil {
			t.Fatal(err)
		}
		turn, err := s.Resume(t.Context(), nil)
		if err != nil || turn.Result == nil || string(turn.Result.Value) != tt.want {
			t.Errorf("got %+v, %v, want %s", turn.Result, err, tt.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
