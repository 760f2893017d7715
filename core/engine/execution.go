package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

// Execution is one execution in the hands of its single owner. Its methods may
// be called at any time, Run by whoever has claimed it.
type Execution struct {
	e *Engine
	// namespaces are pinned: what the program sees in every pass.
	namespaces []sandbox.Namespace
	// wake tells a running pass that a decision has been recorded. Its capacity is 1.
	wake chan struct{}

	mu      sync.Mutex // guards all below; a pass holds it except while it waits or the program runs
	rec     *recorder
	running bool // a pass is claimed, and has not ended
	closing bool // its pass ends it: nothing is decided any more
	news    bool // decisions have been recorded that the pass has not picked up
}

// Begin describes a new execution.
type Begin struct {
	ID         string
	Source     string
	Program    *program.Program
	Input      []byte // JSON; nil is undefined
	Seed       []byte
	Namespaces []sandbox.Namespace
	Connectors []journal.Connector
	Caller     string
	Labels     map[string]string
	Task       string
	AskWrites  bool
}

// New starts a new execution's journal in memory; the first flush of its first pass makes it durable.
func (e *Engine) New(b Begin) (*Execution, error) {
	blob, err := json.Marshal(b.Namespaces)
	if err != nil {
		return nil, fmt.Errorf("encode namespaces: %w", err)
	}
	r := &recorder{
		store: e.Store, now: e.Now, epoch: 1,
		state: journal.NewState(b.ID), blobs: [][]byte{blob},
	}
	var modules []journal.Module
	for _, m := range b.Program.Modules {
		modules = append(modules, journal.Module{Name: m.Name, Hash: m.Hash})
	}
	_, err = r.add(&journal.Begun{
		Source: b.Source, JS: b.Program.JS, Compiler: b.Program.Version, Engine: sandbox.Version,
		Input: b.Input, HasInput: b.Input != nil, Seed: b.Seed,
		Namespaces: sandbox.Digest(blob), Connectors: b.Connectors,
		Caller: b.Caller, Labels: b.Labels, Task: b.Task, AskWrites: b.AskWrites, Owner: e.Owner, Modules: modules,
		DynamicCode: e.DynamicCode,
	})
	if err != nil {
		return nil, err
	}
	return &Execution{e: e, rec: r, namespaces: b.Namespaces, wake: make(chan struct{}, 1)}, nil
}

// Open takes an existing execution over. The takeover becomes durable with the first event that is.
func (e *Engine) Open(ctx context.Context, id string) (*Execution, error) {
	state, err := journal.Fold(id, e.Store.Read(ctx, id, 0))
	if err != nil {
		return nil, err
	}
	blob, err := e.Store.Blob(ctx, state.Begun.Namespaces)
	if err != nil {
		return nil, fmt.Errorf("read the namespaces of execution %s: %w", id, err)
	}
	x := &Execution{e: e, wake: make(chan struct{}, 1)}
	if err := json.Unmarshal(blob, &x.namespaces); err != nil {
		return nil, fmt.Errorf("read the namespaces of execution %s: %w", id, err)
	}
	x.rec = &recorder{
		store: e.Store, now: e.Now, epoch: state.Epoch + 1, state: state,
	}
	if _, err := x.rec.add(&journal.Claimed{Owner: e.Owner}); err != nil {
		return nil, err
	}
	return x, nil
}

// ID returns the execution's id.
func (x *Execution) ID() string { return x.rec.state.ID }

// View calls f with the execution's state, which f must neither keep nor change.
func (x *Execution) View(f func(*journal.State)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f(x.rec.state)
}

// Claim announces a pass, which Run must then drive: from here on the execution counts as running, and every decision
// is picked up by that pass. The error says why no pass can begin; nothing has changed then.
func (x *Execution) Claim() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch s := x.rec.state; {
	case x.running:
		return errors.New("a pass of this execution is running")
	case s.Status.Terminal():
		return fmt.Errorf("the execution is %s: only a paused execution resumes", s.Status)
	case s.RollingBack:
		return errors.New("a rollback holds this execution")
	}
	x.running, x.news = true, true
	return nil
}

// Hooked records, durably, that rounds of hooks have been carried out.
func (x *Execution) Hooked(ctx context.Context, rounds []journal.HookRound) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range rounds {
		if _, err := x.rec.add(&r); err != nil {
			return err
		}
	}
	return x.rec.flush(ctx)
}
