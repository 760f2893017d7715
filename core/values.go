package core

import (
	"context"
	"errors"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

// services is what the host offers to one connector: a key-value store for each execution, which survives restarts and
// is dropped when the execution is disposed of.
type services struct {
	wire.NoHost // there is nobody to ask
	label       string
	values      journal.Values
}

// servicesFor returns what a connector is offered; without a store for values everything answers unsupported.
func servicesFor(label string, values journal.Values) wire.HostServices {
	if values == nil {
		return wire.NoHost{}
	}
	return &services{label: label, values: values}
}

// Get returns a value.
func (s *services) Get(ctx context.Context, executionID, key string) ([]byte, bool, error) {
	v, found, err := s.values.Value(ctx, executionID, s.label, key)
	return v, found, told(err)
}

// Put stores a value.
func (s *services) Put(ctx context.Context, executionID, key string, value []byte) error {
	return told(s.values.PutValue(ctx, executionID, s.label, key, value))
}

// Delete removes a value.
func (s *services) Delete(ctx context.Context, executionID, key string) error {
	return told(s.values.DeleteValue(ctx, executionID, s.label, key))
}

// told is an error as the connector gets it.
func told(err error) error {
	var large *journal.TooLargeError
	var many *journal.TooManyKeysError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large), errors.As(err, &many):
		return &wire.Error{Code: wire.CodeInvalidArgument, Message: err.Error()}
	}
	return &wire.Error{Code: wire.CodeUnavailable, Message: "the host's store failed", Retryable: true}
}

var _ wire.HostServices = (*services)(nil)
