package policy_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/policy"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "", false}, {"*", "", true}, {"?", "", false},
		{"create_issue", "create_issue", true}, {"create_issue", "Create_issue", false},
		{"create_*", "create_issue", true}, {"create_*", "create_", true}, {"create_*", "recreate_x", false},
		{"*_issue", "create_issue", true}, {"*_issue", "create_issues", false},
		{"*a*b", "xxaxxbxb", true}, {"*a*b", "xxb", false}, {"**", "x", true}, {"a*a", "a", false},
		{"issues/*", "issues/labels/add", true}, {"*.get", "v1.users.get", true},
		{"?ber", "über", true}, {"??ber", "über", false}, {"[a-z]", "a", false}, {"[a-z]", "[a-z]", true}, {`\*`, "*", false},
	} {
		if got := policy.Match(tc.pattern, tc.name); got != tc.want {
			t.Errorf("Match(%q, %q) = %v", tc.pattern, tc.name, got)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("*_issue?", "create_issues")
	f.Add("a*a*a*b", "aaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		pattern, name = strings.ToValidUTF8(pattern, ""), strings.ToValidUTF8(name, "")
		source := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(strings.ReplaceAll(pattern, `\`, "/")))
		want := regexp.MustCompile(`^(?s:` + source + `)$`).MatchString(name)
		if got := policy.Match(strings.ReplaceAll(pattern, `\`, "/"), name); got != want {
			t.Errorf("Match(%q, %q) = %v, a regular expression says %v", pattern, name, got, want)
		}
	})
}
