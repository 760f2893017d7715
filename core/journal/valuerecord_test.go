package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestValueRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range [][]byte{nil, {}, []byte("x"), {0, 0xff}, make([]byte, MaxValue)} {
		data, err := EncodeValue(execution, "tracker", "key", want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeValue(execution, "tracker", "key", data)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes became %d: %v", len(want), len(got), err)
		}
	}
}

func TestDamagedValues(t *testing.T) {
	t.Parallel()
	data, err := EncodeValue(execution, "a", "b c", []byte("hunter2"))
	if err != nil {
		t.Fatal(err)
	}
	const text = `a value of connector "a" of execution ` + execution + ` is damaged: it `
	named := func(what string, err error) {
		t.Helper()
		part, got := damagedPart(err)
		if part != `a value of connector "a"` || !strings.HasPrefix(got, text) || strings.Contains(got, "hunter2") || strings.Contains(got, "b c") {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
	for bit := range len(data) * 8 {
		data[bit/8] ^= 1 << (bit % 8)
		_, err := DecodeValue(execution, "a", "b c", data)
		named("a flipped bit", err)
		data[bit/8] ^= 1 << (bit % 8)
	}
	for n := range data {
		_, err := DecodeValue(execution, "a", "b c", data[:n])
		named("a cut", err)
	}
	for _, place := range [][3]string{{"another", "a", "b c"}, {execution, "a b", "c"}, {execution, "a", "b"}, {execution, `a" "b`, "c"}} {
		if _, err := DecodeValue(place[0], place[1], place[2], data); err == nil {
			t.Errorf("it was accepted at %q", place)
		}
	}
}

func TestValuesOfALaterVersion(t *testing.T) {
	t.Parallel()
	place := valuePlace(execution, "a", "bc")
	for what, data := range map[string][]byte{
		"version": mustSeal(t, place, valueVersion+1, valueContent{}),
		"field":   mustSeal(t, place, valueVersion, map[int]any{1: []byte("x"), 99: true}),
	} {
		_, err := DecodeValue(execution, "a", "bc", data)
		if part, _ := damagedPart(err); !errors.Is(err, ErrNewer) || part != "" || !strings.Contains(err.Error(), `connector "a"`) {
			t.Errorf("an unknown %s: %v", what, err)
		}
	}
}

func TestValueLimits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxKey+1)
	tests := map[string]struct {
		connector, key string
		value          []byte
		want           string // empty: it is taken
	}{
		"the largest": {long[1:], long[1:], make([]byte, MaxValue), ""},
		"a larger value": {
			"a", "b", make([]byte, MaxValue+1),
			`a value of connector "a" takes 1048577 bytes, more than the 1048576 that the journal can keep: keep large data elsewhere and store a reference to it`,
		},
		"a longer key": {
			"a", long, nil,
			`a key of connector "a" takes 513 bytes, more than the 512 that the journal can keep: use a short one, a hash for example`,
		},
		"a longer label": {
			long, "b", nil,
			`the label of connector "` + long[1:] + `" takes 513 bytes, more than the 512 that the journal can keep: give it a short one`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := EncodeValue(execution, test.connector, test.key, test.value)
			if test.want == "" && err == nil {
				return
			}
			if _, ok := errors.AsType[*TooLargeError](err); !ok || err.Error() != test.want {
				t.Errorf("the error is %v", err)
			}
		})
	}
	const want = `connector "a" has 1000 keys for this execution already, which is all that the journal keeps: ` +
		`delete those that are no longer needed, or store several facts under one key`
	if got := (&TooManyKeysError{Connector: "a"}).Error(); got != want {
		t.Errorf("the error is %s", got)
	}
}

func TestDamagedErrorText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]DamagedError{
		"the journal is damaged: why":                             {Cause: "why"},
		"the journal of execution 7 is damaged: why":              {Cause: "why", ID: "7"},
		`version 2 of snippet "a" is damaged: why`:                {Cause: "why", Part: `version 2 of snippet "a"`},
		`a value of connector "a" of execution 7 is damaged: why`: {Cause: "why", Part: `a value of connector "a"`, ID: "7"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzDecodeValue(f *testing.F) {
	f.Add([]byte{valueVersion, 0xa1, 0x01, 0x41, 'x'})
	f.Add([]byte{valueVersion, 0xa1, 0x01, 0x9f})
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = DecodeValue(execution, "a", "bc", data)
		sum := checksum(valuePlace(execution, "a", "bc"), data)
		value, err := DecodeValue(execution, "a", "bc", binary.BigEndian.AppendUint32(slices.Clip(data), sum))
		if part, _ := damagedPart(err); err != nil && part == "" && !errors.Is(err, ErrNewer) {
			t.Errorf("the error is %v", err)
		}
		if len(value) > len(data) {
			t.Errorf("%d bytes hold a value of %d", len(data), len(value))
		}
	})
}
