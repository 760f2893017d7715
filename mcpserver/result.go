package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// result answers a call of the tool that fetches an outcome.
func (s *Server) result(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		ExecutionID string `json:"executionId"`
	}
	if err := decode(req.Params.Arguments, &args); err != nil || args.ExecutionID == "" {
		return s.reply(engine.StateError("", `The tool `+ToolResult+` takes one object: {"executionId": "..."}.`)), nil
	}
	defer s.report(ctx, s.clientOf(req), args.ExecutionID)()
	out, err := s.standing(ctx, args.ExecutionID)
	if err != nil {
		return nil, err
	}
	return s.reply(out), nil
}

// standing is how an execution stands. One that runs is waited for a little.
func (s *Server) standing(ctx context.Context, id string) (*core.Outcome, error) {
	out, err := s.shown(ctx, id)
	if err != nil || out.Status != string(journal.StatusRunning) {
		return out, err
	}
	timed, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	// This joins the pass that runs, and decides nothing. What it says is what is shown anew, and it is no fault that
	// the time is up.
	if _, err := s.host.Resume(timed, id); err != nil && timed.Err() == nil && !errors.Is(err, engine.ErrStopped) {
		return nil, fmt.Errorf("wait for execution %s: %w", id, err)
	}
	return s.shown(ctx, id)
}

// shown is an execution's outcome, or the outcome that there is no such execution.
func (s *Server) shown(ctx context.Context, id string) (*core.Outcome, error) {
	d, err := s.host.Show(ctx, id)
	var missing *core.NotFoundError
	switch {
	case errors.As(err, &missing):
		return engine.StateError(id, fmt.Sprintf("There is no execution %q.", id)), nil
	case err != nil:
		return nil, err
	}
	out := *d.Outcome
	out.Logs = d.Logs
	if d.Status == string(journal.StatusRolledBack) {
		out.Logs = append(out.Logs[:len(out.Logs):len(out.Logs)], "[warn] a person has rolled this execution back: what could be undone has been")
	}
	return &out, nil
}
