package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStepIsDelivered: the program sees the value through a delivery only.
func TestStepIsDelivered(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`let v = "none"; codemode.step("s", () => 7).then((x) => v = x); await files.read({}); console.log(v); return v`))
	turn := h.resume()
	if len(turn.Steps) != 1 || turn.Steps[0].Seq != "0" || string(turn.Steps[0].Value) != "7" {
		t.Fatalf("steps: %+v", turn.Steps)
	}
	h.resume(completion(h.calls[1]))
	if h.value() != `"none"` {
		t.Errorf("the program saw %s before the delivery", h.value())
	}
}

func TestSkippedStep(t *testing.T) {
	t.Parallel()
	sp := spec(`const v = await codemode.step("s", async () => { console.log("ran"); return await files.read({n: 1}) });
		await files.read({v}); return v`)
	sp.Steps = []string{"0"}
	h := start(t, sp)
	h.resume(Completion{Seq: "0", Connector: Platform, Method: MethodStep, Digest: Digest([]byte(`{"name":"s"}`)), Value: []byte(`{"n":9}`)})
	h.next()
	if h.value() != `{"n":9}` || len(h.lines) > 0 {
		t.Errorf("got %s %v", h.value(), h.lines)
	}
	if want := "0 codemode.step \n1 files.read {\"v\":{\"n\":9}}\n"; h.issued() != want {
		t.Errorf("calls:\n%s", h.issued())
	}
}

// TestStepOutcomes: whatever a step's function does ends in one outcome.
func TestStepOutcomes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ fn, want, failure string }{
		"value":            {`() => ({a: 1})`, `{"a":1}`, ""},
		"nothing":          {`() => {}`, "", ""},
		"null":             {`() => null`, "null", ""},
		"async":            {`async () => { await null; return 2n }`, `{"$bigint":"2"}`, ""},
		"throws":           {`() => { throw new RangeError("bad") }`, "", "RangeError: bad"},
		"rejects":          {`async () => { await null; throw Object.assign(new Error("bad"), {code: "x"}) }`, "", ": bad"},
		"throws a text":    {`() => { throw "bad" }`, "", ": bad"},
		"not serializable": {`() => [() => 1]`, "", "TypeError: value[0] is a function"},
		"NaN":              {`() => NaN`, "", "TypeError: value is NaN"},
		"a thenable":       {`() => ({then(resolve) { resolve(5) }})`, "5", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, spec(`try { return [await codemode.step("s", `+tt.fn+`)] } catch (e) { throw e }`))
			turn := h.resume()
			if len(turn.Steps) != 1 {
				t.Fatalf("got %+v", turn)
			}
			got := turn.Steps[0]
			if string(got.Value) != tt.want {
				t.Errorf("value %s, want %s", got.Value, tt.want)
			}
			if tt.failure == "" {
				return
			}
			if got.Error == nil || !strings.HasPrefix(got.Error.Name+": "+got.Error.Message, tt.failure) {
				t.Fatalf("error %+v, want %s", got.Error, tt.failure)
			}
			if len(h.next().Unhandled) > 0 {
				t.Errorf("unhandled: %+v", h.last.Unhandled)
			}
			if e := h.failure(); e.Message != got.Error.Message || e.Name != got.Error.Name || e.Code != got.Error.Code {
				t.Errorf("the program got %+v", e)
			}
		})
	}
}

// TestStepWaitsForItsCalls: a step ends when its function has settled and nothing under it is open.
func TestStepWaitsForItsCalls(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`await codemode.step("s", () => { files.read({n: 1}).then(() => files.read({n: 2})); return "done" })`))
	if turn := h.resume(); len(turn.Steps) > 0 {
		t.Fatal("the step ended while a call under it was open")
	}
	if turn := h.next(); len(turn.Steps) > 0 {
		t.Fatal("the step ended while a second call under it was open")
	}
	if turn := h.next(); len(turn.Steps) != 1 || string(turn.Steps[0].Value) != `"done"` {
		t.Fatalf("got %+v", turn)
	}
}

// TestStepDropsItsTimers once its function has settled, and those of no other frame.
func TestStepDropsItsTimers(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`setTimeout(() => console.log("outer"), 5);
		await codemode.step("s", async () => {
			setTimeout(() => console.log("inner"), 5); setInterval(() => {}, 7);
			await files.read({}).then(() => { try { setTimeout(() => {}, 1) } catch (e) { console.log("still", e.message) } });
			files.read({}).then(() => { try { setTimeout(() => {}, 1) } catch (e) { console.log(e.message) } });
		})`))
	h.resume()
	h.resume(completion(h.calls[4])) // the first read, 1.2
	if diff := cmp.Diff([]string{"1.0", "1.1", "1.3"}, h.last.Cleared); diff != "" {
		t.Errorf("cleared (-want +got):\n%s", diff)
	}
	h.resume(completion(h.calls[len(h.calls)-1]), completion(h.calls[0]))
	if want := "log a timer cannot be set in a step whose function has returned\nlog outer\n"; h.console() != want {
		t.Errorf("console: %q", h.console())
	}
}

// TestNestedStepKeepsItsTimers: the outer step waits for the inner one, which waits for its timer.
func TestNestedStepKeepsItsTimers(t *testing.T) {
	t.Parallel()
	h := run(t, `return await codemode.step("outer", () => {
		codemode.step("inner", () => new Promise((resolve) => setTimeout(resolve, 5, "in"))).then(console.log); return "out" })`)
	if h.value() != `"out"` || h.console() != "log in\n" {
		t.Errorf("got %s, %q", h.value(), h.console())
	}
}

// TestRefusedInSteps: what could not be replayed is refused with advice and uses up no number.
func TestRefusedInSteps(t *testing.T) {
	t.Parallel()
	const report = `.catch((e) => console.log(e.message.slice(0, 40)))`
	for name, tt := range map[string]struct{ js, want string }{
		"call of an ended step": {
			`let late; await codemode.step("s", () => { new Promise((r) => late = r).then(() => files.read({late: 1})` + report + `) });
			late(); await files.read({n: 1})`,
			"this call belongs to a step that has end",
		},
		"timer of an ended step": {
			`let late; await codemode.step("s", () => { new Promise((r) => late = r).then(() => setTimeout(() => {}, 1))` + report + ` });
			late(); await files.read({n: 1})`,
			"this call belongs to a step that has end",
		},
		"own then in a step": {
			`await codemode.step("s", async () => { await {then(resolve) { files.read({lost: 1})` + report + `; resolve() }} }); await files.read({n: 1})`,
			"this code runs in a then() of the progra",
		},
		"own then that outlives its step": {
			`let late; const gate = new Promise((r) => late = r);
			await codemode.step("s", () => { ({}).x; Promise.resolve({then(resolve) { gate.then(() => files.read({lost: 1})` + report + `); resolve() }}) });
			late(); await files.read({n: 1})`,
			"this code runs in a then() of the progra",
		},
		"own then outside while a step is open": {
			`const open = codemode.step("s", () => 1); await {then(resolve) { files.read({lost: 1})` + report + `; resolve() }}; await open; await files.read({n: 1})`,
			"this code runs in a then() of the progra",
		},
		"chance in own then": {
			`await codemode.step("s", async () => { await {then(resolve) { try { Math.random() } catch (e) { console.log(e.message.slice(0, 40)) } resolve() }} }); await files.read({n: 1})`,
			"this code runs in a then() of the progra",
		},
		"step in own then": {
			`await codemode.step("s", async () => { await {then(resolve) { codemode.step("t", () => console.log("ran"))` + report + `; resolve() }} }); await files.read({n: 1})`,
			"this code runs in a then() of the progra",
		},
		"outer timer cleared": {
			`const id = setTimeout(() => {}, 1); await codemode.step("s", () => clearTimeout(id))` + report + `; clearTimeout(id); await files.read({n: 1})`,
			"a step cannot clear a timer that was set",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := run(t, tt.js)
			h.value()
			if got := h.console(); got != "log "+tt.want+"\n" {
				t.Errorf("console: %q", got)
			}
			if last := h.calls[len(h.calls)-1]; string(last.Args) != `{"n":1}` || strings.Contains(h.issued(), "lost") || strings.Contains(h.issued(), "late") {
				t.Errorf("calls:\n%s", h.issued())
			}
		})
	}
}

// TestOwnThenWithoutSteps: where no step is open there is no doubt, and the call is the program's.
func TestOwnThenWithoutSteps(t *testing.T) {
	t.Parallel()
	h := run(t, `await {then(resolve) { files.read({n: 1}); resolve(Math.random()) }}`)
	h.value()
	if h.issued() != "0 files.read {\"n\":1}\n" {
		t.Errorf("calls:\n%s", h.issued())
	}
}

// TestFrameIsFollowed through what programs write.
func TestFrameIsFollowed(t *testing.T) {
	t.Parallel()
	for name, js := range map[string]string{
		"awaits":         `await null; await Promise.all([null, 1]); await files.read({})`,
		"map":            `await Promise.all([1, 2].map(async () => { await null; await files.read({}) }))`,
		"generator":      `const g = (function* () { yield files.read({}); yield files.read({}) })(); for (const p of g) await p`,
		"timer":          `await new Promise((resolve) => setTimeout(() => resolve(files.read({})), 1))`,
		"microtask":      `await new Promise((resolve) => queueMicrotask(() => resolve(files.read({}))))`,
		"then and catch": `await Promise.reject().catch(() => files.read({})).then(() => files.read({})).finally(() => files.read({}))`,
		"returned":       `const f = async () => g(), g = async () => { await null; return files.read({}) }; await f(); await files.read({})`,
		"outer promise":  `await outer; await files.read({})`,
		"race":           `await Promise.race([files.read({}), new Promise(() => {})]); await files.read({})`,
		"fromAsync":      `await Array.fromAsync([1, 2], () => files.read({}))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := run(t, `const outer = tracker.list_issues(); await codemode.step("s", async () => {`+js+`}); await tracker.list_issues()`)
			h.value()
			for _, c := range h.calls {
				if inside := strings.HasPrefix(c.Seq, "1."); inside != (c.Connector == "files" || c.Method == MethodTimer) {
					t.Errorf("calls:\n%s", h.issued())
					break
				}
			}
		})
	}
}

func TestStepArguments(t *testing.T) {
	t.Parallel()
	for js, want := range map[string]string{
		`codemode.step()`:                 "codemode.step takes a name and a function",
		`codemode.step(() => 1)`:          "codemode.step takes a name and a function",
		`codemode.step("")`:               "codemode.step takes a name and a function",
		`codemode.step("s")`:              `codemode.step("s") was given no function`,
		`codemode.step("s", 1)`:           `codemode.step("s") was given no function`,
		`codemode.search(1)`:              "codemode.search takes a text",
		`codemode.describe({})`:           "codemode.describe takes a text",
		`codemode.run({})`:                "codemode.run takes the name",
		`codemode.run("s", {f() {}})`:     "args.input.f is a function",
		`Promise.try(codemode.steps)`:     "codemode has no method \"steps\"; did you mean codemode.step?",
		`Promise.try(codemode["x"], "y")`: "codemode has no method \"x\"",
	} {
		h := run(t, `await `+js)
		if got := h.failure(); got.Name != "TypeError" || !strings.Contains(got.Message, want) || len(h.calls) > 0 {
			t.Errorf("%s: %+v", js, got)
		}
	}
}

// TestDivergenceNamesTheSkippedStep, the likely cause.
func TestDivergenceNamesTheSkippedStep(t *testing.T) {
	t.Parallel()
	sp := spec(`let n = 1; await codemode.step("prices", () => { n = 2 }); await files.read({n})`)
	ran := start(t, sp).finish()
	sp.Steps = []string{"0"}
	again := start(t, sp)
	d := again.resume(ran.recorded...).Diverged
	if d == nil || d.Seq != "1" || d.Step != `"prices" (step 0)` {
		t.Errorf("got %+v", d)
	}
}

// TestStepOutcomeThatIsTooEarly: an outcome for a step whose function still runs is no outcome of this program.
func TestStepOutcomeThatIsTooEarly(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`await codemode.step("s", () => files.read({}))`))
	h.resume()
	if d := h.resume(completion(h.calls[0])).Diverged; d == nil || !strings.Contains(d.Came, "has not ended") {
		t.Errorf("got %+v", d)
	}
}
