package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/google/go-cmp/cmp"
)

// lostBy asserts that err is a LostError and returns it.
func lostBy(t *testing.T, err error) *LostError {
	t.Helper()
	lost, ok := errors.AsType[*LostError](err)
	if !ok {
		t.Fatalf("got %v, want a *LostError", err)
	}
	if said, ok := errors.AsType[*wire.Error](err); ok {
		t.Fatalf("the error wraps %v, as if the connector had said it", said)
	}
	return lost
}

func TestLazyStart(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	if st := s.Status(); st.State != StateIdle || st.PID != 0 || st.Incarnation != 0 {
		t.Errorf("before the first call: %+v", st)
	}
	mustInvoke(t, s, "echo", "")
	st := s.Status()
	want := Status{Label: "double", State: StateReady, Name: "double", Version: "1.2.3", Path: s.spec.Plugin, PID: st.PID, Incarnation: 1}
	if diff := cmp.Diff(want, st); diff != "" || st.PID == 0 {
		t.Errorf("after it (-want +got):\n%s", diff)
	}
}

// TestEveryMethod holds the supervisor to the whole contract, over mutual TLS.
func TestEveryMethod(t *testing.T) {
	t.Parallel()
	spec := specOf(t, "connector")
	spec.NoMTLS = false
	s := supervise(t, spec)
	ctx, call := t.Context(), callOf("echo", "x")
	about, err := s.Describe(ctx)
	if err != nil || about.Name != "double" {
		t.Errorf("Describe: %+v, %v", about, err)
	}
	offer, err := s.Methods(ctx)
	if err != nil || offer.Instructions != "Say it." || len(offer.Methods) != 1 || offer.Methods[0].Name != "echo" {
		t.Errorf("Methods: %+v, %v", offer, err)
	}
	if r, err := s.Invoke(ctx, call, nil); err != nil || string(r.Value) != `"x"` {
		t.Errorf("Invoke: %+v, %v", r, err)
	}
	if before, err := s.Prepare(ctx, call); err != nil || string(before) != `"x"` {
		t.Errorf("Prepare: %s, %v", before, err)
	}
	if r, err := s.Reconcile(ctx, call); err != nil || r.Happened != wire.HappenedNo {
		t.Errorf("Reconcile: %+v, %v", r, err)
	}
	if text, err := s.Preview(ctx, call); err != nil || text != `will do "x"` {
		t.Errorf("Preview: %q, %v", text, err)
	}
	if err := s.PassEnded(ctx, &wire.PassEnd{ExecutionID: "e"}); err != nil {
		t.Errorf("PassEnded: %v", err)
	}
	if err := s.Dispose(ctx, &wire.Disposal{ExecutionID: "e"}); err != nil {
		t.Errorf("Dispose: %v", err)
	}
	err = s.Revert(ctx, &wire.RevertRequest{Call: call})
	if said, ok := err.(*wire.Error); !ok || said.Code != wire.CodeUnsupported {
		t.Errorf("Revert: %v, want the connector's own error as it is", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	spec := specOf(t, "connector")
	spec.Env = map[string]string{"NAMED": "a=b", "EMPTY": ""}
	s := supervise(t, spec)
	var got []string
	if err := json.Unmarshal([]byte(mustInvoke(t, s, "environment", "")), &got); err != nil {
		t.Fatal(err)
	}
	handshake := []string{wire.Handshake.MagicCookieKey, "PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR"}
	got = slices.DeleteFunc(got, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(handshake, name)
	})
	slices.Sort(got)
	if diff := cmp.Diff([]string{"EMPTY=", "NAMED=a=b"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSocketFolder(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	mustInvoke(t, s, "echo", "")
	dir := s.current.dir
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v: want a folder of mode 0700", info, err)
	}
	s.Close(context.Background())
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestRestartAfterKill(t *testing.T) {
	t.Parallel()
	life := newLifelines(t)
	spec := specOf(t, "connector")
	spec.Env[lifelineVar], spec.Config = life.path, json.RawMessage(`{"a":1}`)
	s := supervise(t, spec)
	mustInvoke(t, s, "echo", "")
	first, conn := s.Status(), life.next(t)
	stopProcess(t, first.PID)
	awaitDeath(t, conn)
	<-s.current.process.exited // a call in between might be sent to the dead process
	if got := mustInvoke(t, s, "config", ""); got != `{"a":1}` {
		t.Errorf("the second process was configured with %s", got)
	}
	if st := s.Status(); st.PID == first.PID || st.Incarnation != 2 || st.State != StateReady {
		t.Errorf("first %+v, then %+v", first, st)
	}
}

func TestDeathDuringCall(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	_, err := invoke(t, s, "exit", "my last words")
	lost := lostBy(t, err)
	if lost.NotSent || !slices.Contains(lost.Stderr, "my last words") {
		t.Errorf("%+v: want one that may have been carried out, with the stderr", lost)
	}
	if text := err.Error(); !strings.Contains(text, "exit status 3") || strings.Contains(text, "my last words") {
		t.Errorf("%q: want the exit status and, for a model's sake, no stderr", text)
	}
	<-s.current.gone
	st := s.Status()
	if st.State != StateDown || !strings.Contains(st.Reason, "my last words") || st.PID != 0 {
		t.Errorf("status: %+v", st)
	}
}

func TestConnectorsOwnError(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	_, err := invoke(t, s, "fail", "taken")
	if said, ok := err.(*wire.Error); !ok || said.Code != wire.CodeConflict || said.Message != "taken" {
		t.Errorf("got %v, want the connector's own error as it is", err)
	}
}

func TestCancelledCall(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Invoke(ctx, callOf("hang", ""), func(wire.Progress) { cancel() })
	if _, lost := errors.AsType[*LostError](err); lost || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	mustInvoke(t, s, "echo", "the process goes on")
	if got := s.Incarnation(); got != 1 {
		t.Errorf("incarnation %d, want 1", got)
	}
}

func TestCallerDoesNotWait(t *testing.T) {
	t.Parallel()
	life := newLifelines(t)
	spec := specOf(t, "mute")
	spec.Env[lifelineVar] = life.path
	s := supervise(t, spec)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		life.next(t)
		cancel()
	}()
	for range 2 { // once while it waits, once before it waits
		_, err := s.Invoke(ctx, callOf("echo", ""), nil)
		if lost := lostBy(t, err); !lost.NotSent || !errors.Is(err, context.Canceled) {
			t.Errorf("%v: want one that was never sent, for the caller's reason", err)
		}
	}
	if st := s.Status(); st.State != StateStarting {
		t.Errorf("status: %+v, want the start to go on", st)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	var calls sync.WaitGroup
	for i := range 64 {
		calls.Go(func() {
			text := fmt.Sprint(i)
			if r, err := s.Invoke(t.Context(), callOf("echo", text), nil); err != nil || string(r.Value) != `"`+text+`"` {
				t.Errorf("call %d: %+v, %v", i, r, err)
			}
		})
	}
	calls.Wait()
	if got := s.Incarnation(); got != 1 {
		t.Errorf("%d launches, want one for all", got)
	}
}

func TestCircuit(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	s.backoff.delays = [5]time.Duration{4: time.Hour}
	for i := range len(restartDelays) {
		if _, err := invoke(t, s, "exit", fmt.Sprintf("life %d", i)); lostBy(t, err).NotSent {
			t.Fatal(err)
		}
		<-s.current.gone
	}
	_, err := invoke(t, s, "echo", "")
	lost := lostBy(t, err)
	if !lost.NotSent || s.Incarnation() != len(restartDelays) {
		t.Errorf("%+v after %d launches: want no other", lost, s.Incarnation())
	}
	for _, part := range []string{"failed 5 times", "exit status 3", "held back", "life 4"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if got, want := lost.Summary(), `connector "double" is not available`; got != want {
		t.Errorf("a program is told %q, want %q", got, want)
	}
	if err := s.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{}`)}); err != nil {
		t.Errorf("Configure does not close the circuit: %v", err)
	}
	mustInvoke(t, s, "echo", "")
}

func TestConfigureAnew(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	for i, config := range []string{`{"n":1}`, `{"n":2}`} {
		if err := s.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(config)}); err != nil {
			t.Fatal(err)
		}
		if got := mustInvoke(t, s, "config", ""); got != config || s.Incarnation() != i+1 {
			t.Errorf("process %d has %s, want %s", s.Incarnation(), got, config)
		}
	}
}

func TestDescribeThenConfigure(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "refusing"))
	if about, err := s.Describe(t.Context()); err != nil || about.ConfigSchema == nil {
		t.Fatalf("%+v, %v: want a description without a configuration", about, err)
	}
	if err := s.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{"token":"t"}`)}); err != nil {
		t.Fatal(err)
	}
	if got := mustInvoke(t, s, "config", ""); got != `{"token":"t"}` || s.Incarnation() != 1 {
		t.Errorf("process %d has %s", s.Incarnation(), got)
	}
}

func TestRefusedConfiguration(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "refusing"))
	err := s.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{}`)})
	said, ok := err.(*wire.Error)
	if !ok || len(said.Diagnostics) != 1 {
		t.Fatalf("got %v, want the connector's own error with its diagnostics", err)
	}
	_, err = s.Methods(t.Context())
	if lost := lostBy(t, err); !lost.NotSent || !strings.Contains(err.Error(), "refused its configuration: invalid_argument: token is missing") {
		t.Errorf("got %v", err)
	}
	if st := s.Status(); st.State != StateDown || st.PID != 0 {
		t.Errorf("status: %+v", st)
	}
	if err := s.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{"token":"t"}`)}); err != nil {
		t.Errorf("the repaired configuration: %v", err)
	}
}

func TestConfigureFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ mode, want string }{
		"by its death":  {"fragile", "ended while it was being configured: exit status 4"},
		"by taking too": {"lingering", "it was not configured within 100ms"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := specOf(t, test.mode)
			spec.Grace = time.Millisecond
			if test.mode == "lingering" {
				spec.ConfigureTimeout = 100 * time.Millisecond
			}
			s := supervise(t, spec)
			_, err := s.Methods(t.Context())
			if lost := lostBy(t, err); !lost.NotSent || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if n := len(s.backoff.exits); n != 1 {
				t.Errorf("it counted as %d failures", n)
			}
		})
	}
}

// TestDeafProcess: a process that lives and no longer serves would fail every later call.
func TestDeafProcess(t *testing.T) {
	t.Parallel()
	spec := specOf(t, "heedless")
	spec.Grace = time.Millisecond
	s := supervise(t, spec)
	_, err := invoke(t, s, "deafen", "")
	if lost := lostBy(t, err); lost.NotSent || !strings.Contains(err.Error(), "no longer answers and was killed") {
		t.Errorf("got %v", err)
	}
	<-s.current.gone
	mustInvoke(t, s, "echo", "")
	if got := s.Incarnation(); got != 2 {
		t.Errorf("incarnation %d, want 2", got)
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	mustInvoke(t, s, "echo", "")
	s.Restart(t.Context(), 1)
	if st := s.Status(); st.PID != 0 {
		t.Errorf("the process is still there: %+v", st)
	}
	mustInvoke(t, s, "echo", "")
	s.Restart(t.Context(), 1) // a former one
	mustInvoke(t, s, "echo", "")
	if got := s.Incarnation(); got != 2 || len(s.backoff.exits) != 0 {
		t.Errorf("incarnation %d, %d failures; want 2 and none", got, len(s.backoff.exits))
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	life := newLifelines(t)
	tests := map[string]func(*testing.T, *Supervisor){
		"connector": func(t *testing.T, s *Supervisor) { mustInvoke(t, s, "echo", "") },
		"heedless":  func(t *testing.T, s *Supervisor) { mustInvoke(t, s, "echo", "") },
		"mute": func(_ *testing.T, s *Supervisor) { // it will never be ready
			s.mu.Lock()
			defer s.mu.Unlock()
			s.begin(true)
		},
	}
	var all []*Supervisor
	for mode, begin := range tests {
		spec := specOf(t, mode)
		spec.Env[lifelineVar], spec.Grace = life.path, 100*time.Millisecond
		s := supervise(t, spec)
		begin(t, s)
		conn := life.next(t)
		defer awaitDeath(t, conn)
		all = append(all, s)
	}
	Close(t.Context(), all...)
	Close(t.Context(), all...)
	for _, s := range all {
		_, err := s.Methods(t.Context())
		if lost := lostBy(t, err); !lost.NotSent || !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// answerer answers questions, or leaves them open.
type answerer struct {
	wire.NoHost
	asked chan string
}

func (a answerer) Ask(ctx context.Context, _, question string) (string, error) {
	if question == "never" {
		a.asked <- question
		<-ctx.Done()
		return "", ctx.Err()
	}
	return "yes, " + question, nil
}

func TestHostServices(t *testing.T) {
	t.Parallel()
	host := answerer{asked: make(chan string, 1)}
	spec := specOf(t, "connector")
	spec.Host, spec.NoMTLS = host, false
	s := supervise(t, spec)
	for range 2 { // each process has its own way to the host
		if got := mustInvoke(t, s, "ask", "really?"); got != `"yes, really?"` {
			t.Errorf("got %s", got)
		}
		s.Restart(t.Context(), s.Incarnation())
	}
	failed := make(chan error)
	go func() {
		_, err := s.Invoke(context.Background(), callOf("ask", "never"), nil)
		failed <- err
	}()
	<-host.asked
	s.Close(context.Background())
	if err := <-failed; err == nil {
		t.Error("a call outlived its process")
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	s := supervise(t, specOf(t, "connector"))
	ctx, cancel := context.WithCancel(t.Context())
	changes, ended := make(chan wire.Change), make(chan error)
	mustInvoke(t, s, "echo", "")
	go func() { ended <- s.Watch(ctx, func(c wire.Change) { changes <- c }) }()
	awaitWatcher(t, s)

	mustInvoke(t, s, "change", "disk is full")
	if diff := cmp.Diff(wire.Change{MethodsChanged: true, Health: "disk is full"}, <-changes); diff != "" {
		t.Errorf("the connector's own (-want +got):\n%s", diff)
	}
	if st := s.Status(); st.Health != "disk is full" {
		t.Errorf("status: %+v", st)
	}
	if _, err := invoke(t, s, "exit", ""); err == nil {
		t.Fatal("it did not exit")
	}
	if c := <-changes; c.MethodsChanged || !strings.Contains(c.Health, "exit status 3") {
		t.Errorf("its death: %+v", c)
	}
	mustInvoke(t, s, "echo", "")
	if diff := cmp.Diff(wire.Change{MethodsChanged: true}, <-changes); diff != "" {
		t.Errorf("its return (-want +got):\n%s", diff)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Watch ended with %v", err)
	}
	go func() { ended <- s.Watch(context.Background(), func(wire.Change) {}) }()
	s.Close(context.Background())
	if err := <-ended; err != nil {
		t.Errorf("Watch ended with %v", err)
	}
}
