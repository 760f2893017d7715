package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugin/wire"
)

const (
	// loadTime bounds how long a connector may take to describe itself, take its configuration and list its methods.
	loadTime = 90 * time.Second
	// loadPatience is how long a connector that has never been tried is waited for. Later it is loaded in the background.
	loadPatience = 30 * time.Second
	// firstRetry and lastRetry are the shortest and the longest wait between two attempts to load a connector.
	firstRetry, lastRetry = time.Second, time.Minute
)

// loadError says why a connector is not loaded.
type loadError struct {
	class string // in a few words, for models: no path, and nothing that the connector logged
	err   error  // for operators; nil: there is no more to say
}

func (e *loadError) Error() string {
	if e.err == nil {
		return e.class
	}
	return e.err.Error()
}

func (e *loadError) Unwrap() error { return e.err }

// load makes sure that every connector is being loaded, and waits for those that have never been tried. One that is
// down delays nobody: it is tried again in the background.
func (r *registry) load(ctx context.Context) {
	timed, cancel := context.WithTimeout(ctx, loadPatience)
	defer cancel()
	r.await(timed)
	if timed.Err() == nil || ctx.Err() != nil {
		return
	}
	for _, e := range r.entries {
		e.mu.Lock()
		e.tried = true
		e.mu.Unlock()
	}
}

// await waits until every connector has been tried, or ctx ends.
func (r *registry) await(ctx context.Context) {
	var untried []<-chan struct{}
	for _, e := range r.entries {
		if ended, first := r.begin(e); first {
			untried = append(untried, ended)
		}
	}
	for _, ended := range untried {
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
	}
}

// need returns nil if a connector is loaded. Otherwise it is tried at once; the error is for models, as catalog has it.
func (r *registry) need(ctx context.Context, label string) error {
	e := r.entry(label)
	if e == nil {
		return fmt.Errorf("connector %q is not configured", label)
	}
	ended, _ := r.begin(e)
	if e.unavailable() == nil {
		return nil
	}
	e.hurry()
	ctx, cancel := context.WithTimeout(ctx, loadPatience)
	defer cancel()
	select {
	case <-ended:
	case <-ctx.Done():
	case <-r.ctx.Done():
	}
	return e.unavailable()
}

// hurry has the next attempt made now, unless one is under way.
func (e *entry) hurry() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trying {
		return
	}
	select {
	case e.wake <- struct{}{}:
	default: // it has been asked for already
	}
}

// unavailable says why a connector cannot be used, for models; nil: it can.
func (e *entry) unavailable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loaded {
		return nil
	}
	return fmt.Errorf("connector %q is not available: %s", e.Label, e.err.class)
}

// faults says, by label, why connectors are not available, for operators.
func (r *registry) faults() map[string]error {
	faults := map[string]error{}
	for _, e := range r.entries {
		e.mu.Lock()
		if !e.loaded {
			faults[e.Label] = e.err
		}
		e.mu.Unlock()
	}
	return faults
}

// begin makes sure that a connector is being loaded. It returns what is closed when the attempt under way, or else the
// next one, has ended, and whether the connector has never been tried.
func (r *registry) begin(e *entry) (ended <-chan struct{}, first bool) {
	r.mu.Lock() // close waits for what has begun
	defer r.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.began && r.ctx.Err() == nil {
		e.began, e.trying = true, true
		r.loading.Go(func() { r.keepLoading(e) })
	}
	return e.ended, e.began && !e.tried
}

// close ends the attempts to load, and waits for them and for processes that are being ended.
func (r *registry) close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.loading.Wait()
	for _, e := range r.entries {
		if e.drained != nil {
			e.drained.work.Wait()
		}
	}
}

// keepLoading tries to load a connector until it is loaded, or the registry is closed.
func (r *registry) keepLoading(e *entry) {
	configured := false
	for wait := firstRetry; !r.try(e, &configured); wait = min(2*wait, lastRetry) {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-e.wake:
			timer.Stop()
		case <-r.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// try tries once to load a connector, and reports whether it is loaded.
func (r *registry) try(e *entry, configured *bool) bool {
	ctx, cancel := context.WithTimeout(r.ctx, loadTime)
	defer cancel()
	e.mu.Lock()
	e.trying = true
	e.mu.Unlock()
	found, err := e.read(ctx, r, configured)
	e.mu.Lock()
	news := err != nil && (e.err == nil || e.err.Error() != err.Error())
	e.loaded, e.err, e.tried = err == nil, err, true
	if err == nil {
		e.offered = found
	}
	e.mu.Unlock()
	if news && r.ctx.Err() == nil {
		r.logger.Warn("connector is not available", "connector", e.Label, "error", err)
	}
	r.refresh()
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.ended)
	e.trying, e.ended = false, make(chan struct{})
	return e.loaded
}

// read describes and configures the connector, which is done once, and lists its methods.
func (e *entry) read(ctx context.Context, r *registry, configured *bool) (found offered, failed *loadError) {
	conn := e.Connector.Connector
	desc, err := conn.Describe(ctx)
	if err != nil {
		return found, &loadError{"it cannot be started", err}
	}
	config := e.Config
	if config == nil {
		config = json.RawMessage("{}")
	}
	configSchema, err := schema.Compile(desc.ConfigSchema)
	if err != nil {
		return found, &loadError{"its configuration schema is broken", fmt.Errorf("its configuration schema: %w", err)}
	}
	if err := e.check(desc.ConfigSchema, configSchema, config); err != nil {
		return found, &loadError{misconfigured, err}
	}
	if found.print, err = fingerprint(r.key, configSchema, config); err != nil {
		return found, &loadError{misconfigured, err}
	}
	if !*configured {
		err = conn.Configure(ctx, &wire.ConfigureRequest{Label: e.Label, Config: config, Host: servicesFor(e.Label, r.values)})
		if err != nil {
			return found, &loadError{misconfigured, e.explain(err, desc.ConfigSchema)}
		}
		*configured = true
	}
	offer, err := conn.Methods(ctx)
	if err != nil {
		return found, &loadError{"it cannot list its methods", fmt.Errorf("list its methods: %w", err)}
	}
	if found.methods, err = e.list(offer.Methods); err != nil {
		return found, &loadError{err.Error(), nil}
	}
	found.desc, found.skipped = *desc, offer.Skipped
	found.desc.Instructions = joined(offer.Instructions, desc.Instructions)
	return found, nil
}

// misconfigured is the class of connectors that do not take their configuration.
const misconfigured = "its configuration is not accepted"

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
