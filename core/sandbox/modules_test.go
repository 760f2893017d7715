package sandbox

import (
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/core/program"
)

func compiled(t *testing.T, text string, modules ...program.Module) *program.Program {
	t.Helper()
	p, err := New().Compile(t.Context(), program.Source{Text: text, Modules: modules})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An error that was made in a module says where, and has the program's own line beside it.
func TestErrorsInModules(t *testing.T) {
	t.Parallel()
	module := program.Module{Name: "lib/my-program.js", Text: `
export const fail = () => { throw new TypeError("boom") };
export const call = f => f();
export async function read() {
  return await files.read({ n: 1 });
}`}
	for name, test := range map[string]struct {
		text, message string
		line          int
	}{
		"in the module": {"import { fail } from 'lib/my-program.js';\n\nfail()", `boom (in the module "lib/my-program.js", line 2, column 35)`, 3},
		"called by it":  {"import { call } from 'lib/my-program.js';\n\ncall(() => {\n  throw new Error('mine') })", "mine", 4},
		"in neither":    {"import 'lib/my-program.js';\nthrow new Error('mine')", "mine", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sp := spec("")
			sp.Program = compiled(t, test.text, module)
			if e := start(t, sp).finish().failure(); e.Message != test.message || e.Line != test.line {
				t.Errorf("got %q at line %d", e.Message, e.Line)
			}
		})
	}
	sp := spec("")
	sp.Program = compiled(t, "import { read } from 'lib/my-program.js';\n\nawait read()", module)
	if c := start(t, sp).finish().calls[0]; c.Line != 3 {
		t.Errorf("a call in a module is placed in line %d", c.Line)
	}
}

// The lines of a snippet that was compiled from a text are not taken for the program's.
func TestPlacesInSnippets(t *testing.T) {
	t.Parallel()
	sp := spec("")
	sp.Program = compiled(t, "\n\n\n\nawait codemode.run('s', {})")
	h := start(t, sp)
	h.answer = func(c Call) (string, *Error) {
		if c.Method != MethodRun {
			return echo(c)
		}
		v, _ := json.Marshal(Snippet{Name: "s", Version: 1, JS: compiled(t, "\nthrow new Error('boom')").JS})
		return string(v), nil
	}
	if e := h.finish().failure(); e.Line == 2 || e.Message != "boom" {
		t.Errorf("got %q at line %d", e.Message, e.Line)
	}
}
