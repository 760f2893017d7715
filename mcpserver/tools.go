package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
)

var runInput = json.RawMessage(`{"type":"object","properties":{` +
	`"code":{"type":"string","description":"One JavaScript or TypeScript program."},` +
	`"input":{"type":"object","description":"Optional: what the program sees as input."}},` +
	`"required":["code"],"additionalProperties":false}`)

var resultInput = json.RawMessage(`{"type":"object","properties":{` +
	`"executionId":{"type":"string","description":"The executionId of an earlier outcome."}},` +
	`"required":["executionId"],"additionalProperties":false}`)

const resultDescription = `Fetches the outcome of an execution that was paused, or was still running, when you last heard of it. ` +
	`It decides nothing and runs nothing anew. While the execution runs it waits a little for the end.`

const runsMore = `- If an outcome is "paused" or "running", call the tool %s with its executionId later, once the user says that they have decided.
`

// offers reports whether a tool is to be offered.
func (s *Server) offers(tool string) bool { return slices.Contains(s.options.Tools, tool) }

// addTools registers the tools that are to be offered.
func (s *Server) addTools(ctx context.Context) {
	lookup := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)} // false
	if s.offers(ToolRun) {
		s.refresh(ctx)
	}
	if s.offers(ToolResult) {
		s.mcp.AddTool(&mcp.Tool{
			Name: ToolResult, Title: "Outcome of an execution", Description: resultDescription, InputSchema: resultInput, Annotations: lookup,
		}, s.counted(s.result))
	}
	if s.offers(ToolSearch) {
		s.mcp.AddTool(&mcp.Tool{
			Name: ToolSearch, Title: "Find methods", Description: searchDescription, InputSchema: searchInput, Annotations: lookup,
		}, s.counted(s.search))
	}
	if s.offers(ToolDescribe) {
		s.mcp.AddTool(&mcp.Tool{
			Name: ToolDescribe, Title: "Describe methods", Description: describeDescription, InputSchema: describeInput, Annotations: lookup,
		}, s.counted(s.describe))
	}
}

// counted is a tool's handler whose calls [Server.Close] waits for.
func (s *Server) counted(h mcp.ToolHandler) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.calls.Add(1)
		defer s.calls.Done()
		return h(ctx, req)
	}
}

// refresh registers the tool as the host describes it now, if that has changed, which tells the clients. A tool without
// a name is one that is not known now.
func (s *Server) refresh(ctx context.Context) {
	tool := s.host.Tool(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if tool.Name == "" || tool.Name == s.tool.Name && tool.Description == s.tool.Description {
		return
	}
	if s.tool.Name != "" && s.tool.Name != tool.Name {
		s.mcp.RemoveTools(s.tool.Name)
	}
	s.tool = tool
	s.mcp.AddTool(&mcp.Tool{
		Name: tool.Name, Title: "Run a program", Description: s.described(tool), InputSchema: runInput,
		Annotations: &mcp.ToolAnnotations{},
	}, s.counted(s.run))
}

// described is the tool's description with what this server adds to it.
func (s *Server) described(tool core.Tool) string {
	if !s.offers(ToolResult) {
		return tool.Description
	}
	return strings.TrimRight(tool.Description, "\n") + "\n" + fmt.Sprintf(runsMore, ToolResult)
}

// fresh is the middleware that makes the tool's description current before it is told.
func (s *Server) fresh(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/list" && s.offers(ToolRun) {
			s.refresh(ctx)
		}
		return next(ctx, method, req)
	}
}

// Follow tells the clients when the tool's description changes, until ctx ends. The caller runs it beside what serves.
func (s *Server) Follow(ctx context.Context) {
	every := time.NewTicker(s.follow)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			if s.offers(ToolRun) {
				s.refresh(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}
