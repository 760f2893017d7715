package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func newExport(a *app) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use: "export [ID...]", Short: "Write executions with their journals as JSON lines",
		ValidArgsFunction: a.executionIDs(anyArgument),
		Long: `Write executions as JSON lines, all if none is named: a head, every event, an
end. What the schemas of their methods mark as writeOnly is taken out; what a
program has copied elsewhere is not. It is for audits, for other tools, and for
codemode import; to keep everything as it is, use codemode backup.`,
		RunE: a.with(func(ctx context.Context, s *session, ids []string) error {
			w, done, err := a.destination(out)
			if err != nil {
				return err
			}
			return errors.Join(export(ctx, s, w, ids), done())
		}),
	}
	cmd.Flags().StringVar(&out, "out", "", "write to this new `file`, which only its user can read")
	return cmd
}

// destination is where an export goes: standard output, or a new file.
func (a *app) destination(path string) (io.Writer, func() error, error) {
	if path == "" {
		return a.out, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("export: %w", err)
	}
	return f, f.Close, nil
}

// export writes the named executions, or all, the newest first. One that cannot be read hurts no other.
func export(ctx context.Context, s *session, w io.Writer, ids []string) error {
	if len(ids) == 0 {
		var err error
		if ids, err = every(ctx, s); err != nil {
			return err
		}
	}
	var errs []error
	for _, id := range ids {
		text, err := ask(ctx, s, func(svc control.Service) ([]byte, error) { return svc.Export(ctx, id) })
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if _, err := w.Write(text); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return errors.Join(errs...)
}

// every lists all executions.
func every(ctx context.Context, s *session) ([]string, error) {
	var ids []string
	for req := (core.ListRequest{}); ; {
		page, err := ask(ctx, s, func(svc control.Service) (*core.Page, error) { return svc.Executions(ctx, req) })
		if err != nil {
			return nil, err
		}
		for _, x := range page.Executions {
			ids = append(ids, x.ID)
		}
		if req.Cursor = page.Next; req.Cursor == "" {
			return ids, nil
		}
	}
}

func newImport(a *app) *cobra.Command {
	live := false
	cmd := &cobra.Command{
		Use: "import FILE|-", Short: "Keep executions that were exported", Args: cobra.ExactArgs(1),
		Long: `Keep executions that codemode export has written. One that is here already, or
whose text is not whole, is refused. One that has not ended is refused, too,
unless --live says that it goes on here and not where it comes from: its effects
would happen twice.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			text, err := a.source(args[0])
			if err != nil {
				return err
			}
			replies, err := importAll(ctx, s, text, live)
			if err != nil {
				return err
			}
			return a.imported(replies)
		}),
	}
	cmd.Flags().BoolVar(&live, "live", false, "take executions that have not ended: they go on here")
	return cmd
}

// source reads a file, or standard input.
func (a *app) source(path string) ([]byte, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(a.in)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return text, nil
}

// importAll imports each execution of a text.
func importAll(ctx context.Context, s *session, text []byte, live bool) ([]*core.Reply, error) {
	replies := []*core.Reply{}
	for _, one := range executionsIn(text) {
		r, err := ask(ctx, s, func(svc control.Service) (*core.Reply, error) {
			return svc.Import(ctx, core.ImportRequest{Text: one, Live: live})
		})
		if err != nil {
			return nil, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

// executionsIn cuts a text where an execution's head stands.
func executionsIn(text []byte) [][]byte {
	var parts [][]byte
	for line := range bytes.Lines(text) {
		var head struct{ Format int }
		if json.Unmarshal(line, &head) == nil && head.Format != 0 || len(parts) == 0 {
			parts = append(parts, nil)
		}
		last := &parts[len(parts)-1]
		*last = append(*last, line...)
	}
	return parts
}

// imported tells what came of an import.
func (a *app) imported(replies []*core.Reply) error {
	changed := false
	for _, r := range replies {
		changed = changed || r.Changed
	}
	err := a.answer(replies, func(p render.Page) string {
		text := ""
		for _, r := range replies {
			text += p.Reply(r)
		}
		return text
	})
	if err == nil && !changed {
		return exit(exitUnchanged)
	}
	return err
}

func newBackup(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the whole journal to a new file, also while programs run", Args: cobra.ExactArgs(1),
		Long: `Copy all executions, snippets and stored values, as they are at this moment, to
a new file, which only its user can read. Nothing is taken out: keep it as you
keep the journal. Where another process has the journal open, it writes it.`,
		RunE: a.with(func(ctx context.Context, s *session, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("back up: %w", err)
			}
			_, err = ask(ctx, s, func(svc control.Service) (struct{}, error) { return struct{}{}, svc.Backup(ctx, path) })
			if err != nil {
				return err
			}
			return a.answer(map[string]string{"file": path}, func(render.Page) string { return render.Safe("The journal is in " + path + ".\n") })
		}),
	}
}

func newRestore(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Make the journal of a backup", Args: cobra.ExactArgs(1),
		Long: `Make the journal of a file that codemode backup has written. There must not be
one yet: move the folder of a damaged one away first. What has not ended goes on
here, and must not go on where the backup comes from.`,
		RunE: func(_ *cobra.Command, args []string) error {
			c, _, err := a.configured()
			if err != nil {
				return err
			}
			if err := core.Restore(c, args[0]); err != nil {
				return err
			}
			return a.answer(map[string]string{"data": c.Runtime.Data}, func(render.Page) string {
				return render.Safe("The journal is restored in " + c.Runtime.Data + ".\n")
			})
		},
	}
}
