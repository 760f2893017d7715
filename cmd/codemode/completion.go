package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

// completionTime bounds how long a person who presses Tab waits for the host.
const completionTime = 3 * time.Second

// completion offers words for an argument, or none.
type completion = func(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective)

// anyArgument says that every argument of a command is offered the same.
const anyArgument = -1

// executionIDs offers the newest executions of these statuses, of all if there are none, as the argument of this number.
func (a *app) executionIDs(argument int, statuses ...journal.Status) completion {
	req := core.ListRequest{Limit: 50}
	for _, s := range statuses {
		req.Statuses = append(req.Statuses, string(s))
	}
	return a.completes(argument, func(ctx context.Context, svc control.Service) []cobra.Completion {
		page, err := svc.Executions(ctx, req)
		if err != nil {
			return nil
		}
		var list []cobra.Completion
		for _, e := range page.Executions {
			list = append(list, cobra.CompletionWithDesc(e.ID, string(e.Status)+": "+e.Title))
		}
		return list
	})
}

// snippetNames offers the saved programs as the first argument.
func (a *app) snippetNames() completion {
	return a.completes(0, func(ctx context.Context, svc control.Service) []cobra.Completion {
		saved, _ := svc.Snippets(ctx) // those that can be read come beside the error
		var list []cobra.Completion
		for _, s := range saved {
			list = append(list, cobra.CompletionWithDesc(s.Name, s.Description))
		}
		return list
	})
}

// completes asks the host for words. Whatever fails, a shell is offered nothing and told nothing.
func (a *app) completes(argument int, words func(context.Context, control.Service) []cobra.Completion) completion {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if argument != anyArgument && len(args) != argument {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.logLevel = "off"
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		s, err := a.open(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer s.close(cmd.Context())
		return words(ctx, s.service), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// oneOf offers the values of a flag.
func oneOf(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(slices.Clone(values), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag: a programmer's mistake
	}
}
