package core_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// ledger is the other side of a connector that goes wrong in every way: it knows what was really done, whatever a
// journal says. It outlives hosts.
type ledger struct {
	mu       sync.Mutex // guards all below, which handlers use
	rng      *rand.Rand
	deeds    map[string]*deed // by execution and seq
	disposed []string         // the statuses of Dispose
	dead     chan struct{}    // closed when the process in which handlers work dies
	told     int              // reconciliations that gave an answer
}

// deed is what a call has done.
type deed struct {
	method   string
	args     arguments
	result   value
	times    int // that it took effect
	attempts int // that reached the other side
	undone   int // times
}

func newLedger(seed, n uint64) *ledger {
	return &ledger{rng: rand.New(rand.NewPCG(seed, n)), deeds: map[string]*deed{}, dead: make(chan struct{})}
}

// deed returns what a call has done; nil: nothing.
func (l *ledger) deed(key string) *deed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deeds[key]
}

// die ends the handlers' process where a host's death takes it along.
func (l *ledger) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.dead)
	l.dead = make(chan struct{})
}

// draw draws a number, and tells which process works on what follows.
func (l *ledger) draw(n int) (int, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rng.IntN(n), l.dead
}

// linger works for a while, now and then for longer than a call may.
func (l *ledger) linger(ctx context.Context) error {
	n, dead := l.draw(40)
	wait := time.Duration(n) * time.Millisecond
	if n == 39 {
		wait = time.Hour
	}
	select {
	case <-time.After(wait):
		return nil
	case <-dead:
		return errLost
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *ledger) read(ctx context.Context, in arguments) (value, error) {
	if err := l.linger(ctx); err != nil {
		return value{}, err
	}
	v, _ := l.draw(1000)
	return value{in.K, v}, nil
}

func (l *ledger) fail(ctx context.Context, in arguments) (value, error) {
	if err := l.linger(ctx); err != nil {
		return value{}, err
	}
	return value{}, sdk.Errorf(sdk.Conflict, "no %d", in.K)
}

// write takes effect somewhere in the course of its work, and may fail before and after.
func (l *ledger) write(ctx context.Context, in arguments) (value, error) {
	if err := l.linger(ctx); err != nil {
		return value{}, err
	}
	switch n, _ := l.draw(24); n {
	case 0:
		return value{}, sdk.Errorf(sdk.Conflict, "not done: %d", in.K)
	case 1:
		return value{}, sdk.Errorf(sdk.Internal, "not done, and the host cannot know: %d", in.K)
	case 2:
		l.do(ctx, in)
		return value{}, sdk.Errorf(sdk.Internal, "done, and the host cannot know: %d", in.K)
	}
	v := l.do(ctx, in)
	return v, l.linger(ctx)
}

// do is the effect. What is idempotent is done once for each key.
func (l *ledger) do(ctx context.Context, in arguments) value {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := sdk.CallFrom(ctx)
	d := l.deeds[c.IdempotencyKey]
	if d == nil {
		d = &deed{method: c.Method, args: in, result: value{in.K, l.rng.IntN(1000)}}
		l.deeds[c.IdempotencyKey] = d
	}
	d.attempts++
	if d.times == 0 || c.Method != "twice" {
		d.times++
	}
	return d.result
}

func (l *ledger) undo(ctx context.Context, in arguments, _ value) error {
	if err := l.linger(ctx); err != nil {
		return err
	}
	c := sdk.CallFrom(ctx)
	switch n, _ := l.draw(12); n {
	case 0:
		return sdk.Errorf(sdk.Conflict, "cannot undo %d", in.K)
	default:
		l.mu.Lock()
		if d := l.deeds[c.ExecutionID+"/"+c.Seq]; d != nil {
			d.undone++
		}
		l.mu.Unlock()
	}
	return l.linger(ctx)
}

// look says what became of a call, if it can.
func (l *ledger) look(ctx context.Context, _ arguments) (sdk.Happened[value], error) {
	n, _ := l.draw(6)
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.deeds[sdk.IdempotencyKey(ctx)]
	if n == 0 {
		return sdk.Happened[value]{Answer: sdk.Unknown}, nil
	}
	l.told++
	if d == nil {
		return sdk.Happened[value]{Answer: sdk.No}, nil
	}
	return sdk.Happened[value]{Answer: sdk.Yes, Result: d.result}, nil
}

// connector reaches the ledger over a connection that breaks.
func (l *ledger) connector() (wire.Connector, error) {
	c := &sdk.Connector{Name: "ledger", Version: "1", Methods: []sdk.Method{
		sdk.Func[arguments, value]{Name: "read", Description: "Read.", ReadOnly: true, Call: l.read},
		sdk.Func[arguments, value]{Name: "fail", Description: "Fail.", ReadOnly: true, Call: l.fail},
		sdk.Func[arguments, value]{Name: "write", Description: "Write.", Approval: sdk.NotRequired, Call: l.write, Revert: l.undo},
		sdk.Func[arguments, value]{Name: "gated", Description: "Write what a person allows.", Approval: sdk.Required, Call: l.write, Revert: l.undo},
		sdk.Func[arguments, value]{Name: "twice", Description: "Write, harmlessly twice.", Approval: sdk.NotRequired, Idempotent: true, Call: l.write},
		sdk.Func[arguments, value]{Name: "found", Description: "Write what can be found.", Approval: sdk.NotRequired, Call: l.write, Revert: l.undo, Reconcile: l.look},
	}}
	inner, err := c.InProcess()
	return &breaking{inner, l}, err
}

// breaking is a connector whose connection breaks now and then, before a request arrives or before its answer does.
type breaking struct {
	wire.Connector
	ledger *ledger
}

func (b *breaking) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	return broken(b.ledger, func() (*wire.Result, error) { return b.Connector.Invoke(ctx, call, progress) })
}

func (b *breaking) Revert(ctx context.Context, req *wire.RevertRequest) error {
	_, err := broken(b.ledger, func() (struct{}, error) { return struct{}{}, b.Connector.Revert(ctx, req) })
	return err
}

func (b *breaking) Dispose(ctx context.Context, d *wire.Disposal) error {
	b.ledger.mu.Lock()
	b.ledger.disposed = append(b.ledger.disposed, d.Status)
	b.ledger.mu.Unlock()
	return b.Connector.Dispose(ctx, d)
}

func broken[T any](l *ledger, call func() (T, error)) (T, error) {
	var none T
	n, _ := l.draw(24)
	if n == 0 {
		return none, errLost
	}
	v, err := call()
	if n == 1 {
		return none, errLost
	}
	return v, err
}

func jsonOf(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a value made by a test
	}
	return text
}
