package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/truncate"
)

// ToolName is the name of the one tool that a model sees, unless Options.Tool names it otherwise.
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
	description := h.registry.catalog().ToolDescription(catalog.ToolOptions{})
	if describe := h.options.Tool.Describe; describe != nil {
		description = describe(description)
	}
	return Tool{Name: h.toolName(), Description: description, InputSchema: toolInput}
}

func (h *Host) toolName() string { return cmp.Or(h.options.Tool.Name, ToolName) }

// Call answers a model's call of the tool: args is {"code": "..."}. The outcome is what the model gets; it is data,
// also where the arguments are wrong.
func (h *Host) Call(ctx context.Context, args json.RawMessage, req RunRequest) (*Outcome, error) {
	var a struct {
		Code *string `json:"code"`
	}
	if err := json.Unmarshal(args, &a); err != nil || a.Code == nil {
		return engine.StateError("", fmt.Sprintf("The tool %s takes one object with one string: {\"code\": \"...\"}.", h.toolName())), nil
	}
	req.Code = *a.Code
	out, err := h.Run(ctx, req)
	if err != nil {
		return nil, err
	}
	return h.ForModel(out), nil
}

// ForModel is an outcome as a model gets it: without the call log, and with the result as TransformResult shapes it.
func (h *Host) ForModel(out *Outcome) *Outcome {
	m := out.ForModel()
	transform := h.options.TransformResult
	switch {
	case m.Status != string(journal.StatusCompleted) || m.Result == nil:
		return m
	case transform == nil:
		return Shortened(m)
	}
	shaped, err := transform(m.Result)
	if err != nil {
		h.logger.Warn("the result is not transformed", "execution", m.ExecutionID, "error", err)
		return m
	}
	m.Result = shaped
	return m
}

// Shortened is an outcome whose result has no more characters than models have room for: a larger one is shrunk in
// place, and a line of its logs says so.
func Shortened(out *Outcome) *Outcome {
	short, cut := truncate.JSON(out.Result, truncate.DefaultLimit)
	if !cut {
		return out
	}
	m := *out
	m.Logs = append(slices.Clip(m.Logs), fmt.Sprintf("[warn] the result was shortened from %d to %d characters; "+
		"the whole of it is kept with execution %s. Return less: select fields, filter, count.",
		utf8.RuneCount(m.Result), utf8.RuneCount(short), m.ExecutionID))
	m.Result = short
	return &m
}
