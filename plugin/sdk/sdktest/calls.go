package sdktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/plugin/wire"
)

// testCalls makes each call of the sample, and all that a host may do with it.
// What changes nothing shares a world; a write has one of its own.
func testCalls(t *testing.T, b bench) {
	shared := b.subject(t)
	for i, c := range b.Calls {
		m := shared.methods[c.Method]
		if m == nil { // testMethods says so
			continue
		}
		t.Run(fmt.Sprintf("%d %s", i, c.Method), func(t *testing.T) {
			switch {
			case c.Fails != "":
				b.sharing(t, shared, c).testFailure(c)
			case m.ReadOnly:
				b.sharing(t, shared, c).testRead(c, m)
			default:
				t.Parallel()
				b.subject(t).testWrite(c, m)
				if m.Reverts {
					b.subject(t).testRevertWithoutResult(c)
				}
			}
		})
	}
}

// sharing is the shared subject within a test, or a new one for a call that
// comes after others.
func (b bench) sharing(t *testing.T, shared *subject, c Call) *subject {
	t.Helper()
	if len(c.First) > 0 {
		return b.subject(t)
	}
	mine := *shared
	mine.t = t
	return &mine
}

// testFailure: an error says what it is, and whether something has happened.
func (s *subject) testFailure(c Call) {
	call := s.call(c)
	before := s.state()
	_, err := s.invoke(call)
	e := s.wantCode(err, c.Method, c.Fails)
	if e.Message == "" {
		s.t.Errorf("%s fails with %s and says nothing", c.Method, e.Code)
	}
	if e.Details != nil && !json.Valid(e.Details) {
		s.t.Errorf("%s: the Details of its error are no JSON", c.Method)
	}
	if e.Effect == wire.EffectNone || e.Effect == wire.EffectUnstated && e.Code.Harmless() {
		s.wantState(before, "%s fails with %s, by which nothing has happened, and something has", c.Method, e.Code)
	}
}

// testRead: a read changes nothing, the first time and the second.
func (s *subject) testRead(c Call, m *wire.Method) {
	call := s.call(c)
	before := s.state()
	for range 2 {
		wantFit(s.t, m, s.succeed(call))
		s.wantState(before, "%s is ReadOnly and changes something", m.Name)
		call.Attempt++
	}
}

// testWrite makes a call as a host does, with all that may come between.
func (s *subject) testWrite(c Call, m *wire.Method) {
	call := s.call(c)
	before := s.state()
	if err := s.prepare(call); err != nil {
		s.t.Fatalf("%s cannot be prepared: %v", m.Name, err)
	}
	if call.Before != nil && !json.Valid(call.Before) {
		s.t.Errorf("%s: Prepare returns what is no JSON", m.Name)
	}
	s.wantState(before, "%s: Prepare changes something", m.Name)
	s.preview(call, m)
	s.wantState(before, "%s: Preview changes something", m.Name)
	s.reconcile(call, m, wire.HappenedYes, "has happened before it was made")
	s.wantState(before, "%s: Reconcile changes something", m.Name)

	result, err := s.connector.Invoke(s.t.Context(), call, s.progress)
	if err != nil {
		s.t.Fatalf("%s fails: %v", m.Name, err)
	}
	wantFit(s.t, m, result.Value)
	after := s.state()
	s.reconcile(call, m, wire.HappenedNo, "has not happened after it was made")
	s.wantState(after, "%s: Reconcile changes something", m.Name)
	if m.Idempotent {
		again := *call
		again.Attempt = 2
		if _, err := s.connector.Invoke(s.t.Context(), &again, s.progress); err != nil {
			s.t.Errorf("%s is Idempotent and fails when it is sent once more: %v", m.Name, err)
		}
		s.wantState(after, "%s is Idempotent, and a second attempt with the same key changes something", m.Name)
	}
	if !m.Reverts {
		return
	}
	if err := s.connector.Revert(s.t.Context(), reverting(call, result.Value)); err != nil {
		s.t.Errorf("%s: Revert fails: %v", m.Name, err)
	}
	if !c.Leaves {
		s.wantState(before, "%s: Revert does not restore what was there", m.Name)
	}
}

// preview asks for what an approver reads.
func (s *subject) preview(call *wire.Call, m *wire.Method) {
	s.t.Helper()
	if !m.Previews {
		return
	}
	text, err := s.connector.Preview(s.t.Context(), call)
	if err != nil || text == "" {
		s.t.Errorf("%s: the preview is %q, %v", m.Name, text, err)
	}
}

// reconcile asks whether a call has happened; the answer must not be the wrong one.
func (s *subject) reconcile(call *wire.Call, m *wire.Method, wrong wire.Happened, what string) {
	s.t.Helper()
	if !m.Reconciles {
		return
	}
	answer, err := s.connector.Reconcile(s.t.Context(), call)
	if err != nil {
		s.t.Errorf("%s: Reconcile fails: %v", m.Name, err)
		return
	}
	switch answer.Happened {
	case wrong:
		s.t.Errorf("%s: Reconcile says that the call %s", m.Name, what)
	case wire.HappenedYes:
		wantFit(s.t, m, answer.Result)
	case wire.HappenedNo, wire.HappenedUnknown:
	default:
		s.t.Errorf("%s: Reconcile answers %q", m.Name, answer.Happened)
	}
}

// testRevertWithoutResult: a result that was too large to keep does not make a
// revert guess.
func (s *subject) testRevertWithoutResult(c Call) {
	call := s.call(c)
	before := s.state()
	s.succeed(call)
	after := s.state()
	request := reverting(call, nil)
	request.ResultOmitted = true
	err := s.connector.Revert(s.t.Context(), request)
	if err == nil {
		if !c.Leaves {
			s.wantState(before, "%s: without the result, Revert does not restore what was there", c.Method)
		}
		return
	}
	s.wantCode(err, c.Method+": Revert without the result", wire.CodeUnsupported)
	s.wantState(after, "%s: Revert refuses to do without the result, and changes something", c.Method)
}

// reverting asks to undo a call, as a host does it.
func reverting(call *wire.Call, result json.RawMessage) *wire.RevertRequest {
	undone := *call
	undone.IdempotencyKey += "/revert"
	return &wire.RevertRequest{Call: &undone, Result: result}
}

// testConcurrency: handlers run at once.
func testConcurrency(t *testing.T, b bench) {
	s := b.subject(t)
	var wait sync.WaitGroup
	for _, c := range b.Calls {
		if m := s.methods[c.Method]; m == nil || !m.ReadOnly || c.Fails != "" || len(c.First) > 0 {
			continue
		}
		for range 2 {
			call := s.call(c)
			wait.Go(func() {
				if _, err := s.connector.Invoke(t.Context(), call, s.progress); err != nil {
					t.Errorf("%s fails beside other calls: %v", call.Method, err)
				}
			})
		}
	}
	wait.Wait()
}

// own reports whether an error is the connector's.
func own(err error) (*wire.Error, bool) { return errors.AsType[*wire.Error](err) }
