package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/wire"
)

// note is what the tests' connector works with.
type note struct {
	ID    int      `json:"id"`
	Title string   `json:"title" jsonschema:"minLength=1"`
	Tags  []string `json:"tags,omitempty"`
}

type renameNote struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// whole returns a connector that uses all of the contract, and the record of what it did.
func whole() *Connector {
	rename := Func[renameNote, note]{
		Name: "rename", Description: "Rename a note.", Tags: []string{"notes"}, Approval: Required, Idempotent: true,
		Prepare: func(_ context.Context, in renameNote) (any, error) { return note{ID: in.ID, Title: "old"}, nil },
		Call: func(ctx context.Context, in renameNote) (note, error) {
			before, err := Before[note](ctx)
			Progress(ctx, "renaming", 1, 2)
			return note{ID: in.ID, Title: in.Title, Tags: []string{before.Title, IdempotencyKey(ctx)}}, err
		},
		Revert: func(ctx context.Context, in renameNote, out note) error {
			before, err := Before[note](ctx)
			if err != nil {
				return err
			}
			return Errorf(Conflict, "would rename %d from %s to %s", in.ID, out.Title, before.Title)
		},
		Reconcile: func(_ context.Context, in renameNote) (Happened[note], error) {
			switch in.ID {
			case 1:
				return Happened[note]{Answer: Yes, Result: note{ID: 1, Title: in.Title}}, nil
			case 2:
				return Happened[note]{Answer: No, Result: note{ID: 2}}, nil
			}
			return Happened[note]{}, nil
		},
		Preview: func(_ context.Context, in renameNote) (string, error) {
			return fmt.Sprintf("Renames note %d to %s.", in.ID, in.Title), nil
		},
	}
	return &Connector{
		Name: "notes", Version: "1.2.3", Instructions: "Notes.",
		Methods: []Method{
			reading(func(context.Context, empty) ([]note, error) { return nil, nil }),
			rename,
			Func[empty, struct{}]{Name: "forget", Approval: NotRequired, Destructive: true, Call: func(context.Context, empty) (struct{}, error) {
				return struct{}{}, nil
			}},
		},
		DynamicInstructions: func(context.Context) (string, error) { return "Two of them.", nil },
		PassEnded:           func(_ context.Context, e PassEnd) error { return Errorf(Unavailable, "pass %s", e.Status) },
		Dispose:             func(_ context.Context, d Disposal) error { return Errorf(Unavailable, "end %s", d.Status) },
		Watch: func(_ context.Context, report func(Change)) error {
			report(Change{Health: "well"})
			return nil
		},
	}
}

func call(method, args string) *wire.Call {
	return &wire.Call{ExecutionID: "e", Seq: "0", IdempotencyKey: "e/0", Attempt: 1, Method: method, Args: json.RawMessage(args)}
}

// TestTheContract goes through the whole contract; each step's answer is the
// same in the host's process and over gRPC.
func TestTheContract(t *testing.T) {
	t.Parallel()
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	prepared := call("rename", `{"id":7,"title":"new"}`)
	prepared.Before = raw(`{"id":7,"title":"old"}`)
	steps := []struct {
		name    string
		do      func(ctx context.Context, c wire.Connector) (any, error)
		want    any
		wantErr *Error
	}{
		{
			name: "describe",
			do:   func(ctx context.Context, c wire.Connector) (any, error) { return c.Describe(ctx) },
			want: &wire.Description{Name: "notes", Version: "1.2.3", Instructions: "Notes."},
		},
		{
			name: "configure",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Configure(ctx, &wire.ConfigureRequest{Label: "notes", Config: raw(`{}`)})
			},
		},
		{
			name: "configure twice",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Configure(ctx, &wire.ConfigureRequest{Label: "notes", Config: raw(`{}`)})
			},
			wantErr: &Error{Code: Conflict, Message: "the connector is configured already"},
		},
		{
			name: "methods",
			do:   func(ctx context.Context, c wire.Connector) (any, error) { return c.Methods(ctx) },
			want: &wire.Offer{Instructions: "Two of them.", Methods: []*wire.Method{
				{
					Name: "m", ReadOnly: true,
					InputSchema:  raw(`{"properties":{},"additionalProperties":false,"type":"object"}`),
					OutputSchema: raw(`{"$defs":{"note":{"properties":{"id":{"type":"integer"},"title":{"type":"string","minLength":1},"tags":{"items":{"type":"string"},"type":"array"}},"type":"object","required":["id","title"]}},"items":{"$ref":"#/$defs/note"},"type":"array"}`),
				},
				{
					Name: "rename", Description: "Rename a note.", Tags: []string{"notes"},
					InputSchema:  raw(`{"properties":{"id":{"type":"integer"},"title":{"type":"string"}},"additionalProperties":false,"type":"object","required":["id","title"]}`),
					OutputSchema: raw(`{"properties":{"id":{"type":"integer"},"title":{"type":"string","minLength":1},"tags":{"items":{"type":"string"},"type":"array"}},"type":"object","required":["id","title"]}`),
					Idempotent:   true, RequiresApproval: true,
					Prepares: true, Reverts: true, Reconciles: true, Previews: true,
				},
				{
					Name: "forget", Destructive: true,
					InputSchema: raw(`{"properties":{},"additionalProperties":false,"type":"object"}`),
				},
			}},
		},
		{
			name: "watch",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				var changes []wire.Change
				err := c.Watch(ctx, func(c wire.Change) { changes = append(changes, c) })
				return changes, err
			},
			want: []wire.Change{{Health: "well"}},
		},
		{
			name: "a nil slice is an empty array",
			do:   func(ctx context.Context, c wire.Connector) (any, error) { return c.Invoke(ctx, call("m", ``), nil) },
			want: &wire.Result{Value: raw(`[]`)},
		},
		{
			name: "nothing is undefined",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return c.Invoke(ctx, call("forget", `{}`), nil)
			},
			want: &wire.Result{},
		},
		{
			name: "prepare",
			do:   func(ctx context.Context, c wire.Connector) (any, error) { return c.Prepare(ctx, prepared) },
			want: raw(`{"id":7,"title":"old"}`),
		},
		{
			name: "invoke",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				var reports []wire.Progress
				r, err := c.Invoke(ctx, prepared, func(p wire.Progress) { reports = append(reports, p) })
				return []any{r, reports}, err
			},
			want: []any{
				&wire.Result{Value: raw(`{"id":7,"title":"new","tags":["old","e/0"]}`)},
				[]wire.Progress{{Message: "renaming", Done: 1, Total: 2}},
			},
		},
		{
			name: "invoke without what was prepared",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return c.Invoke(ctx, call("rename", `{"id":7,"title":"new"}`), nil)
			},
			wantErr: &Error{Code: Internal, Message: "nothing was prepared for this call"},
		},
		{
			name: "revert",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Revert(ctx, &wire.RevertRequest{Call: prepared, Result: raw(`{"id":7,"title":"new"}`)})
			},
			wantErr: &Error{Code: Conflict, Message: "would rename 7 from new to old"},
		},
		{
			name: "revert without the result",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Revert(ctx, &wire.RevertRequest{Call: prepared, ResultOmitted: true})
			},
			wantErr: &Error{Code: Unsupported, Message: "the call's result was too large to keep, and reverting it needs the result", Effect: EffectNone},
		},
		{
			name: "revert with another's result",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Revert(ctx, &wire.RevertRequest{Call: prepared, Result: raw(`{"id":"seven"}`)})
			},
			wantErr: &Error{Code: InvalidArgument, Message: "the recorded result: id: this string does not fit int", Effect: EffectNone},
		},
		{
			name: "reconcile: yes",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return c.Reconcile(ctx, call("rename", `{"id":1,"title":"new"}`))
			},
			want: &wire.Reconciliation{Happened: wire.HappenedYes, Result: raw(`{"id":1,"title":"new"}`)},
		},
		{
			name: "reconcile: no",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return c.Reconcile(ctx, call("rename", `{"id":2,"title":"new"}`))
			},
			want: &wire.Reconciliation{Happened: wire.HappenedNo},
		},
		{
			name: "reconcile: unknown",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return c.Reconcile(ctx, call("rename", `{"id":3,"title":"new"}`))
			},
			want: &wire.Reconciliation{Happened: wire.HappenedUnknown},
		},
		{
			name: "preview",
			do:   func(ctx context.Context, c wire.Connector) (any, error) { return c.Preview(ctx, prepared) },
			want: "Renames note 7 to new.",
		},
		{
			name: "no preview",
			do:   func(ctx context.Context, c wire.Connector) (any, error) { return c.Preview(ctx, call("m", ``)) },
			want: "", wantErr: &Error{Code: Unsupported, Message: "method m has no Preview", Effect: EffectNone},
		},
		{
			name: "no prepare",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				_, err := c.Prepare(ctx, call("m", ``))
				return nil, err
			},
			wantErr: &Error{Code: Unsupported, Message: "method m has no Prepare", Effect: EffectNone},
		},
		{
			name: "no revert",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Revert(ctx, &wire.RevertRequest{Call: call("m", ``)})
			},
			wantErr: &Error{Code: Unsupported, Message: "method m has no Revert", Effect: EffectNone},
		},
		{
			name: "no reconcile",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				_, err := c.Reconcile(ctx, call("m", ``))
				return nil, err
			},
			wantErr: &Error{Code: Unsupported, Message: "method m has no Reconcile", Effect: EffectNone},
		},
		{
			name: "no such method",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				_, err := c.Invoke(ctx, call("zap", ``), nil)
				return nil, err
			},
			wantErr: &Error{Code: NotFound, Message: `there is no method "zap"`, Effect: EffectNone},
		},
		{
			name: "wrong arguments",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				_, err := c.Invoke(ctx, call("rename", `{"id":"x","colour":"red"}`), nil)
				return nil, err
			},
			wantErr: &Error{Code: InvalidArgument, Message: "colour: is not known; id: got string, want integer; title: is missing", Effect: EffectNone},
		},
		{
			name: "pass ended",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.PassEnded(ctx, &wire.PassEnd{ExecutionID: "e", Status: "paused"})
			},
			wantErr: &Error{Code: Unavailable, Message: "pass paused"},
		},
		{
			name: "dispose",
			do: func(ctx context.Context, c wire.Connector) (any, error) {
				return nil, c.Dispose(ctx, &wire.Disposal{ExecutionID: "e", Status: "completed"})
			},
			wantErr: &Error{Code: Unavailable, Message: "end completed"},
		},
	}
	bothWays(t, whole, func(t *testing.T, c wire.Connector) {
		for _, step := range steps {
			got, err := step.do(t.Context(), c)
			if diff := cmp.Diff(step.wantErr, asError(t, err)); diff != "" {
				t.Errorf("%s: error (-want +got):\n%s", step.name, diff)
			}
			if step.wantErr != nil {
				continue
			}
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// asError returns a connector's error, and fails the test for any other.
func asError(t *testing.T, err error) *Error {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Errorf("%v is not the connector's word", err)
	}
	return e
}

func TestHooksMayBeMissing(t *testing.T) {
	t.Parallel()
	bothWays(t, one(reading(func(context.Context, empty) (int, error) { return 1, nil })), func(t *testing.T, c wire.Connector) {
		for name, err := range map[string]error{
			"pass":    c.PassEnded(t.Context(), &wire.PassEnd{}),
			"dispose": c.Dispose(t.Context(), &wire.Disposal{}),
			"watch":   c.Watch(t.Context(), nil),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestCallFacts checks what a handler can learn of its call.
func TestCallFacts(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Hour)
	type facts struct {
		Call        Call
		Label       string
		HasDeadline bool
	}
	m := reading(func(ctx context.Context, _ empty) (facts, error) {
		d, ok := ctx.Deadline()
		return facts{CallFrom(ctx), Label(ctx), ok && d.Equal(deadline)}, nil
	})
	bothWays(t, one(m), func(t *testing.T, c wire.Connector) {
		if err := c.Configure(t.Context(), &wire.ConfigureRequest{Label: "mine"}); err != nil {
			t.Fatal(err)
		}
		r, err := c.Invoke(t.Context(), &wire.Call{
			ExecutionID: "e", Seq: "4.0", IdempotencyKey: "e/4.0", Attempt: 2, Caller: "bot",
			Labels: map[string]string{"a": "b"}, Task: "T", Deadline: deadline, Method: "m",
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got facts
		if err := json.Unmarshal(r.Value, &got); err != nil {
			t.Fatal(err)
		}
		want := facts{Call{
			ExecutionID: "e", Seq: "4.0", Method: "m", IdempotencyKey: "e/4.0", Attempt: 2, Caller: "bot",
			Labels: map[string]string{"a": "b"}, Task: "T", Deadline: deadline,
		}, "mine", true}
		if diff := cmp.Diff(want, got, cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestOutsideOfACall(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	Progress(ctx, "ignored", 0, 0)
	if diff := cmp.Diff(Call{}, CallFrom(ctx)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := Ask(ctx, "?"); asError(t, err).Code != Unsupported {
		t.Errorf("ask: %v", err)
	}
	if err := Set(ctx, "k", 1); asError(t, err).Code != Unsupported {
		t.Errorf("set: %v", err)
	}
	if Logger(ctx) == nil {
		t.Error("no logger")
	}
}

func TestHandlerErrors(t *testing.T) {
	t.Parallel()
	typed := &Error{
		Code: RateLimited, Message: "slow down", Retryable: true, RetryAfter: time.Minute,
		Effect: EffectNone, Details: json.RawMessage(`{"limit":5}`),
	}
	tests := map[string]struct {
		call func(context.Context, empty) (any, error)
		want *Error
	}{
		"typed":   {func(context.Context, empty) (any, error) { return nil, typed }, typed},
		"wrapped": {func(context.Context, empty) (any, error) { return nil, fmt.Errorf("page 2: %w", typed) }, typed},
		"formatted": {
			func(context.Context, empty) (any, error) {
				return nil, Errorf(NotFound, "issue %d: %w", 7, errors.New("gone"))
			},
			&Error{Code: NotFound, Message: "issue 7: gone"},
		},
		"plain": {
			func(context.Context, empty) (any, error) { return nil, errors.New("boom") },
			&Error{Code: Internal, Message: "boom", Effect: EffectUnknown},
		},
		"a deadline of its own": {
			func(context.Context, empty) (any, error) {
				return nil, fmt.Errorf("dial: %w", context.DeadlineExceeded)
			},
			&Error{Code: Timeout, Message: "the deadline passed before the call was done", Effect: EffectUnknown},
		},
		"nil pointer": {
			func(context.Context, empty) (any, error) {
				var none *Error
				return nil, none
			},
			&Error{Code: Internal, Message: "an error without content", Effect: EffectUnknown},
		},
		"a panic": {
			func(context.Context, empty) (any, error) { panic("secret") },
			&Error{Code: Internal, Message: "method m panicked; the connector's log has the stack", Effect: EffectUnknown},
		},
		"a panic while encoding": {
			func(context.Context, empty) (any, error) { return panicker{}, nil },
			&Error{Code: Internal, Message: "method m panicked; the connector's log has the stack", Effect: EffectUnknown},
		},
		"no JSON": {
			func(context.Context, empty) (any, error) { return func() {}, nil },
			&Error{Code: Internal, Message: "encode the result: json: unsupported type: func()", Effect: EffectUnknown},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, one(reading(test.call)), func(t *testing.T, c wire.Connector) {
				_, err := invoke(t, c, `{}`)
				if diff := cmp.Diff(test.want, asError(t, err)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		})
	}
}

type panicker struct{}

func (panicker) MarshalJSON() ([]byte, error) { panic("secret") }

// TestPanicSparesOtherCalls: one handler panics while another is running.
func TestPanicSparesOtherCalls(t *testing.T) {
	t.Parallel()
	type input struct {
		Panic bool `json:"panic"`
	}
	newConnector := func() *Connector {
		waiting, panicked := make(chan struct{}), make(chan struct{})
		return one(reading(func(_ context.Context, in input) (string, error) {
			if in.Panic {
				<-waiting
				defer close(panicked)
				panic("secret")
			}
			close(waiting)
			<-panicked
			return "alive", nil
		}))()
	}
	bothWays(t, newConnector, func(t *testing.T, c wire.Connector) {
		var calls sync.WaitGroup
		defer calls.Wait()
		calls.Go(func() {
			if got, err := invoke(t, c, `{"panic":false}`); string(got) != `"alive"` {
				t.Errorf("the other call: %s, %v", got, err)
			}
		})
		if _, err := invoke(t, c, `{"panic":true}`); asError(t, err).Code != Internal {
			t.Errorf("got %v", err)
		}
	})
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	untilDone := func(ctx context.Context, _ empty) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	bothWays(t, one(reading(untilDone)), func(t *testing.T, c wire.Connector) {
		late := call("m", `{}`)
		late.Deadline = time.Now().Add(-time.Second)
		_, err := c.Invoke(t.Context(), late, nil)
		want := &Error{Code: Timeout, Message: "the call's deadline had passed before it began", Effect: EffectNone}
		if diff := cmp.Diff(want, asError(t, err)); diff != "" {
			t.Errorf("expired (-want +got):\n%s", diff)
		}

		short := call("m", `{}`)
		short.Deadline = time.Now().Add(20 * time.Millisecond)
		_, err = c.Invoke(t.Context(), short, nil)
		want = &Error{Code: Timeout, Message: "the deadline passed before the call was done", Effect: EffectUnknown}
		if diff := cmp.Diff(want, asError(t, err)); diff != "" {
			t.Errorf("while running (-want +got):\n%s", diff)
		}
	})
}

// TestHostGivesUp: the host's own context ends, and its error comes back.
func TestHostGivesUp(t *testing.T) {
	t.Parallel()
	newConnector := one(reading(func(ctx context.Context, _ empty) (int, error) {
		Progress(ctx, "started", 0, 0)
		<-ctx.Done()
		return 0, ctx.Err()
	}))
	bothWays(t, newConnector, func(t *testing.T, c wire.Connector) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := c.Invoke(ctx, call("m", `{}`), func(wire.Progress) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		if _, said := errors.AsType[*Error](err); said {
			t.Errorf("%v claims to be the connector's word", err)
		}
	})
}

func TestDynamicMethods(t *testing.T) {
	t.Parallel()
	newConnector := func() *Connector {
		generation := 0
		echo := func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil }
		return &Connector{
			Name:    "dynamic",
			Methods: []Method{reading(func(context.Context, empty) (string, error) { return "static", nil })},
			DynamicMethods: func(context.Context) ([]Method, error) {
				generation++
				name := fmt.Sprintf("tool-%d", generation)
				return []Method{RawMethod{Name: name, Approval: Required, Call: echo, InputSchema: json.RawMessage(`{"type":"object"}`)}}, nil
			},
		}
	}
	bothWays(t, newConnector, func(t *testing.T, c wire.Connector) {
		// A host that has its list from before a restart calls without listing again.
		got, err := c.Invoke(t.Context(), call("tool-1", `{"a": {"$bytes": ""}}`), nil)
		if err != nil || string(got.Value) != `{"a": {"$bytes": ""}}` {
			t.Errorf("unlisted call: %v, %v", got, err)
		}
		offer, err := c.Methods(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first := offer.Methods[0]
		want := &wire.Offer{Methods: []*wire.Method{
			{Name: "m", ReadOnly: true, InputSchema: first.InputSchema, OutputSchema: first.OutputSchema},
			{Name: "tool-2", RequiresApproval: true, InputSchema: json.RawMessage(`{"type":"object"}`)},
		}}
		if diff := cmp.Diff(want, offer); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if _, err := c.Invoke(t.Context(), call("tool-1", `{}`), nil); asError(t, err).Code != NotFound {
			t.Errorf("a method that has gone: %v", err)
		}
		if _, err := c.Invoke(t.Context(), call("tool-2", `{}`), nil); err != nil {
			t.Error(err)
		}
	})
}

func TestFaultyDynamicMethods(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		list func(context.Context) ([]Method, error)
		want *Error
	}{
		"its own error": {
			func(context.Context) ([]Method, error) { return nil, Errorf(Unavailable, "server is down") },
			&Error{Code: Unavailable, Message: "server is down"},
		},
		"a faulty method": {
			func(context.Context) ([]Method, error) { return []Method{RawMethod{Name: "t", ReadOnly: true}}, nil },
			&Error{Code: Internal, Message: "method t: it has no Call", Effect: EffectUnknown},
		},
		"a panic": {
			func(context.Context) ([]Method, error) { panic("x") },
			&Error{Code: Internal, Message: "DynamicMethods panicked; the connector's log has the stack", Effect: EffectUnknown},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := inProcess(t, &Connector{Name: "x", DynamicMethods: test.list})
			_, listErr := c.Methods(t.Context())
			_, callErr := c.Invoke(t.Context(), call("t", ``), nil)
			for _, err := range []error{listErr, callErr} {
				if diff := cmp.Diff(test.want, asError(t, err)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// TestDynamicInstructions: they know the configuration and the methods, and are asked for again with them.
func TestDynamicInstructions(t *testing.T) {
	t.Parallel()
	type config struct {
		Team string `json:"team"`
	}
	newConnector := func() *Connector {
		var team string
		listed := 0
		return &Connector{
			Name: "dynamic", Instructions: "Fixed.",
			Configure: Config(func(_ context.Context, c config) error { team = c.Team; return nil }),
			DynamicMethods: func(context.Context) ([]Method, error) {
				listed++
				return nil, nil
			},
			DynamicInstructions: func(ctx context.Context) (string, error) {
				return fmt.Sprintf("%s of %s, list %d", Label(ctx), team, listed), nil
			},
			Skipped: func(context.Context) ([]Skipped, error) {
				return []Skipped{{Name: "old", Reason: fmt.Sprintf("gone in list %d", listed)}}, nil
			},
		}
	}
	bothWays(t, newConnector, func(t *testing.T, c wire.Connector) {
		about, err := c.Describe(t.Context())
		if err != nil || about.Instructions != "Fixed." {
			t.Errorf("Describe: %+v, %v", about, err)
		}
		configure := &wire.ConfigureRequest{Label: "notes", Config: json.RawMessage(`{"team":"core"}`)}
		if err := c.Configure(t.Context(), configure); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"notes of core, list 1", "notes of core, list 2"} {
			offer, err := c.Methods(t.Context())
			if err != nil || offer.Instructions != want {
				t.Errorf("got %+v, %v, want %q", offer, err, want)
			}
			if gone := "gone in " + want[len("notes of core, "):]; len(offer.Skipped) != 1 || offer.Skipped[0].Reason != gone {
				t.Errorf("skipped are %+v, want %q", offer.Skipped, gone)
			}
		}
	})
}

func TestFaultyDynamicInstructions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		instructions func(context.Context) (string, error)
		want         *Error
	}{
		"its own error": {
			func(context.Context) (string, error) { return "kept back", Errorf(Unavailable, "server is down") },
			&Error{Code: Unavailable, Message: "server is down"},
		},
		"a panic": {
			func(context.Context) (string, error) { panic("x") },
			&Error{Code: Internal, Message: "DynamicInstructions panicked; the connector's log has the stack", Effect: EffectUnknown},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := reading(func(context.Context, empty) (string, error) { return "done", nil })
			c := inProcess(t, &Connector{Name: "x", Methods: []Method{m}, DynamicInstructions: test.instructions})
			offer, err := c.Methods(t.Context())
			if diff := cmp.Diff(test.want, asError(t, err)); diff != "" || offer != nil {
				t.Errorf("got %+v, -want +got:\n%s", offer, diff)
			}
			if _, err := c.Invoke(t.Context(), call("m", `{}`), nil); err != nil {
				t.Errorf("calls do not need them: %v", err)
			}
		})
	}
}

func TestRawHandlers(t *testing.T) {
	t.Parallel()
	type step struct {
		Name         string
		Args, Result string
	}
	var steps []step
	keep := func(name string, args, result json.RawMessage) {
		steps = append(steps, step{name, string(args), string(result)})
	}
	m := RawMethod{
		Name: "m", Approval: Required, RevertWithoutResult: true,
		Call: func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			keep("call", args, nil)
			return nil, nil
		},
		Prepare: func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			keep("prepare", args, nil)
			return json.RawMessage(`1`), nil
		},
		Revert: func(ctx context.Context, args, result json.RawMessage) error {
			keep("revert", args, result)
			if !CallFrom(ctx).ResultOmitted {
				t.Error("the revert does not know that the result is missing")
			}
			return nil
		},
		Reconcile: func(_ context.Context, args json.RawMessage) (Happened[json.RawMessage], error) {
			keep("reconcile", args, nil)
			return Happened[json.RawMessage]{Answer: Yes, Result: json.RawMessage(`2`)}, nil
		},
		Preview: func(_ context.Context, args json.RawMessage) (string, error) {
			keep("preview", args, nil)
			return "p", nil
		},
	}
	c := inProcess(t, one(m)())
	ctx := t.Context()
	args := call("m", `{"x": 1}`)
	result, callErr := c.Invoke(ctx, args, nil)
	before, prepareErr := c.Prepare(ctx, args)
	revertErr := c.Revert(ctx, &wire.RevertRequest{Call: args, ResultOmitted: true})
	happened, reconcileErr := c.Reconcile(ctx, args)
	preview, previewErr := c.Preview(ctx, args)
	if err := errors.Join(callErr, prepareErr, revertErr, reconcileErr, previewErr); err != nil {
		t.Fatal(err)
	}
	got := []any{result, before, happened, preview}
	want := []any{
		&wire.Result{}, json.RawMessage(`1`),
		&wire.Reconciliation{Happened: wire.HappenedYes, Result: json.RawMessage(`2`)}, "p",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	wantSteps := []step{
		{"call", `{"x": 1}`, ""}, {"prepare", `{"x": 1}`, ""}, {"revert", `{"x": 1}`, ""},
		{"reconcile", `{"x": 1}`, ""}, {"preview", `{"x": 1}`, ""},
	}
	if diff := cmp.Diff(wantSteps, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestTags: what JSON lacks reaches typed handlers as Go has it, and what only looks like it stays data.
func TestTags(t *testing.T) {
	t.Parallel()
	type values struct {
		Data []byte         `json:"data"`
		Big  uint64         `json:"big"`
		Any  map[string]any `json:"any"`
	}
	echo := reading(func(_ context.Context, in values) (values, error) {
		if string(in.Data) != "hi" {
			return in, Errorf(Internal, "data is %q", in.Data)
		}
		return in, nil
	})
	c := inProcess(t, one(echo)())
	got, err := invoke(t, c, `{"data":{"$bytes":"aGk="},"big":{"$bigint":"18446744073709551615"},"any":{"$$bytes":"<x>"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"data":"aGk=","big":18446744073709551615,"any":{"$$bytes":"<x>"}}`; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPanicsAreLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	connector := one(reading(func(context.Context, empty) (int, error) { panic("the reason") }))()
	connector.Logger = testLogger(&log)
	if _, err := invoke(t, inProcess(t, connector), `{}`); err == nil {
		t.Error("no error")
	}
	for _, want := range []string{`"method m panicked"`, "the reason", "mount_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, &log)
		}
	}
}

// TestResolve: a method can say which call of another one its call stands for.
func TestResolve(t *testing.T) {
	t.Parallel()
	call := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	newConnector := func() *Connector {
		return &Connector{Name: "any", Version: "1", Methods: []Method{
			RawMethod{Name: "read", ReadOnly: true, Call: call},
			RawMethod{Name: "any", Approval: Required, Call: call, Resolve: func(_ context.Context, args json.RawMessage) (string, json.RawMessage, error) {
				if string(args) == "{}" {
					return "", nil, Errorf(NotFound, "it stands for nothing")
				}
				return "read", json.RawMessage(`{"own":1}`), nil
			}},
		}}
	}
	bothWays(t, newConnector, func(t *testing.T, c wire.Connector) {
		offer, err := c.Methods(t.Context())
		if err != nil || offer.Methods[0].StandsIn || !offer.Methods[1].StandsIn {
			t.Fatalf("offered %+v, %v", offer, err)
		}
		told, err := c.Resolve(t.Context(), &wire.Call{Method: "any", Args: json.RawMessage(`{"x":1}`)})
		if err != nil || told.Method != "read" || string(told.Args) != `{"own":1}` {
			t.Errorf("got %+v, %v", told, err)
		}
		for name, code := range map[string]Code{"any": NotFound, "read": Unsupported} {
			_, err := c.Resolve(t.Context(), &wire.Call{Method: name, Args: json.RawMessage(`{}`)})
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != code {
				t.Errorf("%s: %v, want %s", name, err, code)
			}
		}
	})
}
