package journal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ source, want string }{
		"empty":                {"", ""},
		"a statement":          {"\n  await tracker.list();\n", "await tracker.list();"},
		"a comment":            {"// Triage new issues\nlist()", "Triage new issues"},
		"a block comment":      {"/**\n * Triage new issues.\n */\nlist()", "Triage new issues."},
		"a fence":              {"```js\nlist()\n```", "list()"},
		"an arrow":             {"async () => {\n  list()\n}", "list()"},
		"a default export":     {"export default async function main(input) {\n  return list()\n}", "return list()"},
		"a function":           {"async function main() {\n  list()\n}", "list()"},
		"an object":            {"export default {\n  run() { return 1 }\n}", "run() { return 1 }"},
		"nothing but wrapping": {"function main() {\n}", "function main() {"},
		"an arrow in one line": {"async () => list()", "async () => list()"},
		"long":                 {strings.Repeat("é", 100), strings.Repeat("é", 80) + "…"},
		"broken text":          {"a\xffb", "a\uFFFDb"},
		"other scripts":        {"// проверка", "проверка"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := title(test.source); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("// a\nlist()")
	f.Add("```\n{ => {\n")
	f.Fuzz(func(t *testing.T, source string) {
		if got := title(source); !utf8.ValidString(got) || utf8.RuneCountInString(got) > titleRunes+1 {
			t.Errorf("the title is %q", got)
		}
	})
}

func TestStateHead(t *testing.T) {
	t.Parallel()
	begun := &Begun{Source: "list()", Caller: "ci", Labels: map[string]string{"team": "a"}, Task: "t", Owner: "one"}
	end := &Ended{Status: StatusError, Failure: &Failure{Message: strings.Repeat("x", 500)}}
	s := fold(t, script(begun, pass1, allowed, attempt1, doubted, end))
	want := Head{
		ID: "x", Status: StatusError, Epoch: 1, Next: 6, Created: at(0), Updated: at(5), Title: "list()", Caller: "ci",
		Labels: begun.Labels, Task: "t", Owner: "one", Waiting: 1, Calls: 1, ErrorText: strings.Repeat("x", 400) + "…",
	}
	if diff := cmp.Diff(want, s.Head()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Head{ID: "y"}, NewState("y").Head()); diff != "" {
		t.Error(diff)
	}
}
