package declared

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/codemode-go/codemode/core/typescript"
	"github.com/codemode-go/codemode/plugin/wire"
)

// connector is a connector with what is declared of it.
type connector struct {
	wire.Connector
	blocks Blocks

	mu      sync.Mutex // guards what follows, which each list of methods makes anew
	methods map[string]*method
}

// method is a method with what is declared of it; nil where nothing is.
type method struct {
	input     json.RawMessage // its schema
	prepare   *Call
	revert    *Call
	reconcile *Question
	preview   Expression
}

// New returns c with what is declared of its methods, which is known once they
// have been listed. A block for a method that the connector does not have
// does nothing; a call of one fails.
func New(c wire.Connector, b Blocks) wire.Connector {
	if len(b.Prepare)+len(b.Revert)+len(b.Reconcile)+len(b.Preview) == 0 {
		return c
	}
	return &connector{Connector: c, blocks: b, methods: map[string]*method{}}
}

// Methods says of the methods what is declared of them.
func (c *connector) Methods(ctx context.Context) (*wire.Offer, error) {
	offer, err := c.Connector.Methods(ctx)
	if err != nil {
		return nil, err
	}
	resolve := resolver(offer.Methods)
	methods := map[string]*method{}
	list := make([]*wire.Method, 0, len(offer.Methods))
	for _, m := range offer.Methods {
		listed := resolve.listed[m.Name]
		d := c.declared(m, listed, resolve)
		methods[m.Name] = d
		list = append(list, d.declare(m))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.methods = methods
	known := *offer
	known.Methods = list
	return &known, nil
}

// names are the names of a connector's methods: the listed ones by their own, and the other way round.
type names struct {
	listed, raw map[string]string
}

func resolver(methods []*wire.Method) names {
	n := names{listed: map[string]string{}, raw: map[string]string{}}
	var raws []string
	for _, m := range methods {
		if _, twice := n.listed[m.Name]; !twice {
			n.listed[m.Name] = ""
			raws = append(raws, m.Name)
		}
	}
	for i, name := range typescript.Identifiers(raws) {
		n.listed[raws[i]], n.raw[name] = name, raws[i]
	}
	return n
}

// declared collects what is declared of a method.
func (c *connector) declared(m *wire.Method, listed string, n names) *method {
	d := &method{input: m.InputSchema}
	if call, ok := find(c.blocks.Prepare, m.Name, listed); ok {
		d.prepare = n.call(call)
	}
	if call, ok := find(c.blocks.Revert, m.Name, listed); ok {
		d.revert = n.call(call)
	}
	if q, ok := find(c.blocks.Reconcile, m.Name, listed); ok {
		q.Call = *n.call(q.Call)
		d.reconcile = &q
	}
	d.preview, _ = find(c.blocks.Preview, m.Name, listed)
	return d
}

// find returns the block of a method: under its listed name, or else its own.
func find[T any](blocks map[string]T, raw, listed string) (T, bool) {
	block, ok := blocks[listed]
	if !ok {
		block, ok = blocks[raw]
	}
	return block, ok
}

// call has the method's own name in place of the listed one.
func (n names) call(c Call) *Call {
	if raw, ok := n.raw[c.Method]; ok {
		c.Method = raw
	}
	return &c
}

// declare returns a method as it is with what is declared of it.
func (d *method) declare(m *wire.Method) *wire.Method {
	own := *m
	if d.prepare != nil {
		own.Prepares, own.Reverts, own.Reconciles = true, false, false
	}
	own.Reverts = own.Reverts || d.revert != nil
	own.Reconciles = own.Reconciles || d.reconcile != nil
	own.Previews = own.Previews || d.preview != nil
	return &own
}
