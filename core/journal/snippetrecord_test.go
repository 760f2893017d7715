package journal

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func inventSnippet(r *rand.Rand) Snippet {
	var s Snippet
	invent(r, reflect.ValueOf(&s).Elem(), 0)
	s.Name, s.Version = "greet", 7
	return s
}

func TestSnippetRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		want := inventSnippet(r)
		data, err := EncodeSnippet(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeSnippet("greet", 7, data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

// damagedPart returns what a *DamagedError names, and its text; nothing of any other error.
func damagedPart(err error) (part, text string) {
	if d, ok := errors.AsType[*DamagedError](err); ok {
		return d.Part, d.Error()
	}
	return "", ""
}

func TestDamagedSnippets(t *testing.T) {
	t.Parallel()
	data, err := EncodeSnippet(Snippet{Name: "greet", Version: 2, Source: "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	const part = `version 2 of snippet "greet"`
	named := func(what string, err error) {
		t.Helper()
		got, text := damagedPart(err)
		if got != part || !strings.HasPrefix(text, part+" is damaged: it ") || strings.Contains(text, "hunter2") {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
	for bit := range len(data) * 8 {
		data[bit/8] ^= 1 << (bit % 8)
		_, err := DecodeSnippet("greet", 2, data)
		named("a flipped bit", err)
		data[bit/8] ^= 1 << (bit % 8)
	}
	for n := range data {
		_, err := DecodeSnippet("greet", 2, data[:n])
		named("a cut", err)
	}
	for _, place := range []struct {
		name    string
		version int
	}{{"greet", 1}, {"greet", 22}, {"gree", 2}} {
		if _, err := DecodeSnippet(place.name, place.version, data); err == nil {
			t.Errorf("it was accepted as %v", place)
		}
	}
	for _, content := range []any{"hunter2", map[int]int{5: 1}} {
		_, err = DecodeSnippet("greet", 2, mustSeal(t, part, snippetVersion, content))
		if got, text := damagedPart(err); got != part || strings.Contains(text, "hunter2") {
			t.Errorf("content of another kind: %v", err)
		}
	}
}

func TestSnippetsOfALaterVersion(t *testing.T) {
	t.Parallel()
	const part = `version 2 of snippet "greet"`
	for what, data := range map[string][]byte{
		"version": mustSeal(t, part, snippetVersion+1, Snippet{}),
		"field":   mustSeal(t, part, snippetVersion, map[int]any{1: "greet", 99: true}),
	} {
		_, err := DecodeSnippet("greet", 2, data)
		if got, _ := damagedPart(err); !errors.Is(err, ErrNewer) || got != "" || !strings.Contains(err.Error(), part) {
			t.Errorf("an unknown %s: %v", what, err)
		}
	}
}

func mustSeal(t testing.TB, place string, version byte, content any) []byte {
	t.Helper()
	data, err := seal(place, version, content)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSnippetLimits(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		snippet Snippet
		want    string // empty: it is taken
	}{
		"the longest source": {Snippet{Source: strings.Repeat("ü", MaxSnippetText)}, ""},
		"a longer one": {
			Snippet{Source: strings.Repeat("ü", MaxSnippetText) + "x"},
			`the source of snippet "greet" takes 1000001 characters, more than the 1000000 that the journal can keep: read large data from a connector or from the input`,
		},
		"its schema": {
			Snippet{InputSchema: make([]byte, MaxSnippetText+1)},
			`the input schema of snippet "greet" takes 1000001 characters, more than the 1000000 that the journal can keep: describe the parts that matter`,
		},
		"all of it": {
			Snippet{JS: strings.Repeat("x", MaxRecord)},
			`snippet "greet" takes 67108893 bytes, more than the 67108864 that the journal can keep`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.snippet.Name = "greet"
			_, err := EncodeSnippet(test.snippet)
			if test.want == "" && err == nil {
				return
			}
			if _, ok := errors.AsType[*TooLargeError](err); !ok || err.Error() != test.want {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if _, err := EncodeSnippet(Snippet{Name: "a b"}); !errors.Is(err, ErrSnippetName) {
		t.Errorf("any name is encoded: %v", err)
	}
}

func TestSnippetNameError(t *testing.T) {
	t.Parallel()
	const want = `snippet "a/b": a snippet's name has 1 to 128 ASCII letters, digits, "_" and "-"`
	if err := CheckSnippetName("a/b"); err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
}

func FuzzDecodeSnippet(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(byte(snippetVersion), mustMarshal(f, inventSnippet(r)))
	}
	f.Add(byte(snippetVersion), []byte{0xa1, 0x0b, 0x60})
	f.Add(byte(2), []byte{})
	f.Fuzz(func(t *testing.T, version byte, payload []byte) {
		_, _ = DecodeSnippet("greet", 7, payload)
		data := append([]byte{version}, payload...)
		sum := checksum(snippetPlace("greet", 7), data)
		s, err := DecodeSnippet("greet", 7, binary.BigEndian.AppendUint32(data, sum))
		if part, _ := damagedPart(err); err != nil && part == "" && !errors.Is(err, ErrNewer) {
			t.Errorf("the error is %v", err)
		}
		s.Name, s.Version = "greet", 7
		if data, err = EncodeSnippet(s); err != nil {
			return // a time that is none, or too large
		}
		if again, err := DecodeSnippet("greet", 7, data); err != nil || !cmp.Equal(s, again, cmpopts.EquateEmpty()) {
			t.Errorf("what was decoded encodes to something else: %v", err)
		}
	})
}
