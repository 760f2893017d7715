package core

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/badger"
	"github.com/codemode-go/codemode/core/journal/memory"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker"
)

// Host owns the journal, the connectors and the policy. It is safe for concurrent use.
type Host struct {
	options  Options
	logger   hclog.Logger
	store    journal.Store
	lease    *lease // on a store that is shared; nil: it is not
	closers  []func() error
	sandbox  sandbox.Sandbox
	pool     *worker.Pool // of the sandbox's children; nil: it has none
	slots    *slots
	registry *registry
	snippets journal.Snippets // nil: the store keeps none
	values   journal.Values   // nil: the store keeps none
	engine   *engine.Engine

	ctx  context.Context // of all passes and rollbacks; ends with engine.ErrStopped
	stop context.CancelCauseFunc
	work sync.WaitGroup // passes, what follows them, and rollbacks

	// locks are held while an execution is taken over, decided on or rolled back, so that each has one owner.
	locks keyedLock

	prunes atomic.Int32 // that are wanted since the one at work has begun; 0: none is

	mu     sync.Mutex // guards active; held to begin work, and to stop
	active map[string]*driven
}

// driven is an execution whose pass runs.
type driven struct {
	x       *engine.Execution
	cancel  context.CancelCauseFunc // ends the pass, and the execution with it
	done    chan struct{}           // closed when outcome and err are set
	outcome *Outcome
	err     error
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// New makes a host. It opens the journal; connectors are started when they are first needed.
func New(ctx context.Context, o Options) (*Host, error) {
	o.Name = cmp.Or(o.Name, "default")
	if !validName.MatchString(o.Name) || o.Name == "." || o.Name == ".." {
		return nil, fmt.Errorf("runtime name %q: only letters, digits, _, - and . are allowed", o.Name)
	}
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	o.CallTimeout = cmp.Or(o.CallTimeout, DefaultCallTimeout)
	o.Source = cmp.Or(o.Source, DefaultSource)
	o.Sandboxes = cmp.Or(o.Sandboxes, DefaultSandboxes)
	o.MaxExecutions = cmp.Or(o.MaxExecutions, DefaultMaxExecutions)
	o.Limits = limitsOver(DefaultLimits, o.Limits)
	o.Queue, o.QueueTimeout = cmp.Or(o.Queue, DefaultQueue), cmp.Or(o.QueueTimeout, DefaultQueueTimeout)
	h := &Host{options: o, logger: o.Logger, store: o.Store, slots: newSlots(o), active: map[string]*driven{}}
	if err := checkModules(o.Modules); err != nil {
		return nil, err
	}
	if err := makeDir(o.Dir); err != nil {
		return nil, err
	}
	registry, err := newRegistry(ctx, o)
	if err != nil {
		return nil, err
	}
	h.registry = registry
	if err := h.openStore(ctx); err != nil {
		return nil, err
	}
	owner := o.Name + "/" + uuid.NewString()
	if h.lease, err = takeLease(ctx, h.store, owner, h.logger); err != nil {
		return nil, errors.Join(err, h.close())
	}
	h.closers = append([]func() error{h.lease.release}, h.closers...) // before the store is closed
	if err := h.openSandbox(); err != nil {
		return nil, errors.Join(err, h.close())
	}
	modules, err := h.compileModules(ctx)
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	registry.modules, registry.snapshot = modules, catalog.New(nil, modules...)
	rules := map[string][]policy.Rule{}
	for _, c := range o.Connectors {
		rules[c.Label] = c.Rules
	}
	judge := policy.New(rules, h.logger)
	registry.judge = judge
	h.snippets, _ = h.store.(journal.Snippets)
	registry.snippets = h.described
	h.values, _ = h.store.(journal.Values)
	registry.values = h.values
	registry.refresh()
	h.engine = engine.New(engine.Options{
		Store: h.store, Sandbox: h.sandbox, Catalog: registry, Connectors: registry, Policy: judge, Schemas: registry, Snippets: h,
		Limits: o.Limits, DynamicCode: o.DynamicCode, Owner: owner, Lease: h.lease.check, Shared: h.lease != nil, Logger: h.logger,
	})
	h.ctx, h.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return h, nil
}

// limitsOver fills the fields that over leaves at zero.
func limitsOver(base, over engine.Limits) engine.Limits {
	base.Wall = cmp.Or(over.Wall, base.Wall)
	base.InFlight = cmp.Or(over.InFlight, base.InFlight)
	base.Value = cmp.Or(over.Value, base.Value)
	b, s := &base.Sandbox, over.Sandbox
	b.CPU = cmp.Or(s.CPU, b.CPU)
	b.Memory = cmp.Or(s.Memory, b.Memory)
	b.Calls = cmp.Or(s.Calls, b.Calls)
	b.Console = cmp.Or(s.Console, b.Console)
	b.Stack = cmp.Or(s.Stack, b.Stack)
	b.Timers = cmp.Or(s.Timers, b.Timers)
	b.Sleep = cmp.Or(s.Sleep, b.Sleep)
	b.Value = cmp.Or(s.Value, b.Value)
	return base
}

// makeDir makes the data folder, which only its owner may enter.
func makeDir(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	return nil
}

// openStore opens the journal in the data folder, or one in memory.
func (h *Host) openStore(ctx context.Context) error {
	switch {
	case h.store != nil:
		return nil
	case h.options.Dir == "":
		store := memory.New()
		h.store, h.closers = store, append(h.closers, store.Close)
		return nil
	}
	dir := journalDir(h.options.Dir, h.options.Name)
	store, err := badger.Open(ctx, badger.Options{Dir: dir, Floor: h.options.MinFree, Logger: h.logger.Named("journal")})
	if err != nil {
		return err
	}
	h.store, h.closers = store, append(h.closers, store.Close)
	h.warnOfDamage()
	return nil
}

// Close stops the host. Calls that have started are awaited to their deadline and recorded; what runs is left for
// a later host, which continues it.
func (h *Host) Close() error {
	h.mu.Lock()
	h.stop(engine.ErrStopped)
	h.mu.Unlock()
	h.work.Wait()
	h.registry.close()
	h.engine.Close()
	return h.close()
}

// close gives back what New has opened.
func (h *Host) close() error {
	var err error
	for _, c := range h.closers {
		err = errors.Join(err, c())
	}
	return err
}

// Run runs a program until it completes, fails or pauses for a person. What goes wrong with the program is in the
// outcome; the error is set where the host itself failed. When ctx ends, the execution is cancelled.
func (h *Host) Run(ctx context.Context, req RunRequest) (*Outcome, error) {
	id := req.ID
	if id == "" {
		made, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("make an execution id: %w", err)
		}
		id = made.String()
	}
	if out := h.checkRequest(id, req); out != nil {
		return out, nil
	}
	free, err := h.slots.admit(ctx)
	switch {
	case errors.Is(err, errBusy):
		return h.busyOutcome(id), nil
	case err != nil:
		return unstartedOutcome(id, err), nil
	}
	defer func() {
		if free != nil {
			free()
		}
	}()
	h.warm()
	h.registry.load(ctx)
	prog, err := h.sandbox.Compile(ctx, program.Source{Text: req.Code, Namespaces: h.registry.methods(), Modules: h.modules()})
	var fault *program.Error
	switch {
	case errors.As(err, &fault):
		return compileOutcome(id, fault), nil
	case err != nil:
		return nil, fmt.Errorf("compile: %w", err)
	}
	seed := make([]byte, 32)
	if _, err := rand.Read(seed); err != nil {
		return nil, fmt.Errorf("draw a seed: %w", err)
	}
	x, err := h.engine.New(engine.Begin{
		ID: id, Source: req.Code, Program: prog, Input: req.Input, Seed: seed,
		Namespaces: h.registry.namespaces(), Connectors: h.registry.recorded(),
		Caller: req.Caller, Labels: req.Labels, Task: req.Task, AskWrites: req.AskWrites,
	})
	if err != nil {
		return nil, err
	}
	d, out, err := h.start(ctx, x, free)
	if out != nil || err != nil {
		return out, err
	}
	free = nil // the pass has it
	select {
	case <-d.done:
	case <-ctx.Done():
		d.cancel(context.Cause(ctx))
		<-d.done
	}
	return d.outcome, d.err
}

// start begins the first pass of a new execution, unless there is one of this id.
func (h *Host) start(ctx context.Context, x *engine.Execution, free func()) (*driven, *Outcome, error) {
	defer h.locks.lock(x.ID())()
	taken := h.running(x.ID()) != nil
	if !taken {
		for _, err := range h.store.Read(context.WithoutCancel(ctx), x.ID(), 0) {
			if err != nil && !errors.Is(err, journal.ErrNotFound) {
				return nil, nil, fmt.Errorf("begin execution %s: %w", x.ID(), err)
			}
			taken = err == nil
			break
		}
	}
	if taken {
		return nil, engine.StateError(x.ID(), "There is an execution of this id already; nothing was run."), nil
	}
	d, err := h.drive(x, free, h.prune)
	return d, nil, err
}

// checkRequest refuses what cannot be recorded, or not now; nil: nothing is wrong.
func (h *Host) checkRequest(id string, req RunRequest) *Outcome {
	if most := h.options.Source; len(req.Code) > most {
		text := fmt.Sprintf("The program is too large to record durably: %d bytes, %d at most. "+
			"Write large data to a file or workspace and pass a reference.", len(req.Code), most)
		return &Outcome{
			Status: string(journal.StatusError), ExecutionID: id, Error: text, ErrorType: engine.ErrorLimit,
			ErrorDetail: &engine.ErrorDetail{Message: text, Limit: "source"},
		}
	}
	if req.Input != nil && !json.Valid(req.Input) {
		return engine.StateError(id, "The input is not JSON.")
	}
	if u, err := uuid.Parse(id); err != nil || u.String() != id || u.Version() != 7 {
		return engine.StateError("", "The execution's id is not a UUIDv7.")
	}
	if err := h.room(); err != nil {
		h.logger.Error("no program begins", "error", err)
		return engine.StateError(id, "Nothing was run: the disk of the host's journal is too full for a program to begin. Whoever runs the host must make room on it.")
	}
	return nil
}

// compileOutcome tells a fault of the program's text. Nothing has started and nothing is recorded.
func compileOutcome(id string, fault *program.Error) *Outcome {
	text := fault.Error()
	if fault.Source != "" {
		text += "\n\n" + fault.Source
	}
	return &Outcome{
		Status: string(journal.StatusError), ExecutionID: id, Error: text, ErrorType: engine.ErrorCompile,
		ErrorDetail: &engine.ErrorDetail{Name: "CompileError", Message: fault.Message, Line: fault.Line, Column: fault.Column},
	}
}

// drive runs a pass on a goroutine of the host's. free gives back the slot that the program has; nil: it has none yet.
// What is to be done after it does not delay its outcome.
func (h *Host) drive(x *engine.Execution, free func(), after ...func()) (*driven, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return nil, engine.ErrStopped
	}
	ctx, cancel := context.WithCancelCause(h.ctx)
	d := &driven{x: x, cancel: cancel, done: make(chan struct{})}
	if err := x.Claim(); err != nil {
		d.outcome = engine.StateError(x.ID(), err.Error())
		cancel(nil)
		close(d.done)
		return d, nil
	}
	h.active[x.ID()] = d
	h.work.Go(func() {
		defer cancel(nil)
		if free == nil {
			free, _ = h.slots.take(ctx) // it fails when ctx ends, which Run knows what to make of
		}
		d.outcome, d.err = x.Run(ctx)
		if free != nil {
			free()
		}
		h.finish(ctx, d)
		for _, f := range after {
			f()
		}
	})
	return d, nil
}

// begin announces work of a caller's that Close waits for. Its context ends with the caller's and with the host.
func (h *Host) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return nil, nil, engine.ErrStopped
	}
	h.work.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.ctx, func() { cancel(engine.ErrStopped) })
	return ctx, func() {
		stop()
		cancel(nil)
		h.work.Done()
	}, nil
}

// finish runs the hooks of a pass that has ended, which have a deadline, and then tells of it. No other lock may be
// wanted under the execution's.
func (h *Host) finish(ctx context.Context, d *driven) {
	defer h.locks.lock(d.x.ID())()
	h.mu.Lock()
	if h.active[d.x.ID()] == d {
		delete(h.active, d.x.ID())
	}
	h.mu.Unlock()
	if d.err == nil {
		h.hook(ctx, d.x)
		h.dateOutcome(d)
	}
	close(d.done)
}

// dateOutcome says, of what waits, until when it does. The hooks come before: the time is counted from the last event.
func (h *Host) dateOutcome(d *driven) {
	if d.outcome == nil {
		return
	}
	d.x.View(func(s *journal.State) {
		for i := range d.outcome.Pending {
			d.outcome.Pending[i].ExpiresAt = h.expiresAt(s)
		}
	})
}

// pruneRest is how long prune rests before it looks again: a listing for each of many that end would cost a tenth of what
// they take in all.
const pruneRest = 100 * time.Millisecond

// prune deletes the executions that have ended and are too old, or beyond the number that is kept. Where it is at work
// already, it looks once more, after a rest that the end of the host cuts short.
func (h *Host) prune() {
	if h.prunes.Add(1) > 1 {
		return
	}
	ctx := context.WithoutCancel(h.ctx) // a host that stops finishes this first
	for {
		wanted := h.prunes.Load()
		if _, err := h.Prune(ctx, h.options.MaxExecutions); err != nil {
			h.logger.Warn("old executions are not deleted", "error", err)
		}
		select {
		case <-time.After(pruneRest):
		case <-h.ctx.Done():
		}
		if h.prunes.CompareAndSwap(wanted, 0) {
			return
		}
	}
}

// running returns the execution's running pass; nil: none runs here.
func (h *Host) running(id string) *driven {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.active[id]
}

// Cancel ends a running execution. It reports whether one was running; while an execution is paused it changes nothing.
func (h *Host) Cancel(id string, cause error) bool {
	d := h.running(id)
	if d == nil {
		return false
	}
	d.cancel(cause)
	return true
}
