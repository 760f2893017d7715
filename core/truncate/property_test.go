package truncate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// member is one item of an array, or one member of an object, in its place.
type member struct {
	key   string
	value any
}

// Values as ordered reads them; everything else is a json.Number, a string, a bool or nil.
type (
	array  []member
	object []member
)

// ordered decodes JSON with the keys of objects in their order, repeated ones too.
func ordered(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := decode(d)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

func decode(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	var list []member
	for d.More() {
		var m member
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			m.key = key.(string)
		}
		if m.value, err = decode(d); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if delim == '{' {
		return object(list), nil
	}
	return array(list), nil
}

// follows fails unless short is a value that JSON may make of whole.
func follows(t testing.TB, whole, short string, limit int) {
	t.Helper()
	if n := utf8.RuneCountInString(short); n > limit {
		t.Errorf("%d characters, %d at most", n, limit)
	}
	if !json.Valid([]byte(short)) {
		t.Fatalf("no JSON: %s", short)
	}
	if err := compare(ordered(t, whole), ordered(t, short)); err != nil {
		t.Errorf("%v\n%s\nbecame\n%s", err, whole, short)
	}
	if again, truncated := JSON([]byte(short), limit); truncated || string(again) != short {
		t.Errorf("it was shortened twice: %s", again)
	}
}

// compare says how a shortened value is not one of the whole one.
func compare(whole, short any) error {
	switch w := whole.(type) {
	case string:
		return compareText(w, short)
	case json.Number:
		if want := fmt.Sprintf("… [a number of %d characters]", len(w)); short == want {
			return nil
		}
	case array:
		s, ok := short.(array)
		if !ok {
			return fmt.Errorf("an array became %T", short)
		}
		return compareArray(w, s)
	case object:
		s, ok := short.(object)
		if !ok {
			return fmt.Errorf("an object became %T", short)
		}
		return compareObject(w, s)
	}
	if whole != short {
		return fmt.Errorf("%v became %v", whole, short)
	}
	return nil
}

func compareText(whole string, short any) error {
	s, ok := short.(string)
	if !ok {
		return fmt.Errorf("a string became %T", short)
	}
	if s == whole {
		return nil
	}
	at := strings.LastIndex(s, "… [")
	if at < 0 || !strings.HasPrefix(whole, s[:at]) {
		return fmt.Errorf("%q is no beginning of %q", s, whole)
	}
	left := utf8.RuneCountInString(whole) - utf8.RuneCountInString(s[:at])
	if want := moreCharacters(left); s[at:] != want {
		return fmt.Errorf("the marker is %q, not %q", s[at:], want)
	}
	return nil
}

func compareArray(whole, short array) error {
	if len(short) > len(whole) && len(short) > 1 {
		return fmt.Errorf("%d items became %d", len(whole), len(short))
	}
	for i, m := range short {
		if text, _ := m.value.(string); i == len(short)-1 && text == "… "+counted(len(whole)-i, "item") {
			return nil
		}
		if err := compare(whole[i].value, m.value); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	if len(short) != len(whole) {
		return fmt.Errorf("%d of %d items, and no marker", len(short), len(whole))
	}
	return nil
}

func compareObject(whole, short object) error {
	keys := map[string]bool{}
	for _, m := range whole {
		keys[m.key] = true
	}
	kept := len(short)
	if kept > 0 && !keys[short[kept-1].key] {
		kept--
		if want := counted(len(whole)-kept, "key"); short[kept].value != want {
			return fmt.Errorf("the note is %q, not %q", short[kept].value, want)
		}
	} else if kept != len(whole) {
		return fmt.Errorf("%d of %d keys, and no note", kept, len(whole))
	}
	at := 0
	for _, m := range short[:kept] {
		for at < len(whole) && (whole[at].key != m.key || compare(whole[at].value, m.value) != nil) {
			at++
		}
		if at == len(whole) {
			return fmt.Errorf("key %q is not there, or not in its place, or has another value", m.key)
		}
		at++
	}
	return nil
}

// TestProperties holds JSON to its promises with random values.
func TestProperties(t *testing.T) {
	t.Parallel()
	shortened := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		value := random(r, 4)
		limit := MinLimit + r.IntN(600)
		got, truncated := JSON([]byte(value), limit)
		if again, _ := JSON([]byte(value), limit); !bytes.Equal(got, again) {
			t.Fatalf("seed %d: two calls, two results", seed)
		}
		if !truncated && utf8.RuneCountInString(value) <= limit && string(got) != value {
			t.Fatalf("seed %d: it has room and has changed", seed)
		}
		if follows(t, value, string(got), limit); t.Failed() {
			t.Fatalf("seed %d, limit %d", seed, limit)
		}
		if truncated {
			shortened++
		}
	}
	if shortened < 500 {
		t.Errorf("only %d of the values were too large", shortened)
	}
}

// random returns a JSON value, with what looks like markers in it.
func random(r *rand.Rand, depth int) string {
	kind := r.IntN(8)
	if depth == 0 {
		kind = r.IntN(5)
	}
	n := r.IntN(6) * r.IntN(5) // mostly small, now and then not
	switch kind {
	case 0:
		return []string{"true", "false", "null", "0", "-1.5e300"}[r.IntN(5)]
	case 1:
		return strings.Repeat("9", 6*n+1)
	case 2, 3, 4:
		return randomText(r, n)
	case 5:
		return "{" + list(n, func(i int) string { return randomKey(r, i) + ":" + random(r, depth-1) }) + "}"
	}
	return "[" + list(n, func(int) string { return random(r, depth-1) }) + "]"
}

func list(n int, part func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part(i)
	}
	return strings.Join(parts, ",")
}

func randomKey(r *rand.Rand, i int) string {
	switch r.IntN(6) {
	case 0:
		return []string{`"…"`, `"\u2026"`, `"…2"`, `"…\u0033"`, `""`}[r.IntN(5)]
	case 1:
		return randomText(r, r.IntN(80))
	}
	return fmt.Sprintf(`"k%d"`, i)
}

func randomText(r *rand.Rand, n int) string {
	pieces := []string{"a", "é", "😀", `\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, "… [3 more characters]", "… 2 more items", "[", "}", ","}
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return `"` + b.String() + `"`
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"…":"x"}],"b":"\ud83d\ude00\\"}`), 64)
	f.Add([]byte(`[[[[[["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]]]]]`), 65)
	f.Add([]byte(`{"…":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","…2":2}`), 0)
	f.Add([]byte("\"\xff\xfe"+strings.Repeat("a", 70)+`"`), 64)
	for seed := range uint64(20) {
		f.Add([]byte(random(rand.New(rand.NewPCG(seed, 2)), 4)), int(seed)*10)
	}
	f.Fuzz(func(t *testing.T, value []byte, limit int) {
		limit = min(max(limit, MinLimit), 2000)
		got, truncated := JSON(value, limit)
		if !json.Valid(value) {
			if truncated || !bytes.Equal(got, value) {
				t.Errorf("%q is no JSON and became %q", value, got)
			}
			return
		}
		follows(t, string(value), string(got), limit)
	})
}
