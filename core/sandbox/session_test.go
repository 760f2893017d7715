package sandbox

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/program"
)

// TestSeqs: calls are numbered in program order, those of a step under it.
func TestSeqs(t *testing.T) {
	t.Parallel()
	h := run(t, `
		await Promise.all([files.read({n: 0}), files.read({n: 1}).then(() => files.read({n: "then"}))]);
		await codemode.step("outer", async () => {
			await files.read({n: 2});
			await codemode.step("inner", async () => { await [1, 2].map(async (n) => files.read({n}))[1] });
			await files.read({n: 3});
		});
		setTimeout(() => files.read({n: 4}), 10);
		await codemode.search("x"); await codemode.describe("files"); await codemode.run("snippet", {a: 1}); await codemode.run("bare");`)
	want := `0 files.read {"n":0}
1 files.read {"n":1}
2 files.read {"n":"then"}
3 codemode.step {"name":"outer"}
3.0 files.read {"n":2}
3.1 codemode.step {"name":"inner"}
3.1.0 files.read {"n":1}
3.1.1 files.read {"n":2}
3.2 files.read {"n":3}
4 codemode.timer {"delay":10}
5 codemode.search {"query":"x"}
6 files.read {"n":4}
7 codemode.describe {"target":"files"}
8 codemode.run {"name":"snippet","input":{"a":1}}
9 codemode.run {"name":"bare"}
`
	if diff := cmp.Diff(want, h.issued()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestNothingRunsBeforeResume, and a program that waits for nothing ends in its first turn.
func TestNothingRunsBeforeResume(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`console.log("ran"); return 1`))
	if s := h.session.(*session); s.started || len(s.console.lines) > 0 {
		t.Error("the program ran before the first Resume")
	}
	turn := h.resume()
	if turn.Result == nil || string(turn.Result.Value) != "1" || len(turn.Console) != 1 {
		t.Errorf("got %+v", turn)
	}
}

// TestOneAtATime: all that follows from one delivery has happened before the next.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`
		const log = [];
		const one = async (n) => { await files.read({n}); for (let i = 0; i < 20; i++) await null; log.push(n) };
		await Promise.all([one(1), one(2)]);
		return log`))
	first := h.resume()
	h.resume(completion(first.Calls[1]), completion(first.Calls[0]))
	if got := h.value(); got != "[2,1]" {
		t.Errorf("got %s", got)
	}
}

func TestConcurrentSessions(t *testing.T) {
	t.Parallel()
	for i := range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			sp := spec(`globalThis.own = input; await files.read({}); return globalThis.own`)
			sp.Input = []byte{byte('0' + i)}
			if got := start(t, sp).finish().value(); got != string(sp.Input) {
				t.Errorf("got %s, want %s", got, sp.Input)
			}
		})
	}
}

// TestReplayTurn: replay in one turn reports the calls without their bytes where an outcome was delivered.
func TestReplayTurn(t *testing.T) {
	t.Parallel()
	sp := spec(`const a = await files.read({n: 1}); await Promise.all([files.read({n: 2}), files.write({n: 3})]); return "end"`)
	recorded := start(t, sp).finish().recorded
	sp.Replayed = 2
	turn := start(t, sp).resume(recorded[:2]...)
	var got []string
	for _, c := range turn.Calls {
		got = append(got, c.Seq+string(c.Args))
		if len(c.Digest) == 0 || c.Line == 0 {
			t.Errorf("call %s has no digest or no line", c.Seq)
		}
	}
	if want := []string{"0", "1", `2{"n":3}`}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if turn.Usage.Replay == 0 || turn.Usage.CPU != 0 || turn.Usage.Calls != 3 {
		t.Errorf("usage: %+v", turn.Usage)
	}
}

// TestDivergence: a completion that does not fit ends the session and touches nothing in the program.
func TestDivergence(t *testing.T) {
	t.Parallel()
	const text = `try { await files.read({n: 1}) } catch { console.log("caught") } finally { console.log("finally") } console.log("on")`
	fits := Completion{Seq: "0", Connector: "files", Method: "read", Digest: Digest([]byte(`{"n":1}`))}
	for name, tt := range map[string]struct {
		change         func(*Completion)
		recorded, came string
	}{
		"another number":    {func(c *Completion) { c.Seq = "7" }, "files.read", "no open call"},
		"another method":    {func(c *Completion) { c.Method = "write" }, "files.write", "files.read"},
		"another connector": {func(c *Completion) { c.Connector = "tracker" }, "tracker.read", "files.read"},
		"other arguments":   {func(c *Completion) { c.Digest = Digest([]byte(`{"n":2}`)) }, "files.read with arguments", "other arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, spec(text))
			h.resume()
			c := fits
			tt.change(&c)
			turn := h.resume(c)
			d := turn.Diverged
			if d == nil || d.Seq != c.Seq || !strings.Contains(d.Recorded, tt.recorded) || !strings.Contains(d.Came, tt.came) {
				t.Fatalf("got %+v", d)
			}
			if len(turn.Console) > 0 || turn.Result != nil {
				t.Errorf("the program went on: %+v", turn)
			}
			if _, err := h.session.Resume(context.Background(), nil); err == nil {
				t.Error("the session can still be used")
			}
		})
	}
	t.Run("fits", func(t *testing.T) {
		t.Parallel()
		h := start(t, spec(text))
		h.resume()
		if turn := h.resume(fits); turn.Diverged != nil || turn.Result == nil {
			t.Errorf("got %+v", turn)
		}
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		h := start(t, spec(text))
		h.resume()
		if turn := h.resume(fits, fits); turn.Diverged == nil || turn.Result == nil {
			t.Errorf("got %+v", turn)
		}
	})
	t.Run("digest not compared", func(t *testing.T) {
		t.Parallel()
		h := start(t, spec(text))
		h.resume()
		c := fits
		c.Digest = nil
		if turn := h.resume(c); turn.Diverged != nil {
			t.Errorf("got %+v", turn.Diverged)
		}
	})
}

// TestCloseIsNotSeen: no catch and no finally runs, and nothing can be resumed.
func TestCloseIsNotSeen(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`try { await files.read({}) } catch { console.log("caught") } finally { console.log("finally") }`))
	h.resume()
	for range 2 {
		if err := h.session.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.session.Resume(context.Background(), h.open); err == nil {
		t.Error("a closed session was resumed")
	}
	if len(h.lines) > 0 {
		t.Errorf("the program ran on: %v", h.lines)
	}
}

// TestAfterMain: calls that nobody awaited are delivered, and their failures are reported.
func TestAfterMain(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`files.read({n: 1}); files.write({n: 2}).then(() => console.log("late")); return "end"`))
	h.answer = func(c Call) (string, *Error) {
		if c.Method == "read" {
			return "", &Error{Message: "no such file", Code: "not_found"}
		}
		return "{}", nil
	}
	h.finish()
	if h.value() != `"end"` || h.console() != "log late\n" {
		t.Errorf("got %s, %q", h.value(), h.console())
	}
	if u := h.last.Unhandled; len(u) != 1 || u[0].Code != "not_found" || u[0].Message != "no such file" {
		t.Errorf("unhandled: %+v", u)
	}
}

// TestUnhandled follows the list: a rejection that is handled later leaves it.
func TestUnhandled(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`const p = Promise.reject(new Error("later handled")); Promise.reject("never");
		await files.read({}); p.catch(() => {}); await files.read({}); throw new Error("main's own")`))
	messages := func(list []*Error) (m []string) {
		for _, e := range list {
			m = append(m, e.Message)
		}
		return m
	}
	if got, want := messages(h.resume().Unhandled), []string{"later handled", "never"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for range 2 {
		if got, want := messages(h.next().Unhandled), []string{"never"}; !cmp.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if got := h.failure().Message; got != "main's own" {
		t.Errorf("got %q", got)
	}
}

// TestTime: the program's clock is the host's, stands still in between, and never goes back.
func TestTime(t *testing.T) {
	t.Parallel()
	h := start(t, spec(`const seen = []; const see = () => seen.push([Date.now(), performance.now(), +new Date(), new Date().toISOString()]);
		see(); for (let i = 0; i < 1e4; i++); see(); await files.read({}); see(); await files.read({}); see(); return seen`))
	call := func(at time.Time) Completion {
		c := h.open[0]
		h.open = h.open[1:]
		c.At = at
		return c
	}
	h.resume()
	h.resume(call(epoch.Add(1500 * time.Millisecond)))
	h.resume(call(epoch))
	base := epoch.UnixMilli()
	line := func(ms int64, iso string) string {
		return `[` + itoa(base+ms) + `,` + itoa(ms) + `,` + itoa(base+ms) + `,"` + iso + `"]`
	}
	zero, later := line(0, "2026-03-01T12:00:00.000Z"), line(1500, "2026-03-01T12:00:01.500Z")
	if got, want := h.value(), "["+strings.Join([]string{zero, zero, later, later}, ",")+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestCompile: what the compiler makes runs here, and places are the model's.
func TestCompile(t *testing.T) {
	t.Parallel()
	p, err := New().Compile(t.Context(), program.Source{Text: "type T = {n: number};\n\nasync function main() {\n  await files.read({n: 1} as T);\n  throw new Error('x');\n}\n"})
	if err != nil {
		t.Fatal(err)
	}
	sp := spec("")
	sp.Program = p
	h := start(t, sp).finish()
	if c := h.calls[0]; c.Line != 4 {
		t.Errorf("the call is at %d:%d", c.Line, c.Column)
	}
	if e := h.failure(); e.Line != 5 || e.Column != 9 {
		t.Errorf("the error is at %d:%d", e.Line, e.Column)
	}
	if _, err := New().Compile(t.Context(), program.Source{Text: "const ="}); err == nil {
		t.Error("a fault of the text was not found")
	} else if _, ok := errors.AsType[*program.Error](err); !ok {
		t.Errorf("got %T", err)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	taken := spec("")
	taken.Namespaces = append(taken.Namespaces, Namespace{Name: "Promise"})
	double := spec("")
	double.Namespaces = append(double.Namespaces, Namespace{Name: "files"})
	for name, sp := range map[string]Spec{
		"no program":     {},
		"taken name":     taken,
		"duplicate name": double,
	} {
		if s, err := New().Start(t.Context(), sp); err == nil {
			_ = s.Close()
			t.Errorf("%s: started", name)
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	for name, js := range map[string]string{
		"no syntax":   `(`,
		"no function": `1`,
		"throws":      `(() => { throw new Error("at load") })()`,
		"hostile":     `(() => { throw {toString() { for (;;); }, get message() { return 1 }} })()`,
	} {
		sp := spec("")
		sp.Program = &program.Program{JS: js}
		h := start(t, sp)
		if _, err := h.session.Resume(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), "load program") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVersion holds the version's engine against the module that is built in.
func TestVersion(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	engine := strings.TrimPrefix(strings.Fields(Version)[0], "goja-")
	if !strings.Contains(string(mod), "dop251/goja v0.0.0-"+engine+"-") {
		t.Errorf("Version names %s, go.mod another", engine)
	}
}
