package program

import (
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ pattern, flags, want string }{
		"plain":               {`a\d+`, "u", `a\d+`},
		"without u":           {`\p{L}`, "g", `\p{L}`},
		"category":            {`^\p{L}+$`, "u", `^\p{L}+$(?=)`},
		"category by its key": {`\p{General_Category=Lu}`, "u", `\p{Lu}(?=)`},
		"script":              {`[\p{Script=Greek}\P{sc=Latn}]`, "u", `[\p{Greek}\P{Latin}](?=)`},
		"set":                 {`\p{Alphabetic}\P{Any}`, "u", `[\p{L}\p{Nl}\p{Other_Alphabetic}][^\s\S](?=)`},
		"set in a class":      {`[^\p{ASCII}\]]`, "u", `[^\x00-\x7F\]](?=)`},
		"escaped backslash":   {`\\p{L}`, "u", `\\p{L}`},
		"unclosed":            {`\p{L`, "u", `\p{L`},
		"cut off":             {`\p`, "u", `\p`},
	} {
		if got, err := Pattern(tt.pattern, tt.flags); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	for name, tt := range map[string]struct{ pattern, flags, want string }{
		"flag v":                {`a`, "v", "the flag u"},
		"flag d":                {`a`, "gd", "match.index"},
		"modifiers":             {`(?i:a)`, "", "modifiers"},
		"names":                 {`(?<a>x)|(?<a>y)`, "", `two groups named "a"`},
		"negated set in class":  {`[\P{Alphabetic}]`, "u", `use [^\p{Alphabetic}]`},
		"another kind of value": {`\p{Age=3}`, "u", `\p{Age=3} is not available`},
	} {
		if got, err := Pattern(tt.pattern, tt.flags); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// FuzzPattern holds that a pattern is refused or turned into one that stays as it is.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{`\p{L}`, `[\P{sc=Latn}x]`, `\p{`, `[\\p{L}]`, `(?<a>\p{Any})`} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		once, err := Pattern(pattern, "u")
		if err != nil {
			return
		}
		twice, err := Pattern(once, "u")
		if err != nil || strings.TrimSuffix(twice, "(?=)") != strings.TrimSuffix(once, "(?=)") && twice != once+"(?=)" {
			t.Errorf("%q became %q, and then %q, %v", pattern, once, twice, err)
		}
	})
}
