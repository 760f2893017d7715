package main

import (
	"context"

	"github.com/spf13/cobra"
)

// with makes a command's RunE of a function that uses the host.
func (a *app) with(do func(ctx context.Context, s *session, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		s, err := a.open(ctx)
		if err != nil {
			return err
		}
		defer s.close(ctx)
		return do(ctx, s, args)
	}
}
