package render

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pages renders a value of JSON, by the folder of its golden file.
var pages = map[string]func(Page, []byte) (string, error){
	"applied":       page(func(p Page, d *core.Detail) string { return p.Applied(d) }),
	"call":          page(func(p Page, c core.Pending) string { return p.Call(c) }),
	"description":   page(func(p Page, d *catalog.Description) string { return p.Description(d) }),
	"detail":        page(func(p Page, d *core.Detail) string { return p.Detail(d) }),
	"edited":        page(func(p Page, e edit) string { return p.Edited(e.Call, e.Args) }),
	"ended":         page(func(p Page, l []string) string { return p.Ended("expired", l) }),
	"executions":    page(func(p Page, l *core.Page) string { return p.Executions(l) }),
	"outcome":       page(func(p Page, o *core.Outcome) string { return p.Outcome(o) }),
	"pending":       page(func(p Page, l []core.Pending) string { return p.Pending(l, false) }),
	"record":        page(func(p Page, c engine.CallRecord) string { return p.Record(c) }),
	"reply":         page(func(p Page, r *core.Reply) string { return p.Reply(r) }),
	"rollback":      page(func(p Page, r *core.Rollback) string { return p.Rollback(r) }),
	"rollbackplan":  page(func(p Page, r *core.Rollback) string { return p.RollbackPlan(r) }),
	"snippet":       page(func(p Page, s core.Snippet) string { return p.Snippet(s) }),
	"snippets":      page(func(p Page, l []core.Snippet) string { return p.Snippets(l) }),
	"snippettosave": page(func(p Page, s saving) string { return p.SnippetToSave(s.Request, s.Detail, s.Known) }),
	"search":        page(func(p Page, r *catalog.Results) string { return p.Search(r) }),
	"diagnosis":     page(func(p Page, d Diagnosis) string { return p.Diagnosis(d) }),
	"validation":    page(func(p Page, v Validation) string { return p.Validation(v) }),
}

// edit is a call with an approver's own arguments.
type edit struct {
	Call core.Pending
	Args json.RawMessage
}

// saving is a snippet that would be saved.
type saving struct {
	Request core.SaveRequest
	Detail  *core.Detail
	Known   *core.Snippet
}

func page[T any](f func(Page, T) string) func(Page, []byte) (string, error) {
	return func(p Page, text []byte) (string, error) {
		var v T
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&v)
		return f(p, v), err
	}
}

// TestGolden renders testdata/KIND/*.txtar: the file "json" is the value, "page" what it looks like. Words of the
// comment are options: "advice", "colour", "narrow".
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden(t, file)
		})
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := Page{Zone: time.UTC, Now: time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)}
	for _, option := range strings.Fields(string(archive.Comment)) {
		switch option {
		case "advice":
			p.Advice = true
		case "colour":
			p.Colour = true
		case "narrow":
			p.Width = 50
		default:
			t.Fatalf("unknown option %q", option)
		}
	}
	got, err := pages[filepath.Base(filepath.Dir(file))](p, archive.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Colour {
		fits(t, got, p.width())
	}
	if *update {
		archive.Files = append(archive.Files[:1], txtar.File{Name: "page", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// fits checks that a page has no line that the terminal would wrap, and nothing that it would obey.
func fits(t *testing.T, text string, width int) {
	t.Helper()
	if Safe(text) != text {
		t.Errorf("not safe for a terminal: %q", text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := columns(line); n > width && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "codemode ") {
			t.Errorf("%d columns, %d are there: %s", n, width, line)
		}
	}
}
