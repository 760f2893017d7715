package journal

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

const execution = "01975000-0000-7000-8000-000000000000"

// invent fills a value with random content: absent as often as not, and strings that are no valid UTF-8.
func invent(r *rand.Rand, v reflect.Value, depth int) {
	if v.CanSet() && r.IntN(4) == 0 {
		return
	}
	switch v.Interface().(type) {
	case *time.Time: // absent, or a time: the zero time is as good as absent
		v.Set(reflect.ValueOf(new(at(r.IntN(1e9)))))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<34), r.Int64N(1e9)).UTC()))
		return
	case []byte:
		v.SetBytes([]byte(text(r)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			invent(r, v.Field(i), depth)
		}
	case reflect.Pointer:
		if depth < 5 {
			v.Set(reflect.New(v.Type().Elem()))
			invent(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			invent(r, v.Index(i), depth)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{text(r): text(r), text(r): ""}))
	case reflect.String:
		v.SetString(text(r))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64() - r.Int64())
	default:
		panic(v.Type())
	}
}

func text(r *rand.Rand) string {
	b := make([]byte, 1+r.IntN(40))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

func inventEvent(r *rand.Rand) Event {
	body := newBody(KindBegun + Kind(r.IntN(int(KindHookRound))))
	invent(r, reflect.ValueOf(body).Elem(), 0)
	return Event{Index: r.Int64(), Epoch: r.Uint64(), At: time.Unix(0, r.Int64()).UTC(), Body: body}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[Kind]bool{}
	for range 5000 {
		want := inventEvent(r)
		seen[want.Body.kind()] = true
		data, err := EncodeRecord(execution, want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRecord(execution, data)
		if err != nil {
			t.Fatalf("%s: %v", want.Body.kind(), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		again, err := EncodeRecord(execution, got)
		if err != nil || string(again) != string(data) {
			t.Fatalf("%s: the same event has two forms (%v)", want.Body.kind(), err)
		}
	}
	if len(seen) != int(KindHookRound) {
		t.Errorf("%d kinds were tried of %d", len(seen), KindHookRound)
	}
}

func TestEveryKindHasABody(t *testing.T) {
	t.Parallel()
	for k := range Kind(255) {
		body := newBody(k)
		if known := k >= KindBegun && k <= KindHookRound; (body != nil) != known {
			t.Errorf("kind %d has the body %T", k, body)
		}
		if body != nil && (body.kind() != k || strings.HasPrefix(k.String(), "kind ")) {
			t.Errorf("kind %d is that of %T, and named %s", k, body, k)
		}
	}
	if got := Kind(200).String(); got != "kind 200" {
		t.Errorf("an unknown kind is named %s", got)
	}
}

func TestRecordDetectsEveryFlippedBit(t *testing.T) {
	t.Parallel()
	data, err := EncodeRecord(execution, Event{Index: 3, Epoch: 1, At: at(0), Body: applied})
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(data) * 8 {
		data[bit/8] ^= 1 << (bit % 8)
		if _, err := DecodeRecord(execution, data); err == nil || errors.Is(err, ErrNewer) {
			t.Errorf("bit %d: %v", bit, err)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	for n := range data {
		if _, err := DecodeRecord(execution, data[:n]); err == nil {
			t.Errorf("a record cut after %d bytes was accepted", n)
		}
	}
	if _, err := DecodeRecord("another", data); err == nil {
		t.Error("a record was accepted in another execution's place")
	}
}

// sealed makes a record of any content, with a checksum that fits.
func sealed(version, kind, flags byte, payload []byte) []byte {
	data := append([]byte{version, kind, flags}, make([]byte, 24)...)
	data = append(data, payload...)
	sum := checksum(execution, data)
	return append(data, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

func TestRecordsOfALaterVersion(t *testing.T) {
	t.Parallel()
	more := mustMarshal(t, map[int]any{1: "two", 99: true})
	for name, data := range map[string][]byte{
		"version": sealed(2, byte(KindClaimed), 0, mustMarshal(t, &Claimed{})),
		"kind":    sealed(1, byte(KindHookRound)+1, 0, mustMarshal(t, &Claimed{})),
		"flags":   sealed(1, byte(KindClaimed), 1, mustMarshal(t, &Claimed{})),
		"field":   sealed(1, byte(KindClaimed), 0, more),
	} {
		if _, err := DecodeRecord(execution, data); !errors.Is(err, ErrNewer) {
			t.Errorf("an unknown %s: %v", name, err)
		}
	}
	if _, err := DecodeRecord(execution, sealed(1, byte(KindClaimed), 0, mustMarshal(t, &Claimed{Owner: "two"}))); err != nil {
		t.Errorf("what is known is refused: %v", err)
	}
}

func TestRecordErrorsQuoteNothing(t *testing.T) {
	t.Parallel()
	for _, payload := range [][]byte{
		mustMarshal(t, map[int]any{1: map[string]string{"hunter2": "hunter2"}}),
		mustMarshal(t, "hunter2"),
		[]byte("hunter2"),
	} {
		_, err := DecodeRecord(execution, sealed(1, byte(KindClaimed), 0, payload))
		if err == nil || errors.Is(err, ErrNewer) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestDeepFailures(t *testing.T) {
	t.Parallel()
	chain := func(causes int) *Failure {
		f := &Failure{Message: "the first"}
		for range causes {
			f = &Failure{Message: "then", Cause: f}
		}
		return f
	}
	for _, body := range []func(f *Failure) Body{
		func(f *Failure) Body { return &Outcome{Seq: "0", Failure: f} },
		func(f *Failure) Body { return &Ended{Failure: f} },
		func(f *Failure) Body { return &RevertEnded{Seq: "0", Failure: f} },
	} {
		data, err := EncodeRecord(execution, Event{Epoch: 1, At: at(0), Body: body(chain(MaxCauses))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeRecord(execution, data); err != nil {
			t.Errorf("%T: what was written cannot be read: %v", body(nil), err)
		}
		if _, err := EncodeRecord(execution, Event{Epoch: 1, At: at(0), Body: body(chain(MaxCauses + 1))}); err == nil {
			t.Errorf("%T: a chain without end was accepted", body(nil))
		}
	}
}

func TestLongConsole(t *testing.T) {
	t.Parallel()
	want := Event{Epoch: 1, At: at(0), Body: &PassEnded{Status: "paused", Logs: make([]string, 256<<10)}}
	data, err := EncodeRecord(execution, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRecord(execution, data)
	if err != nil || len(got.Body.(*PassEnded).Logs) != 256<<10 {
		t.Errorf("a quarter million empty lines: %v", err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		e := inventEvent(r)
		f.Add(byte(e.Body.kind()), mustMarshal(f, e.Body))
	}
	f.Add(byte(KindOutcome), []byte{0x9f})
	f.Fuzz(func(t *testing.T, kind byte, payload []byte) {
		_, _ = DecodeRecord(execution, payload)
		_, _ = DecodeHead(execution, payload)
		e, err := DecodeRecord(execution, sealed(1, kind, 0, payload))
		if err != nil {
			return
		}
		data, err := EncodeRecord(execution, e)
		if err != nil {
			return // more causes than are ever written
		}
		if again, err := DecodeRecord(execution, data); err != nil || !cmp.Equal(e, again) {
			t.Errorf("what was decoded encodes to something else: %v", err)
		}
	})
}

func TestHeadRoundTrip(t *testing.T) {
	t.Parallel()
	want := Head{
		ID: execution, Status: StatusPaused, Epoch: 3, Next: 9, Created: at(0), Updated: at(0).Add(17), Title: "a\xff",
		Labels: map[string]string{"a": "b"}, Owner: "one", Waiting: 2, Calls: 4, ErrorText: "no",
	}
	data, err := EncodeHead(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeHead(execution, data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for bit := range len(data) * 8 {
		data[bit/8] ^= 1 << (bit % 8)
		if _, err := DecodeHead(execution, data); err == nil || errors.Is(err, ErrNewer) {
			t.Errorf("bit %d: %v", bit, err)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	if _, err := DecodeHead("another", data); err == nil {
		t.Error("a head was accepted in another execution's place")
	}
}

func mustMarshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
