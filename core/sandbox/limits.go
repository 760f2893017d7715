package sandbox

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/dop251/goja"
)

const valueAdvice = "store the data elsewhere and pass a reference to it"

// memoryPoll is how often the heap is looked at while a program runs. A look costs
// a third of a microsecond; ordinary growth between two looks is a few megabytes.
const memoryPoll = 2 * time.Millisecond

// meter adds up the time that a program ran.
type meter struct{ live, replay time.Duration }

func (m *meter) add(replay bool, d time.Duration) {
	if replay {
		m.replay += d
		return
	}
	m.live += d
}

// errLimit is the value that a program is interrupted with.
var errLimit = errors.New("a limit was exceeded")

// exceed ends the program from within a function of the host. The first limit counts.
func (s *session) exceed(limit, message string) {
	if s.turn.Exceeded == nil {
		line, column := s.where()
		s.turn.Exceeded = &Exceeded{Limit: limit, Message: message, Line: line, Column: column}
	}
	s.stopped.Store(true)
	s.vm.Interrupt(errLimit)
}

// exceedAt ends the program where an uncatchable error stopped it.
func (s *session) exceedAt(limit, message string, stack []goja.StackFrame) {
	if s.turn.Exceeded == nil {
		line, column := placeOf(stack)
		s.turn.Exceeded = &Exceeded{Limit: limit, Message: message, Line: line, Column: column}
	}
	s.stopped.Store(true)
}

// timed runs f under the time limit of its part of the pass, the memory limit, and ctx.
func (s *session) timed(ctx context.Context, replay bool, f func() error) error {
	budget, bounded := s.budget(replay)
	if bounded && budget <= 0 {
		s.exceedAt("cpu", s.cpuMessage(replay), nil)
		return nil
	}
	w := s.watch(ctx, budget)
	began := time.Now()
	err := guarded(f)
	s.meter.add(replay, time.Since(began))
	return s.conclude(ctx, w.stop(), replay, err)
}

// budget is the time that is left; false: there is no bound.
func (s *session) budget(replay bool) (time.Duration, bool) {
	limits := s.spec.Limits
	if replay {
		return limits.ReplayCPU - s.meter.replay, limits.ReplayCPU > 0
	}
	return limits.CPU - s.spec.Spent - s.meter.live, limits.CPU > 0
}

func (s *session) cpuMessage(replay bool) string {
	if replay {
		return fmt.Sprintf("the replay of what is recorded took more than %s of computing time", s.spec.Limits.ReplayCPU)
	}
	return fmt.Sprintf("the program used more than %s of computing time", s.spec.Limits.CPU)
}

// guarded keeps a panic of the engine, and an uncatchable error on its way out, from the caller.
func guarded(f func() error) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *goja.InterruptedError:
			err = x
		case *goja.StackOverflowError:
			err = x
		default:
			err = &enginePanic{fmt.Sprint(x)}
		}
	}()
	return f()
}

// enginePanic is a native operation of the engine that has given up. The same program would come to it again, so it is
// the end of the program like a limit, and not a failure of the session.
type enginePanic struct{ text string }

func (p *enginePanic) Error() string { return "the engine panicked: " + p.text }

// tooMuch are the words in which Go says that no memory has room for what an operation asks for.
var tooMuch = regexp.MustCompile(`^runtime error: (makeslice|growslice): |too large|overflow`)

func (p *enginePanic) exceeded() (limit, message string) {
	if tooMuch.MatchString(p.text) {
		return "memory", "the program asked for more memory in one operation than any program can have"
	}
	return "engine", "an operation of the program made the engine fail, which is the engine's fault; write it in another way: " + cut(p.text, maxName)
}

// conclude tells a broken limit, which the turn reports, from a lost session.
func (s *session) conclude(ctx context.Context, why verdict, replay bool, err error) error {
	var stack []goja.StackFrame
	interrupted, isInterrupt := errors.AsType[*goja.InterruptedError](err)
	if isInterrupt {
		stack = interrupted.Stack()
	}
	if s.turn.Diverged != nil || s.turn.Exceeded != nil {
		return nil
	}
	switch why {
	case verdictCancelled:
		return fmt.Errorf("run program: %w", context.Cause(ctx))
	case verdictCPU:
		s.exceedAt("cpu", s.cpuMessage(replay), stack)
		return nil
	case verdictMemory:
		s.exceedAt("memory", fmt.Sprintf("the program used more than %d MiB of memory", s.spec.Limits.Memory>>20), stack)
		return nil
	}
	if failed, ok := errors.AsType[*enginePanic](err); ok {
		limit, message := failed.exceeded()
		s.exceedAt(limit, message, nil)
		return nil
	}
	if deep, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		s.exceedAt("stack", fmt.Sprintf("the program called functions more than %d deep", s.spec.Limits.Stack), deep.Stack())
		return nil
	}
	return err
}

// verdict says why a watch interrupted a program.
type verdict int

const (
	verdictNone verdict = iota
	verdictCancelled
	verdictCPU
	verdictMemory
)

// watch interrupts a program. It is armed while the program runs. It is made of timers and not of a goroutine, for most
// turns are over before any of them fires, and to start and stop a goroutine would cost more than they do.
type watch struct {
	s     *session
	mu    sync.Mutex // held by whatever fires, so that stop waits for it
	quit  []func() bool
	poll  *time.Timer // of the heap
	ended bool
	why   verdict
}

func (s *session) watch(ctx context.Context, budget time.Duration) *watch {
	w := &watch{s: s}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Done() != nil {
		w.quit = append(w.quit, context.AfterFunc(ctx, func() { w.interrupt(verdictCancelled) }))
	}
	if budget > 0 {
		w.quit = append(w.quit, time.AfterFunc(budget, func() { w.interrupt(verdictCPU) }).Stop)
	}
	if s.spec.Limits.Memory > 0 {
		w.poll = time.AfterFunc(memoryPoll, w.look)
		w.quit = append(w.quit, w.poll.Stop)
	}
	return w
}

// interrupt ends the program, unless it is at its end or being ended already.
func (w *watch) interrupt(why verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(why)
}

func (w *watch) end(why verdict) {
	if w.ended {
		return
	}
	w.ended, w.why = true, why
	w.s.stopped.Store(true)
	w.s.vm.Interrupt(errLimit)
}

// look looks at the heap, and has itself called again.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	if w.s.heap.over(w.s.spec.Limits.Memory) {
		w.end(verdictMemory)
		return
	}
	w.poll.Reset(memoryPoll)
}

// stop ends the watch and says whether it has interrupted the program.
func (w *watch) stop() verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	for _, quit := range w.quit {
		quit()
	}
	return w.why
}

// heapShare is one session's part in the process's heap, which is all that can be
// measured: the heap may grow by the limit for every open session.
type heapShare struct{ closed bool }

var openHeaps struct {
	sync.Mutex
	sessions int
	base     uint64 // of the heap when there was no session
}

func openHeap() *heapShare {
	openHeaps.Lock()
	defer openHeaps.Unlock()
	if openHeaps.sessions == 0 {
		openHeaps.base = LiveHeap()
	}
	openHeaps.sessions++
	return &heapShare{}
}

func (h *heapShare) close() {
	openHeaps.Lock()
	defer openHeaps.Unlock()
	if !h.closed {
		h.closed = true
		openHeaps.sessions--
	}
}

// over reports whether live memory is beyond the limit. What is only garbage is collected first.
func (h *heapShare) over(limit int64) bool {
	openHeaps.Lock()
	allowed := openHeaps.base + uint64(limit)*uint64(max(1, openHeaps.sessions))
	openHeaps.Unlock()
	if LiveHeap() <= allowed {
		return false
	}
	runtime.GC()
	return LiveHeap() > allowed
}

// LiveHeap is how many bytes of this process's heap are in use, garbage that is not collected yet included; 0: not known.
func LiveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
