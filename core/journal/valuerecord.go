package journal

import (
	"errors"
	"fmt"
)

// The limits of what a connector may store.
const (
	MaxValue = 1 << 20 // bytes of one value
	MaxKey   = 512     // bytes of a key, and of a connector's label
	MaxKeys  = 1000    // keys of one execution and connector
)

// TooManyKeysError says that a connector has stored as many values for an execution as it may.
type TooManyKeysError struct {
	Connector string
}

func (e *TooManyKeysError) Error() string {
	return fmt.Sprintf("connector %q has %d keys for this execution already, which is all that the journal keeps: "+
		"delete those that are no longer needed, or store several facts under one key", e.Connector, MaxKeys)
}

const valueVersion = 1

// valueContent is what an envelope of a value holds.
type valueContent struct {
	Value []byte `cbor:"1,keyasint"`
}

// EncodeValue checks that a value and its key are within the limits, and returns the value's stored form.
func EncodeValue(executionID, connector, key string, value []byte) ([]byte, error) {
	of := fmt.Sprintf("of connector %.*q", MaxKey, connector)
	switch {
	case len(connector) > MaxKey:
		return nil, &TooLargeError{What: "the label " + of, Size: len(connector), Limit: MaxKey, Advice: "give it a short one"}
	case len(key) > MaxKey:
		return nil, &TooLargeError{What: "a key " + of, Size: len(key), Limit: MaxKey, Advice: "use a short one, a hash for example"}
	case len(value) > MaxValue:
		return nil, &TooLargeError{
			What: "a value " + of, Size: len(value), Limit: MaxValue, Advice: "keep large data elsewhere and store a reference to it",
		}
	}
	data, err := seal(valuePlace(executionID, connector, key), valueVersion, valueContent{value})
	if err != nil {
		return nil, fmt.Errorf("encode a value %s: %w", of, err)
	}
	return data, nil
}

// DecodeValue returns the value under this key that EncodeValue made these bytes of. The error is DamagedValue's, or
// ErrNewer with the connector's label.
func DecodeValue(executionID, connector, key string, data []byte) ([]byte, error) {
	var c valueContent
	err := unseal(valuePlace(executionID, connector, key), valueVersion, data, &c)
	if errors.Is(err, ErrNewer) {
		return nil, fmt.Errorf("a value of connector %q for execution %s: %w", connector, executionID, err)
	}
	if err != nil {
		return nil, DamagedValue(executionID, connector, err)
	}
	return c.Value, nil
}

// DamagedValue returns the *DamagedError of a value. The cause must quote nothing of it; nor is its key named, which
// may be a secret.
func DamagedValue(executionID, connector string, cause error) error {
	return &DamagedError{ID: executionID, Part: fmt.Sprintf("a value of connector %q", connector), After: -1, Cause: cause.Error()}
}

// valuePlace tells keys apart, whatever bytes they have.
func valuePlace(executionID, connector, key string) string {
	return fmt.Sprintf("%s %q %q", executionID, connector, key)
}
