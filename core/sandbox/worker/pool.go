package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// Pool is a sandbox that runs programs in children. It can be used from several goroutines; each of its sessions by
// one at a time.
type Pool struct {
	options Options
	hard    setup
	spawner *walls.Spawner
	grace   time.Duration // that a turn may take beyond its program's limits

	ctx  context.Context // of the work that nobody waits for
	stop context.CancelCauseFunc
	work sync.WaitGroup

	mu       sync.Mutex
	idle     []resting
	starting int // children that come to be idle
}

// resting is a child that nothing runs in.
type resting struct {
	*child
	since time.Time
}

var errClosed = errors.New("the sandbox is closed")

// restTime is how long a child beyond those that stand ready is kept for the next rush.
const restTime = time.Minute

// Close lets the children go that nothing runs in. Sessions are to be closed before.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.stop(errClosed)
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		c.dismiss()
	}
	p.work.Wait()
	p.spawner.Close()
	return nil
}

// Walls starts a child if need be and tells which layers hold in it.
func (p *Pool) Walls(ctx context.Context) ([]walls.Layer, error) {
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer p.keep(c)
	return slices.Clone(c.walls), nil
}

// acquire returns a child for one use.
func (p *Pool) acquire(ctx context.Context) (*child, error) { return p.use(p.take(ctx)) }

// replace returns a new child for a program under which one has died: what ended that one may have ended all that rest.
func (p *Pool) replace(ctx context.Context) (*child, error) { return p.use(p.spawn(ctx)) }

// use counts a child's use, unless nothing may run in it.
func (p *Pool) use(c *child, err error) (*child, error) {
	if err != nil {
		return nil, err
	}
	if missing := walls.Missing(c.walls); p.options.RequireWalls && len(missing) > 0 {
		p.keep(c)
		return nil, fmt.Errorf("programs are not run, for not all walls of the sandbox hold here: %s", inWords(missing))
	}
	c.uses++
	return c, nil
}

func inWords(missing []walls.Layer) string {
	var words []string
	for _, l := range missing {
		words = append(words, l.Name+" ("+l.Why+")")
	}
	return strings.Join(words, ", ")
}

// take returns an idle child, or a new one.
func (p *Pool) take(ctx context.Context) (*child, error) {
	p.mu.Lock()
	if p.ctx.Err() != nil {
		p.mu.Unlock()
		return nil, errClosed
	}
	for len(p.idle) > 0 {
		last := len(p.idle) - 1
		c := p.idle[last]
		p.idle = p.idle[:last]
		if c.alive() {
			p.refill()
			p.mu.Unlock()
			return c.child, nil
		}
		p.options.Logger.Warn("an idle sandbox process ended", "error", c.end(errors.New("nothing ran in it")))
	}
	p.mu.Unlock()
	return p.spawn(ctx)
}

func (p *Pool) spawn(ctx context.Context) (*child, error) {
	return spawn(ctx, p.spawner, p.options.Binary, p.hard)
}

// Warm has the children started that stand ready; it does not wait for them.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() == nil {
		p.refill()
	}
}

// refill starts what is missing of the children that stand ready. The caller holds the lock.
func (p *Pool) refill() {
	for ; len(p.idle)+p.starting < p.options.Warm; p.starting++ {
		p.work.Go(func() {
			c, err := p.spawn(p.ctx)
			p.mu.Lock()
			p.starting--
			p.mu.Unlock()
			switch {
			case err == nil:
				p.keep(c)
			case p.ctx.Err() == nil:
				p.options.Logger.Warn("no sandbox process stands ready", "error", err)
			}
		})
	}
}

// release ends the session in a child, and keeps the child if it is as good as new.
func (p *Pool) release(c *child) {
	p.mu.Lock()
	if p.ctx.Err() != nil {
		p.mu.Unlock()
		c.dismiss()
		return
	}
	defer p.mu.Unlock()
	p.work.Go(func() {
		res, err := c.exchange(p.ctx, closeTime, request{Close: true})
		if err != nil {
			p.options.Logger.Warn("a sandbox process did not come to rest", "error", err)
			return
		}
		rest, err := answered(res, res.Closed)
		if err != nil || rest.Heap > grownHeap || rest.CPU > p.hard.CPU/2 {
			c.dismiss()
			return
		}
		p.keep(c)
	})
}

const (
	// closeTime is how long a child may take to clean up.
	closeTime = 10 * time.Second
	// grownHeap is the live heap of a child that has kept something of its programs.
	grownHeap = 64 << 20
)

// keep makes a child idle, or lets it go when it has been used often enough.
func (p *Pool) keep(c *child) {
	p.mu.Lock()
	worn := c.uses >= p.options.Reuse || p.ctx.Err() != nil
	if !worn {
		p.idle = append(p.idle, resting{c, time.Now()})
	} else if p.ctx.Err() == nil {
		p.refill()
	}
	p.mu.Unlock()
	if worn {
		c.dismiss()
	}
}

// discard ends a child that must not be used again.
func (p *Pool) discard(c *child) {
	_ = c.end(errors.New("it is not used again"))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() == nil {
		p.refill()
	}
}

// trim lets children go that a rush has left behind, until the pool is closed.
func (p *Pool) trim() {
	tick := time.NewTicker(restTime)
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case now := <-tick.C:
			for _, c := range p.overdue(now) {
				c.dismiss()
			}
		}
	}
}

// overdue takes the children out that are not needed any more, those first that have rested longest.
func (p *Pool) overdue(now time.Time) []resting {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for n < len(p.idle)-p.options.Warm && now.Sub(p.idle[n].since) > restTime {
		n++
	}
	gone := slices.Clone(p.idle[:n])
	p.idle = slices.Delete(p.idle, 0, n)
	return gone
}
