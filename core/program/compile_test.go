package program_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/program"
	"github.com/google/go-cmp/cmp"
)

func fault(t *testing.T, text string) *program.Error {
	t.Helper()
	_, err := program.Compile(program.Source{Text: text})
	var e *program.Error
	if !errors.As(err, &e) {
		t.Fatalf("Compile(%.60q): got %v, want a *program.Error", text, err)
	}
	return e
}

func run(t *testing.T, text string) string {
	t.Helper()
	got, err := evaluate(must(t, text).JS, "")
	if err != nil {
		t.Fatalf("run %q: %v", text, err)
	}
	return got
}

func TestCompileIsRepeatable(t *testing.T) {
	t.Parallel()
	const text = "using x = f(); for await (const y of x) { /\\p{L}/u.test(y) }\nfunction f() {}"
	first := must(t, text)
	for range 5 {
		if diff := cmp.Diff(first, must(t, text)); diff != "" {
			t.Fatal(diff)
		}
	}
	if first.Version != program.Version {
		t.Errorf("version %q, want %q", first.Version, program.Version)
	}
}

func TestVersionNamesTheTranspiler(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(program.Version, "esbuild-")
	if !strings.Contains(string(mod), "github.com/evanw/esbuild v"+version+"\n") {
		t.Errorf("Version is %q, but go.mod has another esbuild", program.Version)
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"module":     "const a = 1;\na",
		"body":       "const a = 1;\nreturn a",
		"expression": "{ a: 1 }",
		"export":     "export default 5",
		"lowered":    "using a = null",
		"empty":      "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := must(t, text).JS
			lines := strings.Split(js, "\n")
			last := lines[len(lines)-1]
			if !strings.HasPrefix(js, `(()=>{"use strict";return async function(input,env){{`) {
				t.Errorf("begins %.60q", js)
			}
			if !strings.HasPrefix(last, "//# sourceMappingURL=data:application/json;base64,") {
				t.Errorf("ends %.60q", last)
			}
		})
	}
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"LF":               "const a = 1;\n\n  throw new Error(`x\ny`)",
		"CRLF":             "const a = 1;\r\n\r\n  throw new Error(`x\r\ny`)",
		"CR":               "const a = 1;\r\r  throw new Error(`x\ry`)",
		"byte order mark":  "\uFEFFconst a = 1;\n\n  throw new Error(`x\ny`)",
		"fence with CRLF":  "```js\r\n\r\n  throw new Error(`x\r\ny`)\r\n```\r\n",
		"leading blank":    "\n\n  throw new Error(`x\ny`)",
		"trailing blank":   "const a = 1;\n\n  throw new Error(`x\ny`)\n\n  \n",
		"with return":      "if (false) return 1;\n\n  throw new Error(`x\ny`)",
		"head import":      "import type { A } from 'x'\n\n  throw new Error(`x\ny`); return 1",
		"head import same": "import type { A } from 'x'; if (false) return 1\n\n  throw new Error(`x\ny`)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := run(t, text), "throws: Error: x\ny @3:9\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestColumnsBesideTheWrapping(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"module":      {"null.x", "@1:6"},
		"body":        {"null.x; return", "@1:6"},
		"expression":  {"{ a: null.x }", "@1:11"},
		"head import": {"import type { A } from 'x'; null.x; return", "@1:34"},
		"result":      {"1; 2; (null.x)", "@1:13"},
		"after regexp": {
			`/\p{Script=Greek}/u.test(null.x)`, "@1:31",
		},
		"two expressions": {`[/\p{Script=Greek}/u, /\p{L}/u, null.x]`, "@1:38"},
		"wide":            {"'é日😀'; null.x", "@1:14"},
		"wide regexp":     {"/日😀/; null.x", "@1:13"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.TrimSpace(run(t, c.text))
			if !strings.HasSuffix(got, c.want) {
				t.Errorf("got %q, want it to end with %s", got, c.want)
			}
		})
	}
}

// A place in esbuild's helpers must not be taken for one in the program.
func TestHelpersHaveNoPlaceInTheProgram(t *testing.T) {
	t.Parallel()
	if got, want := run(t, "1;\n2;\nusing x = 5;"), "throws: TypeError: Object expected @3:11\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorsQuoteTheLine(t *testing.T) {
	t.Parallel()
	e := fault(t, "Look:\r\n```js\r\nlet a = 1;\r\n  let a = 2;\r\n```")
	want := &program.Error{Message: `syntax error: "a" has already been declared (first in line 3)`, Line: 4, Column: 7, Source: "  let a = 2;"}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutNamespacesNothingIsCheckedAgainstThem(t *testing.T) {
	t.Parallel()
	must(t, "await github.anything(); await other.thing()")
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	if got, want := run(t, "'a\xffb'"), "result: \"a\uFFFDb\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Names that the program takes must not meet those of the compiler.
func TestNamesOfTheCompiler(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"wrapper":        {"const program = 1, program_ = 2; return program + program_", "result: 3\n"},
		"default export": {"const program_default = 1; export default () => program_default", "result: 1\n"},
		"helper":         {"const __using = 4; { using x = null } __using", "result: 4\n"},
		"arguments":      {"arguments.length", "result: 2\n"},
		"this":           {"typeof this", "result: \"undefined\"\n"},
		"helper unseen":  {"using x = null; typeof __using", "result: \"undefined\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := run(t, c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
