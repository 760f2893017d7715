package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

//go:generate go test -run ^TestReferenceIsCurrent$ . -update

var update = flag.Bool("update", false, "write the reference anew")

const referencePath = "../../docs/cli.md"

// TestReferenceIsCurrent holds the reference to the commands.
func TestReferenceIsCurrent(t *testing.T) {
	want := reference()
	if *update {
		if err := os.WriteFile(referencePath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("go generate ./cmd/codemode writes it anew:\n%s", diff)
	}
}

// TestCommandsAreExplained checks what the reference is made of.
func TestCommandsAreExplained(t *testing.T) {
	t.Parallel()
	for _, cmd := range commands(newRoot(&app{})) {
		if cmd.Short == "" {
			t.Errorf("%s has no explanation", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Long) {
			if len(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s: too long for a terminal: %s", cmd.CommandPath(), line)
			}
		}
	}
}

// reference is the page on all commands.
func reference() string {
	root := newRoot(&app{user: "$USER"})
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Written by go generate ./cmd/codemode from the commands themselves: do not edit. -->\n\n")
	fmt.Fprintf(&b, "%s\n\nEvery command has these flags:\n\n```text\n%s```\n", root.Long, root.PersistentFlags().FlagUsagesWrapped(80))
	for _, cmd := range commands(root) {
		section(&b, cmd)
	}
	return b.String()
}

// commands lists the commands below one, each followed by its own.
func commands(under *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, cmd := range under.Commands() {
		if cmd.Name() == "help" || cmd.Hidden {
			continue
		}
		list = append(list, cmd)
		if cmd.Name() != "completion" { // whose own help says it all
			list = append(list, commands(cmd)...)
		}
	}
	return list
}

func section(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```text\n%s\n```\n", cmd.CommandPath(), cmd.Short, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	if cmd.Long != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(cmd.Long))
	}
	if cmd.Name() == "completion" {
		b.WriteString("\n`codemode completion SHELL` writes the script: bash, zsh, fish or powershell.\n")
	}
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(b, "\n```text\n%s```\n", flags.FlagUsagesWrapped(80))
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newStage(&service{})
	s.does(t, 0, "completion", "bash")
	says(t, &s.out, "__start_codemode")
	if s.opened > 0 {
		t.Error("it has opened the host")
	}
	help := newStage(&service{})
	help.does(t, 0, "--help")
	says(t, &help.out, "completion", "snippets", "expire", "prune")
}
