package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/plugin"
	"github.com/codemode-go/codemode/plugin/wire"
)

// inspectTime bounds how long a connector may take to start and to tell what it offers.
const inspectTime = 90 * time.Second

// inspect starts every connector of a configuration, all at once, asks what each offers, and stops them. It needs no
// journal, so that a configuration can be checked while a process works under it.
func inspect(ctx context.Context, c *config.Config, logger hclog.Logger) []catalog.Connector {
	ctx, cancel := context.WithTimeout(ctx, inspectTime)
	defer cancel()
	list := make([]catalog.Connector, len(c.Connectors))
	var wg sync.WaitGroup
	for i, conn := range c.Connectors {
		wg.Go(func() {
			found, err := start(ctx, c, conn, logger)
			if found.Label = conn.Label; err != nil {
				found.Unavailable = err.Error()
			}
			list[i] = found
		})
	}
	wg.Wait()
	return list
}

// start runs a connector's process for as long as it takes to ask it.
func start(ctx context.Context, c *config.Config, conn *config.Connector, logger hclog.Logger) (catalog.Connector, error) {
	s, err := plugin.New(plugin.Spec{
		Label: conn.Label, Plugin: conn.Plugin, Dirs: c.Runtime.PluginDirs, Args: conn.Args, Env: conn.Env,
		Checksum: conn.Checksum, NoMTLS: !conn.MTLS, Config: conn.ConfigJSON, Logger: logger, Secrets: conn.Secrets(),
	})
	if err != nil {
		return catalog.Connector{}, err
	}
	defer s.Close(context.WithoutCancel(ctx))
	return offer(ctx, s, conn)
}

// offer configures a connector and asks what it offers.
func offer(ctx context.Context, s wire.Connector, conn *config.Connector) (found catalog.Connector, err error) {
	desc, err := s.Describe(ctx)
	if err != nil {
		return found, err
	}
	found.Plugin, found.Version = desc.Name, desc.Version
	if err := conn.Validate(desc.ConfigSchema); err != nil {
		return found, err
	}
	err = s.Configure(ctx, &wire.ConfigureRequest{Label: conn.Label, Config: conn.ConfigJSON})
	if err != nil {
		return found, placed(conn, desc, err)
	}
	methods, err := s.Methods(ctx)
	if err != nil {
		return found, fmt.Errorf("list its methods: %w", err)
	}
	for _, m := range methods {
		if m.Replay == wire.ReplayReexecute && m.RequiresApproval {
			return found, fmt.Errorf("method %q cannot combine approval with replay %q", m.Name, m.Replay)
		}
		found.Methods = append(found.Methods, &catalog.Method{Raw: m.Name})
	}
	return found, nil
}

// placed gives a connector's complaint about its configuration its places in the files.
func placed(conn *config.Connector, desc *wire.Description, err error) error {
	var complaint *wire.Error
	if !errors.As(err, &complaint) || len(complaint.Diagnostics) == 0 {
		return fmt.Errorf("configure: %w", err)
	}
	var problems []config.Problem
	for _, d := range complaint.Diagnostics {
		problems = append(problems, config.Problem{Path: d.Path, Summary: d.Summary, Detail: d.Detail})
	}
	return conn.Diagnose(problems, desc.ConfigSchema)
}
