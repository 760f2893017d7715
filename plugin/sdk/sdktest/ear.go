package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/plugin/wire"
)

// ear hears all that a connector says: answers, errors, log.
type ear struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write hears a piece of the log.
func (e *ear) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

func (e *ear) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// hear takes an answer down.
func (e *ear) hear(answer any, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if raw, fault := json.Marshal(answer); fault == nil {
		e.text.Write(raw)
	}
	if err == nil {
		return
	}
	e.text.WriteString(err.Error())
	if own, ok := errors.AsType[*wire.Error](err); ok {
		e.text.Write(own.Details)
		for _, d := range own.Diagnostics {
			e.text.WriteString(d.Summary + d.Detail)
		}
	}
}

// check reports a secret that was said; the secret itself is not repeated.
func (e *ear) check(t *testing.T, secrets []string) {
	t.Helper()
	text := e.String()
	for i, secret := range secrets {
		if before, after, said := strings.Cut(text, secret); said {
			const around = 80
			t.Errorf("secret %d is told: ...%s[SECRET]%s...", i, before[max(0, len(before)-around):], after[:min(len(after), around)])
		}
	}
}

// overheard is a connector that an ear listens to.
type overheard struct {
	wire.Connector
	said *ear
}

func (o *overheard) Describe(ctx context.Context) (*wire.Description, error) {
	answer, err := o.Connector.Describe(ctx)
	o.said.hear(answer, err)
	return answer, err
}

func (o *overheard) Configure(ctx context.Context, r *wire.ConfigureRequest) error {
	err := o.Connector.Configure(ctx, r)
	o.said.hear(nil, err)
	return err
}

func (o *overheard) Methods(ctx context.Context) (*wire.Offer, error) {
	answer, err := o.Connector.Methods(ctx)
	o.said.hear(answer, err)
	return answer, err
}

func (o *overheard) Watch(ctx context.Context, report func(wire.Change)) error {
	err := o.Connector.Watch(ctx, func(c wire.Change) {
		o.said.hear(c, nil)
		report(c)
	})
	o.said.hear(nil, err)
	return err
}

func (o *overheard) Invoke(ctx context.Context, c *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	answer, err := o.Connector.Invoke(ctx, c, func(p wire.Progress) {
		o.said.hear(p, nil)
		if progress != nil {
			progress(p)
		}
	})
	o.said.hear(answer, err)
	return answer, err
}

func (o *overheard) Prepare(ctx context.Context, c *wire.Call) (json.RawMessage, error) {
	answer, err := o.Connector.Prepare(ctx, c)
	o.said.hear(answer, err)
	return answer, err
}

func (o *overheard) Revert(ctx context.Context, r *wire.RevertRequest) error {
	err := o.Connector.Revert(ctx, r)
	o.said.hear(nil, err)
	return err
}

func (o *overheard) Reconcile(ctx context.Context, c *wire.Call) (*wire.Reconciliation, error) {
	answer, err := o.Connector.Reconcile(ctx, c)
	o.said.hear(answer, err)
	return answer, err
}

func (o *overheard) Preview(ctx context.Context, c *wire.Call) (string, error) {
	answer, err := o.Connector.Preview(ctx, c)
	o.said.hear(answer, err)
	return answer, err
}
