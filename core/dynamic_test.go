package core_test

import (
	"testing"

	"github.com/codemode-go/codemode/core"
)

// Whether a program may make code from text is decided when it begins: a later pass behaves as the first did.
func TestDynamicCodeIsPinned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first bool
		want  string
	}{
		"allowed": {true, `[2,2]`},
		"refused": {false, `["EvalError","EvalError"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			allowed := tt.first
			w := newWorld(t, newItems(1), func(o *core.Options) { o.DynamicCode = allowed })
			out := w.run(`
				const compute = () => { try { return eval("1 + 1") } catch (e) { return e.name } };
				const before = compute();
				await items.remove({id: 1});
				return [before, compute()]`)
			w.is(out, "paused", "0")
			allowed = !allowed
			w.restart()
			w.is(w.approve(out.ExecutionID), "completed", tt.want)
		})
	}
}
