package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/core/program"
)

const shapesFile = "testdata/shapes.txtar"

// TestShapes runs programs as models write them: NAME.code is a text, NAME.want what comes of it, which is a value, or
// a fault of the text or an error with its place and causes.
func TestShapes(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(shapesFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		name, isCode := strings.CutSuffix(f.Name, ".code")
		if !isCode {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got, want := shape(t, string(f.Data)), &archive.Files[i+1].Data
			if diff := cmp.Diff(string(*want), got); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			}
			*want = []byte(got)
		})
	}
	if *update {
		if err := os.WriteFile(shapesFile, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shape compiles and runs a text, and says what comes of it.
func shape(t *testing.T, text string) string {
	t.Helper()
	p, err := program.Compile(program.Source{Text: text, Namespaces: map[string][]string{"files": {"read", "write", "delete"}}})
	if fault, ok := errors.AsType[*program.Error](err); ok {
		return fmt.Sprintf("refused: %v\n", fault)
	}
	if err != nil {
		t.Fatal(err)
	}
	sp := spec("")
	sp.Program = p
	result := start(t, sp).finish().result
	if result == nil {
		t.Fatal("the program has not ended")
	}
	if result.Error == nil {
		return string(result.Value) + "\n"
	}
	var b strings.Builder
	indent := ""
	for e := result.Error; e != nil; e = e.Cause {
		fmt.Fprintf(&b, "%s%s: %s (line %d, column %d)", indent, e.Name, e.Message, e.Line, e.Column)
		if e.Code != "" {
			b.WriteString(" code " + e.Code)
		}
		b.WriteString("\n")
		indent = "caused by "
	}
	return b.String()
}
