package sandbox

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestLocale holds numbers and dates to what Node.js 20 makes of them. In testdata/locale.txt each expression is
// followed by "  = " and its value.
func TestLocale(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/locale.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var program strings.Builder
	program.WriteString("return [")
	for i := 0; i < len(lines); i += 2 {
		program.WriteString("() => " + lines[i] + ",\n")
	}
	program.WriteString("].map(f => { try { return f() } catch (e) { return e.name + ': ' + e.message } })")
	var got []json.RawMessage
	if err := json.Unmarshal([]byte(run(t, program.String()).value()), &got); err != nil {
		t.Fatal(err)
	}
	for i, value := range got {
		if want := strings.TrimPrefix(lines[2*i+1], "  = "); string(value) != want {
			t.Errorf("%s\n got %s\nwant %s", lines[2*i], value, want)
		}
	}
}
