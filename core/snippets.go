package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/schema"
)

// Snippet is a saved program, as people see it.
type Snippet struct {
	journal.Snippet
	// InputSchema is the JSON Schema of its input; absent: any input.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// SaveRequest saves an execution's program under a name.
type SaveRequest struct {
	Name        string `json:"name"` // letters, digits, "_" and "-"
	ExecutionID string `json:"executionId"`
	Description string `json:"description,omitempty"`
	// InputSchema is a JSON Schema that inputs are held against; nil accepts any.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Force saves the program of an execution that has not completed.
	Force bool   `json:"force,omitempty"`
	By    string `json:"by,omitempty"`
}

// SnippetError says why a snippet was not saved. Nothing has changed.
type SnippetError struct{ Reason string }

func (e *SnippetError) Error() string { return e.Reason }

// errNoSnippets answers for a journal store that keeps none.
var errNoSnippets = &SnippetError{"This host's journal store keeps no snippets."}

var snippetName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// SaveSnippet saves the program of a completed execution, with the connectors that it had. A name that is known gets a
// new version, which runs from then on.
func (h *Host) SaveSnippet(ctx context.Context, req SaveRequest) (*Snippet, error) {
	if h.snippets == nil {
		return nil, errNoSnippets
	}
	if !snippetName.MatchString(req.Name) {
		return nil, &SnippetError{fmt.Sprintf("%q is no name for a snippet: it begins with a letter or _, and has only letters, digits, _ and -, 64 at most.", req.Name)}
	}
	if req.ExecutionID == "" {
		return nil, &SnippetError{"Name the execution whose program is to be saved."}
	}
	if _, err := schema.Compile(req.InputSchema); err != nil {
		return nil, &SnippetError{"The input schema is not one: " + err.Error()}
	}
	s, err := h.state(ctx, req.ExecutionID)
	if err != nil {
		return nil, err
	}
	if s.Status != journal.StatusCompleted && !req.Force {
		return nil, &SnippetError{fmt.Sprintf("Execution %s is %s: only the program of a completed one is saved, unless you force it.", s.ID, s.Status)}
	}
	snippet := journal.Snippet{
		Name: req.Name, Description: req.Description, InputSchema: req.InputSchema, Source: s.Begun.Source, JS: s.Begun.JS,
		Compiler: s.Begun.Compiler, ExecutionID: s.ID, By: req.By, Saved: time.Now().UTC(),
	}
	for _, c := range s.Begun.Connectors {
		snippet.Connectors = append(snippet.Connectors, c.Label)
	}
	if snippet.Version, err = h.snippets.SaveSnippet(ctx, snippet); err != nil {
		return nil, fmt.Errorf("save snippet %s: %w", req.Name, err)
	}
	return shown(snippet), nil
}

func shown(s journal.Snippet) *Snippet { return &Snippet{Snippet: s, InputSchema: s.InputSchema} }

// Snippets lists the newest version of each snippet, by name. Where one cannot be read, the others come beside the error.
func (h *Host) Snippets(ctx context.Context) ([]Snippet, error) {
	if h.snippets == nil {
		return nil, nil
	}
	saved, err := h.snippets.Snippets(ctx)
	list := make([]Snippet, 0, len(saved))
	for _, s := range saved {
		list = append(list, *shown(s))
	}
	if err != nil {
		err = fmt.Errorf("list snippets: %w", err)
	}
	return list, err
}

// Snippet returns a version of a snippet, the newest if version is 0. One that is not there is a *SnippetError.
func (h *Host) Snippet(ctx context.Context, name string, version int) (*Snippet, error) {
	if h.snippets == nil {
		return nil, errNoSnippets
	}
	s, err := h.snippets.Snippet(ctx, name, version)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, &SnippetError{fmt.Sprintf("There is no snippet %q.", name)}
	}
	if err != nil {
		return nil, err
	}
	return shown(s), nil
}

// DeleteSnippet removes a snippet with all its versions, and reports whether there was one. Executions that have run it go on as
// they were: it is pinned in their journals.
func (h *Host) DeleteSnippet(ctx context.Context, name string) (bool, error) {
	if h.snippets == nil {
		return false, nil
	}
	return h.snippets.DeleteSnippet(ctx, name)
}

// described lists the snippets for search and describe. What cannot be read is logged and hurts no other.
func (h *Host) described(ctx context.Context) []catalog.Snippet {
	if h.snippets == nil {
		return nil
	}
	saved, err := h.snippets.Snippets(ctx)
	if err != nil {
		h.logger.Error("snippets cannot be read", "error", err)
	}
	list := make([]catalog.Snippet, 0, len(saved))
	for _, s := range saved {
		list = append(list, catalog.Snippet{Name: s.Name, Description: s.Description, InputSchema: s.InputSchema, Source: s.Source})
	}
	return list
}

// runArguments are the arguments of codemode.run.
type runArguments struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// CheckInput holds the input of a run call against its snippet's schema. Its error is written for the model.
func (h *Host) CheckInput(ctx context.Context, args []byte) error {
	var a runArguments
	if err := json.Unmarshal(args, &a); err != nil {
		return err
	}
	s, problem, err := h.runnable(ctx, a.Name)
	if err != nil || problem != "" || s.InputSchema == nil {
		return err // what is missing is the call's outcome, not a fault of its input
	}
	compiled, err := schema.Compile(s.InputSchema)
	if err != nil {
		return fmt.Errorf("the snippet's input schema is broken: %w", err)
	}
	input := a.Input
	if input == nil {
		input = json.RawMessage("{}")
	}
	return compiled.Validate(input)
}

// OpenSnippet returns what a run call is completed with: the snippet to run, or {error}.
func (h *Host) OpenSnippet(ctx context.Context, args []byte) ([]byte, error) {
	var a runArguments
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	s, problem, err := h.runnable(ctx, a.Name)
	if err != nil {
		return nil, err
	}
	if problem != "" {
		return encode(map[string]string{"error": problem})
	}
	return encode(sandbox.Snippet{Name: s.Name, Version: s.Version, JS: s.JS})
}

// runnable finds a snippet, or says why it cannot run.
func (h *Host) runnable(ctx context.Context, name string) (s journal.Snippet, problem string, err error) {
	if h.snippets == nil {
		return s, errNoSnippets.Reason, nil
	}
	s, err = h.snippets.Snippet(ctx, name, 0)
	if errors.Is(err, journal.ErrNotFound) {
		return s, fmt.Sprintf("There is no snippet named %q.", name), nil
	}
	if err != nil {
		return s, "", err
	}
	var missing []string
	for _, label := range s.Connectors {
		if !h.registry.has(label) {
			missing = append(missing, fmt.Sprintf("%q", label))
		}
	}
	if len(missing) > 0 {
		problem = fmt.Sprintf("Snippet %q requires connector(s) %s, which are not configured.", name, strings.Join(missing, ", "))
	}
	return s, problem, nil
}
