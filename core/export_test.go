package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

func (w *world) export(id string) []byte {
	w.t.Helper()
	text, err := w.host.Export(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// imports imports a text, or is told why not.
func (w *world) imports(text []byte, live bool, refused string) {
	w.t.Helper()
	r, err := w.host.Import(context.Background(), core.ImportRequest{Text: text, Live: live})
	if err != nil || r.Changed != (refused == "") || !strings.Contains(r.Message, refused) {
		w.t.Fatalf("%+v, %v, want %q", r, err, refused)
	}
}

// TestExportAndImport: an execution that was taken along is the same in another journal.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code     string
		approved bool
		live     bool
		undone   bool
	}{
		"completed":   {code: `console.log("<&>"); const l = await items.list(); await items.add({ id: 7 }); return { l, text: "é\u2028\ud800" }`},
		"failed":      {code: `await items.add({ id: 7 }); throw new TypeError("no", { cause: new Error("yes") })`},
		"several":     {code: `await items.remove({ id: 1 }); return await items.list()`, approved: true},
		"rolled back": {code: `await items.add({ id: 7 })`, undone: true},
		"waits":       {code: `await items.add({ id: 7 }); return await items.remove({ id: 1 })`, live: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it := newItems(1, 2)
			a, b := newWorld(t, it), newWorld(t, it)
			id := a.run(tc.code).ExecutionID
			if tc.approved {
				a.restart() // so that it has two owners
				a.approve(id)
			}
			if tc.undone {
				a.rollback(id)
			}
			text := a.export(id)
			for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				if !json.Valid([]byte(line)) {
					t.Errorf("Line %d is no JSON: %s", n+1, line)
				}
			}
			if tc.live {
				b.imports(text, false, "must not go on")
			}
			b.imports(text, tc.live, "")
			if diff := cmp.Diff(a.recorded(id), b.recorded(id)); diff != "" {
				t.Error(diff)
			}
			page, err := b.host.Executions(context.Background(), core.ListRequest{})
			if err != nil || len(page.Executions) != 1 || string(page.Executions[0].Status) != a.status(id) {
				t.Errorf("listed: %+v, %v", page, err)
			}
			if diff := cmp.Diff(string(text), string(b.export(id))); diff != "" {
				t.Error(diff)
			}
			b.imports(text, true, "is here already")
			if tc.live {
				b.is(b.approve(id), "completed", `"removed 1"`)
				b.effectsAre("add 7", "remove 1")
			}
		})
	}
}

// TestExportRedacts: what a schema marks leaves the journal with no export.
func TestExportRedacts(t *testing.T) {
	t.Parallel()
	r := newRig(wire.Method{
		Name: "login", Description: "Log in.", RequiresApproval: true, Previews: true, Prepares: true,
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"user":{"type":"string"},"password":{"type":"string","writeOnly":true}}}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"tokens":{"type":"array","items":{"type":"string","writeOnly":true}}}}`),
	})
	r.preview = func(context.Context, *wire.Call) (string, error) { return "Log in with hunter2.", nil }
	r.prepare = func(context.Context, *wire.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"tokens":["hunter0"]}`), nil
	}
	r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
		return &wire.Result{Value: json.RawMessage(`{"tokens":["hunter3"]}`)}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`const s = await rig.login({ user: "ada", password: ["hunter", 2].join("") }); await items.remove({ id: 1 })`)
	out = w.approve(out.ExecutionID)
	w.is(out, "paused", "1")
	text := w.export(out.ExecutionID)
	if strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "hunter3") || strings.Contains(string(text), "hunter0") {
		t.Errorf("a secret is exported: %s", text)
	}
	if !strings.Contains(string(text), `"user":"ada"`) {
		t.Errorf("what is none is not: %s", text)
	}
	other := newWorld(t, newItems(), r.rigged)
	other.imports(text, true, "taken out")
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	id := w.run(`await items.add({ id: 7 }); return 1`).ExecutionID
	lines := strings.SplitAfter(string(w.export(id)), "\n")
	join := func(parts ...[]string) string {
		var all strings.Builder
		for _, p := range parts {
			all.WriteString(strings.Join(p, ""))
		}
		return all.String()
	}
	last := len(lines) - 2 // the end; behind it is nothing
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":             {"", "Line 1: the export is cut"},
		"no export":           {"{}\n", "Line 1: it does not begin"},
		"another text":        {"hello\n", "Line 1: it is not of an export"},
		"a later format":      {strings.Replace(join(lines), `"format":1`, `"format":2`, 1), "Line 1: it has format 2"},
		"its end is cut":      {join(lines[:last]), "the export is cut"},
		"an event is missing": {join(lines[:3], lines[4:]), "event"},
		"the last is missing": {join(lines[:last-1], lines[last:]), "1 events are missing"},
		"twice":               {join(lines, lines), "something follows"},
		"other namespaces":    {strings.Replace(join(lines), `"namespaces":[`, `"namespaces":[{"name":"x"},`, 1), "the namespaces are not those"},
		"another status":      {strings.Replace(join(lines), `"status":"completed"`, `"status":"error"`, 1), "its events make it completed"},
		"another's event":     {join(lines[:1]) + strings.Replace(lines[1], id, "x", 1) + join(lines[2:]), "Line 2: it is of another execution"},
		"a kind to come":      {strings.Replace(join(lines), `"kind":"issued"`, `"kind":"forked"`, 1), "newer version"},
	} {
		other := newWorld(t, newItems())
		other.imports([]byte(tc.text), true, tc.want)
		if _, err := other.store.Head(context.Background(), id); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("%s: something is kept: %v", name, err)
		}
	}
}
