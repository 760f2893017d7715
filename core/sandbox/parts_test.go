package sandbox

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestPartsComeLate: a part of the prelude runs where a program first needs it, and looks as if it had always been there.
func TestPartsComeLate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ js, want string }{
		"nothing is needed":  {`return 1`, `1`},
		"assigned first":     {`globalThis.URL = 1; return URL`, `1`},
		"assigned by name":   {`URL = 2; return URL`, `2`},
		"asked for":          {`return ['URL' in globalThis, 'nope' in globalThis, typeof Intl, typeof nope]`, `[true,false,"object","undefined"]`},
		"the same each time": {`return [URL === URL, console === globalThis.console, Date === new Date().constructor, RegExp === /x/.constructor]`, `[true,true,true,true]`},
		"listed":             {`URL; return Object.getOwnPropertyNames(globalThis).includes('URL')`, `true`},
		"not enumerable":     {`URL; Date; return Object.keys(globalThis).filter(k => k === 'URL' || k === 'Date').length`, `0`},
		"iterator helper":    {`const p = Object.getPrototypeOf(Object.getPrototypeOf([].values())); return [typeof p.map, Object.hasOwn(p, 'map'), p.then === undefined]`, `["function",true,true]`},
		"after tampering":    {`Array.prototype.join = null; Math.trunc = null; return [new URL('https://a.b/').host, (1234).toLocaleString()]`, `["a.b","1,234"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := run(t, tt.js)
			if got := h.value(); got != tt.want {
				t.Errorf("got %s", got)
			}
			if name == "nothing is needed" && len(h.session.(*session).parts) != 0 {
				t.Errorf("%d parts have run", len(h.session.(*session).parts))
			}
		})
	}
}

// TestThrownAfterTampering: whatever a program did to the built-ins, what it throws is reported.
func TestThrownAfterTampering(t *testing.T) {
	t.Parallel()
	for name, js := range map[string]string{
		"descriptors":  `Object.prototype.get = () => 1; Object.prototype.value = 2; throw {a: 1}`,
		"typed arrays": `delete Object.getPrototypeOf(Uint8Array.prototype).length; RegExp.prototype.toString = 5; throw [/x/, new Uint8Array(1)]`,
		"functions":    `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }; throw {a: 1}`,
		"objects":      `for (const k of Object.getOwnPropertyNames(Object)) try { Object[k] = () => { throw 2 } } catch {} throw {a: 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e := run(t, js).failure(); !strings.HasPrefix(e.Message, "threw ") {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestPartEndsWithItsProgram: a limit that strikes within a part is reported like any other.
func TestPartEndsWithItsProgram(t *testing.T) {
	t.Parallel()
	sp := spec(`for (;;) [1, 2, 3].values().map(x => new Intl.NumberFormat('en-US').format(x)).toArray()`)
	sp.Limits.CPU = 30 * time.Millisecond
	if h := start(t, sp).finish(); h.last.Exceeded == nil || h.last.Exceeded.Limit != "cpu" {
		t.Errorf("got %+v", h.last)
	}
}

// TestPartsReplay: it makes no difference in which frame a part first runs, nor that a step that ran it is skipped.
func TestPartsReplay(t *testing.T) {
	t.Parallel()
	sp := spec(`const use = async name => {
			const c = new AbortController(), signal = AbortSignal.any([c.signal, AbortSignal.timeout(5000)]);
			queueMicrotask(() => console.log('in ' + name, 'micro'));
			const items = await Array.fromAsync([1, 2].values().map(i => files.read({name, i, id: crypto.randomUUID()})), r => 'n' in (r ?? {}));
			c.abort();
			return [name, items.length, signal.aborted, new Intl.NumberFormat().format(1234.5), new Date(0).toLocaleDateString(), new URL('x', 'https://a.b').href];
		};
		const quietly = p => p.catch(e => e.message);
		const first = await quietly(codemode.step('s', () => quietly(use('step'))));
		console.log(first);
		return [first, await quietly(use('main'))]`)
	for round := range 20 {
		rng := rand.New(rand.NewPCG(3, uint64(round)))
		ran := live(t, sp, rng, nil)
		compare(t, sp, "again", ran, inWindows(t, sp, rng, ran.recorded, 2))
		skipping, kept := skip(sp, ran)
		want := outsideSteps(ran, skipping.Steps)
		compare(t, sp, "skipping", want, outsideSteps(inWindows(t, skipping, rng, kept, 3), skipping.Steps))
	}
}
