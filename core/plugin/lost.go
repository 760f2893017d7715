package plugin

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is the cause of calls to a supervisor that has been closed.
var ErrClosed = errors.New("the host has closed it")

// LostError says that a connector could not be reached, or was lost in the
// middle of a call. It is never a *wire.Error and never wraps one: the
// connector had no say. Find it with errors.As.
type LostError struct {
	// Label is the connector's.
	Label string
	// Cause is why. It satisfies errors.Is(err, context.DeadlineExceeded) or
	// context.Canceled where the caller's patience ended before the connector was ready.
	Cause error
	// NotSent says that the request certainly never left the host, so that a
	// write did not happen. Otherwise its effect is unknown.
	NotSent bool
	// Stderr holds the last lines that the process wrote, oldest first, without
	// control characters and the secrets that the Spec names.
	Stderr []string
}

// Error is written for an operator. Where no request was sent it quotes
// Stderr, which tells why a connector does not start; use [LostError.Summary]
// for a reader who should see neither the host's paths nor what a connector logs.
func (e *LostError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Summary(), e.Cause)
	if !e.NotSent {
		return text
	}
	return text + quote(e.Stderr)
}

// quote sets a connector's last lines off from the host's words; they may be none.
func quote(stderr []string) string {
	if len(stderr) == 0 {
		return ""
	}
	return "\nits last lines on stderr:\n  | " + strings.Join(stderr, "\n  | ")
}

// Summary says in a word what happened, for a program.
func (e *LostError) Summary() string {
	if e.NotSent {
		return fmt.Sprintf("connector %q is not available", e.Label)
	}
	return fmt.Sprintf("connector %q was lost during the call", e.Label)
}

// NeverSent reports whether the request certainly never left the host.
func (e *LostError) NeverSent() bool { return e.NotSent }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Cause }
