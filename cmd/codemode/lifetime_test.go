//go:build unix

package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// TestLifetimeOfAnExecution takes an execution from an edited approval over a saved snippet to its deletion.
func TestLifetimeOfAnExecution(t *testing.T) {
	t.Parallel()
	config, notes := boardConfiguration(t, "")
	dir := t.TempDir()
	program := writeFile(t, dir, "p.js", `await board.post({ text: "hello" }); "posted"`)
	id := answers[core.Outcome](t, config, exitPaused, "run", program).ExecutionID

	p := newPerson(t)
	atTerminal(t, p, config, "instead of", "Approve this call?", "y\n", "approve", id, "0", "--args", writeFile(t, dir, "args.json", `{"text": "good day"}`))
	if left := slices.Collect(maps.Values(texts(t, notes))); !slices.Equal(left, []string{"good day"}) {
		t.Errorf("notes: %q", left)
	}

	plan := answers[core.Rollback](t, config, 0, "rollback", id, "--dry-run")
	if len(plan.Reverted) != 1 || plan.Changed {
		t.Errorf("plan: %+v", plan)
	}
	if left, err := os.ReadDir(notes); err != nil || len(left) != 1 {
		t.Errorf("the plan was carried out: %d notes, %v", len(left), err)
	}

	atTerminal(t, p, config, "board.post", "Save this program?", "yes\n", "snippets", "save", "hello", id, "--description", "Says hello")
	list := answers[[]core.Snippet](t, config, 0, "snippets")
	if len(list) != 1 || list[0].Name != "hello" || list[0].ExecutionID != id {
		t.Errorf("snippets: %+v", list)
	}
	if s := answers[core.Snippet](t, config, 0, "snippets", "show", "hello", "--version", "1"); !strings.Contains(s.Source, "board.post") {
		t.Errorf("snippet: %+v", s)
	}

	waiting := answers[core.Outcome](t, config, exitPaused, "run", program).ExecutionID
	if ids := answers[[]string](t, config, 0, "expire"); len(ids) != 0 {
		t.Errorf("expired: %v, and it has waited for no time", ids)
	}
	if ids := answers[[]string](t, config, 0, "prune", "--keep", "0", "--yes"); len(ids) != 1 || ids[0] != id {
		t.Errorf("pruned: %v, want %s alone", ids, id)
	}
	if r := answers[core.Reply](t, config, 0, "delete", waiting, "--yes"); !r.Changed {
		t.Errorf("delete: %+v", r)
	}
	if r := answers[core.Reply](t, config, exitUnchanged, "delete", waiting, "--yes"); r.Changed {
		t.Errorf("delete again: %+v", r)
	}
	answers[deletion](t, config, 0, "snippets", "delete", "hello", "--yes")
	if list := answers[[]core.Snippet](t, config, 0, "snippets"); len(list) != 0 {
		t.Errorf("snippets are left: %+v", list)
	}
}

// atTerminal runs a command that shows a text, asks, and gets an answer.
func atTerminal(t *testing.T, p *person, config, shown, question, answer string, args ...string) {
	t.Helper()
	s := newCommand(config)
	s.tty = p.path
	code := make(chan int, 1)
	go func() { code <- s.run(t.Context(), s.under(config, args...)) }()
	p.sees(shown)
	p.sees(question)
	p.types(answer)
	if got := <-code; got != exitDone {
		t.Fatalf("codemode %s: exit code %d: %s%s", strings.Join(args, " "), got, &s.out, &s.err)
	}
}
