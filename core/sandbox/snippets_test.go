package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// saved answers run calls with the snippets of this name, and everything else as echo does.
func saved(snippets map[string]string) func(Call) (string, *Error) {
	return func(c Call) (string, *Error) {
		if c.Method != MethodRun {
			return echo(c)
		}
		var a struct{ Name string }
		_ = json.Unmarshal(c.Args, &a)
		text, ok := snippets[a.Name]
		if !ok {
			return fmt.Sprintf(`{"error":"no snippet %s"}`, a.Name), nil
		}
		v, _ := json.Marshal(Snippet{Name: a.Name, Version: 1, JS: body(text).JS})
		return string(v), nil
	}
}

// runWith runs a program that has snippets at hand.
func runWith(t *testing.T, snippets map[string]string, text string) *host {
	t.Helper()
	h := start(t, spec(text))
	h.answer = saved(snippets)
	return h.finish()
}

// TestSnippetRunsInItsOwnFrame: its calls are numbered under the run call, its result is the call's.
func TestSnippetRunsInItsOwnFrame(t *testing.T) {
	t.Parallel()
	h := runWith(t, map[string]string{
		"sum": `const l = await Promise.all(input.map((n) => files.read({n}))); await new Promise((r) => setTimeout(r, 5)); await files.write({}); return l.length`,
	}, `const [a, b] = await Promise.all([codemode.run("sum", [1, 2]), files.read({n: 9})]); return [a, b, await codemode.run("none")]`)
	want := `0 codemode.run {"name":"sum","input":[1,2]}
1 files.read {"n":9}
0.0 files.read {"n":1}
0.1 files.read {"n":2}
0.2 codemode.timer {"delay":5}
0.3 files.write {}
2 codemode.run {"name":"none"}
`
	if diff := cmp.Diff(want, h.issued()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if want := `[2,{"n":9},{"error":"no snippet none"}]`; h.value() != want {
		t.Errorf("got %s", h.value())
	}
}

// TestSnippetDrawsItsOwnChance, so that what it draws does not move the program's draws.
func TestSnippetDrawsItsOwnChance(t *testing.T) {
	t.Parallel()
	program := `await codemode.run("draw"); return Math.random()`
	one := runWith(t, map[string]string{"draw": `Math.random()`}, program).value()
	many := runWith(t, map[string]string{"draw": `for (let i = 0; i < 9; i++) Math.random()`}, program).value()
	if one != many {
		t.Errorf("%s and %s", one, many)
	}
}

func TestSnippetErrorsAreTheRunCallsOwn(t *testing.T) {
	t.Parallel()
	h := runWith(t, map[string]string{"bad": `throw Object.assign(new RangeError("out of reach"), {code: "far"})`},
		`try { await codemode.run("bad") } catch (e) { return [e.name, e.message, e.code] }`)
	if want := `["RangeError","out of reach","far"]`; h.value() != want {
		t.Errorf("got %s", h.value())
	}
}

// TestSnippetsHaveADepth: eight run each other, the ninth is refused.
func TestSnippetsHaveADepth(t *testing.T) {
	t.Parallel()
	h := runWith(t, map[string]string{"deep": `try { return 1 + await codemode.run("deep") } catch (e) { return e.message }`},
		`return await codemode.run("deep")`)
	if !strings.Contains(h.value(), "1111111codemode.run: snippets can run each other at most 8 deep") {
		t.Errorf("got %s", h.value())
	}
	if n := len(h.calls); n != MaxDepth {
		t.Errorf("%d calls", n)
	}
}

// TestStepWaitsForSnippetsInIt: what is open in a snippet is open in the step that runs it.
func TestStepWaitsForSnippetsInIt(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`return await codemode.step("s", async () => { codemode.run("slow"); return 1 })`))
	h.answer = saved(map[string]string{"slow": `await files.read({n: 1}); await files.read({n: 2})`})
	turn := h.resume()
	for turn.Steps == nil {
		turn = h.next()
	}
	if want := "0 codemode.step {\"name\":\"s\"}\n0.0 codemode.run {\"name\":\"slow\"}\n0.0.0 files.read {\"n\":1}\n0.0.1 files.read {\"n\":2}\n"; h.issued() != want {
		t.Errorf("calls before the step ended:\n%s", h.issued())
	}
}

// TestSnippetReplays: the same deliveries in one turn make the same calls and the same result.
func TestSnippetReplays(t *testing.T) {
	t.Parallel()
	text := `const a = await codemode.run("w", {n: 3}); return [a, Math.random()]`
	snippets := map[string]string{"w": `const l = []; for (let i = 0; i < input.n; i++) l.push(await files.read({i, r: Math.random()})); return l`}
	live := runWith(t, snippets, text)
	sp := spec(text)
	sp.Replayed = len(live.recorded)
	again := start(t, sp).replay(live.recorded)
	if again.value() != live.value() {
		t.Errorf("live %s, replayed %s", live.value(), again.value())
	}
	if len(again.calls) != len(live.calls) {
		t.Errorf("%d calls live, %d replayed", len(live.calls), len(again.calls))
	}
}
