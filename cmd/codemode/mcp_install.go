package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/clients"
	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
)

func newMCPInstall(a *app) *cobra.Command {
	write, name := false, ""
	cmd := &cobra.Command{
		Use: "install CLIENT", Short: "Tell an MCP client of this host", Args: cobra.ExactArgs(1),
		ValidArgs: clients.Names(),
		Long: `Print what makes an MCP client start "codemode mcp" under this configuration,
and where it belongs; with --write, merge it into the client's configuration,
of which all else stays as it is. The clients are
` + wrapped(strings.Join(clients.Names(), ", ")) + `.`,
		RunE: func(_ *cobra.Command, args []string) error { return a.installMCP(args[0], name, write) },
	}
	cmd.Flags().BoolVar(&write, "write", false, "merge it into the client's configuration")
	cmd.Flags().StringVar(&name, "name", "codemode", "what the client calls the server")
	return cmd
}

// wrapped breaks a text where a terminal would.
func wrapped(text string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		if column > 0 && column+1+len(word) > 78 {
			b.WriteString("\n")
			column = 0
		}
		if column > 0 {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// installation is what mcp install says as JSON.
type installation struct {
	Client  string `json:"client"`
	Path    string `json:"path"`
	Text    string `json:"text"`
	Changed bool   `json:"changed"`
}

func (a *app) installMCP(client, name string, write bool) error {
	if !slices.Contains(clients.Names(), client) {
		return fmt.Errorf("%q is no client that is known here: %s", client, strings.Join(clients.Names(), ", "))
	}
	if !clients.ValidName(name) {
		return fmt.Errorf("--name %q: only letters, digits, _ and - are allowed", name)
	}
	server, err := a.mcpCommand()
	if err != nil {
		return err
	}
	server.Name = name
	path, err := clients.Path(client, clients.Surroundings{Getenv: os.Getenv, Home: os.UserHomeDir, ConfigDir: os.UserConfigDir, WorkDir: os.Getwd})
	if err != nil {
		return err
	}
	i := installation{Client: client, Path: path, Text: clients.Text(client, server)}
	if write {
		if i.Changed, err = clients.Write(client, path, server); err != nil {
			return err
		}
	}
	return a.answer(i, func(render.Page) string {
		switch {
		case !write:
			a.say("This belongs into " + path)
			return i.Text
		case !i.Changed:
			return path + " has it already.\n"
		}
		return "Written to " + path + "; restart the client, or reload its servers.\n"
	})
}

// mcpCommand is the command line that serves this configuration, whatever the folder a client starts it in.
func (a *app) mcpCommand() (clients.Server, error) {
	binary, err := os.Executable()
	if err != nil {
		return clients.Server{}, fmt.Errorf("find this program's file: %w", err)
	}
	config, err := a.find()
	if err == nil {
		config, err = filepath.Abs(config)
	}
	if err != nil {
		return clients.Server{}, err
	}
	args := []string{"mcp", "--config", config}
	for _, v := range a.vars {
		args = append(args, "--var", v)
	}
	return clients.Server{Command: binary, Args: args}, nil
}
