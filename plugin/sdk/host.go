package sdk

import (
	"context"
	"encoding/json"
	"fmt"
)

// Get returns a value that this connector stored under key in this execution;
// found is false if there is none. Like Set, Delete and Ask it works in the
// functions that serve an execution, and answers [Unsupported] where the host
// does not offer the service.
func Get[T any](ctx context.Context, key string) (value T, found bool, err error) {
	m, executionID, err := execution(ctx)
	if err != nil {
		return value, false, err
	}
	raw, found, err := m.host().Get(ctx, executionID, key)
	if err != nil || !found {
		return value, false, err
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, false, fmt.Errorf("decode the stored value of %q: %w", key, err)
	}
	return value, true, nil
}

// Set stores a value, any that encoding/json encodes, for the rest of this
// execution: other calls find it, also after a restart. It is not part of the
// program's replay; a repeated call may find what its first attempt stored.
func Set(ctx context.Context, key string, value any) error {
	m, executionID, err := execution(ctx)
	if err != nil {
		return err
	}
	raw, err := encode(value)
	if err != nil {
		return fmt.Errorf("encode the value of %q: %w", key, err)
	}
	return m.host().Put(ctx, executionID, key, raw)
}

// Delete removes what is stored under key, if anything is.
func Delete(ctx context.Context, key string) error {
	m, executionID, err := execution(ctx)
	if err != nil {
		return err
	}
	return m.host().Delete(ctx, executionID, key)
}

// Ask puts a question to the person behind the execution and returns the
// answer. It may take as long as the call's deadline allows.
func Ask(ctx context.Context, question string) (string, error) {
	m, executionID, err := execution(ctx)
	if err != nil {
		return "", err
	}
	return m.host().Ask(ctx, executionID, question)
}

// execution returns where ctx's execution has its services.
func execution(ctx context.Context) (*mounted, string, error) {
	s := scopeFrom(ctx)
	if s.mounted == nil || s.executionID == "" {
		return nil, "", Errorf(Unsupported, "the host's services belong to an execution, and this is none")
	}
	return s.mounted, s.executionID, nil
}
