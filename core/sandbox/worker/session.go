package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/codemode-go/codemode/core/sandbox"
)

// session is one pass of a program in a child. It remembers what it has handed over, so that it can bring another
// child to the same place.
type session struct {
	pool  *Pool
	spec  sandbox.Spec
	child *child // nil: none has begun, or the last one died

	began     bool // a turn has been taken
	delivered []sandbox.Completion
	issued    map[string]sandbox.Call // by seq, without their arguments
	usage     sandbox.Usage           // at the end of the last turn
	base      time.Duration           // computing time in former children, replays not counted
	died      bool                    // a child has died
	diedAt    int                     // with so many completions delivered
	over      error                   // why the session cannot go on
	closed    bool
}

var _ sandbox.Session = (*session)(nil)

// Why a session has ended that told it in a turn.
var (
	errDiverged = errors.New("the replay diverged")
	errExceeded = errors.New("a limit was exceeded")
)

func (s *session) Resume(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	if s.closed {
		return sandbox.Turn{}, errors.New("resume session: it is closed")
	}
	if s.over != nil {
		return sandbox.Turn{}, fmt.Errorf("resume session: it has ended: %w", s.over)
	}
	turn, err := s.advance(ctx, completions)
	var dead *death
	for errors.As(err, &dead) && ctx.Err() == nil {
		s.child = nil
		s.pool.options.Logger.Warn("a sandbox process ended under a program", "error", dead)
		if x := s.blame(dead, completions); x != nil {
			s.over = errExceeded
			return sandbox.Turn{Exceeded: x, Usage: s.usage}, nil
		}
		turn, err = s.again(ctx, completions)
	}
	if err != nil {
		s.over = err
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return sandbox.Turn{}, fmt.Errorf("run program: %w", err)
	}
	s.took(completions, &turn)
	return turn, nil
}

// blame says which limit of the program's ended the child; nil: the program has broken none, as far as is known.
func (s *session) blame(dead *death, completions []sandbox.Completion) *sandbox.Exceeded {
	if errors.Is(dead, errSlow) {
		return exceeded("cpu", s.spec.Limits, s.where(completions))
	}
	if dead.limit != "" {
		return exceeded(dead.limit, s.spec.Limits, s.where(completions))
	}
	if s.died && s.diedAt == len(s.delivered) {
		return &sandbox.Exceeded{
			Limit:   "process",
			Message: "the process that ran the program ended twice at the same place, and the program broke no limit that is known" + s.where(completions) + ": " + dead.state,
		}
	}
	s.died, s.diedAt = true, len(s.delivered)
	return nil
}

// where tells what is known of the place at which a child died: nobody can ask it any more.
func (s *session) where(completions []sandbox.Completion) string {
	all := slices.Concat(s.delivered, completions)
	if len(all) == 0 {
		return ", before the outcome of any call"
	}
	c := s.issued[all[len(all)-1].Seq]
	if c.Line == 0 {
		return ""
	}
	return fmt.Sprintf(", after the outcome of %s.%s (line %d, column %d)", c.Connector, c.Method, c.Line, c.Column)
}

// advance hands over what comes next.
func (s *session) advance(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	if s.child != nil {
		return s.exchange(ctx, s.spec, &resume{Completions: completions}, len(s.delivered), s.usage)
	}
	var err error
	if s.child, err = s.pool.acquire(ctx); err != nil {
		return sandbox.Turn{}, err
	}
	return s.exchange(ctx, s.spec, &resume{Start: &s.spec, Completions: completions}, 0, sandbox.Usage{})
}

// again brings a new child to where the last one died, and hands over what comes next.
func (s *session) again(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	var err error
	if s.child, err = s.pool.replace(ctx); err != nil {
		return sandbox.Turn{}, err
	}
	if !s.began {
		return s.exchange(ctx, s.spec, &resume{Start: &s.spec, Completions: completions}, 0, sandbox.Usage{})
	}
	spec := s.spec
	spec.Spent += s.usage.CPU
	spec.Replayed = max(spec.Replayed, len(s.delivered))
	if spec.Limits.ReplayCPU > 0 {
		spec.Limits.ReplayCPU += replayBound * s.usage.CPU
	}
	s.base = s.usage.CPU
	start := &resume{Start: &spec}
	for done, rest := 0, s.delivered; start.Start != nil || len(rest) > 0; {
		start.Completions, rest = window(rest)
		turn, err := s.exchange(ctx, spec, start, done, sandbox.Usage{})
		if err != nil || turn.Diverged != nil || turn.Exceeded != nil {
			return turn, err
		}
		done += len(start.Completions)
		start = &resume{}
	}
	return s.exchange(ctx, spec, &resume{Completions: completions}, len(s.delivered), sandbox.Usage{})
}

// replayBound is how many times its first cost the repetition of a program's work may cost.
const replayBound = 4

// exchange has the child run the program for one turn.
func (s *session) exchange(ctx context.Context, spec sandbox.Spec, r *resume, delivered int, used sandbox.Usage) (sandbox.Turn, error) {
	res, err := s.child.exchange(ctx, patience(spec, delivered, used, s.pool.grace), request{Resume: r})
	if err != nil {
		return sandbox.Turn{}, err
	}
	turn, err := answered(res, res.Turn)
	if err == nil {
		err = sound(turn)
	}
	if errors.Is(err, errFrame) {
		return sandbox.Turn{}, s.child.end(err)
	}
	if err != nil {
		s.pool.discard(s.child)
		s.child = nil
		return sandbox.Turn{}, err
	}
	return *turn, nil
}

// patience is how long a turn may take: the program's own limits, at which the child most often ends it by itself, and
// a grace. 0: there is no limit.
func patience(spec sandbox.Spec, delivered int, used sandbox.Usage, grace time.Duration) time.Duration {
	l := spec.Limits
	if l.CPU == 0 {
		return 0
	}
	limit := max(0, l.CPU-spec.Spent-used.CPU)
	if delivered < spec.Replayed {
		if l.ReplayCPU == 0 {
			return 0
		}
		limit += max(0, l.ReplayCPU-used.Replay)
	}
	return limit + grace
}

// took notes what was handed over and what came of it.
func (s *session) took(completions []sandbox.Completion, turn *sandbox.Turn) {
	s.began = true
	turn.Usage.CPU += s.base
	s.usage = turn.Usage
	for _, c := range turn.Calls {
		c.Args = nil
		s.issued[c.Seq] = c
	}
	for _, c := range completions {
		if c.Digest == nil {
			c.Digest = s.issued[c.Seq].Digest
		}
		s.delivered = append(s.delivered, c)
	}
	switch {
	case turn.Diverged != nil:
		s.over = errDiverged
	case turn.Exceeded != nil:
		s.over = errExceeded
	default:
		return
	}
	if s.child != nil {
		s.pool.discard(s.child)
		s.child = nil
	}
}

// Close gives the child back. It never fails and may be called again.
func (s *session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.child != nil && s.over == nil {
		s.pool.release(s.child)
	} else if s.child != nil {
		s.pool.discard(s.child)
	}
	s.child, s.delivered, s.issued = nil, nil, nil
	return nil
}

// windowBytes bounds what is handed to a new child at once.
const windowBytes = 8 << 20

// window takes what is handed over at once.
func window(all []sandbox.Completion) (first, rest []sandbox.Completion) {
	size := 0
	for i, c := range all {
		if size > windowBytes {
			return all[:i], all[i:]
		}
		size += len(c.Value)
	}
	return all, nil
}
