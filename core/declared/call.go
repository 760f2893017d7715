package declared

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugin/wire"
)

// make makes a declared call in the name of another: with that one's execution, key and deadline.
func (c *connector) make(ctx context.Context, kind string, origin *wire.Call, d *Call, scope map[string]json.RawMessage) (json.RawMessage, error) {
	args := json.RawMessage("{}")
	if d.Args != nil {
		var err error
		if args, err = d.Args.Value(scope); err != nil {
			return nil, failed(kind, origin, err)
		}
	}
	if err := c.check(d.Method, args); err != nil {
		return nil, failed(kind, origin, err)
	}
	own := *origin
	own.Method, own.Args, own.Before = d.Method, args, nil
	result, err := c.Connector.Invoke(ctx, &own, nil)
	if err != nil {
		return nil, err
	}
	return result.Value, nil
}

// check holds the arguments of a declared call against its method's schema.
func (c *connector) check(name string, args json.RawMessage) error {
	c.mu.Lock()
	m := c.methods[name]
	c.mu.Unlock()
	if m == nil {
		return fmt.Errorf("there is no method %s", name)
	}
	input, err := schema.Compile(m.input)
	if err != nil {
		return fmt.Errorf("the input schema of %s is broken: %w", name, err)
	}
	if err := input.Validate(args); err != nil {
		return fmt.Errorf("%s cannot be called: %w", name, err)
	}
	return nil
}

// scope is what expressions know of a call: its arguments, and what was read before it.
func (d *method) scope(call *wire.Call) (map[string]json.RawMessage, error) {
	args, err := complete(d.input, call.Args)
	if err != nil {
		return nil, err
	}
	return map[string]json.RawMessage{Args: args, Before: orNull(call.Before)}, nil
}

// complete adds to arguments what their schema names and they lack. What the
// call has keeps the form in which a further call can take it, tags and all.
func complete(input, args json.RawMessage) (json.RawMessage, error) {
	s, err := schema.Compile(input)
	if err != nil {
		return nil, err
	}
	full, err := s.WithDefaults(args)
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(full, &values); err != nil {
		return nil, fmt.Errorf("the arguments are no object: %w", err)
	}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &values); err != nil {
			return nil, fmt.Errorf("the arguments are no object: %w", err)
		}
	}
	return json.Marshal(values)
}

// orNull is a value in which undefined has become null.
func orNull(v json.RawMessage) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}

// failed is the error of a block that could not do its work: nothing was called.
func failed(kind string, call *wire.Call, err error) error {
	return &wire.Error{
		Code: wire.CodeInternal, Effect: wire.EffectNone,
		Message: fmt.Sprintf("the %s block of %s in the configuration cannot be used: %s", kind, call.Method, err),
	}
}
