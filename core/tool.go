package core

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
)

// ToolName is the name of the one tool that a model sees.
const ToolName = "codemode"

// Tool is the definition of the one tool that a model sees.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

var toolInput = json.RawMessage(`{"type":"object","properties":{"code":{"type":"string","description":"One JavaScript or TypeScript program."}},"required":["code"],"additionalProperties":false}`)

// Tool returns the tool's definition, from what the connectors offer now.
func (h *Host) Tool(ctx context.Context) Tool {
	h.registry.load(ctx)
	return Tool{Name: ToolName, Description: h.registry.catalog().ToolDescription(catalog.ToolOptions{}), InputSchema: toolInput}
}

// Call answers a model's call of the tool: args is {"code": "..."}. The outcome is what the model gets; it is data,
// also where the arguments are wrong.
func (h *Host) Call(ctx context.Context, args json.RawMessage, req RunRequest) (*Outcome, error) {
	var a struct {
		Code *string `json:"code"`
	}
	if err := json.Unmarshal(args, &a); err != nil || a.Code == nil {
		return engine.StateError("", fmt.Sprintf("The tool %s takes one object with one string: {\"code\": \"...\"}.", ToolName)), nil
	}
	req.Code = *a.Code
	out, err := h.Run(ctx, req)
	if err != nil {
		return nil, err
	}
	return out.ForModel(), nil
}
