// Package randomprogram writes random programs for the property tests: of the
// shapes that models write, and of some that they should not. They call methods
// of a connector t.
package randomprogram

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Options say what programs may do.
type Options struct {
	// Dirty programs break the rules of steps: they may end in a divergence, but never in anything silent.
	Dirty bool
	// Methods are those of t that are called, the more often the more often they are named; nil: read, write, gated and fail.
	Methods []string
	// Snippet is one that is run with an input {k}; empty: none is.
	Snippet string
}

// New returns a program that is a function of rng.
func New(rng *rand.Rand, o Options) string {
	if o.Methods == nil {
		o.Methods = []string{"read", "read", "read", "write", "gated", "fail"}
	}
	g := &generator{rng: rng, Options: o}
	return g.program()
}

type generator struct {
	Options
	rng   *rand.Rand
	inner int // steps around what is being written: there nothing outside is changed
	n     int // names and numbers used so far
}

func (g *generator) next() int { g.n++; return g.n }

func (g *generator) pick(list ...func() string) string { return list[g.rng.IntN(len(list))]() }

// program is a whole program: it keeps what it sees in T and returns it.
func (g *generator) program() string {
	var b strings.Builder
	b.WriteString("const T = [], box = {};\nconst sleep = (ms) => new Promise((r) => setTimeout(r, ms));\n")
	for range 1 + g.rng.IntN(4) {
		b.WriteString(g.statement(3))
	}
	b.WriteString("return T;\n")
	return b.String()
}

func (g *generator) block(depth int) string {
	var b strings.Builder
	for range 1 + g.rng.IntN(2) {
		b.WriteString(g.statement(depth))
	}
	return b.String()
}

// statement is one statement. A failure of it is caught and noted.
func (g *generator) statement(depth int) string {
	if depth <= 0 {
		return fmt.Sprintf("try { T.push(await %s); } catch (e) { T.push(['E', e.code]); }\n", g.call())
	}
	list := []func() string{
		func() string {
			return fmt.Sprintf("try { T.push(await %s); } catch (e) { T.push(['E', e.code]); }\n", g.promise(depth))
		},
		func() string {
			return fmt.Sprintf("try { T.push(await %s); } catch (e) { T.push(['E', e.code]); }\n", g.promise(depth))
		},
		func() string {
			v := fmt.Sprintf("x%d", g.next())
			return fmt.Sprintf("let %[1]s = {v: 0}; try { %[1]s = await %[2]s; } catch (e) { T.push(e.message); }\nif (%[1]s && %[1]s.v %% 2) {\n%[3]s} else {\n%[4]s}\n",
				v, g.call(), g.block(depth-1), g.block(depth-1))
		},
		func() string { return "T.push(Math.floor(Math.random() * 1000), Date.now());\n" },
		func() string {
			return fmt.Sprintf("for (let i = 0; i < %d; i++) {\n%s}\n", 1+g.rng.IntN(3), g.block(depth-1))
		},
		func() string { // not awaited
			return fmt.Sprintf("%s.then((v) => T.push(v), (e) => T.push(e.code));\n", g.promise(depth-1))
		},
		func() string { // not awaited, with what follows
			return fmt.Sprintf("[1, 2].forEach(async (i) => { try { const v = await %s; await t.write({k: %d, v: v && v.v}); } catch (e) { T.push(e.code); } });\n", g.call(), g.next())
		},
	}
	if g.Dirty {
		list = append(list, g.dirtyStep, g.dirtyStep)
	}
	return g.pick(list...)
}

// call is one call.
func (g *generator) call() string {
	method := g.Methods[g.rng.IntN(len(g.Methods))]
	switch g.rng.IntN(3) {
	case 0:
		return fmt.Sprintf("t.%s({k: %d, v: T.length})", method, g.next())
	case 1:
		return fmt.Sprintf("t.%s({k: %d, v: JSON.stringify(T.at(-1) ?? null)})", method, g.next())
	}
	return fmt.Sprintf("t.%s({k: %d})", method, g.next())
}

// promise is an expression whose value is a promise.
func (g *generator) promise(depth int) string {
	if depth <= 0 {
		return g.call()
	}
	several := func() string {
		var list []string
		for range 2 + g.rng.IntN(3) {
			list = append(list, g.promise(depth-1))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	list := []func() string{
		g.call, g.call,
		func() string { return "Promise.all(" + several() + ")" },
		func() string { return "Promise.allSettled(" + several() + ").then((l) => l.map((s) => s.status))" },
		func() string { return "Promise.race(" + several() + ")" },
		func() string { return "Promise.any(" + several() + ")" },
		func() string {
			return fmt.Sprintf("Promise.race([%s, sleep(%d).then(() => 'late')])", g.promise(depth-1), g.rng.IntN(40))
		},
		func() string { return fmt.Sprintf("sleep(%d).then(() => %s)", g.rng.IntN(50), g.promise(depth-1)) },
		func() string {
			return fmt.Sprintf("Promise.all([1, 2, 3].map(async (i) => { const a = await t.read({k: i}); return a.v %% 2 ? %s : [i, a.v]; }))", g.call())
		},
		func() string {
			if g.inner > 0 {
				return g.call()
			}
			return fmt.Sprintf("(async () => {\n%sreturn %d; })()", g.block(depth-1), g.next())
		},
		func() string { return fmt.Sprintf("({ then(ok, no) { %s.then(ok, no); } })", g.call()) },
		func() string { return g.step(depth) },
		func() string { return g.step(depth) },
	}
	if g.Snippet != "" {
		list = append(list, func() string { return fmt.Sprintf("codemode.run('%s', {k: %d})", g.Snippet, g.next()) })
	}
	return g.pick(list...)
}

// step is a step that keeps the rules: it returns what it finds out.
func (g *generator) step(depth int) string {
	g.inner++
	defer func() { g.inner-- }()
	body := g.pick(
		func() string { return "return Math.random();" },
		func() string { return fmt.Sprintf("return [await %s, Math.random()];", g.call()) },
		func() string {
			return fmt.Sprintf("const L = []; for (const i of [1, 2]) { try { L.push(await %s); } catch (e) { L.push(e.code); } } return L;", g.call())
		},
		func() string {
			return fmt.Sprintf("return Promise.all([%s, %s]);", g.call(), g.promise(min(depth-1, 1)))
		},
		func() string { return fmt.Sprintf("await sleep(%d); return Date.now();", g.rng.IntN(30)) },
		func() string { return fmt.Sprintf("%s.catch(() => 0); return 'left a call open';", g.call()) },
		func() string { return "throw new Error('from a step');" },
		func() string { return "setTimeout(() => {}, 1000); return 'left a timer';" },
	)
	return fmt.Sprintf("codemode.step('s%d', async () => { %s })", g.next(), body)
}

// dirtyStep breaks the rules: it changes what lies outside, or calls after it has ended.
func (g *generator) dirtyStep() string {
	return g.pick(
		func() string {
			return fmt.Sprintf("await codemode.step('d%d', async () => { box.n = Math.random(); return 1; });\ntry { T.push(await t.read({k: %d, v: box.n})); } catch (e) { T.push(e.code); }\n", g.next(), g.next())
		},
		func() string {
			return fmt.Sprintf("await codemode.step('d%d', async () => { T.push(await %s); return 1; });\n", g.next(), g.call())
		},
		func() string {
			return fmt.Sprintf("await codemode.step('d%d', async () => { box.p = (async () => { await box.gate; try { return await t.read({k: %d}); } catch (e) { return e.message; } })(); return 1; });\nawait box.p;\n", g.next(), g.next())
		},
		func() string {
			return fmt.Sprintf("await codemode.step('d%d', async () => ({ then(ok) { t.read({k: %d}).then(ok, (e) => ok(e.code)); } }));\n", g.next(), g.next())
		},
	)
}
