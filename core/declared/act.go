package declared

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/codemode-go/codemode/plugin/wire"
)

// of returns what is declared of a call's method.
func (c *connector) of(call *wire.Call) *method {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.methods[call.Method]; d != nil {
		return d
	}
	return &method{}
}

func (c *connector) Prepare(ctx context.Context, call *wire.Call) (json.RawMessage, error) {
	d := c.of(call)
	if d.prepare == nil {
		return c.Connector.Prepare(ctx, call)
	}
	scope, err := d.scope(call)
	if err != nil {
		return nil, failed("prepare", call, err)
	}
	delete(scope, Before)
	return c.make(ctx, "prepare", call, d.prepare, scope)
}

func (c *connector) Revert(ctx context.Context, req *wire.RevertRequest) error {
	d := c.of(req.Call)
	if d.revert == nil {
		return c.Connector.Revert(ctx, req)
	}
	scope, err := d.scope(req.Call)
	if err != nil {
		return failed("revert", req.Call, err)
	}
	if !req.ResultOmitted { // else an expression that needs it fails, and says so
		scope[Result] = orNull(req.Result)
	}
	_, err = c.make(ctx, "revert", req.Call, d.revert, scope)
	return err
}

func (c *connector) Reconcile(ctx context.Context, call *wire.Call) (*wire.Reconciliation, error) {
	d := c.of(call)
	if d.reconcile == nil {
		return c.Connector.Reconcile(ctx, call)
	}
	scope, err := d.scope(call)
	if err != nil {
		return nil, failed("reconcile", call, err)
	}
	read, err := c.make(ctx, "reconcile", call, &d.reconcile.Call, scope)
	if err != nil {
		return nil, err
	}
	scope[Result] = orNull(read)
	told, err := d.reconcile.answer(scope)
	if err != nil {
		return nil, failed("reconcile", call, err)
	}
	return told, nil
}

// answer says what the result of the read means.
func (q *Question) answer(scope map[string]json.RawMessage) (*wire.Reconciliation, error) {
	happened, err := q.Happened.Value(scope)
	if err != nil {
		return nil, err
	}
	switch string(happened) {
	case "null":
		return &wire.Reconciliation{Happened: wire.HappenedUnknown}, nil
	case "false":
		return &wire.Reconciliation{Happened: wire.HappenedNo}, nil
	case "true":
	default:
		return nil, errors.New("happened is neither true nor false")
	}
	told := &wire.Reconciliation{Happened: wire.HappenedYes}
	if q.Result != nil {
		told.Result, err = q.Result.Value(scope)
	}
	return told, err
}

func (c *connector) Preview(ctx context.Context, call *wire.Call) (string, error) {
	d := c.of(call)
	if d.preview == nil {
		return c.Connector.Preview(ctx, call)
	}
	scope, err := d.scope(call)
	if err != nil {
		return "", failed("preview", call, err)
	}
	raw, err := d.preview.Value(scope)
	if err != nil {
		return "", failed("preview", call, err)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", failed("preview", call, errors.New("it is no text"))
	}
	return text, nil
}
