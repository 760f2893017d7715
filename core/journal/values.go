package journal

import "context"

// Values keeps what connectors store for themselves, for each execution and connector apart. A change is durable
// when it returns nil; the values of an execution go with it, and with DropValues. All methods may be called
// concurrently.
//
// A value may be stored before the execution's first event is. One whose execution has no event when the store is
// opened next belongs to nothing, and is removed.
type Values interface {
	// Value returns what is stored under a key, and whether anything is. A value that cannot be read is a
	// *DamagedError, or ErrNewer.
	Value(ctx context.Context, executionID, connector, key string) (value []byte, found bool, err error)
	// PutValue stores a value in place of any other. It fails with a *TooLargeError, and with a *TooManyKeysError.
	PutValue(ctx context.Context, executionID, connector, key string, value []byte) error
	// DeleteValue removes a value; it is no error if there is none.
	DeleteValue(ctx context.Context, executionID, connector, key string) error
	// DropValues removes all values of an execution.
	DropValues(ctx context.Context, executionID string) error
}
