package memory

import (
	"context"

	"github.com/codemode-go/codemode/core/journal"
)

type valueKey struct{ connector, key string }

// Value implements journal.Values.
func (s *Store) Value(ctx context.Context, executionID, connector, key string) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	record, found := s.values[executionID][valueKey{connector, key}]
	if !found {
		return nil, false, nil
	}
	value, err := journal.DecodeValue(executionID, connector, key, record)
	return value, err == nil, err
}

// PutValue implements journal.Values.
func (s *Store) PutValue(ctx context.Context, executionID, connector, key string, value []byte) error {
	record, err := journal.EncodeValue(executionID, connector, key, value)
	if err != nil {
		return err
	}
	return s.do(ctx, journal.Batch{ID: executionID}, func(s *Store) (func(), error) {
		if !s.hasRoom(executionID, valueKey{connector, key}) {
			return nil, &journal.TooManyKeysError{Connector: connector}
		}
		return func() {
			if s.values[executionID] == nil {
				s.values[executionID] = map[valueKey][]byte{}
			}
			s.values[executionID][valueKey{connector, key}] = record
		}, nil
	})
}

// hasRoom reports whether a value may be stored under this key. The caller holds the lock.
func (s *Store) hasRoom(executionID string, k valueKey) bool {
	values := s.values[executionID]
	if _, replaces := values[k]; replaces {
		return true
	}
	keys := 0
	for other := range values {
		if other.connector == k.connector {
			keys++
		}
	}
	return keys < journal.MaxKeys
}

// DeleteValue implements journal.Values.
func (s *Store) DeleteValue(ctx context.Context, executionID, connector, key string) error {
	return s.do(ctx, journal.Batch{ID: executionID}, func(s *Store) (func(), error) {
		return func() { delete(s.values[executionID], valueKey{connector, key}) }, nil
	})
}

// DropValues implements journal.Values.
func (s *Store) DropValues(ctx context.Context, executionID string) error {
	return s.do(ctx, journal.Batch{ID: executionID}, func(s *Store) (func(), error) {
		return func() { delete(s.values, executionID) }, nil
	})
}
