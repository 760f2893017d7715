package sdktest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// soon reports whether a channel is closed before the suite gives up.
func (s *suite) soon(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(s.Patience):
		return false
	}
}

// testLate: a call whose deadline has passed does nothing: its host has settled it.
func testLate(t *testing.T, b bench) {
	s := b.subject(t)
	for _, c := range b.Calls {
		if s.methods[c.Method] == nil || c.Fails != "" || len(c.First) > 0 {
			continue
		}
		call := s.call(c)
		before := s.state()
		call.Deadline = time.Now().Add(-time.Second)
		_, err := s.connector.Invoke(t.Context(), call, nil)
		e := s.wantCode(err, c.Method+" after its deadline", wire.CodeTimeout)
		if e.Effect != wire.EffectNone {
			t.Errorf("%s after its deadline: the effect is %q, not %q", c.Method, e.Effect, wire.EffectNone)
		}
		s.wantState(before, "%s acts after its deadline", c.Method)
	}
}

// testCancelled: a call ends with its context, whatever it waits for.
func testCancelled(t *testing.T, b bench) {
	shared := b.subject(t)
	if shared.Hold == nil {
		t.Skip("World.Hold is not set")
	}
	for i, c := range b.Calls {
		m := shared.methods[c.Method]
		if m == nil || c.Fails != "" {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", i, c.Method), func(t *testing.T) {
			if m.ReadOnly {
				b.cancel(b.sharing(t, shared, c), c, m)
				return
			}
			t.Parallel()
			b.cancel(b.subject(t), c, m)
		})
	}
}

// cancel makes a call that is not answered, and gives it up.
func (b bench) cancel(s *subject, c Call, m *wire.Method) {
	call := s.call(c)
	if err := s.prepare(call); err != nil {
		s.t.Fatalf("%s cannot be prepared: %v", m.Name, err)
	}
	reached, release := s.Hold()
	defer release()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		_, err = s.connector.Invoke(ctx, call, nil)
	}()
	select {
	case <-reached:
	case <-done:
		return // it needs nothing of what is held
	case <-time.After(b.Patience):
		s.t.Errorf("%s neither ends nor reaches what is held", m.Name)
	}
	cancel()
	if !b.soon(done) {
		s.t.Errorf("%s goes on although its context has ended", m.Name)
		release()
		<-done
	}
	if err == nil {
		s.t.Errorf("%s succeeds without an answer of what is held", m.Name)
	}
	if e, ok := own(err); ok && !m.ReadOnly && (e.Effect == wire.EffectNone || e.Effect == wire.EffectUnstated && e.Code.Harmless()) {
		s.t.Errorf("%s was cancelled while it wrote, and says %s: that nothing has happened", m.Name, e.Code)
	}
}

// testWatch: a watch ends with its context.
func testWatch(t *testing.T, b bench) {
	s := b.subject(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.connector.Watch(ctx, func(wire.Change) {}) // its end is all that matters here
	}()
	cancel()
	if !b.soon(done) {
		t.Error("Watch goes on although its context has ended")
	}
}

// testHooks: a connector hears of the end of passes and executions, of those
// that never called it, too, and hears it twice.
func testHooks(t *testing.T, b bench) {
	s := b.subject(t)
	var reads []*wire.Call
	for _, c := range b.Calls {
		if m := s.methods[c.Method]; m != nil && m.ReadOnly && c.Fails == "" && len(c.First) == 0 {
			reads = append(reads, s.call(c))
		}
	}
	if len(reads) > 0 {
		s.succeed(reads[0])
	}
	before := s.state()
	for _, execution := range []string{"sdktest", "sdktest-unknown"} {
		for _, status := range []string{"paused", "completed", "completed"} {
			if err := s.connector.PassEnded(t.Context(), &wire.PassEnd{ExecutionID: execution, Status: status}); err != nil {
				t.Errorf("PassEnded of %s, %s: %v", execution, status, err)
			}
		}
		for range 2 {
			if err := s.connector.Dispose(t.Context(), &wire.Disposal{ExecutionID: execution, Status: "completed"}); err != nil {
				t.Errorf("Dispose of %s: %v", execution, err)
			}
		}
	}
	s.wantState(before, "the end of an execution has changed something")
	for _, call := range reads {
		call.ExecutionID = "sdktest-next"
		s.succeed(call)
	}
}
