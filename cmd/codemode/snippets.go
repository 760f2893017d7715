package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func newSnippets(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "snippets", Short: "List the saved programs", Args: cobra.NoArgs,
		Long: `List the saved programs, which models find with search and run by their names.`,
		RunE: a.with(func(ctx context.Context, s *session, _ []string) error { return a.snippets(ctx, s) }),
	}
	cmd.AddCommand(newSnippetsShow(a), newSnippetsSave(a), newSnippetsDelete(a))
	return cmd
}

func (a *app) snippets(ctx context.Context, s *session) error {
	list, unreadable := ask(ctx, s, func(svc control.Service) ([]core.Snippet, error) { return svc.Snippets(ctx) })
	if list == nil && unreadable != nil {
		return unreadable
	}
	if list == nil {
		list = []core.Snippet{}
	}
	if err := a.answer(list, func(p render.Page) string { return p.Snippets(list) }); err != nil {
		return err
	}
	return unreadable // beside it, the list is good
}

func newSnippetsShow(a *app) *cobra.Command {
	version := 0
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Tell a saved program in full", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.snippetNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if version < 0 {
				return fmt.Errorf("--version %d: versions begin with 1", version)
			}
			return a.with(func(ctx context.Context, s *session, args []string) error {
				snippet, err := ask(ctx, s, func(svc control.Service) (*core.Snippet, error) { return svc.Snippet(ctx, args[0], version) })
				if err != nil {
					return err
				}
				return a.answer(snippet, func(p render.Page) string { return p.Snippet(*snippet) })
			})(cmd, args)
		},
	}
	cmd.Flags().IntVar(&version, "version", 0, "this version, and not the newest")
	return cmd
}

// deletion is the answer of a deletion of a snippet.
type deletion struct {
	Name    string `json:"name"`
	Changed bool   `json:"changed"`
}

func newSnippetsDelete(a *app) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete a saved program with all its versions", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.snippetNames(),
		Long: `Delete a saved program with all its versions. Executions that have run it go on
as they were. It asks at the terminal.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			sure, err := a.confirmed(ctx, s, yes, a.deletedSnippet(ctx, s, args[0]), "Delete this snippet with all its versions?")
			if err != nil {
				return err
			}
			if !sure {
				err := a.answer(deletion{args[0], false}, func(render.Page) string { return "Nothing was changed. No snippet was deleted.\n" })
				return cmp.Or(err, exit(exitUnchanged))
			}
			found, err := ask(ctx, s, func(svc control.Service) (bool, error) { return svc.DeleteSnippet(ctx, args[0]) })
			if err != nil {
				return err
			}
			err = a.answer(deletion{args[0], found}, func(p render.Page) string { return p.SnippetDeleted(args[0], found) })
			if err == nil && !found {
				return exit(exitUnchanged)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, yesFlag)
	return cmd
}

// deletedSnippet shows the newest version of a snippet. One that cannot be read can be deleted all
// the same; of one that is not there, nothing is shown.
func (a *app) deletedSnippet(ctx context.Context, s *session, name string) func(render.Page) string {
	return func(p render.Page) string {
		snippet, err := ask(ctx, s, func(svc control.Service) (*core.Snippet, error) { return svc.Snippet(ctx, name, 0) })
		if unknown := (*core.SnippetError)(nil); errors.As(err, &unknown) {
			return ""
		}
		if err != nil {
			return render.Safe(fmt.Sprintf("Snippet %s cannot be shown: %v\n", name, err))
		}
		return p.Snippet(*snippet)
	}
}
