package main

import (
	"context"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/mcpserver"
)

// A station is the host of an MCP server.
var _ mcpserver.Host = (*station)(nil)

func (st *station) Resume(ctx context.Context, id string) (*core.Outcome, error) {
	return at(ctx, st, func(s *session) (*core.Outcome, error) { return s.service.Resume(ctx, id) })
}

func (st *station) Reject(ctx context.Context, req core.RejectRequest) (*core.Reply, error) {
	return at(ctx, st, func(s *session) (*core.Reply, error) { return s.service.Reject(ctx, req) })
}

func (st *station) Show(ctx context.Context, id string) (*core.Detail, error) {
	return at(ctx, st, func(s *session) (*core.Detail, error) { return s.service.Show(ctx, id) })
}

func (st *station) Executions(ctx context.Context, req core.ListRequest) (*core.Page, error) {
	return at(ctx, st, func(s *session) (*core.Page, error) { return s.service.Executions(ctx, req) })
}

func (st *station) Snippets(ctx context.Context) ([]core.Snippet, error) {
	return at(ctx, st, func(s *session) ([]core.Snippet, error) { return s.service.Snippets(ctx) })
}

func (st *station) Snippet(ctx context.Context, name string, version int) (*core.Snippet, error) {
	return at(ctx, st, func(s *session) (*core.Snippet, error) { return s.service.Snippet(ctx, name, version) })
}

func (st *station) Search(ctx context.Context, q catalog.Query) (*catalog.Results, error) {
	return at(ctx, st, func(s *session) (*catalog.Results, error) { return s.service.Search(ctx, q) })
}

func (st *station) Describe(ctx context.Context, target string) (*catalog.Description, error) {
	return at(ctx, st, func(s *session) (*catalog.Description, error) { return s.service.Describe(ctx, target) })
}

// Tool is the tool's definition; its zero value, which tells of no change, where the host cannot be asked.
func (st *station) Tool(ctx context.Context) core.Tool {
	tool, err := at(ctx, st, func(s *session) (core.Tool, error) {
		if s.own != nil {
			return s.own.Tool(ctx), nil
		}
		return s.holder.Tool(ctx)
	})
	if err != nil {
		st.logger.Error("the tool's description is not known", "error", err)
	}
	return tool
}

// Cancel ends a running execution, and reports whether it was running.
func (st *station) Cancel(id string, cause error) bool {
	ctx, done := context.WithTimeout(st.ctx, cancelTime)
	defer done()
	found, err := at(ctx, st, func(s *session) (bool, error) { return s.cancel(ctx, id, cause) })
	if err != nil {
		st.logger.Error("an execution could not be cancelled", "execution", id, "error", err)
	}
	return found
}

// Progress tells how far a running execution is; nothing where the host cannot be asked now.
func (st *station) Progress(id string) core.Progress {
	s := st.now()
	if s.own != nil {
		return s.own.Progress(id)
	}
	ctx, done := context.WithTimeout(st.ctx, cancelTime)
	defer done()
	p, err := s.holder.Progress(ctx, id)
	if err != nil {
		st.logger.Debug("the progress of an execution is not known", "execution", id, "error", err)
	}
	return p
}

// ForModel is an outcome as a model gets it. A configuration has no other way to shape results.
func (st *station) ForModel(out *core.Outcome) *core.Outcome { return core.Shortened(out.ForModel()) }
