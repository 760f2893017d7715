package codetool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/schema"
)

// Call answers a model's call of the tool: args is {"code": "..."}. See [Tool.Run].
func (t *Tool) Call(ctx context.Context, args json.RawMessage) (*Result, error) {
	input, err := schema.Compile(inputSchema)
	if err != nil {
		return nil, fmt.Errorf("call tool: %w", err)
	}
	var a struct{ Code string }
	if err = input.Validate(args); err == nil {
		err = json.Unmarshal(args, &a)
	}
	if err != nil {
		return nil, &Error{
			Type:    ErrorState,
			Message: fmt.Sprintf(`nothing was run, because the tool takes one object with one string, {"code": "..."}: %s`, err),
		}
	}
	return t.Run(ctx, a.Code)
}

// Run runs a program and returns when it has ended and every function that it called
// has returned. A program that failed is an *[Error]. Any other error is the
// sandbox's own. The values of ctx reach the functions.
func (t *Tool) Run(ctx context.Context, code string) (*Result, error) {
	if len(code) > t.limits.Source {
		return nil, &Error{Type: ErrorLimit, Limit: "source", Message: fmt.Sprintf(
			"the program has %d bytes, %d at most; pass data by calls instead of writing it into the program", len(code), t.limits.Source)}
	}
	p, err := t.compile(ctx, code)
	if err != nil {
		return nil, err
	}
	return t.run(ctx, p)
}

func (t *Tool) compile(ctx context.Context, code string) (*program.Program, error) {
	methods := map[string][]string{}
	for _, n := range t.namespaces {
		methods[n.Name] = n.Methods
	}
	p, err := t.sandbox.Compile(ctx, program.Source{Text: code, Namespaces: methods})
	var fault *program.Error
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &fault):
		return nil, &Error{Type: ErrorCompile, Message: fault.Message, Line: fault.Line, Column: fault.Column}
	case ctx.Err() != nil:
		return nil, cancelled(ctx)
	}
	return nil, fmt.Errorf("compile program: %w", err)
}

func cancelled(ctx context.Context) *Error {
	cause := context.Cause(ctx)
	return &Error{Type: ErrorCancelled, Message: "the program was cancelled: " + cause.Error(), cause: cause}
}
