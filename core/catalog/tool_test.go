package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestToolDescription(t *testing.T) {
	t.Parallel()
	text := sample().ToolDescription(ToolOptions{})
	want := `
The ONLY globals beside the language's own are chat, mail, tracker, codemode, and input, env (the namespaces) and console. There is no network, no file system, no import and no require.

Namespaces:
- chat (2 methods): Messages.
- mail (0 methods) NOT AVAILABLE now: the plugin cannot be started: exit status 1
- tracker (5 methods): Issues of the team's tracker.

Rules:
`
	if !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
	for _, word := range []string{"codemode.search", "codemode.describe", "codemode.step", "codemode.run", "TypeScript", `"paused"`, "wait", "data", "joining"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing in\n%s", word, text)
		}
	}
}

// Nothing that a model reads tells it how to approve.
func TestToolDescriptionApprovesNothing(t *testing.T) {
	t.Parallel()
	texts := []string{sample().ToolDescription(ToolOptions{}), platformTypes}
	for _, target := range []string{"tracker", "tracker.create_issue", "tracker.delete"} {
		texts = append(texts, sample().Describe(target).Text())
	}
	command := regexp.MustCompile(`(?i)codemode (approve|settle|reject|resume|rollback)|--all|--digest|approve\(|\bapprove it\b`)
	for _, text := range texts {
		if found := command.FindString(text); found != "" {
			t.Errorf("%q in\n%s", found, text)
		}
	}
}

func TestToolDescriptionIsBounded(t *testing.T) {
	t.Parallel()
	var connectors []Connector
	for i := range 500 {
		connectors = append(connectors, Connector{Label: fmt.Sprintf("connector_%03d", i), Instructions: strings.Repeat("long ", 100)})
	}
	base := utf8.RuneCountInString(New(nil).ToolDescription(ToolOptions{}))
	for _, size := range []int{0, 500, 20000} {
		text := New(connectors).ToolDescription(ToolOptions{Size: size})
		room := size
		if size == 0 {
			room = 4000
		}
		if n := utf8.RuneCountInString(text); n > base+room*5/4+200 {
			t.Errorf("size %d: %d characters over %d", size, n-base, base)
		}
		if !strings.Contains(text, " more") {
			t.Errorf("size %d: does not say that some are left out:\n%s", size, text)
		}
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		connector Connector
		want      string
	}{
		"instructions": {Connector{Label: "x", Instructions: "First\nline. Second."}, "- x (0 methods): First line.\n"},
		"methods":      {Connector{Label: "x", Methods: []*Method{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}}, "- x (4 methods): such as a, b, c\n"},
		"one method":   {Connector{Label: "x", Methods: []*Method{{Name: "a"}}}, "- x (1 method): such as a\n"},
		"neither":      {Connector{Label: "x"}, "- x (0 methods)\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.connector.toolLine(200)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
