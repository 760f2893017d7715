package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/codemode-go/codemode/plugins/mcp/internal/result"
	"github.com/codemode-go/codemode/plugins/mcp/internal/stdio"
)

// startError says why a server is of no use.
type startError struct {
	cause error
	lines []string // the last that it printed
}

// Error is written for an operator.
func (e *startError) Error() string {
	text := e.summary()
	if len(e.lines) > 0 {
		text += "\nits last lines on stderr:"
	}
	for _, line := range e.lines {
		text += "\n  | " + line
	}
	return text
}

// summary leaves the lines out, for a reader who should not see what a server logs.
func (e *startError) summary() string { return "the MCP server does not answer: " + e.cause.Error() }

func (e *startError) Unwrap() error { return e.cause }

// summary is the text of err for a program.
func summary(err error) string {
	if e, ok := errors.AsType[*startError](err); ok {
		return e.summary()
	}
	return err.Error()
}

// notStarted is the error of something that never reached a server. Even where
// the time ran out, it did so before anything could happen.
func notStarted(err error, message string) error {
	e := sdk.Errorf(sdk.Unavailable, "%s", message)
	e.Effect = sdk.EffectNone
	e.Retryable = !errors.Is(err, errClosed)
	if paused, ok := errors.AsType[*pausedError](err); ok {
		e.RetryAfter = paused.left
	}
	return e
}

// failure is the error of a call that a server got, or may have got.
func failure(ctx context.Context, err error, readOnly bool) error {
	if e := unsent(err); e != nil {
		return e
	}
	if refused, ok := errors.AsType[*authError](err); ok {
		return sdk.Errorf(sdk.Unauthenticated, "%v", refused)
	}
	if status, ok := errors.AsType[*statusError](err); ok && status.code < 500 {
		return status.told()
	}
	if ctx.Err() == nil && unanswered(err) {
		return lost(readOnly)
	}
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return refusal(refused)
	}
	switch {
	case errors.Is(context.Cause(ctx), errIdle):
		return silent(readOnly)
	case ctx.Err() != nil:
		return ctx.Err()
	case !isLost(err):
		return sdk.Errorf(sdk.Internal, "the MCP server's answer cannot be used: %v", err)
	}
	return lost(readOnly)
}

// lost is the error of a call whose answer never came.
func lost(readOnly bool) error {
	if readOnly {
		e := sdk.Errorf(sdk.Unavailable, "the MCP server was lost during the call")
		e.Retryable = true
		return e
	}
	// Of all codes this one says that a write's outcome is not known, and has
	// the host find out before the program goes on.
	e := sdk.Errorf(sdk.Timeout, "the MCP server was lost during the call, which may have taken effect")
	e.Effect = sdk.EffectUnknown
	return e
}

// silent is the error of a call that was given up because the server had reported nothing of it for so long.
func silent(readOnly bool) error {
	if readOnly {
		e := sdk.Errorf(sdk.Timeout, "%v, and the call was cancelled", errIdle)
		e.Effect = sdk.EffectNone
		e.Retryable = true
		return e
	}
	e := sdk.Errorf(sdk.Timeout, "%v, and the call was cancelled; it may have taken effect", errIdle)
	e.Effect = sdk.EffectUnknown
	return e
}

// unsent returns the error of a call that a server over HTTP cannot have got,
// or refused for the reason that the session is not known to it any more.
func unsent(err error) error {
	request, ok := errors.AsType[*unansweredError](err)
	if ok && !request.sent {
		return notStarted(err, "the MCP server cannot be reached")
	}
	if errors.Is(err, mcp.ErrSessionMissing) {
		return notStarted(err, "the MCP server has ended the session; the next call opens another")
	}
	return nil
}

// unanswered reports whether a server over HTTP may have carried out a request.
func unanswered(err error) bool {
	if _, ok := errors.AsType[*unansweredError](err); ok {
		return true
	}
	status, ok := errors.AsType[*statusError](err)
	return ok && status.code >= 500
}

// told is the error of a call that was refused by its status.
func (e *statusError) told() error {
	code := sdk.Unavailable
	switch e.code {
	case http.StatusUnauthorized:
		code = sdk.Unauthenticated
	case http.StatusForbidden:
		code = sdk.PermissionDenied
	case http.StatusTooManyRequests:
		code = sdk.RateLimited
	}
	told := sdk.Errorf(code, "the MCP server refuses the call: %v", e)
	told.Effect = sdk.EffectNone
	told.Retryable = code == sdk.RateLimited
	told.RetryAfter = e.retryAfter
	return told
}

// isLost reports whether the connection ended before an answer came.
func isLost(err error) bool {
	return errors.Is(err, stdio.ErrGone) || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed)
}

// refusal is the error that a server answered a request with.
func refusal(refused *jsonrpc.Error) error {
	code := sdk.Internal
	switch refused.Code {
	case jsonrpc.CodeInvalidParams:
		code = sdk.InvalidArgument
	case jsonrpc.CodeMethodNotFound:
		code = sdk.NotFound
	}
	e := sdk.Errorf(code, "%s", refused.Message)
	e.Details = escaped(refused.Data)
	return e
}

// escaped makes a program's details of a server's data; data that is no JSON is left out.
func escaped(data json.RawMessage) json.RawMessage {
	details, err := wire.Escape(data)
	if err != nil {
		return nil
	}
	return details
}

// toolFailed is the error of a tool that says itself that it failed. Whether a
// write did something before, it does not say.
func toolFailed(r *result.Result) error {
	message, details, err := r.Failure()
	if err != nil {
		return err
	}
	e := sdk.Errorf(sdk.Internal, "%s", message)
	e.Effect = sdk.EffectUnknown
	e.Details = details
	return e
}
