//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// An execution that has not ended comes with its approvals: a person allows that it goes on here.
func TestImportLiveAtATerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.jsonl")
	text := `{"format":1,"execution":"x1","status":"paused","namespaces":[]}` + "\n" + `{"execution":"x1","events":0}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		answer   string
		code     int
		imported int
	}{
		"yes":          {"yes\n", 0, 1},
		"y is no yes":  {"y\n", 4, 0},
		"end of input": {"\x04", 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			imported := 0
			s := newStage(&service{imports: func(r core.ImportRequest) (*core.Reply, error) {
				if r.Live {
					imported++
				}
				return &core.Reply{ExecutionID: "x1", Changed: true, Message: "Imported."}, nil
			}})
			p := newPerson(t)
			s.tty = p.path
			code := make(chan int, 1)
			go func() { code <- s.run(t.Context(), []string{"import", file, "--live"}) }()
			p.sees("Execution x1 is paused.")
			p.sees("and nowhere else? Type yes:")
			p.types(tc.answer)
			if got := <-code; got != tc.code || imported != tc.imported {
				t.Errorf("exit code %d, want %d; %d imported: %s%s", got, tc.code, imported, &s.out, &s.err)
			}
		})
	}
}

func TestImportLiveNeedsAPerson(t *testing.T) {
	t.Parallel()
	s := newStage(&service{})
	s.does(t, exitUsage, "import", os.DevNull, "--live")
	says(t, &s.err, "needs a person at a terminal")
}
