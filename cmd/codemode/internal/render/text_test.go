package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestInline(t *testing.T) {
	t.Parallel()
	if got := inline("a\nb\x07"); got != `a\nb\u0007` {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   string
		most int
		want []string
	}{
		"short":          {"a b", 10, []string{"a b"}},
		"empty":          {"", 10, []string{""}},
		"words":          {"aaa bbb ccc", 7, []string{"aaa bbb", "ccc"}},
		"exactly":        {"aaa bbb", 7, []string{"aaa bbb"}},
		"a long word":    {"aaaaaaaa b", 5, []string{"aaaaa", "aaa b"}},
		"lines":          {"a\n\nb\n", 5, []string{"a", "", "b"}},
		"Windows lines":  {"a\r\nb", 5, []string{"a", "b"}},
		"keeps indents":  {"  aaa bbb", 7, []string{"  aaa", "  bbb"}},
		"tabs":           {"\tx", 10, []string{"    x"}},
		"wide":           {"漢字漢字", 5, []string{"漢字", "漢字"}},
		"combining":      {"e\u0301e\u0301e\u0301", 3, []string{"e\u0301e\u0301e\u0301"}},
		"deep indents":   {"          x y", 6, []string{"   x y"}},
		"spaces at ends": {"aaa   \nb", 5, []string{"aaa", "b"}},
	} {
		if diff := cmp.Diff(tc.want, wrap(tc.in, tc.most)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in, want string
	}{
		"fits":     {"abcde", "abcde"},
		"too long": {"abcdef", "abcd…"},
		"lines":    {"a\n  b", "a b"},
		"wide":     {"漢字漢字", "漢字…"},
		"controls": {"\x1babc", `\u00…`},
	} {
		if got := clip(tc.in, 5); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m",
		time.Hour: "1h", 47 * time.Hour: "47h", 48 * time.Hour: "2d",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"compact":           {`{ "a": 1.10 }`, []string{`{"a":1.10}`}},
		"keys keep order":   {`{"b":1,"a":2}`, []string{`{"b":1,"a":2}`}},
		"indented":          {`{"aaaa":1,"bbbb":"cc"}`, []string{"{", `  "aaaa": 1,`, `  "bbbb": "cc"`, "}"}},
		"a line break":      {`"a\nb"`, []string{`"a\n`, `    b"`}},
		"its last":          {`"a\n"`, []string{`"a\n"`}},
		"an escaped escape": {`"a\\nb"`, []string{`"a\\nb"`}},
		"long":              {`"0123456789012345678901234567"`, []string{`"0123456789012345678`, `    901234567"`}},
		"invisible":         {"\"\u202ea\"", []string{`"\u202ea"`}},
		"no JSON":           {"{x", []string{"{x"}},
	} {
		if diff := cmp.Diff(tc.want, value(json.RawMessage(tc.in), 20)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	if got := value(nil, 20); len(got) != 1 || got[0] != "undefined" {
		t.Errorf("nothing: %q", got)
	}
}

// FuzzWrap checks that nothing that matters gets lost and that no line is too wide.
func FuzzWrap(f *testing.F) {
	f.Add("aaa bbb ccc", 7)
	f.Add("  漢字\x1b[0m \xff", 4)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 4 + (most%100+100)%100
		lines := wrap(text, most)
		checkLines(t, lines, most)
		if got, want := packed(strings.Join(lines, "")), packed(Safe(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", " "))); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// FuzzValue checks that every byte of a value is shown, in its order.
func FuzzValue(f *testing.F) {
	f.Add([]byte(`{"a":"x\ny","b":[1,2,{"c":null}]}`), 20)
	f.Add([]byte("\"\u202e\\\\n\\u000a\""), 12)
	f.Fuzz(func(t *testing.T, raw []byte, most int) {
		most = 12 + (most%100+100)%100
		lines := value(raw, most)
		checkLines(t, lines, most)
		var compact bytes.Buffer
		if json.Compact(&compact, raw) != nil {
			return
		}
		if got, want := packed(strings.Join(lines, "")), packed(Safe(compact.String())); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func checkLines(t *testing.T, lines []string, most int) {
	t.Helper()
	for _, l := range lines {
		if strings.Contains(l, "\n") || Safe(l) != l {
			t.Errorf("not safe: %q", l)
		}
		if columns(l) > most {
			t.Errorf("%d columns, %d are there: %q", columns(l), most, l)
		}
	}
}

// packed is text without its white space.
func packed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
