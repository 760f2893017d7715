package sdk

import (
	"fmt"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Error is an error with all that a host can use: code, message, whether and
// when the same call may succeed (Retryable, RetryAfter), what is known of a
// write's effect (Effect), structured details for the program, and, from a
// Configure function, where the configuration is wrong (Diagnostics). A
// handler may wrap it; what wraps it does not travel.
type Error = wire.Error

// Diagnostic is one fault of a configuration.
type Diagnostic = wire.Diagnostic

// Code classifies an error.
type Code = wire.Code

// The codes. Of a write, all but the last three say that nothing happened,
// unless the error's Effect says otherwise.
const (
	InvalidArgument  = wire.CodeInvalidArgument
	NotFound         = wire.CodeNotFound
	PermissionDenied = wire.CodePermissionDenied
	Unauthenticated  = wire.CodeUnauthenticated
	RateLimited      = wire.CodeRateLimited
	Conflict         = wire.CodeConflict
	Unsupported      = wire.CodeUnsupported
	Unavailable      = wire.CodeUnavailable
	Timeout          = wire.CodeTimeout
	Internal         = wire.CodeInternal
)

// What an Error can say of a write's effect.
const (
	EffectNone    = wire.EffectNone
	EffectUnknown = wire.EffectUnknown
)

// Errorf returns an error of the given code with a formatted message. The
// message alone travels: %w formats an error like %v.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Errorf(format, args...).Error()}
}
