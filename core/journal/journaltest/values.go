package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core/journal"
)

// ValueStore is a store that keeps connectors' values, too.
type ValueStore interface {
	journal.Store
	journal.Values
}

// RunValues tests a store's values. open is as for Run.
func RunValues(t *testing.T, open func(t *testing.T) ValueStore) {
	run(t, open, map[string]func(t *testing.T, s ValueStore){
		"values follow every change":            testValueModel,
		"values are kept apart":                 testValuesApart,
		"what is not there":                     testNoValue,
		"values go with their execution":        testValuesGo,
		"values that are too large are refused": testOversizeValue,
		"a connector has so many keys":          testTooManyKeys,
		"one of many writers gets the last key": testKeyRace,
		"the writer's memory is its own":        testValueMemory,
		"a cancelled change changes nothing":    testCancelledValue,
		"a closed store":                        testClosedValues,
	})
}

// place is where a value is stored.
type place struct{ id, connector, key string }

// testValueModel makes random changes, and holds what is stored against a map.
func testValueModel(t *testing.T, s ValueStore) {
	r := rand.New(rand.NewPCG(1, 2))
	ids := []string{begin(t, s), begin(t, s)}
	sizes := []int{0, 1, 300, 512<<10 - 50, 512 << 10, 700 << 10, journal.MaxValue}
	want := map[place][]byte{}
	for n := range 150 {
		p := place{ids[r.IntN(2)], []string{"a", "ab"}[r.IntN(2)], []string{"", "k", "bk"}[r.IntN(3)]}
		switch r.IntN(10) {
		case 0:
			must(t, s.DropValues(t.Context(), p.id))
			for q := range want {
				if q.id == p.id {
					delete(want, q)
				}
			}
		case 1, 2:
			must(t, s.DeleteValue(t.Context(), p.id, p.connector, p.key))
			delete(want, p)
		default:
			want[p] = bytes.Repeat([]byte{byte(n)}, sizes[r.IntN(len(sizes))])
			must(t, s.PutValue(t.Context(), p.id, p.connector, p.key, want[p]))
		}
		q := place{p.id, []string{"a", "ab"}[r.IntN(2)], []string{"", "k", "bk"}[r.IntN(3)]}
		for _, p := range []place{p, q} {
			holds(t, s, p, want)
		}
	}
}

// holds checks one place against what is stored in all.
func holds(t *testing.T, s ValueStore, p place, all map[place][]byte) {
	t.Helper()
	want, stored := all[p]
	got, found, err := s.Value(t.Context(), p.id, p.connector, p.key)
	must(t, err)
	if found != stored || !bytes.Equal(got, want) {
		t.Fatalf("%q: %d bytes (found: %v), want %d (%v)", p, len(got), found, len(want), stored)
	}
}

func testValuesApart(t *testing.T, s ValueStore) {
	want := map[place][]byte{}
	texts := []string{"", "a", "aa", "a\x00", "a\x00\x00", "a/b", "\x00", "\xff", strings.Repeat("k", journal.MaxKey)}
	for _, id := range []string{begin(t, s), begin(t, s)} {
		for _, connector := range texts {
			for _, key := range texts {
				p := place{id, connector, key}
				want[p] = fmt.Appendf(nil, "%q", p)
				if key == "a" {
					want[p] = bytes.Repeat(want[p], 60_000)[:600<<10]
				}
				must(t, s.PutValue(t.Context(), id, connector, key, want[p]))
			}
		}
	}
	n := 0
	for p := range want {
		if n++; n%3 == 0 {
			must(t, s.DeleteValue(t.Context(), p.id, p.connector, p.key))
			delete(want, p)
			holds(t, s, p, want)
		}
	}
	for p := range want {
		holds(t, s, p, want)
	}
}

func testNoValue(t *testing.T, s ValueStore) {
	id := begin(t, s)
	for _, id := range []string{id, NewID(), "", "no-uuid"} {
		for range 2 {
			holds(t, s, place{id, "tracker", "key"}, nil)
			must(t, s.DeleteValue(t.Context(), id, "tracker", "key"))
			must(t, s.DropValues(t.Context(), id))
		}
	}
	long := strings.Repeat("k", 70_000)
	holds(t, s, place{id, long, long}, nil)
	must(t, s.DeleteValue(t.Context(), id, long, long))
}

func testValuesGo(t *testing.T, s ValueStore) {
	a, other := NewAuthor(), begin(t, s)
	want := map[place][]byte{}
	for _, id := range []string{a.ID(), other} {
		for _, key := range []string{"x", "y"} { // a connector may be called before anything is written
			want[place{id, "tracker", key}] = bytes.Repeat([]byte(key), 600<<10)
			must(t, s.PutValue(t.Context(), id, "tracker", key, want[place{id, "tracker", key}]))
		}
	}
	put(t, s, a.Begin())
	for p := range want {
		holds(t, s, p, want)
	}
	must(t, s.Delete(t.Context(), a.ID()))
	for _, key := range []string{"x", "y"} {
		delete(want, place{a.ID(), "tracker", key})
		holds(t, s, place{a.ID(), "tracker", key}, want)
		holds(t, s, place{other, "tracker", key}, want)
	}
}

func testOversizeValue(t *testing.T, s ValueStore) {
	const secret = "hunter2-"
	id := begin(t, s)
	long, huge := strings.Repeat(secret, journal.MaxKey/len(secret)+1), bytes.Repeat([]byte(secret), journal.MaxValue/len(secret)+1)
	before := map[place][]byte{{id, "tracker", "key"}: []byte("kept")}
	must(t, s.PutValue(t.Context(), id, "tracker", "key", []byte("kept")))
	for what, p := range map[string]struct {
		connector, key string
		value          []byte
		limit          int
	}{
		"a value of": {"tracker", "key", huge, journal.MaxValue},
		"a key of":   {"tracker", long, nil, journal.MaxKey},
		"the label":  {long, "key", nil, journal.MaxKey},
	} {
		err := s.PutValue(t.Context(), id, p.connector, p.key, p.value)
		large, ok := errors.AsType[*journal.TooLargeError](err)
		if !ok || !strings.HasPrefix(large.What, what) || large.Limit != p.limit || large.Advice == "" {
			t.Fatalf("%s: the error is %v", what, err)
		}
		if text := err.Error(); len(text) > 800 || p.connector == "tracker" && strings.Contains(text, secret) {
			t.Errorf("%s: the error shows the value: %.300s", what, text)
		}
	}
	holds(t, s, place{id, "tracker", "key"}, before)
}

func testTooManyKeys(t *testing.T, s ValueStore) {
	id := begin(t, s)
	fill(t, s, id, journal.MaxKeys-1)
	must(t, s.PutValue(t.Context(), id, "tracker", "7", make([]byte, journal.MaxValue))) // in place of another
	must(t, s.PutValue(t.Context(), id, "tracker", "the last", nil))
	full := func(key string) {
		t.Helper()
		err := s.PutValue(t.Context(), id, "tracker", key, nil)
		if many, ok := errors.AsType[*journal.TooManyKeysError](err); !ok || many.Connector != "tracker" {
			t.Fatalf("the error is %v", err)
		}
	}
	full("one more")
	holds(t, s, place{id, "tracker", "one more"}, nil)
	must(t, s.PutValue(t.Context(), id, "tracker", "8", []byte("in place of another")))
	must(t, s.PutValue(t.Context(), id, "track", "one more", nil))
	must(t, s.PutValue(t.Context(), begin(t, s), "tracker", "one more", nil))
	full("one more")
	must(t, s.DeleteValue(t.Context(), id, "tracker", "7"))
	must(t, s.PutValue(t.Context(), id, "tracker", "one more", nil))
	full("7")
	must(t, s.DropValues(t.Context(), id))
	must(t, s.PutValue(t.Context(), id, "tracker", "7", nil))
}

// fill stores small values under the first keys.
func fill(t *testing.T, s ValueStore, id string, keys int) {
	t.Helper()
	const writers = 50 // who share the syncs
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := w; n < keys; n += writers {
				if err := s.PutValue(t.Context(), id, "tracker", fmt.Sprint(n), []byte("v")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func testKeyRace(t *testing.T, s ValueStore) {
	id := begin(t, s)
	fill(t, s, id, journal.MaxKeys-1)
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = s.PutValue(t.Context(), id, "tracker", fmt.Sprint("last ", i), nil) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if _, ok := errors.AsType[*journal.TooManyKeysError](err); !ok {
			t.Errorf("the error is %v", err)
		}
	}
	equal(t, won, 1)
}

func testValueMemory(t *testing.T, s ValueStore) {
	p := place{begin(t, s), "tracker", "key"}
	want := map[place][]byte{p: []byte("value")}
	value := []byte("value")
	must(t, s.PutValue(t.Context(), p.id, p.connector, p.key, value))
	copy(value, "XXXXX")
	got, _, err := s.Value(t.Context(), p.id, p.connector, p.key)
	must(t, err)
	copy(got, "YYYYY")
	holds(t, s, p, want)
}

func testCancelledValue(t *testing.T, s ValueStore) {
	p := place{begin(t, s), "tracker", "key"}
	want := map[place][]byte{p: []byte("kept")}
	must(t, s.PutValue(t.Context(), p.id, p.connector, p.key, want[p]))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	is(t, s.PutValue(ctx, p.id, p.connector, p.key, []byte("new")), context.Canceled)
	is(t, s.DeleteValue(ctx, p.id, p.connector, p.key), context.Canceled)
	is(t, s.DropValues(ctx, p.id), context.Canceled)
	_, _, err := s.Value(ctx, p.id, p.connector, p.key)
	is(t, err, context.Canceled)
	holds(t, s, p, want)
}

func testClosedValues(t *testing.T, s ValueStore) {
	id := begin(t, s)
	must(t, s.Close())
	for _, err := range []error{
		s.PutValue(t.Context(), id, "tracker", "key", nil),
		s.DeleteValue(t.Context(), id, "tracker", "key"),
		s.DropValues(t.Context(), id),
	} {
		if err == nil {
			t.Error("a change after Close succeeded")
		}
	}
}

// begin begins an execution and returns its id.
func begin(t *testing.T, s journal.Store) string {
	t.Helper()
	a := NewAuthor()
	put(t, s, a.Begin())
	return a.ID()
}
