package sandbox

import (
	"fmt"
	"regexp"
	"testing"
)

// TestChance pins the draws: journals of today are replayed for ever.
func TestChance(t *testing.T) {
	t.Parallel()
	c := newChance([]byte("seed"), "")
	step := newChance([]byte("seed"), "4")
	if got, want := fmt.Sprint(c.float(), c.float(), step.float()), "0.09338176074311988 0.7764639175989263 0.8725123138438813"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

const drawing = `const draw = () => [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint16Array(3))]];
	const a = draw(), s = await codemode.step("s", draw), b = draw(); return input ? {a, b} : {a, s, b}`

// TestStepsDrawTheirOwn: what a step draws moves nothing outside of it.
func TestStepsDrawTheirOwn(t *testing.T) {
	t.Parallel()
	sp := spec(drawing)
	sp.Input = []byte("true")
	ran := start(t, sp).finish()
	again := start(t, sp).finish()
	sp.Steps = []string{"0"}
	skipped := start(t, sp).replay(ran.recorded)
	if ran.value() != again.value() || ran.value() != skipped.value() {
		t.Errorf("ran %s, again %s, skipped %s", ran.value(), again.value(), skipped.value())
	}
	sp.Seed = []byte("other")
	if other := start(t, sp).replay(ran.recorded); other.value() == ran.value() {
		t.Error("another seed gave the same draws")
	}
}

func TestRandomUUID(t *testing.T) {
	t.Parallel()
	h := run(t, `return crypto.randomUUID()`)
	if !regexp.MustCompile(`^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$`).MatchString(h.value()) {
		t.Errorf("got %s", h.value())
	}
}

func TestRandomValuesOfAView(t *testing.T) {
	t.Parallel()
	h := run(t, `const all = new Uint8Array(8); crypto.getRandomValues(all.subarray(2, 4));
		try { crypto.getRandomValues([1]) } catch (e) { console.log(e.name) }
		return [all[0] + all[1] + all[4], all[2] + all[3] > 0]`)
	if h.value() != "[0,true]" || h.console() != "log TypeError\n" {
		t.Errorf("got %s %q", h.value(), h.console())
	}
}
