package nearest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{
		"create_issue", "create_issue_comment", "list_issues", "list_pulls", "close_issue", "reopen_issue", "get_repository", "merge", "get", "größe",
	}
	tests := map[string][]string{
		"create_isue":  {"create_issue"},
		"createIssue":  {"create_issue"},
		"craete_issue": {"create_issue"},
		"close_isue":   {"close_issue"},
		"issue_create": {"create_issue", "create_issue_comment", "close_issue"},
		"lst_issues":   {"list_issues"},
		"LIST-ISSUES":  {"list_issues"},
		"getIssue":     {"get", "close_issue", "create_issue"},
		"comment":      {"create_issue_comment"},
		"getRepo":      {"get_repository", "get"},
		"repository":   {"get_repository"},
		"mrege":        {"merge"},
		"gte":          {"get"},
		"grösse":       {"größe"},
		"x":            nil,
		"":             nil,
		"__":           nil,
		"xyzzy":        nil,
	}
	for name, want := range tests {
		if diff := cmp.Diff(want, Names(name, known, 3)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	known := []string{"title", "body", "b"}
	for name, want := range map[string]string{"titel": "title", "titles": "title", "a": "", "zzz": "", strings.Repeat("title", 50): ""} {
		if got := Name(name, known); got != want {
			t.Errorf("%.20s: got %q, want %q", name, got, want)
		}
	}
}

// The order of what is known makes no difference, so that the same mistake always has the same answer.
func TestOrder(t *testing.T) {
	t.Parallel()
	known := []string{"aaab", "aaac", "aaad", "aaae"}
	want := Names("aaaa", known, 3)
	slices.Reverse(known)
	if diff := cmp.Diff(want, Names("aaaa", known, 3)); diff != "" {
		t.Error(diff)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"größe", "grösse", 2},
	}
	for _, tt := range tests {
		if got := distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"listIssues", "作成する", "a\u0301b", "\xff\xfe", "A__B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if n := Names(name, []string{"create_issue", name, ""}, 2); len(n) > 2 {
			t.Errorf("%q: %q", name, n)
		}
	})
}

func TestMisspelt(t *testing.T) {
	t.Parallel()
	known := []string{"branch", "bronch", "branche", "ranch", "barnch", "brunches", "größe"}
	for word, want := range map[string][]string{
		"branch": {"bronch", "branche", "ranch", "barnch"},
		"grösse": nil,
		"größ":   {"größe"},
		"":       nil,
	} {
		if got := Misspelt(word, known); !slices.Equal(got, want) {
			t.Errorf("Misspelt(%q) is %q, want %q", word, got, want)
		}
	}
}
