package codetool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/codetool"
)

func TestLogs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		code string
		want []string
	}{
		"none":            {`1`, nil},
		"levels in order": {`console.log("a", 1); await math.add({a: 1, b: 1}); console.warn("b"); console.error("c"); console.info({d: 1})`, []string{"a 1", "[warn] b", "[error] c", "{ d: 1 }"}},
		"not awaited":     {`math.add({a: 1, b: 1}); 1`, []string{"[warn] the program returned without awaiting math.add (line 1)"}},
		"nor handled": {
			`math.fail(); math.fail(); 1`,
			[]string{
				"[warn] the program returned without awaiting math.fail (line 1)", "[warn] the program returned without awaiting math.fail (line 1)",
				"[error] unhandled rejection: CallError: boom", "[error] unhandled rejection: CallError: boom",
			},
		},
		"timers left": {`setTimeout(() => console.log("never"), 0); setInterval(() => {}, 1e5); 1`, []string{"[warn] 2 timer(s) dropped: the program returned without awaiting them"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newTool(t, codetool.Options{Namespaces: new(world).namespaces()}).Run(t.Context(), test.code)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Logs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFailureHasItsLogs: they are beside the message, not in it, and the program's text is in neither.
func TestFailureHasItsLogs(t *testing.T) {
	t.Parallel()
	tool := newTool(t, codetool.Options{Namespaces: new(world).namespaces()})
	_, err := tool.Run(t.Context(), `const sourceText = 1; console.log("before"); await math.fail(); console.log("after")`)
	failed := failure(t, err)
	if diff := cmp.Diff([]string{"before"}, failed.Logs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err.Error() != "run program: boom (line 1, column 57)" {
		t.Errorf("the message is %q", err)
	}
}

// TestLogsAreBounded: over all turns of a program, and the oldest lines go.
func TestLogsAreBounded(t *testing.T) {
	t.Parallel()
	o := codetool.Options{Namespaces: new(world).namespaces()}
	o.Limits.Sandbox.Console = 100
	got, err := newTool(t, o).Run(t.Context(), `for (let i = 10; i < 60; i++) { console.log("line " + i); await math.add({a: 1, b: 1}) }`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[warn] 36 earlier line(s) dropped: the console keeps the last 100 bytes"}
	for i := 46; i < 60; i++ {
		want = append(want, fmt.Sprint("line ", i))
	}
	if diff := cmp.Diff(want, got.Logs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyUnhandledRejections(t *testing.T) {
	t.Parallel()
	got, err := newTool(t, codetool.Options{}).Run(t.Context(), `for (let i = 0; i < 50; i++) Promise.reject(new Error("no " + i)); 1`)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(got.Logs, "\n"); len(got.Logs) != 21 || !strings.Contains(text, "Error: no 19") || !strings.HasSuffix(text, "[warn] 30 more unhandled rejections") {
		t.Errorf("got\n%s", text)
	}
}
