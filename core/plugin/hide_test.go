package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/google/go-cmp/cmp"
)

// leakedToken has what JSON and Go escape each in its own way.
const leakedToken = `tok-"<SECRET>\`

// forms are the token as it would be found in a text, in JSON and in a quotation of Go.
var forms = []string{leakedToken, `tok-\"<SECRET>\\`, `tok-\"\u003cSECRET\u003e\\`, "SECRET"}

// superviseLeak supervises a connector that has its token in whatever it says.
func superviseLeak(t *testing.T, refuse string) (*Supervisor, *journal) {
	t.Helper()
	config, err := json.Marshal(leakConfig{Token: leakedToken, Refuse: refuse})
	if err != nil {
		t.Fatal(err)
	}
	spec, log := specOf(t, "leaking"), newJournal()
	spec.Config, spec.Secrets, spec.Logger = config, []string{leakedToken}, log.logger()
	return supervise(t, spec), log
}

// checkHidden asserts that a text has lost the token and says so.
func checkHidden(t *testing.T, what, text string) {
	t.Helper()
	for _, form := range forms {
		if strings.Contains(text, form) {
			t.Errorf("%s has the token in it: %s", what, text)
			return
		}
	}
	if !strings.Contains(text, "[hidden]") {
		t.Errorf("%s does not say that anything is hidden: %s", what, text)
	}
}

// TestRefusalHidesSecrets: in the answer to Configure, in later calls, in the status, to watchers and in the log.
func TestRefusalHidesSecrets(t *testing.T) {
	t.Parallel()
	want := map[string]*wire.Error{
		"plainly": {Code: wire.CodeInternal, Message: "cannot log in with token [hidden]", Effect: wire.EffectUnknown},
		"precisely": {Code: wire.CodeUnauthenticated, Message: "no login with [hidden]", Diagnostics: []wire.Diagnostic{
			{Path: []string{"token"}, Summary: "[hidden] is no token", Detail: `It is "[hidden]".`},
		}},
	}
	for refuse, want := range want {
		t.Run(refuse, func(t *testing.T) {
			t.Parallel()
			s, log := superviseLeak(t, refuse)
			health := watchHealth(t, s)
			err := s.Configure(t.Context(), &wire.ConfigureRequest{Label: "double", Config: s.spec.Config})
			said, ok := errors.AsType[*wire.Error](err)
			if !ok {
				t.Fatalf("Configure: %v, want a *wire.Error", err)
			}
			if diff := cmp.Diff(want, said); diff != "" {
				t.Errorf("Configure (-want +got):\n%s", diff)
			}
			checkHidden(t, "the health", <-health)
			checkHidden(t, "the status", s.Status().Reason)
			checkHidden(t, "the log", log.await(t, "the connector failed"))
			_, err = s.Methods(t.Context())
			checkHidden(t, "the error of a call", lostBy(t, err).Error())
		})
	}
}

// watchHealth sends each health that is no good one.
func watchHealth(t *testing.T, s *Supervisor) <-chan string {
	t.Helper()
	health := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- s.Watch(ctx, func(c wire.Change) {
			if c.Health != "" {
				health <- c.Health
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	awaitWatcher(t, s)
	return health
}

// TestFailuresHideSecrets: an error keeps what its reader's decisions rest on, and loses the token.
func TestFailuresHideSecrets(t *testing.T) {
	t.Parallel()
	s, _ := superviseLeak(t, "")
	call := callOf("fail", "")
	tests := map[string]func(context.Context) error{
		"Invoke":    func(ctx context.Context) error { _, err := s.Invoke(ctx, call, nil); return err },
		"Prepare":   func(ctx context.Context) error { _, err := s.Prepare(ctx, call); return err },
		"Revert":    func(ctx context.Context) error { return s.Revert(ctx, &wire.RevertRequest{Call: call}) },
		"Reconcile": func(ctx context.Context) error { _, err := s.Reconcile(ctx, call); return err },
		"Preview":   func(ctx context.Context) error { _, err := s.Preview(ctx, call); return err },
		"PassEnded": func(ctx context.Context) error { return s.PassEnded(ctx, &wire.PassEnd{}) },
		"Dispose":   func(ctx context.Context) error { return s.Dispose(ctx, &wire.Disposal{}) },
	}
	want := &wire.Error{
		Code: wire.CodeUnavailable, Message: "401 for token [hidden]",
		Details:   json.RawMessage(`{"request":{"auth":"Bearer [hidden]"},"[hidden]":1}`),
		Retryable: true, RetryAfter: time.Second, Effect: wire.EffectNone,
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) { // not parallel: one process serves them all
			said, ok := errors.AsType[*wire.Error](do(t.Context()))
			if !ok {
				t.Fatal("want a *wire.Error")
			}
			if diff := cmp.Diff(want, said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReportsHideSecrets: only a result is the program's own business.
func TestReportsHideSecrets(t *testing.T) {
	t.Parallel()
	s, log := superviseLeak(t, "")
	ctx, call := t.Context(), callOf("echo", "")
	var last wire.Progress
	r, err := s.Invoke(ctx, call, func(p wire.Progress) { last = p })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wire.Progress{Message: "sending [hidden]", Done: 1, Total: 2}, last); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	var value string
	if err := json.Unmarshal(r.Value, &value); err != nil || value != leakedToken {
		t.Errorf("the result is %s, %v: want it as the connector made it", r.Value, err)
	}
	if text, err := s.Preview(ctx, call); err != nil || text != "will send [hidden]" {
		t.Errorf("Preview: %q, %v", text, err)
	}
	offer, err := s.Methods(ctx)
	if err != nil || offer.Instructions != "Use [hidden]." || offer.Methods[0].Description != "Says [hidden]." {
		t.Errorf("Methods: %+v, %v", offer, err)
	}
	if diff := cmp.Diff([]wire.Skipped{{Name: "of [hidden]", Reason: "not with [hidden]"}}, offer.Skipped); diff != "" {
		t.Error(diff)
	}
	about, err := s.Describe(ctx)
	if err != nil || about.Instructions != "Log in with [hidden]." {
		t.Errorf("Describe: %+v, %v", about, err)
	}
	if st := s.Status(); st.Name != "leak [hidden]" || st.Version != "1 [hidden]" {
		t.Errorf("status: %+v", st)
	}
	checkHidden(t, "the log", log.await(t, "the connector was started"))
	health := watchHealth(t, s)
	mustInvoke(t, s, "change", "unwell: "+leakedToken)
	if got := <-health; got != "unwell: [hidden]" {
		t.Errorf("health: %q", got)
	}
}

// TestLaunchErrorHidesSecrets: in the error of the call, in the status, to watchers and in the log.
func TestLaunchErrorHidesSecrets(t *testing.T) {
	t.Parallel()
	spec, log := specOf(t, "nameless"), newJournal()
	spec.Secrets, spec.Logger = []string{leakedToken}, log.logger()
	s := supervise(t, spec)
	health := watchHealth(t, s)
	_, err := s.Methods(t.Context())
	checkHidden(t, "the error", lostBy(t, err).Error())
	checkHidden(t, "the cause", errors.Unwrap(err).Error())
	checkHidden(t, "the status", s.Status().Reason)
	checkHidden(t, "the health", <-health)
	checkHidden(t, "the log", log.await(t, "the connector failed"))
}

// TestHandshakeErrorHidesSecrets: also where the quotation of a connector's words ends within a secret.
func TestHandshakeErrorHidesSecrets(t *testing.T) {
	t.Parallel()
	spec := specOf(t, "saying", strings.Repeat("x", 115)+leakedToken)
	spec.Secrets = []string{leakedToken}
	_, err := supervise(t, spec).Methods(t.Context())
	if text := lostBy(t, err).Error(); strings.Contains(text, "tok-") || !strings.Contains(text, `"`+strings.Repeat("x", 115)) {
		t.Errorf("got %s", text)
	}
}

func TestHiddenText(t *testing.T) {
	t.Parallel()
	h := newHider([]string{"hunter2", "hunter22", `a"<b`, "clé/ß", "line1\nline2", "abc"})
	tests := map[string]struct{ text, want string }{
		"plain":               {"got hunter2.", "got [hidden]."},
		"one within another":  {"got hunter22.", "got [hidden]."},
		"JSON":                {`{"k":"a\"<b"}`, `{"k":"[hidden]"}`},
		"JSON for HTML":       {`{"k":"a\"\u003cb"}`, `{"k":"[hidden]"}`},
		"JSON of ASCII alone": {`{"k":"cl\u00e9/\u00df"}`, `{"k":"[hidden]"}`},
		"line break":          {`"line1\nline2"`, `"[hidden]"`},
		"too short":           {"abc", "abc"},
		"none":                {"hunter", "hunter"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := h.text(test.text); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestHiddenDetails(t *testing.T) {
	t.Parallel()
	h := newHider([]string{"hunter2", `a"b\`, "12345"})
	tests := map[string]struct{ details, want string }{
		"none":           {``, ``},
		"nothing hidden": {`{ "b": 1.50, "a": ["\u0041", null] }`, `{ "b": 1.50, "a": ["\u0041", null] }`},
		"value":          {`{"b":["x hunter2 y"],"a":1}`, `{"b":["x [hidden] y"],"a":1}`},
		"name":           {`{"hunter2":true}`, `{"[hidden]":true}`},
		"escaped":        {`{"k":"a\"b\\"}`, `{"k":"[hidden]"}`},
		"odd escapes":    {`"\u0068unter2"`, `"[hidden]"`},
		"JSON in JSON":   {`"{\"k\":\"a\\\"b\\\\\"}"`, `"{\"k\":\"[hidden]\"}"`},
		"a number":       {`{"pin":12345}`, ``},
		"no JSON":        {`{"k":"hunter2"`, ``},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := h.details(json.RawMessage(test.details)); string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestHiddenError: what a caller branches on outlives the hiding, what the text was made of does not.
func TestHiddenError(t *testing.T) {
	t.Parallel()
	h := newHider([]string{"hunter2"})
	clear := fmt.Errorf("wait: %w", context.Canceled)
	if got := h.error(clear); got != clear {
		t.Errorf("got %v: want an error without a secret as it is", got)
	}
	err := h.error(fmt.Errorf("hunter2: %w", &fs.PathError{Op: "open", Path: "hunter2", Err: context.DeadlineExceeded}))
	if err.Error() != "[hidden]: open [hidden]: context deadline exceeded" || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		t.Errorf("it still holds %v", inner)
	}
}

// FuzzHiddenDetails: what is left is JSON without the secret.
func FuzzHiddenDetails(f *testing.F) {
	for _, seed := range []string{`{"a":"hunter2"}`, `["\u0068unter2",1]`, `"\\"`, `hunter2`, `"hunter\u0032\ud800"`, `1e999`} {
		f.Add([]byte(seed))
	}
	h := newHider([]string{"hunter2"})
	f.Fuzz(func(t *testing.T, details []byte) {
		got := h.details(details)
		if got == nil {
			return
		}
		var v any
		d := json.NewDecoder(bytes.NewReader(got))
		d.UseNumber() // there are some that no float64 holds
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q became %q: %v", details, got, err)
		}
		if strings.Contains(fmt.Sprint(v), "hunter2") {
			t.Errorf("%q became %q", details, got)
		}
	})
}
