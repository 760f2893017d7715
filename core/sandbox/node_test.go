package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLikeNode holds the library to Node.js 20. In testdata/node each expression is followed by "  = " and what
// Node.js makes of it, as JSON; an exception is its name behind an exclamation mark.
func TestLikeNode(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/node/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			for i, value := range values(t, lines) {
				if want := strings.TrimPrefix(lines[2*i+1], "  = "); value != want {
					t.Errorf("%s\n got %s\nwant %s", lines[2*i], value, want)
				}
			}
		})
	}
}

// values evaluates every other line in one program. A program of its own serializes its result by other rules than
// JSON.stringify, which the lines are about.
func values(t *testing.T, lines []string) []string {
	t.Helper()
	var text strings.Builder
	text.WriteString("return [")
	for i := 0; i < len(lines); i += 2 {
		text.WriteString("() => (" + lines[i] + "),\n")
	}
	text.WriteString("].map(f => { try { return JSON.stringify(f()) ?? 'null' } catch (e) { return JSON.stringify('!' + e.name) } })")
	var got []string
	if err := json.Unmarshal([]byte(runCompiled(t, text.String())), &got); err != nil {
		t.Fatal(err)
	}
	return got
}
