package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// leak is a connector that has its token in whatever it says.
type leak struct {
	double
	token    string
	nameless bool // cannot describe itself
}

// leakConfig is its configuration.
type leakConfig struct {
	Token string `json:"token"`
	// Refuse: "plainly" with a Go error, "precisely" with diagnostics.
	Refuse string `json:"refuse,omitempty"`
}

func (l *leak) Describe(context.Context) (*wire.Description, error) {
	if l.nameless {
		return nil, fmt.Errorf("no name for %s", leakedToken)
	}
	return &wire.Description{Name: "leak " + leakedToken, Version: "1 " + leakedToken, Instructions: "Log in with " + leakedToken + "."}, nil
}

func (l *leak) Configure(ctx context.Context, req *wire.ConfigureRequest) error {
	var c leakConfig
	if err := json.Unmarshal(req.Config, &c); err != nil {
		return err
	}
	switch c.Refuse {
	case "plainly":
		return fmt.Errorf("cannot log in with token %s", c.Token)
	case "precisely":
		return &wire.Error{Code: wire.CodeUnauthenticated, Message: "no login with " + c.Token, Diagnostics: []wire.Diagnostic{
			{Path: []string{"token"}, Summary: c.Token + " is no token", Detail: fmt.Sprintf("It is %q.", c.Token)},
		}}
	}
	l.token = c.Token
	return l.double.Configure(ctx, req)
}

func (l *leak) Methods(context.Context) (*wire.Offer, error) {
	return &wire.Offer{
		Instructions: "Use " + l.token + ".", Methods: []*wire.Method{{Name: "echo", Description: "Says " + l.token + "."}},
		Skipped: []wire.Skipped{{Name: "of " + l.token, Reason: "not with " + l.token}},
	}, nil
}

// Invoke returns the token as the result of "echo", and reports or fails with it otherwise.
func (l *leak) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	switch call.Method {
	case "echo":
		progress(wire.Progress{Message: "sending " + l.token, Done: 1, Total: 2})
		return result(l.token)
	case "fail":
		return nil, l.failure()
	}
	return l.double.Invoke(ctx, call, progress)
}

func (l *leak) failure() error {
	details, err := json.Marshal(map[string]any{"request": map[string]string{"auth": "Bearer " + l.token}, l.token: 1})
	if err != nil {
		return err
	}
	return &wire.Error{
		Code: wire.CodeUnavailable, Message: "401 for token " + l.token, Details: details,
		Retryable: true, RetryAfter: time.Second, Effect: wire.EffectNone,
	}
}

func (l *leak) Prepare(context.Context, *wire.Call) (json.RawMessage, error) { return nil, l.failure() }

func (l *leak) Revert(context.Context, *wire.RevertRequest) error { return l.failure() }

func (l *leak) Reconcile(context.Context, *wire.Call) (*wire.Reconciliation, error) {
	return nil, l.failure()
}

func (l *leak) Resolve(context.Context, *wire.Call) (*wire.Resolution, error) {
	return &wire.Resolution{}, nil
}

func (l *leak) Preview(_ context.Context, call *wire.Call) (string, error) {
	if call.Method == "fail" {
		return "", l.failure()
	}
	return "will send " + l.token, nil
}

func (l *leak) PassEnded(context.Context, *wire.PassEnd) error { return l.failure() }

func (l *leak) Dispose(context.Context, *wire.Disposal) error { return l.failure() }
