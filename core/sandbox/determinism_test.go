package sandbox

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDeterminism writes random programs, runs each with random latencies and
// failures, and replays what was recorded: in one window and in several, with the
// recorded steps skipped, and from a random prefix on with new latencies. The same
// deliveries must lead to the same calls, arguments, console and result.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	rounds := 150
	if testing.Short() {
		rounds = 50
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, uint64(round)))
			w := writer{rng: rng}
			sp := spec(w.program())
			ran := live(t, sp, rng, nil)
			compare(t, sp, "again, one by one", ran, inWindows(t, sp, rng, ran.recorded, 1))
			compare(t, sp, "again, in windows", ran, inWindows(t, sp, rng, ran.recorded, 3))

			skipping, kept := skip(sp, ran)
			want := outsideSteps(ran, skipping.Steps)
			compare(t, sp, "skipping, in one window", want, outsideSteps(inWindows(t, skipping, rng, kept, len(kept)), skipping.Steps))
			compare(t, sp, "skipping, in windows", want, outsideSteps(inWindows(t, skipping, rng, kept, 4), skipping.Steps))

			prefix := kept[:rng.IntN(len(kept)+1)]
			on := live(t, dropSteps(sp, prefix), rng, prefix)
			again := inWindows(t, dropSteps(sp, prefix), rng, on.recorded, 5)
			compare(t, sp, "continued", on, again)
		})
	}
}

// trace is what a pass can be seen by.
type trace struct {
	calls    []string
	console  []string
	result   string
	recorded []Completion
}

// live runs a program to its end, behind a recorded prefix; outcomes arrive in a random order.
func live(t *testing.T, sp Spec, rng *rand.Rand, prefix []Completion) trace {
	t.Helper()
	sp.Replayed = len(prefix)
	h := start(t, sp)
	h.answer = func(c Call) (string, *Error) {
		if rng.IntN(4) == 0 {
			return "", &Error{Message: "failed", Code: "unavailable"}
		}
		return fmt.Sprintf(`{"n":%d,"of":%q}`, rng.IntN(100), c.Seq), nil
	}
	h.resume(prefix...)
	for _, c := range prefix {
		h.drop(c.Seq)
		h.now = c.At
	}
	for len(h.open) > 0 {
		intact(t, sp, h)
		i := rng.IntN(len(h.open))
		h.open[0], h.open[i] = h.open[i], h.open[0]
		h.now = h.now.Add(time.Duration(rng.IntN(1000)) * time.Millisecond)
		done := h.open[0]
		h.open = h.open[1:]
		done.At = h.now
		h.resume(done)
	}
	intact(t, sp, h)
	return traced(h)
}

// inWindows delivers what is recorded, at most size at a time.
func inWindows(t *testing.T, sp Spec, rng *rand.Rand, recorded []Completion, size int) trace {
	t.Helper()
	sp.Replayed = len(recorded)
	h := start(t, sp)
	h.answer = func(Call) (string, *Error) { return "", nil }
	for first := true; first || len(recorded) > 0; first = false {
		n := min(len(recorded), 1+rng.IntN(max(1, size)))
		h.resume(recorded[:n]...)
		intact(t, sp, h)
		recorded = recorded[n:]
	}
	return traced(h)
}

func intact(t *testing.T, sp Spec, h *host) {
	t.Helper()
	if h.last.Diverged != nil || h.last.Exceeded != nil {
		t.Fatalf("diverged %+v, exceeded %+v\n%s", h.last.Diverged, h.last.Exceeded, sp.Program.JS)
	}
}

func traced(h *host) trace {
	tr := trace{recorded: h.recorded}
	for _, c := range h.calls {
		tr.calls = append(tr.calls, fmt.Sprintf("%s %s.%s %x", c.Seq, c.Connector, c.Method, c.Digest))
	}
	for _, l := range h.lines {
		tr.console = append(tr.console, fmt.Sprintf("%d %s", l.After, l.Text))
	}
	tr.result = "none"
	if h.result != nil && h.result.Error != nil {
		tr.result = "error " + h.result.Error.Message
	} else if h.result != nil {
		tr.result = string(h.result.Value)
	}
	return tr
}

func compare(t *testing.T, sp Spec, how string, want, got trace) {
	t.Helper()
	want.recorded, got.recorded = nil, nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(trace{})); diff != "" {
		t.Fatalf("%s (-want +got):\n%s\n%s", how, diff, sp.Program.JS)
	}
}

// skip makes every recorded step one that is not run again, and takes what was delivered under it off the record.
func skip(sp Spec, ran trace) (Spec, []Completion) {
	for _, c := range ran.recorded {
		if c.Method == MethodStep {
			sp.Steps = append(sp.Steps, c.Seq)
		}
	}
	var kept []Completion
	for _, c := range ran.recorded {
		if !under(c.Seq, sp.Steps) {
			kept = append(kept, c)
		}
	}
	return sp, kept
}

func dropSteps(sp Spec, prefix []Completion) Spec {
	sp.Steps = nil
	for _, c := range prefix {
		if c.Method == MethodStep {
			sp.Steps = append(sp.Steps, c.Seq)
		}
	}
	return sp
}

func under(seq string, steps []string) bool {
	for _, s := range steps {
		if strings.HasPrefix(seq, s+".") {
			return true
		}
	}
	return false
}

// outsideSteps takes away what a skipped step leaves no trace of. The console
// counts deliveries, which are fewer then, so its lines lose their count.
func outsideSteps(tr trace, steps []string) trace {
	var out trace
	out.result = tr.result
	for _, c := range tr.calls {
		if seq, _, _ := strings.Cut(c, " "); !under(seq, steps) {
			out.calls = append(out.calls, c)
		}
	}
	for _, l := range tr.console {
		if _, line, _ := strings.Cut(l, " "); !strings.HasPrefix(line, "in step") {
			out.console = append(out.console, line)
		}
	}
	return out
}

// writer writes random programs of what models write.
type writer struct {
	rng   *rand.Rand
	n     int
	depth int
	step  int
}

func (w *writer) program() string {
	return `const log = []; const note = (x) => { log.push(x); };
		const get = async (x) => { try { return (await files.read({x, r: Math.random(), at: Date.now()})).n } catch (e) { return e.code } };
		` + w.block() + `
		return {log, last: Math.random(), uuid: crypto.randomUUID(), now: performance.now()};`
}

func (w *writer) block() string {
	var b strings.Builder
	for range 1 + w.rng.IntN(4) {
		b.WriteString(w.statement() + "\n")
	}
	return b.String()
}

// note writes down a value: in the program's own log, or in a step's console, which leaves no trace in a replay.
func (w *writer) note(x string) string {
	if w.step > 0 {
		return `console.log("in step", ` + x + `);`
	}
	return `note(` + x + `); console.log(` + x + `);`
}

func (w *writer) statement() string {
	w.n++
	id := w.n
	if w.depth > 3 {
		return w.note(fmt.Sprintf(`await get(%d)`, id))
	}
	w.depth++
	defer func() { w.depth-- }()
	switch w.rng.IntN(14) {
	case 0:
		return w.note(fmt.Sprintf(`await Promise.all([get(%d), get("b"), get("c").then((x) => get(x))])`, id))
	case 1:
		return w.note(fmt.Sprintf(`await Promise.race([get(%d), new Promise((r) => setTimeout(r, 50, "time-out")), get("slow")])`, id))
	case 2:
		return w.note(fmt.Sprintf(`(await Promise.allSettled([files.read({a: %d}), files.write({b: 1})])).map((s) => s.status)`, id))
	case 3:
		return w.note(fmt.Sprintf(`await Promise.all([1, 2, 3].map(async (n) => { const x = await get(n + %d); return x > 50 ? get(x) : x }))`, id))
	case 4:
		return fmt.Sprintf(`await new Promise((r) => setTimeout(r, %d));`, w.rng.IntN(100)) + w.note(`Date.now()`)
	case 5:
		return fmt.Sprintf(`{ const id = setTimeout(() => { %s }, 20); if (%d %% 2) clearTimeout(id); }`, w.note(`"fired"`), w.rng.IntN(9))
	case 6:
		return fmt.Sprintf(`get(%d).then((x) => { %s });`, id, w.note("x"))
	case 7:
		return fmt.Sprintf(`try { await files.write({w: %d}); } catch (e) { %s } finally { %s }`, id, w.note("e.message"), w.note(`await get("finally")`))
	case 8, 9:
		return w.stepStatement(id)
	case 10:
		return fmt.Sprintf(`for (let i = 0, n = %d; i < 3; i++) { %s }`, id, w.block())
	case 11:
		return fmt.Sprintf(`await {then(resolve) { files.read({own: %d}).then((v) => resolve(v.n), (e) => resolve(e.name)) }}.then ? 0 : 1; %s`,
			id, w.note(fmt.Sprintf(`await {then(resolve) { files.read({own: %d}).then((v) => resolve(v.n), (e) => resolve(e.name)) }}`, id)))
	case 12:
		return fmt.Sprintf(`await Promise.all([(async () => { %s })(), (async () => { %s })()]);`, w.block(), w.block())
	}
	return w.note(fmt.Sprintf(`[await get(%d), Math.random(), crypto.randomUUID()]`, id))
}

// stepStatement writes a step that may fail, nest, leave calls open, set timers, and draw chance.
func (w *writer) stepStatement(id int) string {
	w.step++
	body := w.block()
	w.step--
	end := []string{`return Math.random()`, `throw new Error("failed")`, `files.read({open: 1}).catch(() => {}); return 1`, `setTimeout(() => {}, 5); return new Date()`}
	text := fmt.Sprintf(`await codemode.step("s%d", async () => { %s %s; })`, id, body, end[w.rng.IntN(len(end))])
	switch w.rng.IntN(3) {
	case 0:
		return fmt.Sprintf(`try { %s } catch (e) { %s }`, w.note(text), w.note(`e.message`))
	case 1:
		return w.note(fmt.Sprintf(`await Promise.all([%s.catch((e) => e.message), get("beside")])`, strings.TrimPrefix(text, "await ")))
	}
	return w.note(fmt.Sprintf(`await (%s).catch(() => "caught")`, strings.TrimPrefix(text, "await ")))
}
