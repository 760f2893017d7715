package truncate

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	tests := map[string]struct {
		value string
		limit int
		want  string
	}{
		"a text keeps its beginning": {
			value: `"` + long + `"`, limit: 64,
			want: `"` + long[:39] + `… [61 more characters]"`,
		},
		"one character more than there is room for": {
			value: `"` + long[:63] + `"`, limit: 64,
			want: `"` + long[:40] + `… [23 more characters]"`,
		},
		"characters are counted, not bytes": {
			value: `"` + strings.Repeat("ü", 100) + `"`, limit: 64,
			want: `"` + strings.Repeat("ü", 39) + `… [61 more characters]"`,
		},
		"an array keeps its leading items": {
			value: `[` + strings.Repeat(`{"id":1},`, 20) + `{}]`, limit: 64,
			want: `[{"id":1},{"id":1},{"id":1},{"id":1},{"id":1},"… 16 more items"]`,
		},
		"an object keeps its keys in their order": {
			value: `{"z":1,"body":"` + long + long + `","a":[1,2],"m":null}`, limit: 120,
			want: `{"z":1,"body":"` + long[:61] + `… [139 more characters]","a":[1,2],"m":null}`,
		},
		"too many keys are counted": {
			value: `{` + strings.Repeat(`"k":12345678,`, 20) + `"last":0}`, limit: 64,
			want: `{"k":12345678,"k":12345678,"k":12345678,"…":"18 more keys"}`,
		},
		"one key and one item": {
			value: `{"a":"` + long[:40] + `","b":["` + long[:40] + `","` + long[:40] + `"]}`, limit: 100,
			want: `{"a":"` + long[:40] + `","…":"1 more key"}`,
		},
		"a key that has no room does not hide those behind it": {
			value: `{"` + long + `":1,"b":2}`, limit: 64,
			want: `{"b":2,"…":"1 more key"}`,
		},
		"large texts share the room": {
			value: `["` + long + long + `","` + long + long + `"]`, limit: 203,
			want: `["` + long[:75] + `… [125 more characters]","` + long[:75] + `… [125 more characters]"]`,
		},
		"records stay whole": {
			value: `[` + strings.Repeat(`{"id":1,"title":"A title","state":"open"},`, 5) + `{}]`, limit: 110,
			want: `[{"id":1,"title":"A title","state":"open"},{"id":1,"title":"A title","state":"open"},"… 4 more items"]`,
		},
		"a long number becomes a text": {
			value: `[` + strings.Repeat("1", 100) + `]`, limit: 80,
			want: `["… [a number of 100 characters]"]`,
		},
		"white space goes first": {
			value: `[ 1,` + strings.Repeat(" ", 100) + `2 ]`, limit: 64,
			want: `[1,2]`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, truncated := JSON([]byte(test.value), test.limit)
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if truncated != strings.Contains(test.want, "…") {
				t.Errorf("truncated is %v", truncated)
			}
		})
	}
}

// TestUnchanged: what has room, and what cannot be measured, is returned as it is.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"undefined":           "",
		"an object":           `{ "b": 1, "a": [ "…", {"…": 1} ], "n": 1.50 }`,
		"as long as the room": `"` + strings.Repeat("ü", 62) + `"`,
		"no JSON":             strings.Repeat("no JSON ", 100),
		"two values":          strings.Repeat("1 ", 100),
	}
	for name, value := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := []byte(value)
			got, truncated := JSON(in, 64)
			if truncated || !bytes.Equal(got, []byte(value)) || len(in) > 0 && &got[0] != &in[0] {
				t.Errorf("got %s, truncated %v", got, truncated)
			}
		})
	}
	if got, truncated := JSON(nil, 0); got != nil || truncated {
		t.Errorf("nil became %q", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	value := []byte(`"` + strings.Repeat("x", 1_000_000) + `"`)
	for limit, want := range map[int]int{0: DefaultLimit, 1: MinLimit, -1: MinLimit, 1000: 1000, Tokens(10_000): 40_000} {
		got, truncated := JSON(value, limit)
		if n := utf8.RuneCount(got); !truncated || n > want || n < want-1 {
			t.Errorf("limit %d gives %d characters, not %d", limit, n, want)
		}
		text, truncated := Text(string(value), limit)
		if n := utf8.RuneCountInString(text); !truncated || n > want || n < want-1 {
			t.Errorf("limit %d gives %d characters of text, not %d", limit, n, want)
		}
	}
	if DefaultLimit != 24_000 {
		t.Errorf("the default limit is %d", DefaultLimit)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"short":               {"A short text.", "A short text."},
		"as long as the room": {strings.Repeat("é", 64), strings.Repeat("é", 64)},
		"long":                {strings.Repeat("é", 65), strings.Repeat("é", 42) + "… [23 more characters]"},
		"its own marker is text like any other": {
			strings.Repeat("x", 100) + "… [9 more characters]",
			strings.Repeat("x", 41) + "… [80 more characters]",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, truncated := Text(test.text, 64)
			if got != test.want || truncated != (test.text != test.want) {
				t.Errorf("got %q, truncated %v", got, truncated)
			}
			if again, truncated := Text(got, 64); again != got || truncated {
				t.Errorf("it was shortened twice: %q", again)
			}
		})
	}
}

// TestEscapesStayWhole: wherever the cut falls, it tears no escape.
func TestEscapesStayWhole(t *testing.T) {
	t.Parallel()
	inside := strings.Repeat(`\n\"\\\u00e9\ud83d\ude00é😀\ud83d\ud83d`, 20)
	for limit := MinLimit; limit < MinLimit+40; limit++ {
		value := `"` + inside + `"`
		got, truncated := JSON([]byte(value), limit)
		if !truncated {
			t.Fatalf("limit %d: not truncated", limit)
		}
		follows(t, value, string(got), limit)
	}
}

// TestMarkersAreData: a key, an item or a text that looks like a marker is kept,
// counted and shortened like any other, and none is mistaken for one.
func TestMarkersAreData(t *testing.T) {
	t.Parallel()
	filler := `"` + strings.Repeat("x", 60) + `"`
	tests := map[string]struct{ value, want string }{
		"key":          {`{"…":1,"a":` + filler + `,"b":2}`, `{"…":1,"b":2,"…2":"1 more key"}`},
		"escaped key":  {`{"\u2026":1,"a":` + filler + `,"b":2}`, `{"\u2026":1,"b":2,"…2":"1 more key"}`},
		"several keys": {`{"…":1,"a":` + filler + `,"…\u0032":2}`, `{"…":1,"…\u0032":2,"…3":"1 more key"}`},
		"omitted key":  {`{"a":1,"…":` + filler + `}`, `{"a":1,"…2":"1 more key"}`},
		"item":         {`["… 9 more items",` + filler + `,1]`, `["… 9 more items","… 2 more items"]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := JSON([]byte(test.value), 64)
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			follows(t, test.value, string(got), 64)
		})
	}
}

// TestNested: what is large deep inside shrinks there.
func TestNested(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("A sentence of some length. ", 4000)
	value := fmt.Sprintf(`{"user":{"id":7,"roles":["a","b"]},"issues":[{"id":1,"body":%q},{"id":2,"body":%q}],"next":null}`, text, text)
	got, truncated := JSON([]byte(value), 0)
	follows(t, value, string(got), DefaultLimit)
	if n := utf8.RuneCount(got); !truncated || n < DefaultLimit*9/10 {
		t.Errorf("of a room of %d, %d are used", DefaultLimit, n)
	}
	for _, part := range []string{`{"user":{"id":7,"roles":["a","b"]},"issues":[{"id":1,"body":"A sentence`, `{"id":2,"body":"A sentence`, `],"next":null}`} {
		if !strings.Contains(string(got), part) {
			t.Errorf("there is no %s", part)
		}
	}
}

// TestRecord: a record of large texts keeps all its keys, where a list would keep fewer items.
func TestRecord(t *testing.T) {
	t.Parallel()
	var members []string
	for i := range 20 {
		members = append(members, fmt.Sprintf(`"k%d":"%s"`, i, strings.Repeat("x", 1000)))
	}
	value := "{" + strings.Join(members, ",") + "}"
	got, _ := JSON([]byte(value), 2000)
	follows(t, value, string(got), 2000)
	if n := strings.Count(string(got), "more characters]"); n != 20 || strings.Contains(string(got), markerKey+`"`) {
		t.Errorf("%d keys are left: %s", n, got)
	}
}

// TestDeep: values nested deeper than anybody reads are counted like others.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, pair := range []string{"[]", "{}"} {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			open := pair[:1]
			if pair == "{}" {
				open = `{"k":`
			}
			value := strings.Repeat(open, 5000) + "1" + strings.Repeat(pair[1:], 5000)
			got, truncated := JSON([]byte(value), 2000)
			if !truncated {
				t.Fatal("not truncated")
			}
			follows(t, value, string(got), 2000)
			if n := strings.Count(string(got), pair[:1]); n > maxDepth+1 {
				t.Errorf("it is looked into %d levels deep", n)
			}
		})
	}
}

// BenchmarkJSON: a result of ten megabytes, flat and deep.
func BenchmarkJSON(b *testing.B) {
	record := `{"id":12345,"title":"The title of an issue","labels":["bug","help wanted"],"body":"` + strings.Repeat("words ", 40) + `"}`
	values := map[string]string{
		"records": `[` + strings.Repeat(record+",", 10<<20/len(record)) + `0]`,
		"numbers": `[` + strings.Repeat("1,", 5<<20) + `0]`,
		"deep":    strings.Repeat(`[`, 900) + strings.Repeat(record+",", 10<<20/len(record)) + "0" + strings.Repeat(`]`, 900),
		"text":    strconv.Quote(strings.Repeat("words\n", 10<<20/6)),
	}
	for name, value := range values {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				JSON([]byte(value), 0)
			}
		})
	}
}
