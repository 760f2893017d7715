package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

// What programs of the usual shapes come to.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code string
		want []string
	}{
		"a function":            {`async () => 42`, []string{"completed", "42"}},
		"an expression":         {`1 + 1`, []string{"completed", "2"}},
		"in a fence":            {"```js\n1 + 1\n```", []string{"completed", "2"}},
		"white space":           {" \n\t ", []string{"completed", ""}},
		"white space around":    {"\n\n  1 + 1  \n", []string{"completed", "2"}},
		"nothing":               {``, []string{"completed", ""}},
		"an empty function":     {`async () => {}`, []string{"completed", ""}},
		"one after the other":   {`const l = await items.list(); await items.add({id: l.length}); return await items.list()`, []string{"completed", "[1,2]"}},
		"all at once":           {`return await Promise.all([items.add({id: 5}), items.list(), items.add({id: 6})])`, []string{"completed", `["added 5",[1,2,5],"added 6"]`}},
		"an error":              {`throw new Error("boom")`, []string{"error", engine.ErrorRuntime, "boom"}},
		"a caught failure":      {`try { await items.fail({id: 3}) } catch {} return await vault.echo({a: 1})`, []string{"completed", `{"a":1}`}},
		"no network":            {`return typeof fetch === "undefined" ? "none" : await fetch("https://example.com")`, []string{"completed", `"none"`}},
		"no environment":        {`return [typeof process, typeof require, typeof Deno, typeof Bun]`, []string{"completed", `["undefined","undefined","undefined","undefined"]`}},
		"positional arguments":  {`try { await vault.put(...["a", "b"]) } catch (e) { return e.name }`, []string{"completed", `"TypeError"`}},
		"two namespaces":        {`return [await items.list(), await vault.echo({b: 2})]`, []string{"completed", `[[1,2],{"b":2}]`}},
		"input and env":         {`(input, env) => [input, Object.keys(env)]`, []string{"completed", `[null,["items","vault"]]`}},
		"a throw that is empty": {`throw ""`, []string{"error", engine.ErrorRuntime, "threw ''"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := &vault{}
			w := newWorld(t, newItems(1, 2), func(o *core.Options) {
				v.with(t)(o)
				o.Limits.InFlight = 1 // so that calls made at once take effect in their order
			})
			out := w.run(test.code)
			w.is(out, test.want...)
			told, err := json.Marshal(out)
			if err != nil || len(test.code) > 8 && strings.Contains(string(told), test.code) {
				t.Errorf("the outcome repeats the program: %s, %v", told, err)
			}
			if out.Status == "completed" && len(out.Logs) != 0 {
				t.Errorf("logs %q", out.Logs)
			}
		})
	}
}

// A host without connectors runs programs all the same.
func TestHostWithoutConnectors(t *testing.T) {
	t.Parallel()
	h, err := core.New(context.Background(), core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	out, err := h.Run(context.Background(), core.RunRequest{Code: `return Object.keys(env).length`})
	if err != nil || out.Status != "completed" || string(out.Result) != "0" {
		t.Errorf("%+v, %v", out, err)
	}
}

// A connector's state outlives runs, and is the connector's alone.
func TestConnectorStateOutlivesRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	w.is(w.run(`return await items.add({id: 1})`), "completed", `"added 1"`)
	w.is(w.run(`globalThis.mine = 1; return await items.list()`), "completed", `[1]`)
	w.is(w.run(`return typeof mine`), "completed", `"undefined"`)
}

// The limits of a host that sets none.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	l := core.DefaultLimits
	for name, ok := range map[string]bool{
		"wall time":   l.Wall == time.Minute,
		"cpu time":    l.Sandbox.CPU == 10*time.Second,
		"memory":      l.Sandbox.Memory == 256<<20,
		"calls":       l.Sandbox.Calls == 10_000,
		"in flight":   l.InFlight == 16,
		"console":     l.Sandbox.Console == 256<<10,
		"stack":       l.Sandbox.Stack == 5_000,
		"timers":      l.Sandbox.Timers == 1_000,
		"sleep":       l.Sandbox.Sleep == 10*time.Minute,
		"one value":   l.Value == 1_000_000 && l.Sandbox.Value == 1_000_000,
		"source":      core.DefaultSource == 256<<10,
		"one call":    core.DefaultCallTimeout == time.Minute,
		"a pause ttl": core.DefaultExpiry == 24*time.Hour,
	} {
		if !ok {
			t.Errorf("%s: another default", name)
		}
	}
}

// Console lines are the outcome's own, whatever the outcome: warnings and errors bear their level.
func TestEveryOutcomeHasItsLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	const speak = `console.log("a", {b: [1]}); console.warn("w"); console.error("e"); console.info("i"); console.debug("d");`
	want := []string{"a { b: [ 1 ] }", "[warn] w", "[error] e", "i", "d"}
	same(t, "completed", w.run(speak+`return 1`).Logs, want)
	failed := w.run(speak + `throw new Error("boom")`)
	same(t, "error", failed.Logs, want)
	w.is(failed, "error", engine.ErrorRuntime, "boom")
	if failed.Error != "boom" {
		t.Errorf("the error holds more than the error: %q", failed.Error)
	}
	paused := w.run(speak + `await items.remove({id: 1}); console.log("after")`)
	same(t, "paused", paused.Logs, want)
	same(t, "the next pass", w.approve(paused.ExecutionID).Logs, []string{"after"})
}
