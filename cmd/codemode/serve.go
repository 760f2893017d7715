package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newServe(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Keep the host for other processes", Args: cobra.NoArgs,
		Long: `Have the journal open until an interrupt: continue what a dead process left
running, end what has waited for too long, delete what is too old, and carry
out what other commands and MCP servers ask. Where another process has the
journal already, follow it when it goes.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context()) },
	}
}

func (a *app) serve(ctx context.Context) error {
	st, err := a.newStation(ctx)
	if err != nil {
		return err
	}
	if s := st.now(); s.holder != nil {
		a.say(fmt.Sprintf("Process %d has the journal open; following it when it goes.", s.holder.Holder().PID))
	} else {
		a.say("Serving " + st.guest.Path)
	}
	<-ctx.Done()
	st.close(ctx)
	return nil
}
