package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/codemode-go/codemode/plugin/wire/pb"
)

var fullCall = &Call{
	ExecutionID: "0191", Seq: "4.1", IdempotencyKey: "0191/4.1", Attempt: 2,
	Caller: "release-bot", Labels: map[string]string{"team": "core", "": "empty"}, Task: "T-1",
	Deadline: time.Date(2030, 1, 2, 3, 4, 5, 678901234, time.UTC),
	Method:   "issues/create", Args: json.RawMessage(`{"b":9007199254740993,"a":"<\u0041>"}`),
	Before: json.RawMessage(`null`),
}

// TestCarriesWhole sends every message of the contract and compares what arrives.
func TestCarriesWhole(t *testing.T) {
	t.Parallel()
	var got []any
	keep := func(v any) { got = append(got, v) }
	description := &Description{Name: "tracker", Version: "1.2", Instructions: "Use it.", ConfigSchema: json.RawMessage(`{}`)}
	offer := &Offer{Instructions: "The team's.", Methods: []*Method{
		{
			Name: "a", Description: "A.", Tags: []string{"x", "y"},
			InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`true`),
			ReadOnly: true, Idempotent: true, Destructive: true, RequiresApproval: true, Replay: ReplayReexecute,
			Prepares: true, Reverts: true, Reconciles: true, Previews: true, StandsIn: true,
		},
		{Name: "b"},
	}, Skipped: []Skipped{{Name: "GET /c", Reason: "It has no server."}}}
	c := dial(t, &fake{
		describe:  func(context.Context) (*Description, error) { return description, nil },
		configure: func(_ context.Context, r *ConfigureRequest) error { keep(r); return nil },
		methods:   func(context.Context) (*Offer, error) { return offer, nil },
		prepare: func(_ context.Context, c *Call) (json.RawMessage, error) {
			keep(c)
			return json.RawMessage(`{"title":"x"}`), nil
		},
		revert: func(_ context.Context, r *RevertRequest) error { keep(r); return nil },
		reconcile: func(_ context.Context, c *Call) (*Reconciliation, error) {
			keep(c)
			return &Reconciliation{Happened: HappenedYes, Result: json.RawMessage(`[]`)}, nil
		},
		preview: func(_ context.Context, c *Call) (string, error) { keep(c); return "Creates x.", nil },
		resolve: func(_ context.Context, c *Call) (*Resolution, error) {
			keep(c)
			return &Resolution{Method: "b", Args: json.RawMessage(`{"x":1}`)}, nil
		},
		passEnded: func(_ context.Context, r *PassEnd) error { keep(r); return nil },
		dispose:   func(_ context.Context, r *Disposal) error { keep(r); return nil },
	})
	ctx := t.Context()
	configure := &ConfigureRequest{Label: "github", Config: json.RawMessage(`{"token":"t"}`)}
	revert := &RevertRequest{Call: fullCall, Result: json.RawMessage(`"r"`), ResultOmitted: true}
	passEnd := &PassEnd{ExecutionID: "0191", Status: "paused"}
	disposal := &Disposal{ExecutionID: "0191", Status: "rolled_back"}

	answers := []any{}
	answer := func(v any, err error) {
		if err != nil {
			t.Error(err)
		}
		answers = append(answers, v)
	}
	answer(c.Describe(ctx))
	answer(nil, c.Configure(ctx, configure))
	answer(c.Methods(ctx))
	answer(c.Prepare(ctx, fullCall))
	answer(nil, c.Revert(ctx, revert))
	answer(c.Reconcile(ctx, fullCall))
	answer(c.Preview(ctx, fullCall))
	answer(c.Resolve(ctx, fullCall))
	answer(nil, c.PassEnded(ctx, passEnd))
	answer(nil, c.Dispose(ctx, disposal))

	if diff := cmp.Diff([]any{configure, fullCall, revert, fullCall, fullCall, fullCall, passEnd, disposal}, got); diff != "" {
		t.Errorf("requests (-sent +arrived):\n%s", diff)
	}
	want := []any{
		description, nil, offer, json.RawMessage(`{"title":"x"}`), nil,
		&Reconciliation{Happened: HappenedYes, Result: json.RawMessage(`[]`)}, "Creates x.",
		&Resolution{Method: "b", Args: json.RawMessage(`{"x":1}`)}, nil, nil,
	}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Errorf("answers (-sent +arrived):\n%s", diff)
	}
}

// TestOffer: a connector may have no instructions, no methods, or neither.
func TestOffer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ offered, want Offer }{
		"nothing":           {},
		"instructions only": {Offer{Instructions: "Wait."}, Offer{Instructions: "Wait."}},
		"methods only":      {Offer{Methods: []*Method{{Name: "a"}}}, Offer{Methods: []*Method{{Name: "a"}}}},
		"invalid UTF-8":     {Offer{Instructions: "a\xffb"}, Offer{Instructions: "a\uFFFDb"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, &fake{methods: func(context.Context) (*Offer, error) { return &test.offered, nil }})
			got, err := c.Methods(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOfferFails(t *testing.T) {
	t.Parallel()
	want := &Error{Code: CodeUnavailable, Message: "the server is down"}
	c := dial(t, &fake{methods: func(context.Context) (*Offer, error) { return nil, want }})
	_, err := c.Methods(t.Context())
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// itemsStream is a connector's end of a listing, in another language or of a later version.
type itemsStream struct {
	pb.ConnectorClient
	grpc.ServerStreamingClient[pb.MethodsResponse]
	items []*pb.MethodsResponse
}

func (s *itemsStream) Methods(context.Context, *pb.MethodsRequest, ...grpc.CallOption) (grpc.ServerStreamingClient[pb.MethodsResponse], error) {
	return s, nil
}

func (s *itemsStream) Recv() (*pb.MethodsResponse, error) {
	if len(s.items) == 0 {
		return nil, io.EOF
	}
	next := s.items[0]
	s.items = s.items[1:]
	return next, nil
}

// TestOfferOfOthers: instructions may come among the methods, and what a later
// version adds is skipped.
func TestOfferOfOthers(t *testing.T) {
	t.Parallel()
	method := func(name string) *pb.MethodsResponse {
		return &pb.MethodsResponse{Item: &pb.MethodsResponse_Method{Method: &pb.Method{Name: name}}}
	}
	later := &pb.MethodsResponse{}
	const field15 = "\x7a\x01x" // a string that no field of this version is for
	if err := proto.Unmarshal([]byte(field15), later); err != nil {
		t.Fatal(err)
	}
	c := &Client{rpc: &itemsStream{items: []*pb.MethodsResponse{
		method("a"), later, {Item: &pb.MethodsResponse_Instructions{Instructions: "Use it."}}, method("b"),
	}}}
	got, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := &Offer{Instructions: "Use it.", Methods: []*Method{{Name: "a"}, {Name: "b"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	var arrived *Call
	c := dial(t, &fake{invoke: func(_ context.Context, c *Call, progress func(Progress)) (*Result, error) {
		arrived = c
		progress(Progress{Message: "half", Done: 1, Total: 2})
		progress(Progress{Message: "done", Done: 2, Total: 2})
		return &Result{Value: json.RawMessage(`{"n":1}`)}, nil
	}})
	var seen []Progress
	got, err := c.Invoke(t.Context(), fullCall, func(p Progress) { seen = append(seen, p) })
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Value) != `{"n":1}` {
		t.Errorf("result %s", got.Value)
	}
	if diff := cmp.Diff(fullCall, arrived); diff != "" {
		t.Errorf("call (-sent +arrived):\n%s", diff)
	}
	if diff := cmp.Diff([]Progress{{"half", 1, 2}, {"done", 2, 2}}, seen); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if _, err := c.Invoke(t.Context(), fullCall, nil); err != nil {
		t.Errorf("without progress: %v", err)
	}
}

func TestUndefinedIsNotNull(t *testing.T) {
	t.Parallel()
	tests := map[string]json.RawMessage{"undefined": nil, "null": json.RawMessage("null"), "empty string": json.RawMessage(`""`)}
	for name, value := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, &fake{invoke: func(context.Context, *Call, func(Progress)) (*Result, error) {
				return &Result{Value: value}, nil
			}})
			got, err := c.Invoke(t.Context(), &Call{Method: "m"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&Result{Value: value}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestZeroCall(t *testing.T) {
	t.Parallel()
	var arrived *Call
	c := dial(t, &fake{preview: func(_ context.Context, c *Call) (string, error) { arrived = c; return "", nil }})
	if _, err := c.Preview(t.Context(), &Call{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&Call{}, arrived); diff != "" {
		t.Errorf("-sent +arrived:\n%s", diff)
	}
}

func TestInvalidJSONOfAConnector(t *testing.T) {
	t.Parallel()
	broken := json.RawMessage(`{"a":`)
	c := dial(t, &fake{
		invoke:    func(context.Context, *Call, func(Progress)) (*Result, error) { return &Result{Value: broken}, nil },
		prepare:   func(context.Context, *Call) (json.RawMessage, error) { return broken, nil },
		reconcile: func(context.Context, *Call) (*Reconciliation, error) { return &Reconciliation{Result: broken}, nil },
	})
	_, invokeErr := c.Invoke(t.Context(), &Call{}, nil)
	_, prepareErr := c.Prepare(t.Context(), &Call{})
	_, reconcileErr := c.Reconcile(t.Context(), &Call{})
	for name, test := range map[string]struct {
		err    error
		effect Effect
	}{
		"invoke":    {invokeErr, EffectUnknown},
		"prepare":   {prepareErr, EffectNone},
		"reconcile": {reconcileErr, EffectUnknown},
	} {
		e, ok := errors.AsType[*Error](test.err)
		if !ok || e.Code != CodeInternal || e.Effect != test.effect {
			t.Errorf("%s: got %#v, want an internal error with effect %s", name, test.err, test.effect)
		}
	}
}

func TestInvalidUTF8IsMadeValid(t *testing.T) {
	t.Parallel()
	c := dial(t, &fake{
		preview: func(context.Context, *Call) (string, error) { return "a\xffb", nil },
		invoke: func(context.Context, *Call, func(Progress)) (*Result, error) {
			return nil, &Error{Code: CodeConflict, Message: "x\xffy"}
		},
	})
	got, err := c.Preview(t.Context(), &Call{Caller: "\xff"})
	if err != nil || got != "a\uFFFDb" {
		t.Errorf("preview: %q, %v", got, err)
	}
	_, err = c.Invoke(t.Context(), &Call{}, nil)
	if diff := cmp.Diff(error(&Error{Code: CodeConflict, Message: "x\uFFFDy"}), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	c := dial(t, &fake{watch: func(ctx context.Context, report func(Change)) error {
		report(Change{MethodsChanged: true})
		report(Change{Health: "the token expires tomorrow"})
		return nil
	}})
	var got []Change
	if err := c.Watch(t.Context(), func(c Change) { got = append(got, c) }); err != nil {
		t.Fatal(err)
	}
	want := []Change{{MethodsChanged: true}, {Health: "the token expires tomorrow"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := dial(t, &fake{watch: func(ctx context.Context, report func(Change)) error {
		report(Change{MethodsChanged: true})
		<-ctx.Done()
		return ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := c.Watch(ctx, func(Change) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestContextErrors(t *testing.T) {
	t.Parallel()
	untilDone := func(ctx context.Context, _ *Call, progress func(Progress)) (*Result, error) {
		progress(Progress{})
		<-ctx.Done()
		return nil, ctx.Err()
	}
	tests := map[string]struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		"cancelled": {context.WithCancel, context.Canceled},
		"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, context.DeadlineExceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, &fake{invoke: untilDone})
			ctx, cancel := test.end(t.Context())
			defer cancel()
			_, err := c.Invoke(ctx, &Call{Method: "slow"}, func(Progress) {
				if test.want == context.Canceled {
					cancel()
				}
			})
			if !errors.Is(err, test.want) || IsLost(err) {
				t.Errorf("got %v (lost: %t), want %v", err, IsLost(err), test.want)
			}
			if _, said := errors.AsType[*Error](err); said {
				t.Errorf("%v claims to be the connector's word", err)
			}
		})
	}
}

func TestLostConnection(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	release := make(chan struct{})
	c := dial(t, &fake{invoke: func(ctx context.Context, _ *Call, _ func(Progress)) (*Result, error) {
		close(started)
		<-release
		return &Result{}, nil
	}})
	go func() {
		<-started
		c.server.Stop()
		close(release)
	}()
	_, during := c.Invoke(t.Context(), &Call{Method: "m"}, nil)
	_, after := c.Preview(t.Context(), &Call{Method: "m"})
	for name, err := range map[string]error{"during": during, "after": after} {
		if !IsLost(err) {
			t.Errorf("%s: got %v, want a lost connection", name, err)
		}
		if _, said := errors.AsType[*Error](err); said {
			t.Errorf("%s: %v claims to be the connector's word", name, err)
		}
	}
}

// TestConcurrentCalls carries many calls at once, each with progress from several goroutines.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	c := dial(t, &fake{invoke: func(_ context.Context, c *Call, progress func(Progress)) (*Result, error) {
		var reporters sync.WaitGroup
		for range 4 {
			reporters.Go(func() { progress(Progress{Message: c.Seq}) })
		}
		reporters.Wait()
		return &Result{Value: json.RawMessage(c.Seq)}, nil
	}})
	var calls sync.WaitGroup
	for i := range 64 {
		calls.Go(func() {
			seq := fmt.Sprint(i)
			reports := 0
			got, err := c.Invoke(t.Context(), &Call{Seq: seq}, func(p Progress) {
				if p.Message == seq {
					reports++
				}
			})
			if err != nil || string(got.Value) != seq || reports != 4 {
				t.Errorf("call %s: %v, %v, %d reports", seq, got, err, reports)
			}
		})
	}
	calls.Wait()
}

func TestLateProgressIsDropped(t *testing.T) {
	t.Parallel()
	late := make(chan func(Progress), 1)
	c := dial(t, &fake{invoke: func(_ context.Context, _ *Call, progress func(Progress)) (*Result, error) {
		late <- progress
		return &Result{}, nil
	}})
	if _, err := c.Invoke(t.Context(), &Call{}, func(Progress) { t.Error("late progress arrived") }); err != nil {
		t.Fatal(err)
	}
	(<-late)(Progress{Message: "too late"})
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	if err := tooLarge(1 << 20); err != nil {
		t.Error(err)
	}
	e, ok := errors.AsType[*Error](tooLarge(MaxMessageBytes))
	if !ok || e.Effect != EffectUnknown || !strings.Contains(e.Message, "67108864 bytes") {
		t.Errorf("got %v", e)
	}
}
