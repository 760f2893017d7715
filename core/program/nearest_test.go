package program

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"list_issues", "list_pulls", "create_issue", "get", "close_issue", "reopen_issue"}
	for name, want := range map[string][]string{
		"lst_issues":    {"list_issues"},
		"listIssues":    {"list_issues"},
		"creat_issue":   {"create_issue"},
		"gte":           {"get"},
		"delete_branch": nil,
		"x":             nil,
	} {
		if diff := cmp.Diff(want, nearest(name, known)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
