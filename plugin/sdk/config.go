package sdk

import (
	"context"
	"encoding/json"
	"fmt"
)

// Configuration is how a connector takes its configuration; [Config] makes
// one. The zero value accepts none.
type Configuration struct {
	schema    json.RawMessage
	configure func(ctx context.Context, config json.RawMessage) error
	err       error
}

// Config returns the Configuration whose JSON Schema is made from C, a struct,
// and which hands the checked and decoded block to configure. configure runs
// once per process, before any other function of the connector. It refuses a
// configuration with an error; an [*Error] whose Diagnostics have paths is
// shown to the operator at those places of the configuration file.
func Config[C any](configure func(ctx context.Context, config C) error) Configuration {
	in, err := newInput[C](nil)
	if err != nil {
		return Configuration{err: fmt.Errorf("the configuration: %w", err)}
	}
	return Configuration{
		schema: in.schema,
		configure: func(ctx context.Context, raw json.RawMessage) error {
			config, wrong := in.decode(raw)
			if len(wrong) > 0 {
				return invalidConfiguration(wrong)
			}
			return configure(ctx, config)
		},
	}
}

// apply runs the configuration.
func (c Configuration) apply(ctx context.Context, raw json.RawMessage) error {
	if c.configure != nil {
		return c.configure(ctx, raw)
	}
	none, err := newInput[struct{}](nil)
	if err != nil {
		return err
	}
	if _, wrong := none.decode(raw); len(wrong) > 0 {
		return invalidConfiguration(wrong)
	}
	return nil
}

// invalidConfiguration is the error for a configuration with problems.
func invalidConfiguration(wrong []problem) error {
	e := &Error{Code: InvalidArgument, Message: "the configuration is not valid"}
	for _, p := range wrong {
		e.Diagnostics = append(e.Diagnostics, Diagnostic{Path: p.path, Summary: p.text})
	}
	return e
}
