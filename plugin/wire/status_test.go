package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

var allCodes = []Code{
	CodeInvalidArgument, CodeNotFound, CodePermissionDenied, CodeUnauthenticated, CodeRateLimited,
	CodeConflict, CodeUnsupported, CodeUnavailable, CodeTimeout, CodeInternal,
}

func TestErrorsTravelWhole(t *testing.T) {
	t.Parallel()
	tests := map[string]*Error{
		"whole": {
			Code: CodeRateLimited, Message: "slow down\nplease", Retryable: true, RetryAfter: 1500 * time.Millisecond,
			Effect: EffectNone, Details: json.RawMessage(`{"limit":[1,2]}`),
		},
		"unknown effect": {Code: CodeUnavailable, Effect: EffectUnknown},
		"diagnostics": {
			Code: CodeInvalidArgument, Message: "bad config",
			Diagnostics: []Diagnostic{
				{Path: []string{"repos", "0", "branch"}, Summary: "no such branch", Detail: "Push it first."},
				{Path: []string{}, Summary: "whole block"},
			},
		},
	}
	for _, code := range allCodes {
		tests["code "+string(code)] = &Error{Code: code, Message: "m"}
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, &fake{
				invoke:  func(context.Context, *Call, func(Progress)) (*Result, error) { return nil, want },
				preview: func(context.Context, *Call) (string, error) { return "", fmt.Errorf("wrapped: %w", want) },
			})
			_, streamed := c.Invoke(t.Context(), &Call{}, nil)
			_, unary := c.Preview(t.Context(), &Call{})
			for kind, err := range map[string]error{"stream": streamed, "unary": unary} {
				got, ok := errors.AsType[*Error](err)
				if !ok {
					t.Fatalf("%s: %v is not an *Error", kind, err)
				}
				if diff := cmp.Diff(want, got, equateEmptyPath); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
}

// equateEmptyPath: protobuf has no empty list that is not nil.
var equateEmptyPath = cmp.Transformer("path", func(d Diagnostic) string { return fmt.Sprintf("%q", d) })

func TestTransportErrorsAreNotTheConnectors(t *testing.T) {
	t.Parallel()
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		err := failure(t.Context(), "invoke m", status.Error(code, "from the transport"))
		if _, said := errors.AsType[*Error](err); said {
			t.Errorf("%v: %v claims to be the connector's word", code, err)
		}
		wantDeadline := code == codes.DeadlineExceeded
		if got := errors.Is(err, context.DeadlineExceeded); got != wantDeadline {
			t.Errorf("%v: is a deadline: %t", code, got)
		}
		wantLost := code == codes.Unavailable || code == codes.Canceled
		if got := IsLost(err); got != wantLost {
			t.Errorf("%v: is lost: %t", code, got)
		}
	}
}

func TestIsLost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want bool
	}{
		"nil":                            {nil, false},
		"another error":                  {errors.New("x"), false},
		"the connector's unavailable":    {&Error{Code: CodeUnavailable}, false},
		"the connector's, as it travels": {statusOf(&Error{Code: CodeUnavailable}), true},
		"unavailable, wrapped":           {fmt.Errorf("x: %w", status.Error(codes.Unavailable, "reset")), true},
		"cancelled":                      {fmt.Errorf("x: %w", context.Canceled), false},
	}
	// A status that has not been through failure is one of the transport's to IsLost.
	for name, test := range tests {
		if got := IsLost(test.err); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestErrorFrom(t *testing.T) {
	t.Parallel()
	own := &Error{Code: CodeConflict, Message: "c"}
	tests := map[string]struct {
		err  error
		want *Error
	}{
		"nil":          {nil, nil},
		"own":          {own, own},
		"wrapped":      {fmt.Errorf("page 2: %w", own), own},
		"nil pointer":  {(*Error)(nil), &Error{Code: CodeInternal, Message: "an error without content", Effect: EffectUnknown}},
		"deadline":     {fmt.Errorf("x: %w", context.DeadlineExceeded), &Error{Code: CodeTimeout, Message: "the deadline passed before the call was done", Effect: EffectUnknown}},
		"cancellation": {context.Canceled, &Error{Code: CodeTimeout, Message: "the call was cancelled before it was done", Effect: EffectUnknown}},
		"any other":    {errors.New("boom"), &Error{Code: CodeInternal, Message: "boom", Effect: EffectUnknown}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, ErrorFrom(test.err)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOversizedErrorsAreCut(t *testing.T) {
	t.Parallel()
	e := &Error{
		Code:    CodeConflict,
		Message: strings.Repeat("é", maxErrorMessage),
		Details: json.RawMessage(`"` + strings.Repeat("d", maxErrorDetails) + `"`),
	}
	c := dial(t, &fake{preview: func(context.Context, *Call) (string, error) { return "", e }})
	_, err := c.Preview(t.Context(), &Call{})
	got, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("%v is not an *Error", err)
	}
	if got.Details != nil || len(got.Message) > maxErrorMessage+100 {
		t.Errorf("got a message of %d and details of %d bytes", len(got.Message), len(got.Details))
	}
	if !strings.HasSuffix(got.Message, " [shortened] [1048578 bytes of details left out]") {
		t.Errorf("the message ends in %q", got.Message[len(got.Message)-60:])
	}
}

func TestErrorOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   *pb.Error
		want *Error
	}{
		"no code":      {&pb.Error{Message: "m"}, &Error{Code: CodeInternal, Message: "m"}},
		"unknown code": {&pb.Error{Code: "teapot"}, &Error{Code: CodeInternal}},
		"internal":     {&pb.Error{Code: "internal"}, &Error{Code: CodeInternal}},
		"unknown effect": {
			&pb.Error{Code: "conflict", Effect: 9}, &Error{Code: CodeConflict, Effect: EffectUnknown},
		},
		"details that are not JSON": {
			&pb.Error{Code: "conflict", Details: []byte("{")}, &Error{Code: CodeConflict},
		},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, errorFromProto(test.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHarmlessCodes(t *testing.T) {
	t.Parallel()
	for i, code := range allCodes {
		if got, want := code.Harmless(), i < 7; got != want {
			t.Errorf("%s: harmless %t, want %t", code, got, want)
		}
	}
}

// FuzzErrorFromStatus feeds statuses as a connector in any language may send them.
func FuzzErrorFromStatus(f *testing.F) {
	for _, e := range []*Error{
		{Code: CodeRateLimited, Message: "m", RetryAfter: time.Second, Details: json.RawMessage(`{}`)},
		{Code: "nonsense", Diagnostics: []Diagnostic{{Path: []string{"a"}}}},
	} {
		raw, err := proto.Marshal(status.Convert(statusOf(e)).Proto())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var st spb.Status
		if proto.Unmarshal(raw, &st) != nil {
			return
		}
		e, ok := errorFromStatus(status.FromProto(&st))
		if !ok {
			return
		}
		if !e.Code.known() || e.RetryAfter < 0 || e.Details != nil && !json.Valid(e.Details) {
			t.Errorf("decoded %#v", e)
		}
		again, ok := errorFromStatus(status.Convert(statusOf(e)))
		if !ok {
			t.Fatalf("%#v does not travel", e)
		}
		if len(e.Message) < maxErrorMessage && len(e.Details) < maxErrorDetails {
			if diff := cmp.Diff(e, again, equateEmptyPath); diff != "" {
				t.Errorf("changes under way:\n%s", diff)
			}
		}
	})
}
