package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// subject is the call of another method that a call stands for, and is judged as. The zero subject is the call itself.
type subject struct {
	method  *catalog.Method
	args    []byte
	failure *journal.Failure // set: the call stands for none, and is refused
}

// subjects finds what new calls stand for. The lock is given up meanwhile.
func (p *pass) subjects(calls []sandbox.Call) map[string]subject {
	found := map[string]subject{}
	for _, c := range calls {
		if c.Connector == sandbox.Platform || p.rec.state.Calls[c.Seq] != nil {
			continue
		}
		m, err := p.e.Catalog.Lookup(c.Connector, c.Method)
		if err != nil || !m.StandsIn || p.e.Schemas.Validate(m, c.Args) != nil {
			continue // judging it says what is wrong
		}
		found[c.Seq] = p.subjectUnlocked(m, c.Seq, c.Args)
	}
	return found
}

// subjectUnlocked is subject without the lock, which is given up meanwhile.
func (p *pass) subjectUnlocked(m *catalog.Method, seq string, args []byte) subject {
	if !m.StandsIn {
		return subject{}
	}
	p.mu.Unlock()
	defer p.mu.Lock()
	return p.subject(p.ctx, m, seq, args)
}

// subject asks a connector what a call of one of its methods stands for.
func (x *Execution) subject(ctx context.Context, m *catalog.Method, seq string, args []byte) subject {
	if !m.StandsIn {
		return subject{}
	}
	conn, err := x.e.Connectors.Connector(m.Connector)
	if err != nil {
		return subject{failure: unavailable(err)}
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	r, err := within(ctx, x.e, func() (*wire.Resolution, error) { return conn.Resolve(ctx, x.wireCall(m, seq, args)) })
	if err == nil && r == nil {
		err = errors.New("its connector does not say what the call stands for")
	}
	if err != nil {
		return subject{failure: failureFrom(err)}
	}
	target, failure := x.resolve(m.Connector, r.Method, r.Args)
	if failure == nil && target.StandsIn {
		failure = &journal.Failure{
			Name: nameCallError, Code: string(wire.CodeInternal),
			Message: fmt.Sprintf("%s.%s was not called: it stands for %s, which stands for another call itself.", m.Connector, m.Name, target.Name),
		}
	}
	return subject{method: target, args: r.Args, failure: failure}
}

// stricter is the verdict that lets less through; the first where they are equal.
func stricter(a, b policy.Verdict) policy.Verdict {
	rank := map[policy.Effect]int{policy.Allow: 0, policy.Approve: 1, policy.Deny: 2}
	if rank[b.Effect] > rank[a.Effect] {
		return b
	}
	return a
}
