package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
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
	for line, words := range map[string][]string{
		"executions --status ": {"paused", "rolled_back"},
		"run --ask ":           {"writes"},
		"show --log-level ":    {"debug"},
	} {
		s := newStage(&service{})
		s.does(t, 0, append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Split(line, " ")...)...)
		says(t, &s.out, words...)
		if s.opened > 0 {
			t.Errorf("%s: it has opened the host", line)
		}
	}
	help := newStage(&service{})
	help.does(t, 0, "--help")
	says(t, &help.out, "completion", "snippets", "expire", "prune")
}

// What a host has is offered too: executions and snippets.
func TestCompletionOfWhatIsThere(t *testing.T) {
	t.Parallel()
	var list core.ListRequest
	there := &service{
		executions: func(r core.ListRequest) (*core.Page, error) {
			list = r
			return &core.Page{Executions: []journal.Head{{ID: "x1", Status: journal.StatusPaused, Title: "Close an issue"}}}, nil
		},
		snippets: func() ([]core.Snippet, error) { return []core.Snippet{*sum(1)}, errors.New("another is damaged") },
	}
	broken := &service{executions: func(core.ListRequest) (*core.Page, error) { return nil, errors.New("the disk is full") }}
	for name, tc := range map[string]struct {
		host     *service
		line     string
		offers   string
		statuses []string
	}{
		"all":               {there, "show ", "x1\tpaused: Close an issue\n", nil},
		"what waits":        {there, "approve ", "x1\tpaused: Close an issue\n", []string{"paused", "running"}},
		"what completed":    {there, "snippets save close ", "x1\tpaused: Close an issue\n", []string{"completed"}},
		"a new name":        {there, "snippets save ", "", nil},
		"after the id":      {there, "settle x1 ", "", nil},
		"one more":          {there, "export x0 ", "x1\tpaused: Close an issue\n", nil},
		"snippets":          {there, "snippets show ", "sum\t", nil},
		"a host that fails": {broken, "show ", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			list = core.ListRequest{}
			s := newStage(tc.host)
			s.does(t, 0, append([]string{cobra.ShellCompRequestCmd}, strings.Split(tc.line, " ")...)...)
			if got := s.out.String(); !strings.HasPrefix(got, tc.offers) || tc.offers == "" && !strings.HasPrefix(got, ":") {
				t.Errorf("offers %q, want %q", got, tc.offers)
			}
			if diff := cmp.Diff(tc.statuses, list.Statuses); diff != "" {
				t.Error(diff)
			}
		})
	}
}
