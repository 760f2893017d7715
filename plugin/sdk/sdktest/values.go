package sdktest

import (
	"context"
	"sync"

	"github.com/codemode-go/codemode/plugin/wire"
)

// values are a host's services: a store in memory, and nobody to ask.
type values struct {
	wire.NoHost
	mu   sync.Mutex
	kept map[[2]string][]byte
}

func newValues() *values { return &values{kept: map[[2]string][]byte{}} }

func (v *values) Get(_ context.Context, executionID, key string) ([]byte, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, found := v.kept[[2]string{executionID, key}]
	return value, found, nil
}

func (v *values) Put(_ context.Context, executionID, key string, value []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.kept[[2]string{executionID, key}] = value
	return nil
}

func (v *values) Delete(_ context.Context, executionID, key string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.kept, [2]string{executionID, key})
	return nil
}
