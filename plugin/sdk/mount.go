package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugin/wire"
)

// mounted serves a Connector, in its own process or in the host's.
type mounted struct {
	connector *Connector
	logger    hclog.Logger
	static    []*boundMethod

	// listing keeps two lists of dynamic methods from being made at once.
	listing sync.Mutex

	mu         sync.RWMutex
	configured bool
	label      string
	services   wire.HostServices
	methods    map[string]*boundMethod // nil until they are listed
}

var _ wire.Connector = (*mounted)(nil)

// mount binds the connector's methods.
func mount(c *Connector) (*mounted, error) {
	static, err := bindAll(c.Methods)
	if err := errors.Join(c.checkIdentity(), err); err != nil {
		return nil, err
	}
	m := &mounted{connector: c, logger: c.Logger, static: static, services: wire.NoHost{}}
	if m.logger == nil {
		m.logger = stderrLogger(hclog.Trace)
	}
	if c.DynamicMethods == nil {
		m.methods = byName(static)
	}
	return m, nil
}

// bindAll binds methods and reports every fault.
func bindAll(methods []Method) ([]*boundMethod, error) {
	var bound []*boundMethod
	var faults []error
	seen := map[string]bool{}
	for i, method := range methods {
		if method == nil {
			faults = append(faults, fmt.Errorf("method number %d is nil", i+1))
			continue
		}
		b, err := method.bind()
		switch {
		case err != nil:
			faults = append(faults, err)
		case b.facts.Name == "":
			faults = append(faults, fmt.Errorf("method number %d has no Name", i+1))
		case seen[b.facts.Name]:
			faults = append(faults, fmt.Errorf("method %s: there are two of this name", b.facts.Name))
		default:
			seen[b.facts.Name] = true
			bound = append(bound, b)
		}
	}
	return bound, errors.Join(faults...)
}

func byName(methods []*boundMethod) map[string]*boundMethod {
	table := make(map[string]*boundMethod, len(methods))
	for _, m := range methods {
		table[m.facts.Name] = m
	}
	return table
}

// Describe implements wire.Connector.
func (m *mounted) Describe(context.Context) (*wire.Description, error) {
	c := m.connector
	return &wire.Description{
		Name: c.Name, Version: c.Version, Instructions: c.Instructions,
		ConfigSchema: c.Configure.schema,
	}, nil
}

// Configure implements wire.Connector. A refused configuration may be followed by another.
func (m *mounted) Configure(ctx context.Context, req *wire.ConfigureRequest) error {
	if err := m.adopt(req); err != nil {
		return err
	}
	err := guardHook(ctx, m, &scope{}, "Configure", func(ctx context.Context) error {
		return m.connector.Configure.apply(ctx, req.Config)
	})
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.configured = false
		m.services = wire.NoHost{}
	}
	return err
}

// adopt takes over label and services, once.
func (m *mounted) adopt(req *wire.ConfigureRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.configured {
		return Errorf(Conflict, "the connector is configured already")
	}
	m.configured = true
	m.label = req.Label
	if req.Host != nil {
		m.services = req.Host
	}
	return nil
}

// host returns the host's services.
func (m *mounted) host() wire.HostServices {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.services
}

// Methods implements wire.Connector.
func (m *mounted) Methods(ctx context.Context) (*wire.Offer, error) {
	methods, err := m.list(ctx)
	if err != nil {
		return nil, err
	}
	offer := &wire.Offer{Methods: make([]*wire.Method, len(methods))}
	for i, b := range methods {
		copied := b.facts
		offer.Methods[i] = &copied
	}
	if told := m.connector.DynamicInstructions; told != nil {
		if offer.Instructions, err = guard(ctx, m, &scope{}, "DynamicInstructions", told); err != nil {
			return nil, err
		}
	}
	if skipped := m.connector.Skipped; skipped != nil {
		if offer.Skipped, err = guard(ctx, m, &scope{}, "Skipped", skipped); err != nil {
			return nil, err
		}
	}
	return offer, nil
}

// list returns all methods, the dynamic ones made anew, and keeps them for lookup.
func (m *mounted) list(ctx context.Context) ([]*boundMethod, error) {
	if m.connector.DynamicMethods == nil {
		return m.static, nil
	}
	m.listing.Lock()
	defer m.listing.Unlock()
	dynamic, err := guard(ctx, m, &scope{}, "DynamicMethods", m.connector.DynamicMethods)
	if err != nil {
		return nil, err
	}
	all, err := bindAll(append(append([]Method(nil), m.connector.Methods...), dynamic...))
	if err != nil {
		return nil, wire.ErrorFrom(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.methods = byName(all)
	return all, nil
}

// lookup finds a method, listing the methods first if that has not happened yet.
func (m *mounted) lookup(ctx context.Context, name string) (*boundMethod, error) {
	m.mu.RLock()
	methods := m.methods
	m.mu.RUnlock()
	if methods == nil {
		listed, err := m.list(ctx)
		if err != nil {
			return nil, err
		}
		methods = byName(listed)
	}
	if b, ok := methods[name]; ok {
		return b, nil
	}
	return nil, &Error{Code: NotFound, Message: fmt.Sprintf("there is no method %q", name), Effect: EffectNone}
}

// Watch implements wire.Connector.
func (m *mounted) Watch(ctx context.Context, report func(wire.Change)) error {
	if m.connector.Watch == nil {
		return nil
	}
	return guardHook(ctx, m, &scope{}, "Watch", func(ctx context.Context) error {
		return m.connector.Watch(ctx, report)
	})
}

// Invoke implements wire.Connector.
func (m *mounted) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	b, err := m.lookup(ctx, call.Method)
	if err != nil {
		return nil, err
	}
	s := &scope{call: call, progress: progress}
	value, err := handle(ctx, m, s, func(ctx context.Context) (json.RawMessage, error) {
		return b.call(ctx, call.Args)
	})
	if err != nil {
		return nil, err
	}
	return &wire.Result{Value: value}, nil
}

// Prepare implements wire.Connector.
func (m *mounted) Prepare(ctx context.Context, call *wire.Call) (json.RawMessage, error) {
	b, err := m.lookup(ctx, call.Method)
	if err != nil {
		return nil, err
	}
	if b.prepare == nil {
		return nil, lacks(call, "Prepare")
	}
	return handle(ctx, m, &scope{call: call}, func(ctx context.Context) (json.RawMessage, error) {
		return b.prepare(ctx, call.Args)
	})
}

// Revert implements wire.Connector.
func (m *mounted) Revert(ctx context.Context, req *wire.RevertRequest) error {
	b, err := m.lookup(ctx, req.Call.Method)
	if err != nil {
		return err
	}
	if b.revert == nil {
		return lacks(req.Call, "Revert")
	}
	if req.ResultOmitted && !b.revertWithoutResult {
		return &Error{Code: Unsupported, Message: "the call's result was too large to keep, and reverting it needs the result", Effect: EffectNone}
	}
	s := &scope{call: req.Call, resultOmitted: req.ResultOmitted}
	_, err = handle(ctx, m, s, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.revert(ctx, req.Call.Args, req.Result)
	})
	return err
}

// Reconcile implements wire.Connector.
func (m *mounted) Reconcile(ctx context.Context, call *wire.Call) (*wire.Reconciliation, error) {
	b, err := m.lookup(ctx, call.Method)
	if err != nil {
		return nil, err
	}
	if b.reconcile == nil {
		return nil, lacks(call, "Reconcile")
	}
	return handle(ctx, m, &scope{call: call}, func(ctx context.Context) (*wire.Reconciliation, error) {
		return b.reconcile(ctx, call.Args)
	})
}

// Preview implements wire.Connector.
func (m *mounted) Preview(ctx context.Context, call *wire.Call) (string, error) {
	b, err := m.lookup(ctx, call.Method)
	if err != nil {
		return "", err
	}
	if b.preview == nil {
		return "", lacks(call, "Preview")
	}
	return handle(ctx, m, &scope{call: call}, func(ctx context.Context) (string, error) {
		return b.preview(ctx, call.Args)
	})
}

// Resolve implements wire.Connector.
func (m *mounted) Resolve(ctx context.Context, call *wire.Call) (*wire.Resolution, error) {
	b, err := m.lookup(ctx, call.Method)
	if err != nil {
		return nil, err
	}
	if b.resolve == nil {
		return nil, lacks(call, "Resolve")
	}
	return handle(ctx, m, &scope{call: call}, func(ctx context.Context) (*wire.Resolution, error) {
		return b.resolve(ctx, call.Args)
	})
}

func lacks(call *wire.Call, what string) error {
	return &Error{Code: Unsupported, Message: fmt.Sprintf("method %s has no %s", call.Method, what), Effect: EffectNone}
}

// PassEnded implements wire.Connector.
func (m *mounted) PassEnded(ctx context.Context, req *wire.PassEnd) error {
	if m.connector.PassEnded == nil {
		return nil
	}
	return guardHook(ctx, m, &scope{executionID: req.ExecutionID}, "PassEnded", func(ctx context.Context) error {
		return m.connector.PassEnded(ctx, *req)
	})
}

// Dispose implements wire.Connector.
func (m *mounted) Dispose(ctx context.Context, req *wire.Disposal) error {
	if m.connector.Dispose == nil {
		return nil
	}
	return guardHook(ctx, m, &scope{executionID: req.ExecutionID}, "Dispose", func(ctx context.Context) error {
		return m.connector.Dispose(ctx, *req)
	})
}

// context completes a scope and puts it into ctx.
func (m *mounted) context(ctx context.Context, s *scope) context.Context {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s.mounted = m
	s.label = m.label
	if s.call != nil {
		s.executionID = s.call.ExecutionID
	}
	return context.WithValue(ctx, scopeKey{}, s)
}
