package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

func newSnippetsSave(a *app) *cobra.Command {
	req, schema := core.SaveRequest{}, ""
	cmd := &cobra.Command{
		Use: "save NAME ID", Short: "Save the program of an execution under a name", Args: cobra.ExactArgs(2),
		ValidArgsFunction: a.executionIDs(1, journal.StatusCompleted),
		Long: `Show the program of an execution that has completed, ask at the terminal, and
save it: models find it with search and run it by its name. A name that is known
gets a new version, which runs from then on.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name, req.ExecutionID = args[0], args[1]
			var err error
			if schema != "" {
				req.InputSchema, err = a.readSchema(schema)
			}
			if err != nil {
				return err
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error { return a.save(ctx, s, req) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&req.Description, "description", "", "what it does, by which it is found")
	cmd.Flags().StringVar(&schema, "input-schema", "", "the JSON Schema of its input, in this `file`; - is standard input")
	cmd.Flags().BoolVar(&req.Force, "force", false, "save the program of an execution that has not completed")
	return a.takesSecret(cmd)
}

func (a *app) readSchema(path string) (json.RawMessage, error) {
	text, err := a.read(path)
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		return nil, fmt.Errorf("--input-schema %s: the file is not JSON", path)
	}
	return text, nil
}

func (a *app) save(ctx context.Context, s *session, req core.SaveRequest) error {
	req.By = a.user
	if a.asks(s) {
		yes, err := a.askSave(ctx, s, req)
		if err != nil {
			return err
		}
		if !yes {
			return a.reply(&core.Reply{ExecutionID: req.ExecutionID, Message: "No snippet was saved."})
		}
	}
	ctx, err := a.authorized(ctx, s)
	if err != nil {
		return err
	}
	saved, err := ask(ctx, s, func(svc control.Service) (*core.Snippet, error) { return svc.SaveSnippet(ctx, req) })
	var refused *core.SnippetError
	if errors.As(err, &refused) {
		return a.reply(&core.Reply{ExecutionID: req.ExecutionID, Message: refused.Reason})
	}
	if err != nil {
		return err
	}
	return a.answer(saved, func(p render.Page) string { return p.SnippetSaved(*saved) })
}

// askSave shows what would be saved and asks a person whether it is to be.
func (a *app) askSave(ctx context.Context, s *session, req core.SaveRequest) (bool, error) {
	t, err := a.openTerminal()
	if err != nil {
		return false, err
	}
	defer t.close()
	d, err := ask(ctx, s, func(svc control.Service) (*core.Detail, error) { return svc.Show(ctx, req.ExecutionID) })
	if err != nil {
		return false, err
	}
	known, err := ask(ctx, s, func(svc control.Service) (*core.Snippet, error) { return svc.Snippet(ctx, req.Name, 0) })
	var none *core.SnippetError
	if errors.As(err, &none) {
		known, err = nil, nil // it is a new name, or none, which the host says
	}
	if err != nil {
		return false, err
	}
	if err := t.show("\n" + t.page.SnippetToSave(req, d, known) + "\n"); err != nil {
		return false, err
	}
	return t.confirm(ctx, "Save this program?")
}
