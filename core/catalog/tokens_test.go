package catalog

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"listIssues":             {"list", "issu", "listissu"},
		"list_issues":            {"list", "issu"},
		"issues/create-label":    {"issu", "creat", "label"},
		"HTTPServerError":        {"http", "server", "error"},
		"GitHub":                 {"git", "hub", "github"},
		"oauth2.token":           {"oauth2", "token"},
		"creating created":       {"creat", "creat"},
		"creation":               {"creat"},
		"running runs":           {"run", "run"},
		"billing bills":          {"bill", "bill"},
		"repositories":           {"repository"},
		"branches boxes classes": {"branch", "box", "class"},
		"status is this bus":     {"status", "is", "this", "bus"},
		"user's":                 {"user", "s"},
		"Задачи проекта":         {"задачи", "проекта"},
		"ÉCOLE":                  {"école"},
		"作成する":                   {"作成", "成す", "する"},
		"課":                      {"課"},
		"GitHubの課題":              {"git", "hub", "github", "の課", "課題"},
		"  --  ":                 nil,
		"":                       nil,
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, tokens(text)); diff != "" {
			t.Errorf("tokens(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"listIssues", "作成する", "a\u0301b", "\xff\xfe", "ies sses ing ed ion e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range tokens(text) {
			if w == "" || utf8.ValidString(text) && !utf8.ValidString(w) {
				t.Errorf("%q has a token %q", text, w)
			}
		}
	})
}
