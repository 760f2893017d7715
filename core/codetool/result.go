package codetool

import (
	"encoding/json"
	"fmt"
)

// Result is what a program came to.
type Result struct {
	// Value is what it returned, one JSON value; nil is undefined. Bytes and bigints are
	// tagged, as everywhere: {"$bytes": "<base64>"}, {"$bigint": "<digits>"}.
	Value json.RawMessage `json:"result,omitempty"`
	// Logs are its console's lines, warnings and errors with their level in front.
	Logs []string `json:"logs,omitempty"`
}

// ErrorType says in what way a program failed.
type ErrorType string

// The types.
const (
	ErrorCompile   ErrorType = "compile"   // the text is no program; nothing has run
	ErrorRuntime   ErrorType = "runtime"   // the program threw
	ErrorTimeout   ErrorType = "timeout"   // Limits.Wall
	ErrorLimit     ErrorType = "limit"     // any other limit, see Error.Limit
	ErrorCancelled ErrorType = "cancelled" // the caller's context has ended; errors.Is finds its cause
	ErrorState     ErrorType = "state"     // the tool was called with wrong arguments; nothing has run
)

// Error is a program that failed. Its JSON form is what a model should get.
type Error struct {
	Type    ErrorType `json:"errorType"`
	Message string    `json:"error"`
	// Name, Code and Retryable are those of what the program threw.
	Name      string `json:"name,omitempty"`
	Code      string `json:"code,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
	// Limit is the limit exceeded: source, timeout, cpu, memory, calls, stack, timers, sleep or value.
	Limit string `json:"limit,omitempty"`
	// Line and Column are in the model's text, from 1; 0: not known.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Logs are the console's lines up to the failure.
	Logs []string `json:"logs,omitempty"`

	cause error
}

// Error returns the message with its place, without the logs.
func (e *Error) Error() string {
	if e.Line == 0 {
		return "run program: " + e.Message
	}
	return fmt.Sprintf("run program: %s (line %d, column %d)", e.Message, e.Line, e.Column)
}

// Unwrap returns the cause of a cancellation, else nil.
func (e *Error) Unwrap() error { return e.cause }
