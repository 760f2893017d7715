package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

// Errors travel in HTTP/2 trailers, whose size both ends limit (16 MiB in
// Go, less elsewhere), so their parts have bounds.
const (
	maxErrorMessage = 64 << 10
	maxErrorDetails = 1 << 20
)

// IsLost reports whether err, an error of a [Client], means that the
// connection to the connector broke or was never there: not the connector's
// own word, and neither a deadline nor a cancellation by the caller.
func IsLost(err error) bool {
	if _, said := errors.AsType[*Error](err); said {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	// A closed connection ends its calls with Canceled.
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.Canceled
}

// failure turns the error of an RPC into what a Client returns.
func failure(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errorFromStatus(status.Convert(err)); ok {
		return e
	}
	switch {
	case status.Code(err) == codes.DeadlineExceeded:
		return fmt.Errorf("%s: %w", doing, context.DeadlineExceeded)
	case status.Code(err) == codes.Canceled && ctx.Err() != nil:
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// statusOf turns an error of a Connector into one that gRPC carries whole.
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	e := ErrorFrom(err)
	st, detailErr := status.New(e.Code.grpc(), string(e.Code)).WithDetails(errorToProto(e))
	if detailErr != nil {
		return fmt.Errorf("encode a connector's error: %w", detailErr)
	}
	return st.Err()
}

// ErrorFrom returns the *[Error] in err's chain. For any other error it makes
// one whose effect is unknown: CodeTimeout for a context's error, else
// CodeInternal with err's text as the message. It returns nil for nil.
func ErrorFrom(err error) *Error {
	if err == nil {
		return nil
	}
	e, said := errors.AsType[*Error](err)
	switch {
	case said && e == nil:
		// A typed nil returned as an error, a common slip in Go.
		return &Error{Code: CodeInternal, Message: "an error without content", Effect: EffectUnknown}
	case said:
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeTimeout, Message: "the deadline passed before the call was done", Effect: EffectUnknown}
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeTimeout, Message: "the call was cancelled before it was done", Effect: EffectUnknown}
	}
	return &Error{Code: CodeInternal, Message: err.Error(), Effect: EffectUnknown}
}

// grpc returns the status code under which an error of this code travels. It
// informs tools that look at gRPC; the two ends read the detail alone.
func (c Code) grpc() codes.Code {
	switch c {
	case CodeInvalidArgument:
		return codes.InvalidArgument
	case CodeNotFound:
		return codes.NotFound
	case CodePermissionDenied:
		return codes.PermissionDenied
	case CodeUnauthenticated:
		return codes.Unauthenticated
	case CodeRateLimited:
		return codes.ResourceExhausted
	case CodeConflict:
		return codes.Aborted
	case CodeUnsupported:
		return codes.Unimplemented
	case CodeUnavailable:
		return codes.Unavailable
	case CodeTimeout:
		return codes.DeadlineExceeded
	}
	return codes.Internal
}

// known reports whether c is one of the contract's codes.
func (c Code) known() bool {
	return c == CodeInternal || c.grpc() != codes.Internal
}

// errorFromStatus returns the connector's own error in st, if it has one.
func errorFromStatus(st *status.Status) (*Error, bool) {
	for _, detail := range st.Details() {
		if e, ok := detail.(*pb.Error); ok {
			return errorFromProto(e), true
		}
	}
	return nil, false
}

func errorToProto(e *Error) *pb.Error {
	out := &pb.Error{
		Code:      text(string(e.Code)),
		Message:   text(e.Message),
		Retryable: e.Retryable,
		Effect:    effectToProto(e.Effect),
		Details:   e.Details,
	}
	if len(out.Message) > maxErrorMessage {
		out.Message = text(out.Message[:maxErrorMessage]) + " [shortened]"
	}
	if len(out.Details) > maxErrorDetails {
		out.Details = nil
		out.Message += fmt.Sprintf(" [%d bytes of details left out]", len(e.Details))
	}
	if e.RetryAfter > 0 {
		out.RetryAfter = durationpb.New(e.RetryAfter)
	}
	for _, d := range e.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, &pb.Diagnostic{
			Path: texts(d.Path), Summary: text(d.Summary), Detail: text(d.Detail),
		})
	}
	return out
}

// errorFromProto reads an error that a connector in any language made: a code
// that is none counts as internal, an effect that is none as unknown.
func errorFromProto(e *pb.Error) *Error {
	out := &Error{
		Code:      Code(e.GetCode()),
		Message:   e.GetMessage(),
		Retryable: e.GetRetryable(),
		Effect:    effectFromProto(e.GetEffect()),
	}
	if !out.Code.known() {
		out.Code = CodeInternal
	}
	if json.Valid(e.GetDetails()) {
		out.Details = e.GetDetails()
	}
	if after := e.GetRetryAfter(); after != nil {
		out.RetryAfter = max(after.AsDuration(), 0)
	}
	for _, d := range e.GetDiagnostics() {
		out.Diagnostics = append(out.Diagnostics, Diagnostic{
			Path: d.GetPath(), Summary: d.GetSummary(), Detail: d.GetDetail(),
		})
	}
	return out
}

func effectToProto(e Effect) pb.Effect {
	switch e {
	case EffectUnstated:
		return pb.Effect_EFFECT_UNSPECIFIED
	case EffectNone:
		return pb.Effect_EFFECT_NONE
	}
	return pb.Effect_EFFECT_UNKNOWN
}

func effectFromProto(e pb.Effect) Effect {
	switch e {
	case pb.Effect_EFFECT_UNSPECIFIED:
		return EffectUnstated
	case pb.Effect_EFFECT_NONE:
		return EffectNone
	}
	return EffectUnknown
}
