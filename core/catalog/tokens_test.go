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
		nearest(text, []string{"create_issue", text, ""})
	})
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"create_issue", "create_issue_comment", "list_issues", "close_issue", "get_repository", "merge"}
	tests := map[string]string{ // the first suggestion; empty: none
		"create_isue":  "create_issue",
		"createIssue":  "create_issue",
		"craete_issue": "create_issue",
		"issue_create": "create_issue",
		"comment":      "create_issue_comment",
		"getRepo":      "get_repository",
		"mrege":        "merge",
		"xyzzy":        "",
	}
	for name, want := range tests {
		first := ""
		if got := nearest(name, names); len(got) > 0 {
			first = got[0]
		}
		if first != want {
			t.Errorf("nearest(%q) begins with %q, want %q", name, first, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"größe", "grösse", 2},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
