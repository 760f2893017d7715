package core_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/sandbox"
)

// What is ready at once is delivered in the order in which it is journaled, in the first pass as in every replay.
func TestDeliveriesFollowTheJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`
		const seen = [];
		await Promise.all([1, 2, 3].map((n) => items.add({id: "no number"}).catch(() => seen.push(n))));
		console.log(seen.join(" "));
		await items.remove({id: 1});
		return seen`)
	w.is(out, "paused", "3")
	same(t, "the first pass", out.Logs, []string{"1 2 3"})
	w.is(w.approve(out.ExecutionID), "completed", `[1,2,3]`)
}

// A program that has returned while a call of it waits for a person has not completed.
func TestUnawaitedCallThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1))
	out := w.run(`items.remove({id: 1}); return "done"`)
	w.is(out, "paused", "0")
	if !out.Returned {
		t.Error("the outcome does not say that the program has returned")
	}
	w.effectsAre()
	w.is(w.approve(out.ExecutionID), "completed", `"done"`)
	w.effectsAre("remove 1")
}

// watched is a sandbox that notes how many completions each of its turns was handed.
type watched struct {
	sandbox.Sandbox

	mu    sync.Mutex
	turns []int
}

type watchedSession struct {
	sandbox.Session
	by *watched
}

func (w *watched) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	s, err := w.Sandbox.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns = nil
	return &watchedSession{s, w}, nil
}

func (s *watchedSession) Resume(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	s.by.mu.Lock()
	s.by.turns = append(s.by.turns, len(completions))
	s.by.mu.Unlock()
	return s.Session.Resume(ctx, completions)
}

// A replay hands over what is recorded in one turn, but in several where it is large: a program that read page by
// page must not meet all pages at once.
func TestWindowsOfAReplay(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size  string
		turns []int
	}{
		"small": {"10", []int{24, 1}},
		"large": {"400_000", []int{11, 11, 2, 1}}, // the eleventh goes beyond 8 MiB
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			c, err := blobs(new([]string)).InProcess()
			if err != nil {
				t.Fatal(err)
			}
			box := &watched{Sandbox: sandbox.New()}
			h, err := core.New(ctx, core.Options{Sandbox: box, Connectors: []core.Connector{{Label: "blobs", Connector: c}}})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			out, err := h.Run(ctx, core.RunRequest{Code: `
				for (let i = 0; i < 24; i++) await blobs.read({n: ` + test.size + `});
				await blobs.ask()`})
			if err != nil || out.Status != "paused" {
				t.Fatalf("%v, %+v", err, out)
			}
			out, err = h.Approve(ctx, core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
			if err != nil || out.Status != "completed" {
				t.Fatalf("%v, %+v", err, out)
			}
			if !slices.Equal(box.turns, test.turns) {
				t.Errorf("completions of each turn are %v, not %v", box.turns, test.turns)
			}
		})
	}
}
