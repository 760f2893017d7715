package core

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

// hookTime bounds what one hook of one connector may take.
const hookTime = 5 * time.Second

// hook tells every connector, used or not, what has come to an end: the last pass, and the execution if it has ended.
// What a connector answers is logged and changes nothing. The rounds are journaled, so that a later host catches up on
// one that was missed. The caller holds the execution's lock.
func (h *Host) hook(ctx context.Context, x *engine.Execution) {
	var rounds []journal.HookRound
	x.View(func(s *journal.State) { rounds = missedRounds(s) })
	if len(rounds) == 0 || len(h.registry.entries) == 0 {
		return
	}
	for _, round := range rounds {
		h.round(ctx, x.ID(), round)
	}
	if err := x.Hooked(ctx, rounds); err != nil {
		h.logger.Warn("hooks are not recorded, and are repeated later", "execution", x.ID(), "error", err)
	}
}

// missedRounds lists the rounds of hooks that an execution has not had: for its last pass, and for its end.
func missedRounds(s *journal.State) []journal.HookRound {
	var rounds []journal.HookRound
	if s.PassStatus != "" && !s.PassOpen {
		rounds = append(rounds, journal.HookRound{Hook: journal.HookPassEnd, Status: s.PassStatus, Pass: s.Passes})
	}
	if s.Status.Terminal() {
		rounds = append(rounds, journal.HookRound{Hook: journal.HookDispose, Status: string(s.Status)})
	}
	return slices.DeleteFunc(rounds, func(r journal.HookRound) bool { return slices.Contains(s.Hooks, r) })
}

// round carries out one round, all connectors at once. A host that has only decided may not have started them yet.
func (h *Host) round(ctx context.Context, id string, r journal.HookRound) {
	h.registry.load(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	for _, e := range h.registry.entries {
		conn := e.ifLoaded()
		if conn == nil {
			continue
		}
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hookTime)
			defer cancel()
			var err error
			if r.Hook == journal.HookDispose {
				err = conn.Dispose(ctx, &wire.Disposal{ExecutionID: id, Status: r.Status})
			} else {
				err = conn.PassEnded(ctx, &wire.PassEnd{ExecutionID: id, Status: r.Status})
			}
			if err != nil {
				h.logger.Warn("hook failed", "connector", e.Label, "execution", id, "hook", r.Hook, "error", err)
			}
		})
	}
	wg.Wait()
	if r.Hook == journal.HookDispose && h.values != nil {
		if err := h.values.DropValues(context.WithoutCancel(ctx), id); err != nil {
			h.logger.Warn("connectors' values are not dropped", "execution", id, "error", err)
		}
	}
}

// catchUp runs the hooks that a former host missed.
func (h *Host) catchUp(ctx context.Context, id string) error {
	defer h.locks.lock(id)()
	if h.running(id) != nil {
		return nil
	}
	s, err := h.state(ctx, id)
	if err != nil || s.Status == journal.StatusRunning || len(missedRounds(s)) == 0 {
		return err
	}
	x, text, err := h.owner(ctx, id)
	if err != nil || text != "" {
		return err
	}
	h.hook(ctx, x)
	return nil
}

// ifLoaded returns what carries the connector's calls, if it is up.
func (e *entry) ifLoaded() wire.Connector {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.loaded {
		return nil
	}
	return e.Connector.Connector
}
