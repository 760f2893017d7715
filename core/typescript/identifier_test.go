package typescript

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentifier(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":               "_",
		"list-calendars": "list_calendars",
		"issues/create":  "issues_create",
		"a  -.- b":       "a_b",
		"hello@world!":   "hello_world_",
		"@#$":            "_$",
		"@":              "_",
		"1st":            "_1st",
		"-1st":           "_1st",
		"delete":         "delete_",
		"class":          "class_",
		"await":          "await_",
		"Delete":         "Delete",
		"then":           "then_",
		"toJSON":         "toJSON_",
		"__proto__":      "__proto___",
		"_private":       "_private",
		"$jquery":        "$jquery",
		"getUser":        "getUser",
		"größe":          "größe",
		"列出-日历":          "列出_日历",
		"\u0301a":        "_\u0301a",
		"a\u200db":       "a_b",
		"😀":              "_",
		"a\xffb":         "a_b",
		"a\u2028b":       "a_b",
	}
	for raw, want := range tests {
		if got := Identifier(raw); got != want {
			t.Errorf("Identifier(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestIdentifiersThatMeet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		raws, want []string
	}{
		"the unchanged one keeps its name":      {[]string{"a-b", "a_b"}, []string{"a_b_d443", "a_b"}},
		"all changed, all suffixed":             {[]string{"a-b", "a.b"}, []string{"a_b_d443", "a_b_2e73"}},
		"a reserved word meets its replacement": {[]string{"delete", "delete_"}, []string{"delete__6197", "delete_"}},
		"a name that looks like a suffixed one": {[]string{"a-b", "a_b", "a_b_d443"}, []string{"a_b_d44362d6", "a_b", "a_b_d443"}},
		"empty ones":                            {[]string{"", "@", "_"}, []string{"__e3b0", "__c364", "_"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Identifiers(tt.raws)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A refreshed list must not move a name to another method.
func TestIdentifiersAreStable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		raws := randomNames(random)
		all := assigned(raws)
		random.Shuffle(len(raws), func(i, j int) { raws[i], raws[j] = raws[j], raws[i] })
		if diff := cmp.Diff(all, assigned(raws)); diff != "" {
			t.Fatalf("the order of %q matters:\n%s", raws, diff)
		}
		some := assigned(raws[:1+random.IntN(len(raws))])
		for raw, before := range some {
			checkSuperset(t, raw, before, all[raw])
		}
	}
}

// checkSuperset checks what a longer list may do to a name: nothing, but for
// one thing: a name that was given because nobody else wanted it gets its
// suffix when somebody does.
func checkSuperset(t *testing.T, raw, before, after string) {
	t.Helper()
	switch {
	case before == after:
	case raw == Identifier(raw):
		t.Fatalf("%q needed no change, was listed as %q and is now %q", raw, before, after)
	case !strings.HasPrefix(after, Identifier(raw)+"_"+hash(raw, 4)):
		t.Fatalf("%q was listed as %q and is now %q", raw, before, after)
	case before != Identifier(raw) && !strings.HasPrefix(after, before):
		t.Fatalf("the suffix of %q changed from %q to %q", raw, before, after)
	}
}

func assigned(raws []string) map[string]string {
	m := map[string]string{}
	for i, name := range Identifiers(raws) {
		m[raws[i]] = name
	}
	return m
}

func randomNames(random *rand.Rand) []string {
	alphabet := []rune("ab_-.1é")
	names := map[string]bool{"a": true}
	for range 1 + random.IntN(12) {
		var b strings.Builder
		for range random.IntN(4) {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		names[b.String()] = true
	}
	var list []string
	for n := range names {
		list = append(list, n)
	}
	slices.Sort(list)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func FuzzIdentifier(f *testing.F) {
	for _, s := range []string{"", "a-b", "1st", "delete", "größe", "a\xff", "\u200d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		id := Identifier(raw)
		if Identifier(id) != id || !IsIdentifier(id) {
			t.Errorf("%q gives %q, which is no identifier", raw, id)
		}
		parses(t, "declare namespace ns { function "+id+"(): void }")
	})
}
