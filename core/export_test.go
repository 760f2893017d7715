package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

func (w *world) export(id string) string {
	w.t.Helper()
	var b bytes.Buffer
	if err := w.host.Export(context.Background(), id, &b); err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

func (w *world) imports(export string) *core.Imported {
	w.t.Helper()
	done, err := w.host.Import(context.Background(), strings.NewReader(export))
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

// An execution that waits is taken from one host to another, and goes on there as if nothing had happened.
func TestExportGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]func(*core.Options){"in memory": nil, "on disk": onDisk(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, newItems(1, 2))
			done := w.run(`return await items.add({id: 5})`)
			waits := w.run("// é <b>\nconst l = await items.list(); const r = await items.remove({id: l[0]}); return [l, r]")
			w.is(waits, "paused", "1")
			all, one := w.export(""), w.export(waits.ExecutionID)

			to := newWorld(t, newItems(1, 2), func(o *core.Options) {
				if more != nil {
					more(o)
				}
			})
			if got := to.imports(one); len(got.Executions) != 1 || len(got.Refused) != 0 {
				t.Fatalf("imported %+v", got)
			}
			if got := to.imports(all); len(got.Executions) != 1 || len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Reason, "known already") {
				t.Fatalf("imported %+v", got)
			}
			to.restart()
			if more != nil { // its own key makes other digests: what was shown elsewhere is asked for again
				to.is(to.approve(waits.ExecutionID), "paused", "1")
				to.effectsAre()
			}
			to.is(to.approve(waits.ExecutionID), "completed", `[[1,2,5],"removed 1"]`)
			to.effectsAre("remove 1")
			if r := to.rollback(done.ExecutionID); r.Status != "rolled_back" {
				t.Errorf("rolled back: %+v", r)
			}
			was, is := w.export(done.ExecutionID), to.export(done.ExecutionID)
			if lines := strings.Split(was, "\n"); !strings.Contains(is, lines[2]) {
				t.Errorf("the first event was\n%s\nand is in\n%s", lines[2], is)
			}
		})
	}
}

var rigSecret = wire.Method{
	Name: "enter", Description: "Enter.", RequiresApproval: true, Previews: true,
	InputSchema:  json.RawMessage(`{"type":"object","properties":{"user":{"type":"string"},"auth":{"type":"object","properties":{"password":{"type":"string","writeOnly":true}}}}}`),
	OutputSchema: json.RawMessage(`{"type":"object","properties":{"session":{"type":"string","writeOnly":true},"n":{"type":"integer"}}}`),
}

// What a schema declares as sensitive is in no export, and an execution that lacks it is not imported.
func TestExportLeavesSecretsOut(t *testing.T) {
	t.Parallel()
	r := newRig(rigSecret)
	r.preview = func(context.Context, *wire.Call) (string, error) { return "Enter with hunter2.", nil }
	r.invoke = func(context.Context, *wire.Call) (*wire.Result, error) {
		return &wire.Result{Value: json.RawMessage(`{"session":"hunter3","n":1}`)}, nil
	}
	w := newWorld(t, newItems(), r.rigged)
	out := w.run(`const r = await rig.enter({user: "ada", auth: {password: ["hunter", 2].join("")}}); return r.n`)
	w.is(out, "paused", "0")
	w.is(w.approve(out.ExecutionID), "completed", "1")
	text := w.export("")
	for _, secret := range []string{"hunter2", "hunter3"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in\n%s", secret, text)
		}
	}
	for _, want := range []string{`"redacted":["args.auth.password","preview"]`, `"redacted":["value.session"]`, `"user":"ada"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	got := newWorld(t, newItems()).imports(text)
	if len(got.Executions) != 0 || len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Reason, "secrets were left out") {
		t.Errorf("imported %+v", got)
	}

	// Without its connector nobody can tell what is sensitive.
	w.more = nil
	w.restart()
	if text := w.export(""); strings.Contains(text, "hunter3") || strings.Contains(text, `"user":"ada"`) {
		t.Errorf("told without a schema:\n%s", text)
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	w.is(w.run(`return await items.add({id: 5})`), "completed", `"added 5"`)
	text := w.export("")
	lines := strings.SplitAfter(text, "\n")
	last := len(lines) - 2 // behind it is nothing
	tests := map[string]string{
		"nothing":              "",
		"another file":         `{"some": "json"}` + "\n",
		"a later format":       strings.Replace(text, `"format":1`, `"format":2`, 1),
		"cut in a line":        text[:len(text)/2],
		"cut before the end":   strings.Join(lines[:last], ""),
		"a lost event":         strings.Join(append(append([]string{}, lines[:4]...), lines[5:]...), ""),
		"a lost execution":     lines[0] + lines[last],
		"an event that is not": strings.Replace(text, `"kind":"begun"`, `"kind":"dreamt"`, 1),
	}
	for name, export := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := newWorld(t, newItems(1))
			done, err := to.host.Import(context.Background(), strings.NewReader(export))
			if err == nil || len(done.Executions) > 0 && name != "cut before the end" {
				t.Errorf("imported %+v, %v", done, err)
			}
			if strings.Contains(name, "later") && !errors.Is(err, journal.ErrNewer) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What is sound as a file and not as a history is refused by execution.
func TestImportRefusesUnsound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`return await items.add({id: 5})`)
	text := w.export("")
	tests := map[string]struct{ from, to, reason string }{
		"an id of no host":  {out.ExecutionID, "../../x", "its id"},
		"another history":   {`"kind":"pass_ended"`, `"kind":"doubted"`, "event"},
		"another namespace": {`"blob":"W`, `"blob":"X`, "is missing"},
		"its status":        {`"status":"completed"`, `"status":"paused"`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spoilt := strings.ReplaceAll(text, test.from, test.to)
			if spoilt == text {
				t.Fatalf("%s is not in\n%s", test.from, text)
			}
			to := newWorld(t, newItems(1))
			done, err := to.host.Import(context.Background(), strings.NewReader(spoilt))
			switch {
			case err != nil: // the line itself says so
			case len(done.Executions) > 0 || len(done.Refused) != 1 || !strings.Contains(done.Refused[0].Reason, test.reason):
				t.Errorf("imported %+v", done)
			}
		})
	}
}

func TestExportOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	if got := w.imports(w.export("")); len(got.Executions) != 0 || len(got.Refused) != 0 {
		t.Errorf("imported %+v", got)
	}
	var unknown *core.NotFoundError
	if err := w.host.Export(context.Background(), "none", &bytes.Buffer{}); !errors.As(err, &unknown) {
		t.Errorf("export said %v", err)
	}
}

func FuzzReadExport(f *testing.F) {
	f.Add([]byte(`{"journal":"codemode","format":1}` + "\n" + `{"execution":"x","event":{"index":0,"epoch":1,"at":"2026-11-30T22:00:00Z","kind":"begun","body":{"source":"1"}}}` + "\n" + `{"execution":"x","end":{"events":1}}` + "\n" + `{"executions":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for x, err := range core.ReadExport(bytes.NewReader(data)) {
			if err == nil && x.Refused == "" && x.State == nil {
				t.Error("an execution is taken of which nothing is known")
			}
		}
	})
}
