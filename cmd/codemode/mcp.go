package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/mcpserver"
)

// mcpFlags are what an MCP server is started with.
type mcpFlags struct {
	address, tokenFile, caller string
	tools, labels              []string
}

func newMCP(a *app) *cobra.Command {
	f := mcpFlags{}
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve MCP clients", Args: cobra.NoArgs,
		Long: `Offer the host as an MCP server, to one client over standard input and output,
or with --http to any number of them: one tool that runs programs, and one that
fetches an outcome later. Several such processes share one host: the first
one has it, the others join it, and follow it when it goes.

A client that ends its connection ends no program: the process stays until they
have ended. An interrupt leaves what runs for the next process.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.address, "http", "", "serve streamable HTTP at this `HOST:PORT`, under /mcp")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` with the bearer token that HTTP clients must send; needed where others than this machine can connect")
	cmd.Flags().StringSliceVar(&f.tools, "tools", mcpserver.DefaultTools, "the tools to offer: codemode, result, search, describe")
	cmd.Flags().StringVar(&f.caller, "caller", "", "who asks (default: the client's name)")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "label the executions, `NAME=VALUE`; repeatable")
	cmd.AddCommand(newMCPInstall(a))
	return cmd
}

// check says what is wrong with the flags, and reads the labels.
func (f mcpFlags) check() (labels map[string]string, err error) {
	for _, tool := range f.tools {
		switch tool {
		case mcpserver.ToolRun, mcpserver.ToolResult, mcpserver.ToolSearch, mcpserver.ToolDescribe:
		default:
			return nil, fmt.Errorf("--tools %q: the tools are codemode, result, search and describe", tool)
		}
	}
	if err := f.checkAddress(); err != nil {
		return nil, err
	}
	return pairs("label", f.labels)
}

func (a *app) serveMCP(ctx context.Context, f mcpFlags) error {
	labels, err := f.check()
	if err != nil {
		return err
	}
	logger, err := a.logger()
	if err != nil {
		return err
	}
	st, err := a.newStation(ctx)
	if err != nil {
		return err
	}
	server := mcpserver.New(ctx, mcpserver.Options{
		Host: st, Tools: f.tools, NoElicitation: !st.guest.Approvals.Elicitation, User: a.user,
		Caller: f.caller, Labels: labels, Version: thisVersion().Version, Logger: logger.Named("mcp"),
	})
	following, end := context.WithCancel(ctx)
	var follow sync.WaitGroup
	follow.Go(func() { server.Follow(following) })
	defer follow.Wait()
	defer end()
	if f.address != "" {
		return a.serveHTTP(ctx, f, st, server)
	}
	return a.serveStdio(ctx, st, server)
}

// serveStdio serves one client. Nothing else may write to standard output.
func (a *app) serveStdio(ctx context.Context, st *station, server *mcpserver.Server) error {
	if a.out == os.Stdout {
		os.Stdout = os.Stderr
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeStdio(ctx, readCloser(a.in), writeCloser(a.out)) }()
	select {
	case err := <-ended:
		st.close(ctx)
		return err
	case <-ctx.Done():
		st.close(ctx) // which ends the calls
		return <-ended
	}
}

func readCloser(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}

func writeCloser(w io.Writer) io.WriteCloser {
	if c, ok := w.(io.WriteCloser); ok {
		return c
	}
	return struct {
		io.Writer
		io.Closer
	}{w, io.NopCloser(nil)}
}
