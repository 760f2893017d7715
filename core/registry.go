package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugin/wire"
)

// registry holds a host's connectors and what they offer. A connector that cannot be loaded hurts no other: it is
// listed as not available, and tried again (loading.go).
type registry struct {
	logger   hclog.Logger
	timeout  time.Duration
	judge    *policy.Policy
	snippets func(context.Context) []catalog.Snippet
	values   journal.Values   // what connectors store for themselves; nil: nothing
	entries  []*entry         // in the order of the options
	modules  []catalog.Module // what programs can import
	key      []byte           // of the configurations' fingerprints

	ctx     context.Context // of the attempts to load; ends with close
	stop    context.CancelFunc
	loading sync.WaitGroup // the goroutines that load

	refreshing sync.Mutex // held while the catalog is built, so that no older one replaces a newer one

	mu       sync.RWMutex // guards all below, which is made anew together; held also to begin loading, and to stop
	snapshot *catalog.Catalog
	globals  []sandbox.Namespace // what a new execution sees
}

// entry is one configured connector.
type entry struct {
	Connector
	drained  *drained      // nil: it runs in this process
	attended *attended     // nil: it runs in a process of its own
	wake     chan struct{} // asks for an attempt now, and not after the wait between two

	mu     sync.Mutex // guards all below
	loaded bool
	err    *loadError    // why it is not loaded
	began  bool          // a goroutine loads it, or has loaded it
	trying bool          // an attempt is under way
	tried  bool          // nobody waits for it any more: an attempt has ended, or taken too long
	ended  chan struct{} // closed when the attempt under way, or else the next one, has ended
	offered
}

// offered is what a connector said of itself when it was loaded.
type offered struct {
	desc    wire.Description
	print   []byte // the configuration's fingerprint
	methods []*catalog.Method
}

func newRegistry(ctx context.Context, o Options) (*registry, error) {
	key, err := fingerprintKey(o)
	if err != nil {
		return nil, err
	}
	r := &registry{logger: o.Logger, timeout: o.CallTimeout, key: key, snapshot: catalog.New(nil)}
	for _, c := range o.Connectors {
		if err := catalog.ValidLabel(c.Label); err != nil {
			return nil, fmt.Errorf("connector %q: %w", c.Label, err)
		}
		if r.has(c.Label) {
			return nil, fmt.Errorf("duplicate connector name %q", c.Label)
		}
		if c.Connector == nil {
			return nil, fmt.Errorf("connector %q: nothing carries its calls", c.Label)
		}
		e := &entry{
			wake: make(chan struct{}, 1), ended: make(chan struct{}), err: &loadError{class: "it has not been started yet"},
		}
		if p, ok := c.Connector.(replaceable); ok {
			e.drained = &drained{replaceable: p}
			c.Connector = e.drained
		} else {
			e.attended = &attended{Connector: c.Connector, running: map[*wire.Call]bool{}}
			c.Connector = e.attended
		}
		c.Connector = newPaced(c)
		e.Connector = c
		r.entries = append(r.entries, e)
	}
	r.ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	return r, nil
}

// has reports whether a label is configured.
func (r *registry) has(label string) bool { return r.entry(label) != nil }

func (r *registry) entry(label string) *entry {
	for _, e := range r.entries {
		if e.Label == label {
			return e
		}
	}
	return nil
}

// method is a connector's method under the overrides of the configuration.
func (e *entry) method(m *wire.Method) *catalog.Method {
	c := &catalog.Method{
		Connector: e.Label, Raw: m.Name, Description: m.Description, Tags: m.Tags,
		InputSchema: m.InputSchema, OutputSchema: m.OutputSchema,
		ReadOnly: m.ReadOnly, Idempotent: m.Idempotent, Destructive: m.Destructive,
		RequiresApproval: m.RequiresApproval, Reexecute: m.Replay == wire.ReplayReexecute,
		Prepares: m.Prepares, Reverts: m.Reverts, Reconciles: m.Reconciles, Previews: m.Previews,
	}
	if e.Adjust != nil {
		e.Adjust(c)
	}
	c.Reexecute = c.Reexecute && c.ReadOnly
	return c
}

// refresh builds the catalog anew.
func (r *registry) refresh() {
	r.refreshing.Lock()
	defer r.refreshing.Unlock()
	list := make([]catalog.Connector, 0, len(r.entries))
	for _, e := range r.entries {
		list = append(list, e.describe())
	}
	fresh := catalog.New(list, r.modules...).Judged(func(m *catalog.Method) (asks, denied bool) {
		return r.judge.Effective(m.Connector, m)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot, r.globals = fresh, globalsOf(fresh)
}

func (e *entry) describe() catalog.Connector {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := catalog.Connector{
		Label: e.Label, Hint: e.Hint, Instructions: e.desc.Instructions, Plugin: e.desc.Name, Version: e.desc.Version,
		Methods: slices.Clone(e.methods),
	}
	if e.err != nil {
		c.Unavailable = e.err.class
	}
	return c
}

func (r *registry) catalog() *catalog.Catalog {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.snapshot
}

// Lookup resolves a method.
func (r *registry) Lookup(connector, method string) (*catalog.Method, error) {
	return r.catalog().Lookup(connector, method)
}

// Search answers codemode.search.
func (r *registry) Search(ctx context.Context, args []byte) ([]byte, error) {
	var a struct {
		Query json.RawMessage `json:"query"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, fmt.Errorf("codemode.search: %w", err)
	}
	q, err := catalog.ParseQuery(a.Query)
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeInvalidArgument, Message: err.Error()}
	}
	return encode(r.search(ctx, q))
}

// Describe answers codemode.describe.
func (r *registry) Describe(ctx context.Context, args []byte) ([]byte, error) {
	var a struct {
		Target string `json:"target"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, &wire.Error{Code: wire.CodeInvalidArgument, Message: "codemode.describe takes one string: a namespace, or a namespace and a method."}
	}
	return encode(r.describe(ctx, a.Target))
}

// search finds methods and snippets.
func (r *registry) search(ctx context.Context, q catalog.Query) catalog.Results {
	q.Snippets = r.snippets(ctx)
	return r.catalog().Search(q)
}

// describe tells of a namespace, a method, a type or a snippet.
func (r *registry) describe(ctx context.Context, target string) catalog.Description {
	return r.catalog().Describe(target, r.snippets(ctx)...)
}

// Connector returns what carries a connector's calls. One that is not loaded is tried again.
func (r *registry) Connector(label string) (wire.Connector, error) {
	if err := r.need(r.ctx, label); err != nil {
		return nil, err
	}
	return r.entry(label).Connector.Connector, nil
}

// Quiet waits until no handler of a connector's process acts any longer whose call was given up. One that runs in this
// process cannot be ended, and may not be waited for: the error says that it still runs.
func (r *registry) Quiet(ctx context.Context, label string) error {
	switch e := r.entry(label); {
	case e == nil:
		return nil
	case e.drained != nil:
		return e.drained.quiet(ctx)
	default:
		return e.attended.quiet()
	}
}

// Identity is what an approval is bound to besides the call.
func (r *registry) Identity(label string) []byte {
	e := r.entry(label)
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	id, err := json.Marshal([]string{label, e.desc.Name, e.desc.Version, string(e.print)})
	if err != nil {
		return []byte(label)
	}
	return id
}

// Timeout is the deadline of one call.
func (r *registry) Timeout(label, method string) time.Duration {
	e := r.entry(label)
	m, err := r.Lookup(label, method)
	if e == nil || e.Timeout == nil || err != nil {
		return r.timeout
	}
	return cmp.Or(e.Timeout(m), r.timeout)
}

// Validate holds arguments against a method's input schema.
func (r *registry) Validate(m *catalog.Method, args []byte) error {
	s, err := schema.Compile(m.InputSchema)
	if err != nil {
		return fmt.Errorf("its input schema is broken: %w", err)
	}
	return s.Validate(args)
}

// recorded lists the connectors as an execution meets them.
func (r *registry) recorded() []journal.Connector {
	list := make([]journal.Connector, 0, len(r.entries))
	for _, e := range r.entries {
		c := e.describe()
		list = append(list, journal.Connector{Label: c.Label, Name: c.Plugin, Version: c.Version})
	}
	return list
}

// namespaces are the globals of a new execution. Nobody changes them.
func (r *registry) namespaces() []sandbox.Namespace {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.globals
}

// globalsOf makes the globals. Of a connector that is not available nobody knows all methods.
func globalsOf(c *catalog.Catalog) []sandbox.Namespace {
	down, raw := map[string]bool{}, map[string][]string{}
	for _, conn := range c.Connectors() {
		down[conn.Label] = conn.Unavailable != ""
		for _, m := range conn.Methods {
			if m.Raw != m.Name {
				raw[conn.Label] = append(raw[conn.Label], m.Raw)
			}
		}
	}
	var list []sandbox.Namespace
	for _, n := range c.Namespaces() {
		list = append(list, sandbox.Namespace{Name: n.Name, Methods: n.Methods, Raw: raw[n.Name], Open: down[n.Name]})
	}
	return list
}

// methods are what the compiler can hold a program's calls against.
func (r *registry) methods() map[string][]string {
	list := map[string][]string{}
	for _, n := range r.namespaces() {
		if !n.Open {
			list[n.Name] = append(slices.Clone(n.Methods), n.Raw...)
		}
	}
	return list
}
