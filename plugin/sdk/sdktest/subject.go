package sdktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/wire"
)

// bench makes the subjects of one check.
type bench struct {
	*suite
	mount mounting
}

// subject is a configured connector in a world of its own.
type subject struct {
	t *testing.T
	World
	connector wire.Connector
	methods   map[string]*wire.Method
	calls     *int // made so far, by all who share the connector
}

// label is the connector's name in the configuration of the suite's host.
const label = "sdktest"

// callTime is how long a call may take.
const callTime = time.Minute

// unconfigured is a new connector.
func (b bench) unconfigured(t *testing.T) (wire.Connector, World) {
	t.Helper()
	w := b.open(t)
	said := &ear{}
	t.Cleanup(func() { said.check(t, b.Secrets) })
	return &overheard{b.mount(t, w, said), said}, w
}

// subject is a new connector that is ready to be called.
func (b bench) subject(t *testing.T) *subject {
	t.Helper()
	c, w := b.unconfigured(t)
	if err := configure(t, c, encode(t, orEmpty(w.Config))); err != nil {
		t.Fatalf("the configuration is refused: %v", err)
	}
	s := &subject{t: t, World: w, connector: c, methods: map[string]*wire.Method{}, calls: new(int)}
	for _, m := range s.offer().Methods {
		s.methods[m.Name] = m
	}
	return s
}

func configure(t *testing.T, c wire.Connector, config json.RawMessage) error {
	return c.Configure(t.Context(), &wire.ConfigureRequest{Label: label, Config: config, Host: newValues()})
}

func (s *subject) offer() *wire.Offer {
	s.t.Helper()
	offer, err := s.connector.Methods(s.t.Context())
	if err != nil {
		s.t.Fatalf("the methods cannot be listed: %v", err)
	}
	return offer
}

// state is what the connector works on, or nothing where that is not to be seen.
func (s *subject) state() string {
	if s.State == nil {
		return ""
	}
	return s.State()
}

// wantState reports that something was changed that should not have been.
func (s *subject) wantState(want, what string, args ...any) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.state()); diff != "" {
		s.t.Errorf("%s (- wanted, + found):\n%s", fmt.Sprintf(what, args...), diff)
	}
}

// call is the wire's form of a call, after those that come before it.
func (s *subject) call(c Call) *wire.Call {
	s.t.Helper()
	var results []json.RawMessage
	for _, first := range c.First {
		results = append(results, s.succeed(s.call(first)))
	}
	args := c.Args
	if c.ArgsFrom != nil {
		args = c.ArgsFrom(results)
	}
	return s.raw(c.Method, encode(s.t, orEmpty(args)))
}

// raw is a new call of an execution.
func (s *subject) raw(method string, args json.RawMessage) *wire.Call {
	seq := fmt.Sprint(*s.calls)
	*s.calls++
	return &wire.Call{
		ExecutionID: "sdktest", Seq: seq, IdempotencyKey: "sdktest/" + seq, Attempt: 1, Caller: "sdktest",
		Deadline: time.Now().Add(callTime), Method: method, Args: args,
	}
}

// prepare does what a host does before it sends a call.
func (s *subject) prepare(c *wire.Call) error {
	if m := s.methods[c.Method]; m == nil || !m.Prepares {
		return nil
	}
	before, err := s.connector.Prepare(s.t.Context(), c)
	c.Before = before
	return err
}

// invoke prepares a call and carries it out.
func (s *subject) invoke(c *wire.Call) (json.RawMessage, error) {
	if err := s.prepare(c); err != nil {
		return nil, err
	}
	result, err := s.connector.Invoke(s.t.Context(), c, s.progress)
	if err != nil {
		return nil, err
	}
	return result.Value, nil
}

// progress hears what a call tells of itself.
func (s *subject) progress(p wire.Progress) {
	if p.Done < 0 || p.Total < 0 {
		s.t.Errorf("a call reports %v of %v done", p.Done, p.Total)
	}
}

// succeed is invoke for a call that has to.
func (s *subject) succeed(c *wire.Call) json.RawMessage {
	s.t.Helper()
	value, err := s.invoke(c)
	if err != nil {
		s.t.Fatalf("%s fails: %v", c.Method, err)
	}
	return value
}

// wantCode checks that an error is the connector's own, with one of the codes.
func (s *subject) wantCode(err error, what string, codes ...wire.Code) *wire.Error {
	s.t.Helper()
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		s.t.Errorf("%s: got %v, want an error with the code %s", what, err, codes[0])
		return &wire.Error{}
	}
	for _, code := range codes {
		if e.Code == code {
			return e
		}
	}
	s.t.Errorf("%s: got the code %s (%s), want %s", what, e.Code, e.Message, codes[0])
	return e
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func orEmpty(v any) any {
	if v == nil {
		return struct{}{}
	}
	return v
}
