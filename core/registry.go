package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// loadTime bounds how long a connector may take to describe itself, take its configuration and list its methods.
const loadTime = 90 * time.Second

// registry holds a host's connectors and what they offer. A connector that cannot be loaded hurts no other: it is
// listed with the reason, and tried again when it is needed.
type registry struct {
	logger   hclog.Logger
	timeout  time.Duration
	judge    *policy.Policy
	snippets func(context.Context) []catalog.Snippet
	values   journal.Values   // what connectors store for themselves; nil: nothing
	entries  []*entry         // in the order of the options
	modules  []catalog.Module // what programs can import
	key      []byte           // of the configurations' fingerprints

	mu       sync.RWMutex // guards all below, which is made anew together
	snapshot *catalog.Catalog
	globals  []sandbox.Namespace // what a new execution sees
}

// entry is one configured connector.
type entry struct {
	Connector
	mu     sync.Mutex // held while it is loaded; guards all below
	loaded bool
	err    error // why it is not loaded
	desc   wire.Description
	print  []byte // the configuration's fingerprint
	// configured says that the connector has taken its configuration, which it does once.
	configured bool
	methods    []*catalog.Method
}

func newRegistry(o Options) (*registry, error) {
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
		c.Connector = newPaced(c)
		r.entries = append(r.entries, &entry{Connector: c, err: errors.New("it has not been started")})
	}
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

// load loads, all at once, the connectors that are not loaded.
func (r *registry) load(ctx context.Context) {
	var wg sync.WaitGroup
	changed := make([]bool, len(r.entries))
	for i, e := range r.entries {
		wg.Go(func() { changed[i] = e.load(ctx, r) })
	}
	wg.Wait()
	if slices.Contains(changed, true) {
		r.refresh()
	}
}

// load reads what the connector offers, unless that is known. It reports whether anything has changed.
func (e *entry) load(ctx context.Context, r *registry) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loaded {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if e.err = e.read(ctx, r.key, servicesFor(e.Label, r.values)); e.err != nil {
		r.logger.Warn("connector is not available", "connector", e.Label, "error", e.err)
	}
	e.loaded = e.err == nil
	return true
}

// read describes and configures the connector and lists its methods.
func (e *entry) read(ctx context.Context, key []byte, host wire.HostServices) error {
	desc, err := e.Connector.Connector.Describe(ctx)
	if err != nil {
		return err
	}
	config := e.Config
	if config == nil {
		config = json.RawMessage("{}")
	}
	configSchema, err := schema.Compile(desc.ConfigSchema)
	if err != nil {
		return fmt.Errorf("its configuration schema: %w", err)
	}
	if err := e.check(desc.ConfigSchema, configSchema, config); err != nil {
		return err
	}
	if e.print, err = fingerprint(key, configSchema, config); err != nil {
		return err
	}
	if !e.configured {
		err = e.Connector.Connector.Configure(ctx, &wire.ConfigureRequest{Label: e.Label, Config: config, Host: host})
		if err != nil {
			return e.explain(err, desc.ConfigSchema)
		}
		e.configured = true
	}
	offer, err := e.Connector.Connector.Methods(ctx)
	if err != nil {
		return fmt.Errorf("list its methods: %w", err)
	}
	methods, err := e.list(offer.Methods)
	if err != nil {
		return err
	}
	e.desc, e.methods = *desc, methods
	e.desc.Instructions = joined(offer.Instructions, desc.Instructions)
	return nil
}

// joined puts what a connector says of what it is connected to before what it says of itself: the tool's
// description has room for the first sentence only, and what is known last is the most particular.
func joined(offered, own string) string {
	return strings.TrimSpace(strings.TrimSpace(offered) + "\n\n" + strings.TrimSpace(own))
}

// list makes the connector's methods. One that contradicts itself is refused, and the connector with it.
func (e *entry) list(declared []*wire.Method) ([]*catalog.Method, error) {
	methods := make([]*catalog.Method, 0, len(declared))
	for _, m := range declared {
		if m.Replay == wire.ReplayReexecute && m.RequiresApproval {
			return nil, fmt.Errorf("method %q cannot combine approval with replay %q", m.Name, m.Replay)
		}
		if m.Replay == wire.ReplayReexecute && !m.ReadOnly {
			return nil, fmt.Errorf("method %q is a write and cannot have replay %q", m.Name, m.Replay)
		}
		methods = append(methods, e.method(m))
	}
	return methods, nil
}

// explain gives a connector's complaint about its configuration the place in the file, where it is known.
func (e *entry) explain(err error, schema json.RawMessage) error {
	var complaint *wire.Error
	if e.Explain == nil || !errors.As(err, &complaint) || len(complaint.Diagnostics) == 0 {
		return fmt.Errorf("configure: %w", err)
	}
	return e.Explain(complaint, schema)
}

// check holds the configuration against the connector's schema of it.
func (e *entry) check(raw json.RawMessage, s *schema.Schema, config json.RawMessage) error {
	switch {
	case e.Check != nil:
		return e.Check(raw)
	case s == nil && string(config) != "{}":
		return errors.New("it takes no configuration, and has some")
	case s == nil:
		return nil
	}
	if err := s.Validate(config); err != nil {
		return fmt.Errorf("configuration: %w", err)
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
		c.Unavailable = e.err.Error()
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
	e := r.entry(label)
	if e == nil {
		return nil, fmt.Errorf("connector %q is not configured", label)
	}
	if e.load(context.Background(), r) {
		r.refresh()
	}
	if err := r.ready(label); err != nil {
		return nil, err
	}
	return e.Connector.Connector, nil
}

// ready says why a connector cannot be used; nil: it can.
func (r *registry) ready(label string) error {
	e := r.entry(label)
	if e == nil {
		return fmt.Errorf("connector %q is not configured", label)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return fmt.Errorf("connector %q is not available: %w", label, e.err)
	}
	return nil
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
