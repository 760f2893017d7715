package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThrown: anything thrown ends the program as an error that says what it was.
func TestThrown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		js   string
		want Error
	}{
		"error":                {`throw new Error("boom")`, Error{Message: "boom", Line: 1, Column: 57}},
		"kind":                 {`throw new RangeError("boom")`, Error{Name: "RangeError", Message: "boom", Line: 1, Column: 57}},
		"text":                 {`throw "boom"`, Error{Message: "boom"}},
		"empty text":           {`throw ""`, Error{Message: "threw ''"}},
		"object":               {`throw {code: 4}`, Error{Message: "threw { code: 4 }", Code: "4"}},
		"object with message":  {`throw {name: "Mine", message: "m", code: "c", retryable: true}`, Error{Name: "Mine", Message: "m", Code: "c", Retryable: true}},
		"zero":                 {`throw 0`, Error{Message: "threw 0"}},
		"undefined":            {`throw undefined`, Error{Message: "threw undefined"}},
		"null":                 {`throw null`, Error{Message: "threw null"}},
		"symbol":               {`throw Symbol("x")`, Error{Message: "threw Symbol(x)"}},
		"function":             {`throw function f() {}`, Error{Message: "threw [Function: f]"}},
		"no message":           {`throw new Error("")`, Error{Message: "Error without a message", Line: 1, Column: 57}},
		"no message of a kind": {`throw new TypeError()`, Error{Name: "TypeError", Message: "TypeError without a message", Line: 1, Column: 57}},
		"cause":                {`throw new Error("a", {cause: new TypeError("b", {cause: "c"})})`, Error{Message: "a", Line: 1, Column: 57, Cause: &Error{Name: "TypeError", Message: "b", Line: 1, Column: 80, Cause: &Error{Message: "c"}}}},
		"details":              {`throw Object.assign(new Error("a"), {details: {b: 1n}})`, Error{Message: "a", Line: 1, Column: 65, Details: []byte(`{"b":{"$bigint":"1"}}`)}},
		"odd details":          {`throw {message: "a", details: {f() {}}}`, Error{Message: "a"}},
		"rejection":            {`await Promise.reject("boom")`, Error{Message: "boom"}},
		"aggregate":            {`await Promise.any([Promise.reject(new Error("a")), Promise.reject("b")])`, Error{Name: "AggregateError", Message: "AggregateError without a message: a; b"}},
		"missing method":       {"\nconst o = {};\no.go()", Error{Name: "TypeError", Message: `.go is not a function: the object has no member "go"`, Line: 3, Column: 3}},
		"throwing getters":     {`throw {get name() { throw 1 }, get message() { throw 2 }, get stack() { throw 3 }}`, Error{Message: "threw { name: [Getter], message: [Getter], stack: [Getter] }"}},
		"hostile proxy":        {`throw new Proxy({}, {get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 }})`, Error{Message: "threw [unreadable]"}},
		"name of its own":      {`const e = new Error("x"); e.name = {toString() { return "no" }}; throw e`, Error{Message: "x", Line: 1, Column: 61}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tt.js).failure()
			tt.want.Column, got.Column = 0, min(got.Column, 0)
			if tt.want.Cause != nil {
				tt.want.Cause.Column, got.Cause.Column = 0, 0
			}
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUndeclaredGlobal(t *testing.T) {
	t.Parallel()
	e := run(t, `await files.read({path})`).failure()
	for _, part := range []string{"path is not defined; ", "codemode", "files, tracker", "{path: value}"} {
		if e.Name != "ReferenceError" || !strings.Contains(e.Message, part) {
			t.Errorf("%q is not in %+v", part, e)
		}
	}
}

// TestCauseChainIsBounded, also where it is a cycle.
func TestCauseChainIsBounded(t *testing.T) {
	t.Parallel()
	depth := 0
	for e := run(t, `const a = new Error("x"), b = new Error("y", {cause: a}); a.cause = b; throw a`).failure(); e != nil; e = e.Cause {
		depth++
	}
	if depth != 6 {
		t.Errorf("%d causes", depth)
	}
}

func TestErrorSizesAreCapped(t *testing.T) {
	t.Parallel()
	e := run(t, `throw Object.assign(new Error("é".repeat(1e6)), {name: "n".repeat(1e6), code: "c".repeat(1e6), details: "d".repeat(1e6)})`).failure()
	if len(e.Message) != maxMessage || len(e.Name) != maxName || len(e.Code) != maxName || e.Details != nil {
		t.Errorf("%d %d %d %d", len(e.Message), len(e.Name), len(e.Code), len(e.Details))
	}
}

// TestFailedCall: a failure from outside is an Error with its code, and keeps it on its way out.
func TestFailedCall(t *testing.T) {
	t.Parallel()
	failed := &Error{
		Name: "TypeError", Message: "no such file", Code: "not_found", Retryable: true,
		Details: []byte(`{"path":"a","n":{"$bigint":"1"}}`), Cause: &Error{Message: "deeper"},
	}
	fail := func(Call) (string, *Error) { return "", failed }
	h := start(t, spec("\n  try { await files.read({}) } catch (e) {\n console.log(e instanceof TypeError, e.name, e.message, e.code, e.retryable, e.details.n, e.cause.message, Object.keys(e));\n console.log(e.stack);\n throw e }"))
	h.answer = fail
	want := "log true TypeError no such file not_found true 1n deeper [ 'code', 'retryable', 'details' ]\n" +
		"log TypeError: no such file\n\tat files.read (program:2:25)\n"
	e := h.finish().failure()
	if got := h.console(); got != want {
		t.Errorf("console:\n%s", got)
	}
	if e.Line != 2 || e.Code != "not_found" || !e.Retryable || e.Name != "TypeError" || string(e.Details) != string(failed.Details) || e.Cause.Message != "deeper" {
		t.Errorf("got %+v", e)
	}
	bare := start(t, spec(`await files.read({})`))
	bare.answer = func(Call) (string, *Error) { return "", &Error{Name: "NotFoundError", Message: "m"} }
	if e := bare.finish().failure(); e.Name != "NotFoundError" || e.Message != "m" || e.Code != "" {
		t.Errorf("got %+v", e)
	}
}

// TestFailedCallIsCaught and the program goes on, in this and in other namespaces.
func TestFailedCallIsCaught(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`let m; try { await files.read({}) } catch (e) { m = e.message } await tracker.list_issues({}); return m`))
	h.answer = func(c Call) (string, *Error) {
		if c.Connector == "files" {
			return "", &Error{Message: "no"}
		}
		return "[]", nil
	}
	if got := h.finish().value(); got != `"no"` {
		t.Errorf("got %s", got)
	}
}

// TestErrorOfAStep keeps the place where it was thrown.
func TestErrorOfAStep(t *testing.T) {
	t.Parallel()
	e := run(t, "await codemode.step('s', () => {\n\n  throw new Error('inside') })").failure()
	if e.Message != "inside" || e.Line != 3 {
		t.Errorf("got %+v", e)
	}
}

// TestMalformedOutcome: what is no JSON loses the session; it is not the program's fault.
func TestMalformedOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Completion{
		"value":   {Value: []byte("{")},
		"details": {Error: &Error{Message: "m", Details: []byte("{")}},
	} {
		h := start(t, spec(`try { await files.read({}) } catch { console.log("caught") }`))
		h.resume()
		c.Seq, c.Connector, c.Method = "0", "files", "read"
		if _, err := h.session.Resume(t.Context(), []Completion{c}); err == nil || !strings.Contains(err.Error(), "it is not JSON") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := h.session.Resume(t.Context(), nil); err == nil {
			t.Errorf("%s: the session can still be used", name)
		}
	}
}
