package core_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/memory"
)

// mute is a shared store that a host does not reach any more with its word that it lives.
type mute struct {
	*memory.Shared
	on atomic.Bool
}

func (m *mute) Renew(ctx context.Context, owner string, ttl time.Duration) error {
	if m.on.Load() {
		return errSick
	}
	return m.Shared.Renew(ctx, owner, ttl)
}

// pair is two hosts that share a store and a connector. The store does not hear the first one while it is mute.
type pair struct {
	a, b *world
	mute *mute
}

func newPair(t *testing.T, it *items) *pair {
	t.Helper()
	shared := memory.NewShared()
	p := &pair{mute: &mute{Shared: shared}}
	p.a = newWorld(t, it, func(o *core.Options) { o.Store = p.mute })
	p.b = newWorld(t, it, func(o *core.Options) { o.Store = shared })
	p.a.store, p.b.store = shared, shared
	return p
}

// held makes the connector hold its next call of a method until the returned function is called.
func held(it *items, method string) (release func()) {
	gate := make(chan struct{})
	it.mu.Lock()
	defer it.mu.Unlock()
	it.hook = func(_ context.Context, called string, _ int) error {
		if called == method {
			<-gate
		}
		return nil
	}
	return func() { close(gate) }
}

// answer is what a run came to.
type answer struct {
	out *core.Outcome
	err error
}

// starts runs a program in the background.
func (w *world) starts(code string) <-chan answer {
	ended := make(chan answer, 1)
	go func() {
		out, err := w.host.Run(context.Background(), core.RunRequest{Code: code})
		ended <- answer{out, err}
	}()
	return ended
}

// only returns the id of the one execution that there is.
func (w *world) only() string {
	w.t.Helper()
	page, err := w.host.Executions(context.Background(), core.ListRequest{})
	if err != nil || len(page.Executions) != 1 {
		w.t.Fatalf("executions: %+v, %v", page, err)
	}
	return page.Executions[0].ID
}

// TestOneHostAtATime: what a host works on is changed by no other that lives.
func TestOneHostAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems(1)
		p := newPair(t, it)
		release := held(it, "add")
		ended := p.a.starts(`await items.add({id: 2}); return "done"`)
		time.Sleep(30 * time.Second) // the lease has been renewed
		id, ctx, by := p.b.only(), context.Background(), core.Decider{By: "ada", Note: "no"}
		texts := map[string]string{}
		keep := func(what, text string, err error) {
			if texts[what] = text; err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		out, err := p.b.host.Resume(ctx, id)
		keep("resume", out.Error, err)
		out, err = p.b.host.Approve(ctx, core.ApproveRequest{ExecutionID: id, All: true, Decider: by})
		keep("approve", out.Error, err)
		out, err = p.b.host.Settle(ctx, core.SettleRequest{ExecutionID: id, Seq: "0", How: core.SettleNotDone, Decider: by})
		keep("settle", out.Error, err)
		reply, err := p.b.host.Reject(ctx, core.RejectRequest{ExecutionID: id, Seq: "0", Decider: by})
		keep("reject", reply.Message, err)
		account, err := p.b.host.Rollback(ctx, core.RollbackRequest{ExecutionID: id})
		keep("rollback", account.Message, err)
		reply, err = p.b.host.Delete(ctx, id)
		keep("delete", reply.Message, err)
		for what, text := range texts {
			if !strings.Contains(text, "Another host works on this execution") {
				t.Errorf("%s says %q", what, text)
			}
		}
		if expired, err := p.b.host.ExpirePaused(ctx, time.Millisecond); err != nil || len(expired) != 0 {
			t.Errorf("expired %v, %v", expired, err)
		}
		if all, err := p.b.host.ResumeAll(ctx); err != nil || len(all) != 0 {
			t.Errorf("resumed %v, %v", all, err)
		}
		release()
		p.a.is((<-ended).out, "completed", `"done"`)
		if r := p.b.rollback(id); !r.Changed {
			t.Errorf("what has ended is anybody's: %+v", r)
		}
		p.a.effectsAre("add 2", "undo added 2")
		p.a.stop()
		p.b.stop()
	})
}

// TestStalledHost: a host that the others take for dead starts nothing more, and what it learns late is not recorded.
func TestStalledHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		p := newPair(t, it)
		release := held(it, "add")
		ended := p.a.starts(`await items.add({id: 1}); return await items.notify({id: 2})`)
		synctest.Wait()
		id := p.b.only()
		p.mute.on.Store(true)
		time.Sleep(20 * time.Second)
		out, err := p.b.host.Resume(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		p.b.is(out, "paused", "0") // in doubt
		release()
		synctest.Wait() // the handler, which its host has given up, has come to its end
		if got := <-ended; !errors.Is(got.err, journal.ErrFenced) {
			t.Errorf("the stalled host says %+v, %v", got.out, got.err)
		}
		p.b.is(p.b.settle(id, "0", core.SettleDone, `"added 1"`), "completed", `"told"`)
		p.a.effectsAre("add 1", "notify 2")
		p.a.stop()
		p.b.stop()
	})
}

// TestLeaseEnds: a host whose lease has ended starts nothing, although no other has come; when it is heard again, it
// goes on.
func TestLeaseEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ code, result string }{
		"write": {`await items.add({id: 1}); return await items.notify({id: 2})`, `"told"`},
		"read":  {`await items.add({id: 1}); return await items.list()`, `[1]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				it := newItems()
				p := newPair(t, it)
				release := held(it, "add")
				ended := p.a.starts(tc.code)
				synctest.Wait()
				p.mute.on.Store(true)
				time.Sleep(20 * time.Second)
				release()
				if got := <-ended; !errors.Is(got.err, engine.ErrLeaseEnded) {
					t.Fatalf("got %+v, %v", got.out, got.err)
				}
				if it.called("notify")+it.called("list") != 0 {
					t.Error("a call was started")
				}
				p.mute.on.Store(false)
				time.Sleep(10 * time.Second)
				out, err := p.a.host.Resume(context.Background(), p.a.only())
				if err != nil {
					t.Fatal(err)
				}
				p.a.is(out, "completed", tc.result)
				if it.called("add") != 1 {
					t.Error("the first call ran twice")
				}
				p.a.stop()
				p.b.stop()
			})
		})
	}
}

// TestRollbackAndTheLease: a rollback, too, ends with the lease, and is carried on by another host.
func TestRollbackAndTheLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		p := newPair(t, it)
		out := p.a.run(`await items.add({id: 1}); await items.add({id: 2})`)
		release := held(it, "revert add")
		ended := make(chan error, 1)
		go func() {
			_, err := p.a.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
			ended <- err
		}()
		time.Sleep(time.Minute / 2)
		r := p.b.rollback(out.ExecutionID)
		if r.Changed || !strings.Contains(r.Message, "Another host works on this execution") {
			t.Errorf("the other host meanwhile: %+v", r)
		}
		p.mute.on.Store(true)
		time.Sleep(20 * time.Second)
		release()
		if err := <-ended; !errors.Is(err, engine.ErrLeaseEnded) {
			t.Errorf("the stalled host says %v", err)
		}
		if r := p.b.rollback(out.ExecutionID); r.Status != "rolled_back" {
			t.Errorf("the other host: %+v", r)
		}
		p.a.effectsAre("add 1", "add 2", "undo added 2", "undo added 1")
		p.a.stop()
		p.b.stop()
	})
}

// TestAdoption: a serving host continues what another leaves behind while it lives.
func TestAdoption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		p := newPair(t, it)
		ctx, cancel := context.WithCancel(context.Background())
		served := make(chan struct{})
		go func() { p.b.host.Maintain(ctx); close(served) }()
		release := held(it, "add")
		ended := p.a.starts(`await items.add({id: 1}); return await items.notify({id: 2})`)
		synctest.Wait()
		go func() { time.Sleep(time.Second); release() }()
		p.a.stop()
		if got := <-ended; !errors.Is(got.err, engine.ErrStopped) {
			t.Errorf("the leaving host says %+v, %v", got.out, got.err)
		}
		time.Sleep(2 * time.Minute)
		id := p.b.only()
		if got := p.b.status(id); got != "completed" {
			t.Errorf("status %s", got)
		}
		p.b.effectsAre("add 1", "notify 2")
		cancel()
		<-served
		p.b.stop()
	})
}

// TestRevertOfAStalledHost: a host that has stalled in the middle of a rollback may be reverting still. Another one says
// that the revert is in doubt only when its deadline has passed.
func TestRevertOfAStalledHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		it := newItems()
		p := newPair(t, it)
		id := p.a.run(`await items.add({id: 2})`).ExecutionID
		release := sync.OnceFunc(held(it, "revert add"))
		defer release()
		began := time.Now()
		stalled := make(chan error, 1)
		go func() {
			_, err := p.a.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: id})
			stalled <- err
		}()
		time.Sleep(time.Second)
		p.mute.on.Store(true)
		time.Sleep(20 * time.Second) // its lease has ended
		account := p.b.rollback(id)
		if took := time.Since(began); took < core.DefaultCallTimeout {
			t.Errorf("after %s: %+v", took, account)
		}
		if err := <-stalled; err != nil { // to have been overtaken is no error
			t.Errorf("the stalled host says %v", err)
		}
		if account := p.b.rollback(id); len(account.InDoubt) != 1 { // whichever of the two has recorded it
			t.Errorf("then: %+v", account)
		}
		release()
		p.mute.on.Store(false)
		p.a.stop()
		p.b.stop()
	})
}
