package program

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVLQ(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1_000 {
		want := make([]int, 1+random.IntN(5))
		for i := range want {
			want[i] = random.IntN(1<<20) - 1<<19
		}
		var b strings.Builder
		encodeVLQ(&b, want...)
		got, err := decodeVLQ(b.String())
		if err != nil || !cmp.Equal(want, got) {
			t.Fatalf("%v became %v (%v)", want, got, err)
		}
	}
}

func TestVLQRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, segment := range []string{"!", "gggggggggggg", "g"} {
		if got, err := decodeVLQ(segment); err == nil {
			t.Errorf("%q became %v", segment, got)
		}
	}
}

func TestDecodeMapCountsBytes(t *testing.T) {
	t.Parallel()
	// generated columns 0 and 3 (UTF-16: a, the two halves of the emoji), then column 1 of the second line
	got, err := decodeMap([]byte(`{"mappings":"AAAA,GAAI;CACA"}`), "a😀b\ncd", func(p position) (position, bool) { return p, true })
	want := mappings{{0, position{1, 1}, models}, {5, position{1, 5}, models}, {8, position{2, 5}, models}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mapping{}, position{})); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestEncodeKeepsEveryPlace(t *testing.T) {
	t.Parallel()
	text := "ab\ncdé\n\nf"
	want := mappings{{1, position{3, 4}, models}, {3, position{1, 1}, models}, {4, position{1, 9}, models}, {9, position{7, 2}, models}}
	comment := want.encode(text)
	_, encoded, _ := strings.Cut(comment, "base64,")
	doc, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), `"mappings":"CCAC,CDEG;CAFH,CAAQ;;CAMP"`) {
		t.Errorf("got %s", doc)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	m := mappings{{0, position{1, 1}, models}, {3, position{1, 2}, models}, {5, position{1, 3}, models}, {8, position{1, 4}, models}}
	got, moved := apply("0123456789", m, []splice{{offset: 8, insert: "<>"}, {offset: 2, remove: 2, insert: "abc"}, {offset: 0, insert: "("}})
	if want := "(01abc4567<>89"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := mappings{{1, position{1, 1}, models}, {6, position{1, 2}, models}, {7, position{1, 3}, models}, {12, position{1, 4}, models}}
	if diff := cmp.Diff(want, moved, cmp.AllowUnexported(mapping{}, position{})); diff != "" {
		t.Error(diff)
	}
	if m[1].offset != 3 {
		t.Error("apply changed its argument")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	m := mappings{{2, position{1, 1}, models}, {5, position{2, 2}, models}}
	for offset, want := range map[int]position{0: {}, 1: {}, 2: {1, 1}, 4: {1, 1}, 5: {2, 2}, 99: {2, 2}} {
		if got, ok := m.find(offset); got != want || ok != (want != position{}) {
			t.Errorf("%d: got %v %v, want %v", offset, got, ok, want)
		}
	}
}
