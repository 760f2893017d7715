package journal

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPortableRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		want := inventEvent(r)
		data, err := EncodePortable(want)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "\n") {
			t.Fatalf("more than a line: %s", data)
		}
		got, err := DecodePortable(data)
		if err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		// An empty slice is stored as none.
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	}
}

func TestPortableContent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ bytes, form string }{
		"an object":        {`{"b":1,"a":"<é>"}`, `"args":{"json":{"b":1,"a":"<é>"}}`},
		"a number":         {`1e400`, `"args":{"json":1e400}`},
		"white space":      {`{ "a": 1 }`, `"args":{"base64":"`},
		"no JSON":          {"\x00\x01", `"args":{"base64":"AAE="}`},
		"no UTF-8":         {"\"\xff\"", `"args":{"base64":"`},
		"a lone surrogate": {`"\ud800"`, `"args":{"json":"\ud800"}`},
		"null":             {`null`, `"args":{"json":null}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := EncodePortable(Event{Epoch: 1, At: at(0), Body: &Issued{Seq: "0", Args: []byte(test.bytes)}})
			if err != nil || !strings.Contains(string(data), test.form) {
				t.Errorf("%s (%v)", data, err)
			}
			e, err := DecodePortable(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Body.(*Issued).Args; string(got) != test.bytes {
				t.Errorf("became %q", got)
			}
		})
	}
}

func TestPortableOfLaterVersions(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"a kind":            `{"index":0,"epoch":1,"at":"2026-11-30T22:00:00Z","kind":"dreamt","body":{}}`,
		"a field":           `{"index":0,"epoch":1,"at":"2026-11-30T22:00:00Z","kind":"doubted","body":{"seq":"0","mood":1}}`,
		"a field of a part": `{"index":0,"epoch":1,"at":"2026-11-30T22:00:00Z","kind":"outcome","body":{"seq":"0","usage":{"gpu":1}}}`,
	}
	for name, line := range tests {
		if _, err := DecodePortable([]byte(line)); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodePortable(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		data, err := EncodePortable(inventEvent(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"kind":"outcome","body":{"failure":{"cause":null}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodePortable(data)
		if err != nil {
			return
		}
		again, err := EncodePortable(e)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodePortable(again); err != nil || !cmp.Equal(e, back, cmpopts.EquateEmpty()) {
			t.Errorf("what was decoded encodes to something else: %v\n%s\n%s", err, data, again)
		}
	})
}
