// Package journaltest holds the tests that every journal.Store, journal.Snippets and journal.Values must pass, and an
// author of journals to test with.
package journaltest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codemode-go/codemode/core/journal"
)

// Run tests a store. open returns an empty one; it is closed by the test, and need not be closed again.
func Run(t *testing.T, open func(t *testing.T) journal.Store) {
	run(t, open, map[string]func(t *testing.T, s journal.Store){
		"what is appended can be read":               testRoundTrip,
		"read starts anywhere":                       testReadFrom,
		"the head is the last batch's":               testHead,
		"an unknown execution":                       testUnknown,
		"appends that do not follow are refused":     testFollow,
		"an unsound batch is refused":                testUnsound,
		"a refused batch leaves nothing":             testAtomic,
		"the writer's memory is its own":             testMemory,
		"a claim fences the former owner":            testClaim,
		"one of many claims wins":                    testClaimRace,
		"listings are newest first":                  testList,
		"listings follow the status":                 testListStatus,
		"listings go on behind a cursor":             testListPages,
		"delete removes one execution":               testDelete,
		"blobs are kept by their hash":               testBlobs,
		"large values":                               testLarge,
		"oversize values are refused without a leak": testOversize,
		"a cancelled append writes nothing":          testCancelled,
		"concurrent writers":                         testConcurrent,
		"a closed store":                             testClosed,
	})
}

func run[S journal.Store](t *testing.T, open func(t *testing.T) S, tests map[string]func(t *testing.T, s S)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			t.Cleanup(func() { must(t, s.Close()) })
			test(t, s)
		})
	}
}

func testRoundTrip(t *testing.T, s journal.Store) {
	a := NewAuthor()
	var want []journal.Event
	for _, b := range []journal.Batch{a.Begin(), a.Write("0"), a.Write("1"), a.End()} {
		put(t, s, b)
		want = append(want, b.Events...)
	}
	equal(t, collect(t, s.Read(t.Context(), a.ID(), 0)), want)
	state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
	must(t, err)
	equal(t, state, a.State)
}

func testReadFrom(t *testing.T, s journal.Store) {
	a := NewAuthor()
	b := a.Begin()
	for n := range 300 {
		b = join(b, a.Write(fmt.Sprint(n)))
	}
	put(t, s, b)
	last := int64(len(b.Events))
	for _, from := range []int64{-1, 0, 1, 255, 256, 257, last - 1, last, last + 1} {
		want := b.Events[min(max(from, 0), last):]
		got := collect(t, s.Read(t.Context(), a.ID(), from))
		if len(got) != len(want) || !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Errorf("from %d: %d events, want %d", from, len(got), len(want))
		}
	}
	for e, err := range s.Read(t.Context(), a.ID(), 3) {
		must(t, err)
		equal(t, e, b.Events[3])
		break // a reader may stop
	}
}

func testHead(t *testing.T, s journal.Store) {
	a := NewAuthor()
	ask := func() journal.Batch { return a.Ask("0") }
	for _, next := range []func() journal.Batch{a.Begin, ask, a.Pause} {
		b := next()
		b.Head.Epoch, b.Head.Next = 77, 77 // the store's to fill in
		put(t, s, b)
		got, err := s.Head(t.Context(), a.ID())
		must(t, err)
		equal(t, got, a.State.Head())
	}
}

func testUnknown(t *testing.T, s journal.Store) {
	put(t, s, NewAuthor().Begin())
	for _, id := range []string{NewID(), "", "no-uuid"} {
		_, err := s.Head(t.Context(), id)
		is(t, err, journal.ErrNotFound)
		is(t, s.Delete(t.Context(), id), journal.ErrNotFound)
		for _, err := range s.Read(t.Context(), id, 0) {
			is(t, err, journal.ErrNotFound)
		}
		_, err = journal.Fold(id, s.Read(t.Context(), id, 0))
		is(t, err, journal.ErrNotFound)
	}
}

func testFollow(t *testing.T, s journal.Store) {
	begun := NewAuthor()
	put(t, s, begun.Begin())
	claimed := NewAuthor()
	put(t, s, claimed.Begin())
	put(t, s, claimed.Claim())

	tests := map[string]struct {
		batch journal.Batch
		want  error
	}{
		"begun twice":                {newAuthor(begun.ID()).Begin(), journal.ErrConflict},
		"a gap":                      {behindGap(begun.fork().Write("0")), journal.ErrConflict},
		"the epoch of a later owner": {inEpoch(2, begun.fork().Write("0")), journal.ErrConflict},
		"a claim of too high epoch":  {inEpoch(3, begun.fork().Claim()), journal.ErrConflict},
		"a claim of the same epoch":  {inEpoch(1, begun.fork().Claim()), journal.ErrFenced},
		"a former owner":             {inEpoch(1, claimed.fork().Write("0")), journal.ErrFenced},
		"a former owner's claim":     {inEpoch(2, claimed.fork().Claim()), journal.ErrFenced},
		"an execution without begin": {withoutBegin(), journal.ErrConflict},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			is(t, s.Append(t.Context(), test.batch), test.want)
		})
	}
	put(t, s, begun.Write("0")) // nothing of all that has harmed them
	put(t, s, claimed.Write("0"))
}

// behindGap leaves out the batch's first event.
func behindGap(b journal.Batch) journal.Batch {
	b.Events = b.Events[1:]
	return b
}

func inEpoch(epoch uint64, b journal.Batch) journal.Batch {
	b.Epoch = epoch
	for i := range b.Events {
		b.Events[i].Epoch = epoch
	}
	return b
}

func withoutBegin() journal.Batch {
	a := NewAuthor()
	a.Begin()
	return a.Write("0")
}

// join makes one batch of two that follow each other.
func join(a, b journal.Batch) journal.Batch {
	b.Events = append(a.Events, b.Events...)
	b.Blobs = append(a.Blobs, b.Blobs...)
	return b
}

func testUnsound(t *testing.T, s journal.Store) {
	a := NewAuthor()
	good := a.Begin()
	tests := map[string]func(b *journal.Batch){
		"no id":                    func(b *journal.Batch) { b.ID = "" },
		"no events":                func(b *journal.Batch) { b.Events = nil },
		"no status":                func(b *journal.Batch) { b.Head.Status = "" },
		"no epoch":                 func(b *journal.Batch) { b.Epoch = 0 },
		"a gap between its events": func(b *journal.Batch) { b.Events[1].Index++ },
		"an event of another epoch": func(b *journal.Batch) {
			b.Events[1].Epoch++
		},
		"no begin": func(b *journal.Batch) { b.Events[0].Body = &journal.PassBegun{Pass: 1} },
		"begun in the middle": func(b *journal.Batch) {
			b.Events[1].Body = &journal.Begun{}
		},
		"a claim in the middle": func(b *journal.Batch) { b.Events[1].Body = &journal.Claimed{} },
		"an event without body": func(b *journal.Batch) { b.Events[1].Body = nil },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			b := good
			b.Events = slices.Clone(good.Events)
			spoil(&b)
			if err := s.Append(t.Context(), b); err == nil {
				t.Error("it was accepted")
			}
			_, err := s.Head(t.Context(), good.ID)
			is(t, err, journal.ErrNotFound)
		})
	}
	put(t, s, good)
}

func testAtomic(t *testing.T, s journal.Store) {
	a := NewAuthor()
	put(t, s, a.Begin())
	b := a.fork().Write("0")
	b.Blobs = [][]byte{[]byte("never stored")}
	b.Events[len(b.Events)-1].Index++
	if s.Append(t.Context(), b) == nil {
		t.Fatal("a batch with a gap was accepted")
	}
	equal(t, len(collect(t, s.Read(t.Context(), a.ID(), 0))), int(a.State.Next))
	_, err := s.Blob(t.Context(), hashOf(b.Blobs[0]))
	is(t, err, journal.ErrNotFound)
}

func testMemory(t *testing.T, s journal.Store) {
	a := NewAuthor()
	put(t, s, a.Begin())
	args, blob := []byte(`{"a":1}`), []byte("blob")
	b := a.fork().Call(&journal.Issued{Seq: "0", Connector: "x", Method: "y", Args: args, Verdict: allow})
	b.Blobs = [][]byte{blob}
	hash := hashOf(blob)
	put(t, s, b)
	copy(args, "XXXXXXX")
	copy(blob, "XXXX")
	events := collect(t, s.Read(t.Context(), a.ID(), a.State.Next))
	equal(t, string(events[0].Body.(*journal.Issued).Args), `{"a":1}`)
	got, err := s.Blob(t.Context(), hash)
	must(t, err)
	equal(t, string(got), "blob")
}

func testClaim(t *testing.T, s journal.Store) {
	a := NewAuthor()
	put(t, s, a.Begin())
	former := a.fork()
	put(t, s, a.Claim())
	is(t, s.Append(t.Context(), former.Write("0")), journal.ErrFenced)
	put(t, s, a.Write("0"))
	head, err := s.Head(t.Context(), a.ID())
	must(t, err)
	equal(t, head.Epoch, 2)
}

func testClaimRace(t *testing.T, s journal.Store) {
	a := NewAuthor()
	put(t, s, a.Begin())
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for i := range errs {
		b := a.fork().Claim()
		wg.Go(func() { errs[i] = s.Append(t.Context(), b) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		is(t, err, journal.ErrFenced)
	}
	equal(t, won, 1)
}

func testList(t *testing.T, s journal.Store) {
	page, err := s.List(t.Context(), journal.Query{})
	must(t, err)
	equal(t, page, journal.Page{})
	var want []journal.Head
	for range 60 {
		a := NewAuthor()
		put(t, s, a.Begin())
		want = append(want, a.State.Head())
	}
	slices.Reverse(want)
	page, err = s.List(t.Context(), journal.Query{})
	must(t, err)
	equal(t, page.Heads, want[:50])
	page, err = s.List(t.Context(), journal.Query{Limit: 100})
	must(t, err)
	equal(t, page, journal.Page{Heads: want})
}

func testListStatus(t *testing.T, s journal.Store) {
	running, paused, ended := NewAuthor(), NewAuthor(), NewAuthor()
	put(t, s, running.Begin())
	put(t, s, paused.Begin())
	put(t, s, paused.Ask("0"))
	put(t, s, paused.Pause())
	put(t, s, ended.Begin())
	put(t, s, ended.End())
	tests := map[string]struct {
		statuses []journal.Status
		want     []string
	}{
		"running":         {[]journal.Status{journal.StatusRunning}, []string{running.ID()}},
		"paused":          {[]journal.Status{journal.StatusPaused}, []string{paused.ID()}},
		"completed":       {[]journal.Status{journal.StatusCompleted}, []string{ended.ID()}},
		"none":            {[]journal.Status{journal.StatusError}, nil},
		"several":         {[]journal.Status{journal.StatusRunning, journal.StatusCompleted}, []string{ended.ID(), running.ID()}},
		"one named twice": {[]journal.Status{journal.StatusPaused, journal.StatusPaused}, []string{paused.ID()}},
		"all":             {nil, []string{ended.ID(), paused.ID(), running.ID()}},
		"no such status":  {[]journal.Status{"no/such"}, nil},
		"an empty status": {[]journal.Status{""}, nil},
		"a prefix of one": {[]journal.Status{"run"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			page, err := s.List(t.Context(), journal.Query{Statuses: test.statuses})
			must(t, err)
			equal(t, idsOf(page.Heads), test.want)
		})
	}
}

func testListPages(t *testing.T, s journal.Store) {
	var want []string
	for n := range 25 {
		a := NewAuthor()
		put(t, s, a.Begin())
		if n%2 == 0 {
			put(t, s, a.End())
		}
		want = append(want, a.ID())
	}
	slices.Reverse(want)
	for _, q := range []journal.Query{
		{Limit: 1}, {Limit: 7}, {Limit: 25},
		{Limit: 5, Statuses: []journal.Status{journal.StatusRunning, journal.StatusCompleted}},
	} {
		var got []string
		for more := true; more; more = q.Cursor != "" {
			page, err := s.List(t.Context(), q)
			must(t, err)
			if len(page.Heads) > q.Limit {
				t.Fatalf("%d heads where %d were asked for", len(page.Heads), q.Limit)
			}
			got = append(got, idsOf(page.Heads)...)
			q.Cursor = page.Next
			put(t, s, NewAuthor().Begin()) // what is newer does not move what follows
		}
		if len(got) < len(want) {
			t.Fatalf("%+v: %d executions", q, len(got))
		}
		equal(t, got[len(got)-len(want):], want)
	}
}

func testDelete(t *testing.T, s journal.Store) {
	a, other := NewAuthor(), NewAuthor()
	b := a.Begin()
	b.Blobs = [][]byte{[]byte("shared")}
	put(t, s, b)
	put(t, s, other.Begin())
	must(t, s.Delete(t.Context(), a.ID()))

	_, err := s.Head(t.Context(), a.ID())
	is(t, err, journal.ErrNotFound)
	is(t, s.Delete(t.Context(), a.ID()), journal.ErrNotFound)
	is(t, s.Append(t.Context(), a.Write("0")), journal.ErrConflict)
	page, err := s.List(t.Context(), journal.Query{})
	must(t, err)
	equal(t, idsOf(page.Heads), []string{other.ID()})
	page, err = s.List(t.Context(), journal.Query{Statuses: []journal.Status{journal.StatusRunning}})
	must(t, err)
	equal(t, idsOf(page.Heads), []string{other.ID()})
	equal(t, len(collect(t, s.Read(t.Context(), other.ID(), 0))), int(other.State.Next))
	_, err = s.Blob(t.Context(), hashOf([]byte("shared")))
	must(t, err)
}

func testBlobs(t *testing.T, s journal.Store) {
	large := bytes.Repeat([]byte("namespace "), 200_000)
	for range 2 { // the second time they are there already
		b := NewAuthor().Begin()
		b.Blobs = [][]byte{[]byte("small"), {}, large}
		put(t, s, b)
		for _, want := range b.Blobs {
			got, err := s.Blob(t.Context(), hashOf(want))
			must(t, err)
			equal(t, bytes.Equal(got, want), true)
		}
	}
	_, err := s.Blob(t.Context(), hashOf([]byte("another")))
	is(t, err, journal.ErrNotFound)
	if _, err := s.Blob(t.Context(), []byte("no hash")); err == nil {
		t.Error("seven bytes are a hash")
	}
}

func testLarge(t *testing.T, s journal.Store) {
	a := NewAuthor()
	put(t, s, a.Begin())
	for n, size := range []int{512<<10 - 200, 512 << 10, 3 << 20, 0} {
		value := bytes.Repeat([]byte{byte('a' + n)}, size)
		put(t, s, a.Call(&journal.Issued{Seq: fmt.Sprint(n), Connector: "x", Method: "y", Args: value, Verdict: allow}))
	}
	many := a.Call(&journal.Issued{Seq: "4", Connector: "x", Method: "y", Verdict: allow})
	for n := 5; n < 17; n++ { // together more than a transaction holds, none alone
		value := bytes.Repeat([]byte{byte('a' + n)}, 400<<10)
		many = join(many, a.Call(&journal.Issued{Seq: fmt.Sprint(n), Connector: "x", Method: "y", Args: value, Verdict: allow}))
	}
	put(t, s, many)
	state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
	must(t, err)
	equal(t, state.Order, a.State.Order)
	for seq, c := range state.Calls {
		if !bytes.Equal(c.Args(), a.State.Calls[seq].Args()) {
			t.Errorf("the arguments of call %s have changed", seq)
		}
	}
}

func testOversize(t *testing.T, s journal.Store) {
	const secret = "hunter2-"
	huge := bytes.Repeat([]byte(secret), (journal.MaxRecord+100)/len(secret))
	a := NewAuthor()
	put(t, s, a.Begin())
	event := a.fork().Call(&journal.Issued{Seq: "0", Connector: "x", Method: "y", Args: huge, Verdict: allow})
	blob := a.fork().Write("0")
	blob.Blobs = [][]byte{huge}
	head := a.fork().Write("0")
	head.Head.Labels = map[string]string{"label": strings.Repeat(secret, journal.MaxHead/len(secret))}
	for name, b := range map[string]journal.Batch{"event": event, "blob": blob, "head": head} {
		err := s.Append(t.Context(), b)
		if _, ok := errors.AsType[*journal.TooLargeError](err); !ok {
			t.Fatalf("%s: %v is not a *TooLargeError", name, err)
		}
		if text := err.Error(); len(text) > 200 || strings.Contains(text, secret[:4]) || strings.Contains(text, "68 75 6e 74") {
			t.Errorf("%s: the error shows the value: %.300s", name, text)
		}
	}
	put(t, s, a.Write("0"))
}

func testCancelled(t *testing.T, s journal.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := NewAuthor()
	is(t, s.Append(ctx, a.Begin()), context.Canceled)
	_, err := s.Head(t.Context(), a.ID())
	is(t, err, journal.ErrNotFound)
}

func testConcurrent(t *testing.T, s journal.Store) {
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			a := NewAuthor()
			errs := []error{s.Append(t.Context(), a.Begin())}
			for n := range 20 {
				stale := a.fork()
				errs = append(errs, s.Append(t.Context(), a.Write(fmt.Sprint(n))))
				// A writer whose batch is refused harms nobody who is written with it.
				if err := s.Append(t.Context(), stale.Write(fmt.Sprint(n))); !errors.Is(err, journal.ErrConflict) {
					t.Errorf("a stale append: %v", err)
				}
			}
			if err := errors.Join(errs...); err != nil {
				t.Errorf("writer %d: %v", w, err)
			}
			state, err := journal.Fold(a.ID(), s.Read(t.Context(), a.ID(), 0))
			if err != nil || !cmp.Equal(state, a.State) {
				t.Errorf("writer %d: reads something else than it wrote (%v)", w, err)
			}
		})
	}
	wg.Wait()
}

func testClosed(t *testing.T, s journal.Store) {
	a := NewAuthor()
	put(t, s, a.Begin())
	must(t, s.Close())
	if err := s.Append(t.Context(), a.Write("0")); err == nil {
		t.Error("an append after Close succeeded")
	}
	must(t, s.Close())
}

var allow = journal.Verdict{Effect: "allow"}

func hashOf(blob []byte) []byte {
	sum := sha256.Sum256(blob)
	return sum[:]
}

func idsOf(heads []journal.Head) (ids []string) {
	for _, h := range heads {
		ids = append(ids, h.ID)
	}
	return ids
}

func collect(t *testing.T, events iter.Seq2[journal.Event, error]) (list []journal.Event) {
	t.Helper()
	for e, err := range events {
		must(t, err)
		list = append(list, e)
	}
	return list
}

func put(t *testing.T, s journal.Store, b journal.Batch) {
	t.Helper()
	must(t, s.Append(t.Context(), b))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v, want %v", err, want)
	}
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not what was expected (-want +got):\n%s", diff)
	}
}
