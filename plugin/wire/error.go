package wire

import (
	"encoding/json"
	"fmt"
	"time"
)

// Code classifies a connector's error.
type Code string

// The codes. For a write, those above the blank line mean that nothing
// happened, unless the error's Effect says otherwise.
const (
	CodeInvalidArgument  Code = "invalid_argument"
	CodeNotFound         Code = "not_found"
	CodePermissionDenied Code = "permission_denied"
	CodeUnauthenticated  Code = "unauthenticated"
	CodeRateLimited      Code = "rate_limited"
	CodeConflict         Code = "conflict"
	CodeUnsupported      Code = "unsupported"

	CodeUnavailable Code = "unavailable"
	CodeTimeout     Code = "timeout"
	CodeInternal    Code = "internal"
)

// Harmless reports whether an error of this code says by itself that a write did nothing.
func (c Code) Harmless() bool {
	switch c {
	case CodeInvalidArgument, CodeNotFound, CodePermissionDenied, CodeUnauthenticated,
		CodeRateLimited, CodeConflict, CodeUnsupported:
		return true
	}
	return false
}

// Effect says what an error of a write knows about the write's effect.
type Effect string

// The effects. EffectUnstated leaves the answer to the code.
const (
	EffectUnstated Effect = ""
	EffectNone     Effect = "none"    // it certainly did not happen
	EffectUnknown  Effect = "unknown" // it may have happened
)

// Error is an error as it crosses the wire. Its message is written for a
// model or a person to act on and holds no secret.
type Error struct {
	Code       Code
	Message    string
	Retryable  bool          // the same call may succeed later
	RetryAfter time.Duration // not before; 0: not known
	Effect     Effect
	Details    json.RawMessage // structured details for the program; nil: none
	// Diagnostics say where a configuration is wrong; set by Configure only.
	Diagnostics []Diagnostic
}

// Error returns the message behind its code.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Diagnostic is one fault of a configuration.
type Diagnostic struct {
	// Path leads to the faulty value: property names and list indices as decimal numbers; empty: the whole block.
	Path    []string
	Summary string
	Detail  string
}
