package core_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/core/sandbox"
)

// sick is a store that cannot read one execution, and that tells when it has been listed.
type sick struct {
	journal.Store

	mu     sync.Mutex // guards all below
	broken string
	listed func() // called after the next listing
}

// take returns what is to be called after a listing, once.
func (s *sick) take() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.listed
	s.listed = nil
	return f
}

// fails reports whether an execution cannot be read.
func (s *sick) fails(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return id == s.broken
}

var errSick = errors.New("the disk is sick")

func (s *sick) Read(ctx context.Context, id string, from int64) iter.Seq2[journal.Event, error] {
	if s.fails(id) {
		return func(yield func(journal.Event, error) bool) { yield(journal.Event{}, errSick) }
	}
	return s.Store.Read(ctx, id, from)
}

func (s *sick) List(ctx context.Context, q journal.Query) (journal.Page, error) {
	p, err := s.Store.List(ctx, q)
	if listed := s.take(); listed != nil {
		listed()
	}
	return p, err
}

// An execution in which something happens after it was listed as stale does not expire.
func TestExpiryLooksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &sick{Store: memory.New()}
		w := newWorld(t, newItems(1, 2), func(o *core.Options) { o.Store = store })
		out := w.run(`await items.remove({id: 1}); await items.remove({id: 2})`)
		w.is(out, "paused", "0")
		time.Sleep(48 * time.Hour)
		store.mu.Lock()
		store.listed = func() { w.is(w.approve(out.ExecutionID), "paused", "1") }
		store.mu.Unlock()
		expired, err := w.host.ExpirePaused(context.Background(), core.DefaultExpiry)
		if err != nil || len(expired) != 0 {
			t.Errorf("%v, %v", expired, err)
		}
		w.is(w.approve(out.ExecutionID), "completed", `"removed 2"`)
		w.stop()
	})
}

// An execution that cannot be read keeps no other from expiring, and its error is told.
func TestExpiryOfTheOthers(t *testing.T) {
	t.Parallel()
	store := &sick{Store: memory.New()}
	w := newWorld(t, newItems(1), func(o *core.Options) { o.Store = store })
	var ids []string
	for range 3 {
		ids = append(ids, w.run(`await items.remove({id: 1})`).ExecutionID)
	}
	store.mu.Lock()
	store.broken = ids[1]
	store.mu.Unlock()
	expired, err := w.host.ExpirePaused(context.Background(), 0)
	if !errors.Is(err, errSick) || !strings.Contains(err.Error(), ids[1]) {
		t.Errorf("error %v", err)
	}
	slices.Sort(expired)
	same(t, "expired", expired, []string{ids[0], ids[2]})
}

// choosy is a sandbox that does not start some programs.
type choosy struct{ sandbox.Sandbox }

func (c choosy) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	if strings.Contains(spec.Program.JS, "does not start") {
		return nil, errSick
	}
	return c.Sandbox.Start(ctx, spec)
}

// An execution that cannot be continued keeps no other from being resumed, and its error is told.
func TestResumeOfTheOthers(t *testing.T) {
	t.Parallel()
	it := newItems()
	entered := make(chan struct{})
	it.hook = func(ctx context.Context, _ string, _ int) error {
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, it)
	var wg sync.WaitGroup
	host := w.host
	for _, text := range []string{"one", "does not start", "three"} {
		wg.Go(func() {
			_, err := host.Run(context.Background(), core.RunRequest{Code: `await items.list(); return "` + text + `"`})
			if !errors.Is(err, engine.ErrStopped) {
				t.Errorf("%s: %v", text, err)
			}
		})
		<-entered
	}
	w.stop()
	wg.Wait()
	it.hook = nil
	w.more = func(o *core.Options) { o.Sandbox = choosy{sandbox.New()} }
	w.start()
	outs, err := w.host.ResumeAll(context.Background())
	if !errors.Is(err, errSick) {
		t.Errorf("error %v", err)
	}
	var results []string
	for _, out := range outs {
		results = append(results, string(out.Result))
	}
	slices.Sort(results)
	same(t, "results", results, []string{`"one"`, `"three"`})
}

// Two hosts over one journal: the one that has lost an execution sends nothing more of it.
func TestFencedHostSendsNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	it := newItems(1)
	entered, release := make(chan struct{}), make(chan struct{})
	it.hook = func(_ context.Context, method string, _ int) error {
		if method == "list" && it.called("list") == 1 {
			close(entered)
			<-release
		}
		return nil
	}
	w := newWorld(t, it)
	ended := make(chan error)
	go func() {
		_, err := w.host.Run(ctx, core.RunRequest{Code: `return await Promise.all([items.list().then(() => items.add({id: 9})), items.remove({id: 1})])`})
		ended <- err
	}()
	<-entered
	other := &world{t: t, store: w.store, items: it}
	other.start()
	defer other.stop()
	var pending []core.Pending
	for len(pending) == 0 {
		var err error
		if pending, err = other.host.Pending(ctx, ""); err != nil {
			t.Fatal(err)
		}
	}
	other.is(other.approve(pending[0].ExecutionID), "completed", `["added 9","removed 1"]`)
	close(release)
	if err := <-ended; !errors.Is(err, journal.ErrFenced) {
		t.Errorf("the former owner says %v", err)
	}
	effects := it.effects()
	slices.Sort(effects)
	same(t, "effects", effects, []string{"add 9", "remove 1"})
	w.is(w.approve(pending[0].ExecutionID), "error", engine.ErrorState, "completed")
}

// A host that closes while programs are started: each ends or is told that the host stops, and none meets a closed journal.
func TestCloseWhileProgramsStart(t *testing.T) {
	t.Parallel()
	for range 100 {
		h, err := core.New(context.Background(), core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				_, err := h.Run(context.Background(), core.RunRequest{Code: `return 1`})
				if err != nil && !errors.Is(err, engine.ErrStopped) {
					t.Errorf("error %v", err)
				}
			})
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}
