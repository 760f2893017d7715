package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// errCancelled is why an execution was cancelled.
var errCancelled = errors.New("cancelled by the client")

// run answers a call of the tool that runs programs, and the further rounds of such a call.
func (s *Server) run(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := s.clientOf(req)
	if req.Params.RequestState != "" {
		return s.answered(ctx, c, req.Params)
	}
	var args struct {
		Code  *string         `json:"code"`
		Input json.RawMessage `json:"input"`
	}
	if err := decode(req.Params.Arguments, &args); err != nil || args.Code == nil {
		text := fmt.Sprintf(`The tool %s takes one object: {"code": "...", "input": {...}}, of which input may be left out.`, req.Params.Name)
		return s.reply(engine.StateError("", text)), nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make an execution id: %w", err)
	}
	out, err := s.pass(ctx, c, id.String(), func(ctx context.Context) (*core.Outcome, error) {
		return s.host.Run(ctx, core.RunRequest{ID: id.String(), Code: *args.Code, Input: args.Input, Caller: c.caller, Labels: s.options.Labels})
	})
	if err != nil {
		return nil, err
	}
	return s.carry(ctx, c, out, 0)
}

// decode reads a tool's arguments; none is an empty object.
func decode(arguments json.RawMessage, into any) error {
	if len(arguments) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// pass waits for something that runs a pass of an execution. The client's word ends the execution; that the client goes
// away does not. Meanwhile the client is told how far it is.
func (s *Server) pass(ctx context.Context, c *client, id string, drive func(context.Context) (*core.Outcome, error)) (*core.Outcome, error) {
	defer s.report(ctx, c, id)()
	kept, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer heed(ctx, func(cause error) {
		if cause != context.Canceled { // the protocol's library gives a broken connection its own cause
			s.logger.Debug("a client went away; its execution goes on", "execution", id, "cause", cause)
			return
		}
		cancel(errCancelled) // a run that has not begun
		s.host.Cancel(id, errCancelled)
	})()
	out, err := drive(kept)
	if errors.Is(err, engine.ErrStopped) {
		return &core.Outcome{Status: string(journal.StatusRunning), ExecutionID: id}, nil // the next process continues it
	}
	if err != nil {
		return nil, fmt.Errorf("execution %s: %w", id, err)
	}
	return out, nil
}

// heed calls do as soon as ctx ends. The function that it returns ends the watch, and waits for a do that has begun.
func heed(ctx context.Context, do func(cause error)) (end func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		do(context.Cause(ctx))
	})
	return func() {
		if !stop() {
			<-done
		}
	}
}
