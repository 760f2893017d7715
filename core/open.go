package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/plugin"
	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// OpenOptions are what a configuration does not say.
type OpenOptions struct {
	// Logger receives what operators should know, the connectors' own lines too; nil: nobody does.
	Logger hclog.Logger
}

// Open makes the host that a configuration describes, each connector in a process of its own. Close stops the
// processes too. A journal that another process holds is a *badger.LockedError.
func Open(ctx context.Context, cfg *config.Config, o OpenOptions) (*Host, error) {
	options := Options{
		Name: cfg.Runtime.Name, Dir: cfg.Runtime.Data, Logger: o.Logger,
		Limits: limitsOf(cfg.Sandbox), Source: int(cfg.Sandbox.Source), CallTimeout: cfg.Sandbox.CallTimeout,
		Sandboxes: cfg.Sandbox.Sandboxes, Queue: cfg.Sandbox.Queue, QueueTimeout: cfg.Sandbox.QueueTimeout,
		SandboxReuse: cfg.Sandbox.Reuse, RequireWalls: cfg.Sandbox.RequireWalls, DynamicCode: cfg.Sandbox.DynamicCode,
		MinFree: uint64(cfg.Runtime.MinFree), MaxExecutions: cfg.Runtime.MaxExecutions, MaxAge: cfg.Runtime.MaxAge, PausedTTL: cfg.Runtime.PausedTTL,
	}
	var supervisors []*plugin.Supervisor
	for _, c := range cfg.Connectors {
		s, err := plugin.New(specOf(cfg, c, o.Logger))
		if err != nil {
			return nil, err // no supervisor has started anything yet
		}
		supervisors = append(supervisors, s)
		options.Connectors = append(options.Connectors, Connector{
			Label: c.Label, Connector: s, Config: c.ConfigJSON, Rules: c.Rules,
			Adjust: c.Apply, Timeout: c.CallTimeout, Check: c.Validate, Explain: explainer(c), Pace: paceOf(c), Hint: c.Hint,
		})
	}
	for _, m := range cfg.Modules {
		options.Modules = append(options.Modules, Module{Name: m.Name, Description: m.Description, Text: m.Text, Explain: moduleExplainer(m)})
	}
	h, err := New(ctx, options)
	if err != nil {
		return nil, err
	}
	h.closers = append(h.closers, func() error {
		plugin.Close(context.Background(), supervisors...)
		return nil
	})
	// The journal is this host's now, and what its former host has started is not to act any more when it is looked at.
	if notes := notesIn(cfg); notes != "" {
		if err := plugin.EndFormer(ctx, notes); err != nil {
			return nil, errors.Join(err, h.Close())
		}
	}
	return h, nil
}

// Inspection is what the connectors of a configuration offer.
type Inspection struct {
	Catalog *catalog.Catalog
	// Faults says, by label, why a connector is not available. The catalog, which is for models, only has it in a word.
	Faults map[string]error
}

// Inspect starts every connector of a configuration, asks what each offers, and stops them. It needs no journal, so
// that a configuration can be checked while a process works under it.
func Inspect(ctx context.Context, cfg *config.Config, o OpenOptions) (*Inspection, error) {
	alone := *cfg
	alone.Runtime.Data = "" // the journal stays in memory
	h, err := Open(ctx, &alone, o)
	if err != nil {
		return nil, err
	}
	h.registry.logger = hclog.NewNullLogger() // the inspection tells what cannot be used, and why
	h.registry.await(ctx)
	return &Inspection{Catalog: h.registry.catalog(), Faults: h.registry.faults()}, h.Close()
}

// notesIn is the folder in which the launches of connectors are noted; empty: the journal is not on disk.
func notesIn(cfg *config.Config) string {
	if cfg.Runtime.Data == "" {
		return ""
	}
	return filepath.Join(cfg.Runtime.Data, "run", "connectors")
}

// specOf says how to run a connector's process.
func specOf(cfg *config.Config, c *config.Connector, logger hclog.Logger) plugin.Spec {
	return plugin.Spec{
		Label: c.Label, Plugin: c.Plugin, Dirs: cfg.Runtime.PluginDirs, Args: c.Args, Env: c.Env, Dir: cfg.Dir,
		Notes: notesIn(cfg), Checksum: c.Checksum, NoMTLS: !c.MTLS, Config: c.ConfigJSON, Logger: logger, Secrets: c.Secrets(),
	}
}

// explainer gives a connector's own diagnostics their places in the configuration.
func explainer(c *config.Connector) func(*wire.Error, json.RawMessage) error {
	return func(complaint *wire.Error, schema json.RawMessage) error {
		var problems []config.Problem
		for _, d := range complaint.Diagnostics {
			problems = append(problems, config.Problem{Path: d.Path, Summary: d.Summary, Detail: d.Detail})
		}
		if err := c.Diagnose(problems, schema); err != nil {
			return err
		}
		return fmt.Errorf("configure: %w", complaint)
	}
}

// moduleExplainer gives a fault of a module's text its place in the configuration.
func moduleExplainer(m *config.Module) func(*program.Error) error {
	return func(fault *program.Error) error {
		return m.Fault(fault.Line, fault.Column, fault.Message, fault.Source)
	}
}

func paceOf(c *config.Connector) Pace {
	return Pace{
		Concurrency: c.Concurrency, PerSecond: c.RateLimit.PerSecond, Burst: c.RateLimit.Burst,
		Retries: c.Retries.Max, Backoff: c.Retries.Backoff, MaxBackoff: c.Retries.MaxBackoff,
	}
}

func limitsOf(s config.Sandbox) engine.Limits {
	return engine.Limits{
		Wall: s.Timeout, InFlight: s.InFlight, Value: s.Value,
		Sandbox: sandbox.Limits{
			CPU: s.CPU, Memory: s.Memory, Calls: s.Calls, Console: int(s.Console),
			Stack: s.Stack, Timers: s.Timers, Sleep: s.Sleep, Value: s.Value,
		},
	}
}
