package sandbox

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dop251/goja"
)

// timer is what setTimeout and setInterval leave behind. The waiting is a call; an
// interval is a chain of them.
type timer struct {
	id     int64
	frame  *frame
	seq    string // of the call it waits for
	fn     goja.Value
	args   []any
	delay  float64
	repeat bool
}

func (s *session) setTimeout(call goja.FunctionCall) goja.Value {
	return s.setTimer("setTimeout", call, false)
}

func (s *session) setInterval(call goja.FunctionCall) goja.Value {
	return s.setTimer("setInterval", call, true)
}

func (s *session) setTimer(name string, call goja.FunctionCall, repeat bool) goja.Value {
	if s.stopped.Load() {
		return goja.Undefined()
	}
	fn := call.Argument(0)
	if _, ok := goja.AssertFunction(fn); !ok {
		panic(s.realm.typeError(s.vm, name+" takes a function and milliseconds"))
	}
	delay, ok := milliseconds(call.Argument(1))
	if !ok {
		panic(s.realm.typeError(s.vm, name+" was given a delay that is not a number of milliseconds"))
	}
	f := s.frames.current()
	if why := s.refusal(f); why != "" {
		panic(s.realm.typeError(s.vm, why))
	}
	if f.outcome != nil {
		panic(s.realm.typeError(s.vm, "a timer cannot be set in a step whose function has returned"))
	}
	f.timers++
	t := &timer{id: timerID(f), frame: f, fn: fn, delay: delay, repeat: repeat}
	for _, arg := range call.Arguments[min(2, len(call.Arguments)):] {
		t.args = append(t.args, arg)
	}
	s.wait(t)
	return s.vm.ToValue(t.id)
}

// milliseconds reads a delay as browsers do: what is no number or negative is 0.
func milliseconds(v goja.Value) (float64, bool) {
	if goja.IsUndefined(v) {
		return 0, true
	}
	ms := v.ToFloat()
	switch {
	case math.IsNaN(ms) || ms < 0:
		return 0, true
	case ms > math.MaxInt64/float64(time.Millisecond):
		return 0, false
	}
	return math.Trunc(ms), true
}

// timerID numbers the timers of each frame by themselves, for those of a skipped
// step are never set. The ids of different steps are far apart.
func timerID(f *frame) int64 {
	if f.seq == "" {
		return int64(f.timers)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(f.seq))
	return int64(h.Sum32())<<20 + int64(f.timers)
}

// wait issues the call that stands for the timer's delay.
func (s *session) wait(t *timer) {
	limits := s.spec.Limits
	if limits.Timers > 0 && s.timersIn >= limits.Timers {
		s.exceed("timers", fmt.Sprintf("the program set more than %d timers", limits.Timers))
		return
	}
	if limits.Sleep > 0 && t.delay > float64(limits.Sleep/time.Millisecond) {
		s.exceed("sleep", fmt.Sprintf("the program set a timer of %s; the longest is %s",
			time.Duration(t.delay)*time.Millisecond, limits.Sleep))
		return
	}
	args := `{"delay":` + strconv.FormatFloat(t.delay, 'f', -1, 64) + `}`
	p := s.enqueue(t.frame, Call{Connector: Platform, Method: MethodTimer, Args: []byte(args)})
	if p == nil {
		return
	}
	s.timersIn++
	p.timer = t
	t.seq = p.call.Seq
	s.timers[t.id] = t
}

// fire runs the function of a timer that is due. The next round of an interval is
// issued first, so that it stands in the turn before what the function does.
func (s *session) fire(t *timer) error {
	delete(s.timers, t.id)
	if t.repeat {
		if s.wait(t); !s.alive() {
			return nil
		}
	}
	_, err := s.run(t.frame, t.fn, t.args...)
	return err
}

// clearTimer is clearTimeout and clearInterval. An id that is not open is no error.
func (s *session) clearTimer(call goja.FunctionCall) goja.Value {
	if s.stopped.Load() || !goja.IsNumber(call.Argument(0)) {
		return goja.Undefined()
	}
	t := s.timers[call.Argument(0).ToInteger()]
	if t == nil {
		return goja.Undefined()
	}
	f := s.frames.current()
	if f == s.frames.lost {
		panic(s.realm.typeError(s.vm, lostAdvice))
	}
	if !t.frame.within(f) {
		panic(s.realm.typeError(s.vm, "a step cannot clear a timer that was set outside of it: a replay skips the step"))
	}
	s.clear(t)
	return goja.Undefined()
}

func (s *session) clear(t *timer) {
	delete(s.timers, t.id)
	delete(s.pending, t.seq)
	s.turn.Cleared = append(s.turn.Cleared, t.seq)
}

// dropTimers clears what a step leaves behind, in the order it was set.
func (s *session) dropTimers(f *frame) {
	var left []*timer
	for _, t := range s.timers {
		if t.frame == f {
			left = append(left, t)
		}
	}
	slices.SortFunc(left, func(a, b *timer) int { return int(a.id - b.id) })
	for _, t := range left {
		s.clear(t)
	}
}
